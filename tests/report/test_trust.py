"""Stability of clusters against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc import DnCSC, LloydKMeans, metrics
from dncsc.estimators.base import UnclearClustersWarning
from dncsc.report import trust
from dncsc.report.reader import BlockReader, gather_moments
from report_page import four_groups


def test_stability_is_the_mean_best_jaccard():
    rows = np.random.default_rng(1).uniform(size=(2000, 4))
    model = LloydKMeans(6, random_state=3).fit(rows)
    found = gather_moments(BlockReader(rows), model.labels_, 6, np.arange(2000))
    again = trust.examine(model, found, 2, lambda step, done: None)
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
    found = gather_moments(BlockReader(frame), model.labels_, 3, np.arange(1000))
    given = trust.examine(model, found, 1, lambda step, done: None)
    counted = trust.examine(model.set_params(n_clusters="auto"), found, 1, lambda step, done: None)  # which would be 4
    assert counted == given


def test_reruns_do_not_warn():
    rows = np.random.default_rng(0).standard_t(3, (600, 10))  # a heap without clusters
    with pytest.warns(UnclearClustersWarning):
        model = DnCSC(3, random_state=0).fit(rows)
    found = gather_moments(BlockReader(rows), model.labels_, 3, np.arange(600))
    trust.examine(model, found, 2, lambda step, done: None)  # warnings are errors here


@pytest.mark.parametrize(
    ("ari", "stability", "verdict"),
    [
        (0.99, [0.9, 0.99], "stable"),
        (0.99, [0.4, 0.99], "partly stable"),
        (0.7, [0.7, 0.99], "partly stable"),
        (0.3, [0.4, 0.99], "unstable"),
    ],
)
def test_one_unstable_cluster_is_enough_to_doubt(ari, stability, verdict):
    found = trust.Trust(10, [trust.Rerun(1, ari, ari)], None, stability, [None, None], None)
    assert found.verdict == verdict
    assert found.unstable == ([0] if stability[0] < 0.6 else [])
