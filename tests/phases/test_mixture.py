"""Mixtures of Gaussians."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import naive
from dncsc.phases.mixture import Centres, fit_mixture


def some_blobs(n=600, d=3, k=4):
    rows, y = make_blobs(n, d, centers=k, cluster_std=1.5, center_box=(-4, 4), random_state=0)
    return (rows - rows.mean(axis=0)) / rows.std(axis=0), y


def test_fits_are_those_of_the_twin():
    rows, y = some_blobs()
    start = (y + (np.arange(len(y)) % 5 == 0)) % 4  # a fifth of the rows are in a wrong one
    first, *_, last = fit_mixture(rows, np.ones(len(rows)), start, 4)
    of_first, of_last, likeliest = naive.mixture(rows, start)
    whole = 3 / 2 * np.log(2 * np.pi)  # which fits leave out
    np.testing.assert_allclose([first.score, last.score], [of_first + whole, of_last + whole], rtol=1e-9)
    np.testing.assert_array_equal(last.mixture.label(rows), likeliest)


def test_rows_are_likelier_with_each_fit():
    rows, y = some_blobs(k=6)
    found = [fit.likelihood for fit in fit_mixture(rows, np.ones(len(rows)), y % 3, 3)]
    assert len(found) > 3
    assert (np.diff(found) > 0).all()


def test_a_row_of_weight_two_is_the_row_twice():
    rows, y = some_blobs()
    weight = np.where(np.arange(len(rows)) % 3, 1.0, 2.0)
    [*_, weighted] = fit_mixture(rows, weight, y, 4)
    again = np.repeat(np.arange(len(rows)), weight.astype(int))
    [*_, repeated] = fit_mixture(rows[again], np.ones(len(again)), y[again], 4)
    np.testing.assert_allclose(weighted.mixture.means, repeated.mixture.means, atol=1e-6)
    np.testing.assert_array_equal(weighted.mixture.label(rows), repeated.mixture.label(rows))


def test_a_component_of_rows_in_a_plane_is_no_plane():
    random = np.random.default_rng(0)
    rows = random.standard_normal((300, 3)) * [1, 1, 0]
    rows[150:, 2] = random.standard_normal(150)
    [*_, fit] = fit_mixture(rows, np.ones(300), np.repeat([0, 1], 150), 2)
    assert np.isfinite(fit.likelihood)
    assert np.abs(fit.mixture.factors).max() < 50


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_centres_label_rows_by_the_nearest(dtype):
    random = np.random.default_rng(0)
    rows, centres = random.standard_normal((1000, 5)).astype(dtype), random.standard_normal((9, 5)).astype(dtype)
    np.testing.assert_array_equal(Centres(centres).label(rows), naive.labels(rows, centres)[0])
