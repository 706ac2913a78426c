"""Advice follows from the facts."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from dncsc import DnCSC
from dncsc.report import trust
from dncsc.report.advice import advice, suggested_k
from dncsc.report.facts import Facts, gather
from dncsc.report.reader import BlockReader
from report_page import four_groups


@pytest.fixture(scope="module")
def facts() -> Facts:
    """Of four groups far apart, which need no advice."""
    frame = four_groups()
    model = DnCSC(4, n_landmarks=80, random_state=7).fit(frame)
    return gather(model, BlockReader(frame), reruns=2, sample_rows=1000)


def given(facts: Facts) -> str:
    assert facts.trust is not None
    return " ".join(advice(facts, facts.trust))


def test_good_clusters_need_no_advice(facts):
    assert given(facts) == ""


@pytest.mark.parametrize(
    ("eigenvalues", "k", "other"),
    [
        ([0, 0, 0, 0.5, 0.55, 0.6, 0.7], 5, 3),
        ([0, 0.0007, 0.0037, 0.0038, 0.0133, 0.0148, 0.03], 2, None),  # gaps grow, but none is clearer for its height
        ([0, 0.4, 0.45, 0.5], 3, None),  # one cluster is no clustering
        ([0, 0, 0, 0], 2, None),
        ([0, 0, 1e-15, 7e-11, 0.1], 3, 4),
        ([0, 1e-15, 7e-11, 9e-11], 3, None),  # all are rounding
    ],
)
def test_a_clearer_gap_elsewhere_is_advised(facts, eigenvalues, k, other):
    changed = replace(facts, eigenvalues=eigenvalues, n_clusters=k)
    assert suggested_k(changed) == other
    assert (f"try n_clusters={other}" in given(changed).replace("`", "")) == (other is not None)


def test_a_number_that_is_in_doubt_is_told(facts):
    unsure = replace(
        facts.model.diagnosis_, was_counted=True, is_clear=False, candidates=np.array([[7, 3.0], [2, 1.5]])
    )
    model = copy.copy(facts.model)
    model.diagnosis_ = unsure
    tips = given(replace(facts, model=model))
    assert "It is not sure how many clusters there are: try `n_clusters=7` or `n_clusters=2`." in tips


def test_a_model_that_differs_from_all_other_runs_may_be_unlucky(facts):
    runs = [trust.Rerun(8, 0.7, 0.5), trust.Rerun(9, 0.7, 0.5)]
    found = replace(facts.trust, reruns=runs, among=(0.99, 0.95))
    assert "unlucky start: try `random_state=8`" in given(replace(facts, trust=found))


def test_clusters_that_exchange_rows_may_be_one(facts):
    found = replace(facts.trust, stability=[0.5, 0.5, 1.0, 1.0], partner=[1, 0, None, None])
    assert "(0 with 1) and may be one: try `n_clusters=3`" in given(replace(facts, trust=found))


def unstable(facts: Facts) -> Facts:
    return replace(facts, trust=replace(facts.trust, reruns=[trust.Rerun(8, 0.3, 0.2)], among=None))


def test_a_finer_graph_is_advised_where_clusters_are_not_stable(facts):
    assert "More landmarks make a finer graph: try `n_landmarks=160`" in given(unstable(facts))


def test_a_coarser_graph_is_advised_where_rows_have_categories_or_values_filled_in(facts):
    known = facts.moments.known.copy()
    known[0, 0] -= 1
    filled = replace(facts, moments=replace(facts.moments, known=known))
    coarse, torn = copy.copy(facts.model), copy.copy(facts.model)
    coarse.diagnosis_ = replace(facts.model.diagnosis_, is_coarse=True)
    torn.diagnosis_ = replace(facts.model.diagnosis_, is_torn=True)
    reader = copy.copy(facts.reader)
    reader.__dict__["kinds"] = ["number", "number", "category"]
    for each in (filled, replace(facts, model=coarse), replace(facts, model=torn), replace(facts, reader=reader)):
        told = given(unstable(each))
        assert "try `n_neighbors=10`, which makes a coarser graph" in told
        assert "n_landmarks" not in told
        assert given(each) == ""


def test_parts_of_a_graph_that_was_not_cut_ask_for_nothing(facts):
    model = copy.copy(facts.model)
    model.n_graph_components_ = 5
    assert "5 connected components" in given(replace(facts, model=model))
    model.diagnosis_ = replace(model.diagnosis_, is_coarse=True)
    assert given(replace(facts, model=model)) == ""


def test_what_the_rows_ask_for_is_advised(facts):
    found = facts.moments
    wide = replace(found, mean=found.mean * [1000, 1, 1], deviation=found.deviation * [1000, 1, 1])
    assert "feature east has 100.0% of all variance" in given(replace(facts, moments=wide))
    small = replace(found, count=np.array([5, 200, 300, 495]))
    assert "Cluster 0 is very small" in given(replace(facts, moments=small))
    assert "set `random_state`" in given(replace(facts, seed=None))
    assert "nearest='exact'" in given(replace(facts, exact_fraction=0.5))
