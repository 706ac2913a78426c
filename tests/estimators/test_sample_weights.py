"""Weights of any size count by their ratios alone, and results are in the user's weights."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

from dncsc import LSEC, DnCSC, LloydKMeans, NystromSC
from dncsc.engines.scales import scale_for, scaled, unscaled
from dncsc.metrics import accuracy

SMALL = {"n_clusters": 3, "n_landmarks": 40, "random_state": 0}
METHODS = [
    DnCSC(**SMALL),
    LSEC(**SMALL, n_members=4),
    NystromSC(**SMALL),
    LloydKMeans(3, random_state=0),
]


@pytest.fixture(scope="module")
def table(blobs):
    """Rows in three groups, and weights of which the largest is between 1 and 2."""
    X, _ = blobs(600, k=3)
    return X, np.random.default_rng(0).uniform(0.5, 2.0, 600)


@pytest.mark.parametrize("size", [2.0**-900, 2.0**230, 2.0**1020])
@pytest.mark.parametrize("model", METHODS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("form", [np.asarray, lambda weight: da.from_array(weight, chunks=250)], ids=["array", "dask"])
def test_weights_beyond_ordinary_numbers_give_the_labels_of_ordinary_ones(table, model, size, form):
    X, weight = table
    ordinary = model.fit(X, sample_weight=weight).labels_.copy()
    rows = X if form is np.asarray else da.from_array(X, chunks=(200, 2))
    np.testing.assert_array_equal(model.fit(rows, sample_weight=form(weight * size)).labels_, ordinary)


def test_inertia_is_in_the_users_weights(table):
    X, weight = table
    model = LloydKMeans(3, random_state=0)
    ordinary = model.fit(X, sample_weight=weight).inertia_
    squared = ((X - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    assert ordinary == pytest.approx(squared @ weight, rel=1e-9)
    for size in (2.0**-900, 2.0**900):
        assert model.fit(X, sample_weight=weight * size).inertia_ == ordinary * size


def test_rows_that_weigh_next_to_nothing_are_still_rows(table):
    X, weight = table
    weight = np.where(np.arange(600) % 2, 1e300 * weight, 1e-300)
    found = DnCSC(**SMALL).fit(X, sample_weight=weight).labels_
    assert accuracy(DnCSC(**SMALL).fit(X).labels_, found) == 1.0


@pytest.mark.parametrize("heaviest", [1e-15, 0.01, 1.0, 1000.0, 1e19])
def test_ordinary_weights_are_left_as_they_are(heaviest):
    weight = np.array([0.0, heaviest])
    assert scaled(weight, scale_for(heaviest)) is weight


@pytest.mark.parametrize("heaviest", [5e-324, 1e-300, 1e-20, 1e20, 1e70, 1.7e308])
def test_scales_are_powers_of_two_that_can_be_taken_out_again(heaviest):
    scale = scale_for(heaviest)
    (inside,) = scaled(np.array([heaviest]), scale)
    assert inside < 2
    assert inside >= 1 or scale == 2.0**1000
    assert unscaled(inside, scale) == heaviest
