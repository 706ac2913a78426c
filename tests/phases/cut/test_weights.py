"""Weights that suit the data are found without labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dncsc import DnCSC
from dncsc.bench.shapes import SHAPES
from dncsc.datasets import load
from dncsc.metrics import ari, nmi


def test_where_gaps_are_open_the_bandwidth_is_a_third_of_the_mean_distance(flower):
    chosen, mean = (DnCSC(13, bandwidth=word, random_state=0).fit(flower[0]) for word in ("auto", "mean"))
    np.testing.assert_allclose(chosen.bandwidth_, 0.35 * mean.bandwidth_, rtol=1e-6)


def test_where_narrow_weights_fragment_the_graph_they_are_adaptive():
    X, y = load_digits(return_X_y=True)
    model = DnCSC(10, n_landmarks=300, random_state=0).fit(X)
    assert model.bandwidth_ is None
    assert nmi(y, model.labels_) > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_narrow_gaps_are_found_that_the_mean_distance_closes(flower, seed):
    X, y = flower
    found, mean = (nmi(y, DnCSC(13, bandwidth=word, random_state=seed).fit_predict(X)) for word in ("auto", "mean"))
    assert found > 0.93
    assert found > mean + 0.02


@pytest.mark.parametrize("n", [20_000, 50_000])
def test_touching_moons_are_told_apart_at_any_size(n):
    X, y = load("tm-1m", n=n)
    for seed in range(3):
        assert nmi(y, DnCSC(2, random_state=seed).fit_predict(X)) > 0.98


def test_with_few_rows_thin_places_are_no_gaps():
    random, n = np.random.default_rng(5), 900
    along, is_upright = random.uniform(-1, 1, n), random.integers(0, 2, n)
    plus = np.stack([along, random.uniform(-0.07, 0.07, n)], axis=1)
    plus[is_upright == 1] = plus[is_upright == 1, ::-1]
    model = DnCSC(4, random_state=0).fit(plus)
    assert nmi(2 * is_upright + (along > 0), model.labels_) > 0.65  # the crossing itself belongs to no arm
    assert model.cluster_sizes_.min() > n / 6


@pytest.mark.parametrize("seed", [0, 3, 7])
def test_narrow_weights_that_leave_loose_parts_give_way_to_weights_with_a_clear_gap(seed):
    """Outliers between moons take places of clusters with some selections of landmarks."""
    X, y = SHAPES["moons-outliers"](100_000)
    labels = DnCSC(2, random_state=seed).fit(X.astype(np.float32)).labels_
    assert ari(y[y >= 0], labels[y >= 0]) > 0.99
