"""Landmarks by a sample: what dividing all rows would give, without a pass over them."""

from __future__ import annotations

from dataclasses import replace

import dask.array as da
import numpy as np
import pytest

import naive
from dncsc import DnCSC
from dncsc.engines.dask_engine import DaskEngine
from dncsc.engines.local import LocalEngine
from dncsc.phases import shared_sample
from dncsc.phases.shared_sample import no_early_sample


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(shared_sample, "MANY_ROWS", 0)


@pytest.mark.parametrize("engine", [LocalEngine, DaskEngine])
def test_rows_are_surveyed_while_some_are_drawn_and_labelled_and_no_more(flower, passes_of, engine):
    X = flower[0][:40_000]
    passes = passes_of(engine)
    DnCSC(3, n_landmarks=60, random_state=0).fit(da.from_array(X, chunks=(9_000, 2)) if engine is DaskEngine else X)
    assert passes == ["_Survey+_Sample", "_Label"]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_rows_drawn_on_the_way_are_those_that_a_pass_of_its_own_would_draw(flower, monkeypatch, passes_of, metric):
    X = flower[0][:40_000]
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X)) * 2.0**70  # beyond what is used as it is
    model, other = (DnCSC(3, n_landmarks=60, metric=metric, random_state=0) for _ in range(2))
    model.fit(X, sample_weight=weight)
    usual, passes = DnCSC._recipe, passes_of(LocalEngine)
    monkeypatch.setattr(DnCSC, "_recipe", lambda self, d: replace(usual(self, d), early_sample=no_early_sample))
    other.fit(X, sample_weight=weight)
    assert passes == ["_Survey", "_Sample", "_Label"]
    np.testing.assert_array_equal(model.landmarks_, other.landmarks_)
    np.testing.assert_array_equal(model.labels_, other.labels_)


def test_where_many_rows_have_no_weight_others_are_drawn_in_a_pass_of_its_own(flower, passes_of):
    X = flower[0][:100_000]
    passes = passes_of(LocalEngine)
    DnCSC(3, n_landmarks=60, random_state=0).fit(X, sample_weight=np.arange(len(X)) % 2)
    assert passes == ["_Survey+_Sample", "_Sample", "_Label"]


def test_weights_that_are_named_see_all_rows(flower, passes_of):
    passes = passes_of(LocalEngine)
    DnCSC(3, n_landmarks=60, bandwidth="mean", random_state=0).fit(flower[0][:20_000])
    assert passes.count("_Divide") == 2


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("p", [40, 300])
def test_landmarks_are_as_many_as_asked_for_and_near_the_means_of_their_rows(flower, p, metric):
    X = flower[0][:100_000]
    model = DnCSC(3, n_landmarks=p, metric=metric, random_state=0).fit(X)
    assert model.n_landmarks_ == p
    rows = X / np.linalg.norm(X, axis=1, keepdims=True) if metric == "cosine" else X
    own, squared = naive.labels(rows, model.landmarks_)
    means = np.array([rows[own == number].mean(axis=0) for number in range(p)])
    spread = np.sqrt(np.array([squared[own == number].mean() for number in range(p)]))
    apart = np.linalg.norm(means - model.landmarks_, axis=1)
    assert np.median(apart / spread) < 0.3
    assert np.quantile(apart / spread, 0.95) < 0.8


def test_a_part_is_never_made_of_a_handful_of_sampled_rows():
    """Ten thousand rows, and a hundred far away in all directions: these get a few landmarks, and not most of them."""
    random = np.random.default_rng(0)
    X = np.concatenate([random.standard_normal((40_000, 2)), 1e3 * random.standard_normal((400, 2))]).astype(np.float32)
    model = DnCSC(2, n_landmarks=100, random_state=0).fit(X)
    assert np.count_nonzero(np.linalg.norm(model.landmarks_, axis=1) > 10) <= 30
