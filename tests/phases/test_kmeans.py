"""k-means of one group of points and of many: what the naive twin finds."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.phases.kmeans import _lloyd, _Points, kmeans, kmeans_in_groups, one_by_one

precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@pytest.mark.parametrize("d", [1, 2, 3, 16, 64, 257])
@precisions
@pytest.mark.parametrize(("n", "n_parts", "trials"), [(1000, 8, 1), (513, 40, 3), (7, 7, 1), (65, 1, 1)])
def test_kmeans_follows_lloyd(n, d, n_parts, trials, dtype):
    random = np.random.default_rng(0)
    places = 10 * random.standard_normal((n_parts, d))
    points = (places[random.integers(0, n_parts, n)] + random.standard_normal((n, d))).astype(dtype)
    weight = random.integers(1, 4, n).astype(float)
    found = kmeans(points, weight, n_parts, np.random.default_rng(1), 20, trials)
    centres, inertia = naive.kmeans(points, weight, n_parts, np.random.default_rng(1), 20, trials)
    rounding = 1e-4 if dtype == np.float32 else 1e-9
    assert found.centres.dtype == dtype
    np.testing.assert_allclose(found.centres, centres, rtol=rounding, atol=rounding)
    np.testing.assert_allclose(found.inertia, inertia, rtol=rounding, atol=rounding)


@pytest.mark.parametrize("d", [1, 2, 3, 16, 64])
@precisions
def test_a_centre_without_points_moves_to_the_point_farthest_from_its_own(d, dtype):
    random = np.random.default_rng(0)
    points, weight = random.standard_normal((513, d)).astype(dtype), random.random(513) + 0.5
    start = np.concatenate([points[:6], 1e3 + points[:3]])
    for max_iter in (1, 10):
        found = _lloyd(_Points(points, weight), start, max_iter, one_by_one)
        twin_centres, twin_inertia = naive.lloyd(points, weight, start, max_iter)
        np.testing.assert_allclose(found.centres, twin_centres, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found.inertia, twin_inertia, rtol=1e-5)


@pytest.mark.parametrize("d", [2, 64, 300])
@precisions
def test_groups_of_points_are_clustered_as_if_each_were_alone(d, dtype):
    random = np.random.default_rng(0)
    sizes = np.array([1, 700, 3, 5000, 40, 9000, 2, 1200])
    first = np.cumsum([0, *sizes])
    points, weight = random.standard_normal((first[-1], d)).astype(dtype), random.random(first[-1]) + 0.5
    parts = [1, 5, 4, 20, 3, 7, 2, 2]

    def fresh():
        return [np.random.default_rng(i) for i in range(len(sizes))]

    together = kmeans_in_groups(points, weight, first, parts, fresh(), 5)
    for g, alone in enumerate(fresh()):
        span = slice(first[g], first[g + 1])
        expected = kmeans(points[span], weight[span], parts[g], alone, 5)
        np.testing.assert_allclose(together[g].centres, expected.centres, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(together[g].inertia, expected.inertia, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("d", [2, 64])
@precisions
def test_kmeans_on_few_distinct_points_returns_each_of_them(d, dtype):
    random = np.random.default_rng(0)
    distinct = random.standard_normal((6, d)).astype(dtype)
    points = distinct[random.permutation(np.arange(600) % 6)]
    found = kmeans(points, np.ones(600), 20, np.random.default_rng(0), 10)
    assert found.inertia == 0
    np.testing.assert_array_equal(np.unique(found.centres, axis=0), np.unique(distinct, axis=0))


@pytest.mark.parametrize("d", [2, 64])
def test_kmeans_iterations_never_raise_the_inertia(d):
    points = np.random.default_rng(0).standard_normal((500, d))
    inertia = [kmeans(points, np.ones(500), 15, np.random.default_rng(0), most).inertia for most in range(1, 15)]
    assert np.all(np.diff(inertia) <= 1e-9)


@pytest.mark.parametrize("d", [2, 64])
def test_a_weight_of_two_counts_as_the_point_twice(d):
    random = np.random.default_rng(0)
    points = random.standard_normal((60, d))
    weight = random.integers(1, 4, 60)
    heavy = kmeans(points, weight.astype(float), 5, np.random.default_rng(1), 30)
    repeated = kmeans(np.repeat(points, weight, axis=0), np.ones(weight.sum()), 5, np.random.default_rng(1), 30)
    np.testing.assert_allclose(heavy.inertia, repeated.inertia, rtol=1e-9)
    np.testing.assert_allclose(heavy.centres, repeated.centres, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("d", [2, 16, 100])
def test_many_centres_take_no_memory_for_each_point_and_centre(d, monkeypatch):
    random = np.random.default_rng(0)
    points = random.standard_normal((3000, d))
    few = kmeans(points, np.ones(3000), 10, np.random.default_rng(1), 30)
    monkeypatch.setattr("dncsc.phases.kmeans.MOST_BOUNDS", 0)
    monkeypatch.setattr("dncsc.phases.kmeans.lloyd_by_bounds", None)
    many = kmeans(points, np.ones(3000), 10, np.random.default_rng(1), 30)
    np.testing.assert_allclose(many.centres, few.centres, rtol=1e-9, atol=1e-12)
