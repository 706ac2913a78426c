"""Numbers and words of a report, each against its definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dncsc import DnCSC, LloydKMeans, metrics
from dncsc.engines.layout import block_rows
from dncsc.report import moments, trust, words
from dncsc.report.gather import Facts, Wishes, gather
from dncsc.report.source import Source, choose
from report_page import four_groups


@pytest.fixture(scope="module")
def facts() -> Facts:
    """Of four groups that leave nothing to wish for."""
    frame = four_groups()
    model = DnCSC(4, n_landmarks=80, random_state=7).fit(frame)
    return gather(model, Source(frame), Wishes(None, None, None, 2, 1000), lambda step, done: None)


def advice(facts: Facts) -> str:
    assert facts.trust is not None
    return " ".join(words.advice(facts, facts.trust))


def test_moments_keep_their_digits_far_from_zero():
    random = np.random.default_rng(0)
    rows = random.normal(size=(3 * block_rows(40) + 7, 40)) + 1e8
    labels = random.integers(0, 5, len(rows))
    labels[labels == 3] = 2  # cluster 3 stays empty
    chosen = choose(len(rows), 40, 1000)
    found = moments.gather(Source(rows), labels, 5, chosen, lambda done: None)
    for cluster in (0, 1, 2, 4):
        own = rows[labels == cluster]
        np.testing.assert_allclose(found.mean[cluster] - 1e8, own.mean(axis=0) - 1e8, atol=1e-5)
        np.testing.assert_allclose(found.deviation[cluster], own.std(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.whole_deviation, rows.std(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(found.count, np.bincount(labels, minlength=5))
    np.testing.assert_array_equal(found.sample, rows[chosen])
    assert (found.effect[3] == 0).all()


def test_a_sample_is_spread_over_all_rows():
    chosen = choose(1_000_003, 2, 1000)
    assert len(np.unique(chosen)) == 1000
    assert (np.diff(chosen) > 0).all()
    assert np.bincount(chosen // 100_001).tolist() == pytest.approx([100] * 10, abs=1)
    assert len(choose(10**9, 10**6, 10**6)) == 67


def test_stability_is_the_mean_best_jaccard(tmp_path):
    rows = np.random.default_rng(1).uniform(size=(2000, 4))
    model = LloydKMeans(6, random_state=3).fit(rows)
    found = moments.gather(Source(rows), model.labels_, 6, np.arange(2000), lambda done: None)
    again = trust.examine(model, found, 2, lambda done: None)
    others = [LloydKMeans(6, random_state=seed).fit(rows).labels_ for seed in (4, 5)]
    for cluster in range(6):
        own = set(np.flatnonzero(model.labels_ == cluster))
        best = [
            max(len(own & each) / len(own | each) for each in (set(np.flatnonzero(other == i)) for i in range(6)))
            for other in others
        ]
        assert again.stability[cluster] == pytest.approx(np.mean(best))
    assert again.ari == pytest.approx(np.mean([metrics.ari(model.labels_, other) for other in others]))
    assert again.among == pytest.approx((metrics.nmi(*others), metrics.ari(*others)))


def test_reruns_seek_as_many_clusters_as_the_model_has():
    frame = four_groups()
    model = DnCSC(3, n_landmarks=80, random_state=7).fit(frame)
    found = moments.gather(Source(frame), model.labels_, 3, np.arange(1000), lambda done: None)
    given = trust.examine(model, found, 1, lambda done: None)
    counted = trust.examine(model.set_params(n_clusters="auto"), found, 1, lambda done: None)  # which would be 4
    assert counted == given


@pytest.mark.parametrize(
    ("ari", "stability", "verdict"),
    [
        (0.99, [0.9, 0.99], "stable"),
        (0.99, [0.4, 0.99], "partly stable"),
        (0.7, [0.7, 0.99], "partly stable"),
        (0.3, [0.4, 0.99], "unstable"),
    ],
)
def test_one_shaky_cluster_is_enough_to_doubt(ari, stability, verdict):
    found = trust.Trust(10, [trust.Rerun(1, ari, ari)], None, stability, [None, None], None)
    assert found.verdict == verdict
    assert found.shaky == ([0] if stability[0] < 0.6 else [])


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (1234567.891, 2, "1,234,567.89"),
        (-0.001, 1, "0.0"),
        (-2.5, 1, "\N{MINUS SIGN}2.5"),
        (0.05036, None, "0.05036"),
        (2e-9, None, "2e\N{MINUS SIGN}09"),
    ],
)
def test_numbers_are_written_for_people(value, places, text):
    assert words.number(value, places) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.0 ms"), (1e-6, "< 0.1 ms"), (0.0123, "12.3 ms"), (2.104, "2.10 s"), (61.23, "61.2 s"), (7384, "2 h 3 min")],
)
def test_durations_are_written_for_people(value, text):
    assert words.seconds(value) == text


def test_good_clusters_need_no_advice(facts):
    assert advice(facts) == ""


@pytest.mark.parametrize(
    ("eigenvalues", "k", "other"),
    [
        ([0, 0, 0, 0.5, 0.55, 0.6, 0.7], 5, 3),
        ([0, 0.0007, 0.0037, 0.0038, 0.0133, 0.0148, 0.03], 2, None),  # gaps grow, but none is clearer for its height
        ([0, 0.4, 0.45, 0.5], 3, None),  # one part is no clustering
        ([0, 0, 0, 0], 2, None),
    ],
)
def test_a_clearer_gap_elsewhere_is_advised(facts, eigenvalues, k, other):
    changed = replace(facts, eigenvalues=eigenvalues, n_clusters=k)
    assert words.another_k(changed) == other
    assert (f"try n_clusters={other}" in advice(changed).replace("`", "")) == (other is not None)


def test_a_model_that_differs_from_all_other_runs_may_be_unlucky(facts):
    runs = [trust.Rerun(8, 0.7, 0.5), trust.Rerun(9, 0.7, 0.5)]
    found = replace(facts.trust, reruns=runs, among=(0.99, 0.95))
    assert "unlucky start: try `random_state=8`" in advice(replace(facts, trust=found))


def test_clusters_that_exchange_rows_may_be_one(facts):
    found = replace(facts.trust, stability=[0.5, 0.5, 1.0, 1.0], partner=[1, 0, None, None])
    assert "(0 with 1) and may be one: try `n_clusters=3`" in advice(replace(facts, trust=found))


def test_what_the_rows_ask_for_is_advised(facts):
    found = facts.moments
    wide = replace(found, mean=found.mean * [1000, 1, 1], deviation=found.deviation * [1000, 1, 1])
    assert "feature east has 100.0% of all variance" in advice(replace(facts, moments=wide))
    small = replace(found, count=np.array([5, 200, 300, 495]))
    assert "Cluster 0 is very small" in advice(replace(facts, moments=small))
    assert "set `random_state`" in advice(replace(facts, run=replace(facts.run, seed=None)))
    assert "nearest='exact'" in advice(replace(facts, exact_fraction=0.5))
