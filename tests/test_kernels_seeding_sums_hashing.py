"""Random keys, groups, totals, k-means and the survey: each kernel against its naive twin."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.engines.seeds import stream
from dncsc.kernels.grouping import group_rows, put_rows
from dncsc.kernels.hashing import places_below, row_keys, rows_below
from dncsc.kernels.seeding import spread
from dncsc.kernels.sums import add_by_group, add_distances
from dncsc.kernels.survey import scale_and_shift, survey_rows
from dncsc.phases.kmeans import _Groups, _lloyd, kmeans, kmeans_in_groups, one_by_one

BLOCKS = (1, 7, 63, 64, 65, 511, 513, 1000)

blocks = pytest.mark.parametrize("n", BLOCKS)
features = pytest.mark.parametrize("d", [1, 2, 3, 16, 257])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def keys_of(number, start, n):
    keys = np.empty(n, np.uint64)
    row_keys(np.uint64(number), start, keys)
    return keys


# Keys


@pytest.mark.parametrize("number", [0, 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("start", [0, 1, 65_536, 2**33, 2**62])
def test_keys_are_splitmix64_of_stream_and_row(number, start):
    np.testing.assert_array_equal(keys_of(number, start, 65), naive.row_keys(number, start, 65))


def test_the_key_of_a_row_does_not_depend_on_its_block():
    number = stream(0, "select", 1)
    whole = keys_of(number, 100, 1000)
    for start, stop in [(0, 1), (1, 8), (8, 513), (513, 1000)]:
        np.testing.assert_array_equal(keys_of(number, 100 + start, stop - start), whole[start:stop])


def test_keys_of_different_streams_have_nothing_in_common():
    numbers = [stream(0, "select", 0), stream(0, "select", 1), stream(1, "select", 0), stream(0, "discretize")]
    keys = np.concatenate([keys_of(number, 0, 1000) for number in numbers])
    assert len(np.unique(keys)) == len(keys)
    uniform = keys.reshape(4, 1000) / 2.0**64
    np.testing.assert_allclose(uniform.mean(axis=1), 0.5, atol=0.05)
    assert np.abs(np.corrcoef(uniform) - np.eye(4)).max() < 0.1


@pytest.mark.parametrize("n", [1, 7, 300])
def test_rows_below_the_limit_of_their_group_get_places_in_row_order(n):
    random = np.random.default_rng(0)
    keys, group = keys_of(3, 0, n), random.integers(0, 4, n).astype(np.int32)
    limit = np.array([0, 2**62, 2**64 - 1, 5], np.uint64)
    first, place = np.array([0, 0, 100, 1000]), np.empty(n, np.int64)
    places_below(keys, group, limit, first, place)
    np.testing.assert_array_equal(place, naive.places_below(keys, group, limit, first))


@blocks
def test_rows_below_the_limit_of_their_group_are_chosen_and_no_others(n):
    random = np.random.default_rng(0)
    keys, group = keys_of(3, 0, n), random.integers(0, 4, n).astype(np.int32)
    limit = np.array([0, 2**62, 2**64 - 1, 5], np.uint64)
    weight = random.integers(0, 2, n).astype(float)
    np.testing.assert_array_equal(rows_below(keys, group, limit, weight), naive.rows_below(keys, group, limit, weight))


def test_a_limit_takes_the_key_equal_to_it_and_zero_takes_none():
    keys, group, weight = np.array([0, 5, 6], np.uint64), np.zeros(3, np.int32), np.ones(3)
    assert rows_below(keys, group, np.array([5], np.uint64), weight).tolist() == [0, 1]
    assert rows_below(keys, group, np.array([0], np.uint64), weight).tolist() == []


# Groups and totals


@blocks
@pytest.mark.parametrize("n_groups", [1, 3, 100])
def test_rows_stand_group_by_group_in_their_order(n, n_groups):
    group = np.random.default_rng(0).integers(0, n_groups, n).astype(np.int32)
    group[group == 1] = 0  # an empty group
    order, first = group_rows(group, n_groups)
    twin_order, twin_first = naive.group_rows(group, n_groups)
    np.testing.assert_array_equal(order, twin_order)
    np.testing.assert_array_equal(first, twin_first)


@precisions
def test_rows_are_put_in_their_places_or_nowhere(dtype):
    random = np.random.default_rng(0)
    rows = random.standard_normal((65, 3)).astype(dtype)
    place = random.permutation(65) - 20
    whole = np.full((45, 3), 7, dtype)
    put_rows(rows, place, whole)
    twin = np.full((45, 3), 7, dtype)
    twin[place[place >= 0]] = rows[place >= 0]
    np.testing.assert_array_equal(whole, twin)


@blocks
@features
@precisions
def test_totals_are_weighted_sums_by_group(n, d, dtype):
    random = np.random.default_rng(0)
    rows, index = random.standard_normal((n, d)).astype(dtype), random.integers(0, 5, n).astype(np.int32)
    index[index == 2] = 0  # an empty group
    weight, squared = random.integers(0, 3, n) / 2, random.random(n).astype(dtype)
    totals = np.zeros((5, d)), np.zeros(5), np.zeros(5), np.zeros(5, np.int64)
    add_by_group(rows, weight, index, squared, *totals)
    for found, twin in zip(totals, naive.sums_by_group(rows, weight, index, squared, 5), strict=True):
        np.testing.assert_allclose(found, twin, rtol=1e-12, atol=1e-12)


@precisions
@pytest.mark.parametrize("n_nearest", [1, 5])
def test_total_distance_is_the_weighted_sum_of_roots(n_nearest, dtype):
    random = np.random.default_rng(0)
    squared, weight = random.random((513, n_nearest)).astype(dtype), random.random(513)
    rounding = 1e-6 if dtype == np.float32 else 1e-12
    by_rank = np.zeros(n_nearest)
    add_distances(squared, weight, by_rank)
    np.testing.assert_allclose(by_rank, weight @ np.sqrt(squared), rtol=rounding)


# Survey


@features
@precisions
def test_survey_adds_up_and_finds_the_bounds_over_blocks(d, dtype):
    random = np.random.default_rng(0)
    rows = random.standard_normal((513, d)).astype(dtype)
    sums, low, high = np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf)
    for part in (slice(0, 7), slice(7, 513)):
        survey_rows(rows[part], sums, low, high)
    np.testing.assert_allclose(sums, rows.sum(axis=0, dtype=float), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(low, rows.min(axis=0))
    np.testing.assert_array_equal(high, rows.max(axis=0))


@features
@precisions
def test_rows_are_scaled_and_shifted_in_place(d, dtype):
    random = np.random.default_rng(0)
    rows, shift = random.standard_normal((65, d)).astype(dtype), random.standard_normal(d).astype(dtype)
    twin = rows * dtype(4) - shift
    scale_and_shift(rows, dtype(4), shift)
    np.testing.assert_array_equal(rows, twin)


# k-means


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
        [found] = _lloyd(_Groups.of(points, weight, np.array([0, 513]), [start]), start, max_iter, one_by_one)
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
