"""Starting centres of k-means."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.seeding import spread

features = pytest.mark.parametrize("d", [1, 2, 3, 16, 257])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@features
@precisions
@pytest.mark.parametrize(("n", "m", "trials"), [(1, 1, 1), (65, 10, 1), (513, 20, 3), (7, 7, 3)])
def test_starting_centres_are_those_of_kmeans_plus_plus(n, d, dtype, m, trials):
    random = np.random.default_rng(0)
    points, weight = random.standard_normal((n, d)).astype(dtype), random.random(n) + 0.1
    uniforms, chosen = random.random((m, trials)), np.empty(m, np.int64)
    assert spread(points, weight, uniforms, chosen) == m
    np.testing.assert_array_equal(chosen, naive.spread(points, weight, uniforms))


@precisions
@pytest.mark.parametrize("trials", [1, 3])
def test_starting_centres_are_distinct_and_no_more_than_the_distinct_points(trials, dtype):
    random = np.random.default_rng(0)
    points = random.integers(0, 3, (500, 2)).astype(dtype)
    chosen = np.empty(20, np.int64)
    uniforms = random.random((20, trials))
    count = spread(points, np.ones(500), uniforms, chosen)
    assert count == len(np.unique(points, axis=0)) == len(np.unique(points[chosen[:count]], axis=0)) == 9
    np.testing.assert_array_equal(chosen[:count], naive.spread(points, np.ones(500), uniforms))
