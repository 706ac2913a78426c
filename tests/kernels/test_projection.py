"""Projections of points with many features: they bound inner products, and leave out no centre that would have won."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.nearest import PrunedSearch, nearest_centres, search_all
from dncsc.kernels.projection import PROJECTION_SIZE, directions_of, leading_directions, project
from dncsc.kernels.pruned_search import TRIED_ROWS, search_pruned

features = pytest.mark.parametrize("d", [128, 257])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def in_a_plane(random, n, d, dtype, noise=0.1):
    """Points near a subspace of eight dimensions, as data of many features often are."""
    directions = np.random.default_rng(1).standard_normal((8, d)) / np.sqrt(d)
    return (4 * random.standard_normal((n, 8)) @ directions + noise * random.standard_normal((n, d))).astype(dtype)


def in_all_directions(random, n, d, dtype):
    return random.standard_normal((n, d)).astype(dtype)


def on_a_grid(random, n, d, dtype):
    """Points on few places: distances are exact, and many are equal."""
    return random.integers(0, 2, (n, 3)).astype(dtype) @ np.eye(3, d, dtype=dtype)


clouds = pytest.mark.parametrize("cloud", [in_a_plane, in_all_directions, on_a_grid])


def search(rows, centres, pruned=None, seen=None):
    group, first = np.zeros(len(rows), np.int32), np.array([0, len(centres)], np.int32)
    return nearest_centres(rows, group, centres, first, pruned, seen)


@precisions
@features
def test_directions_are_orthonormal_and_those_of_the_largest_extent(d, dtype):
    points = in_a_plane(np.random.default_rng(0), 300, d, dtype, noise=0.01)
    directions = directions_of(points)
    assert (directions.shape, directions.dtype) == ((PROJECTION_SIZE - 1, d), dtype)
    np.testing.assert_allclose(directions @ directions.T, np.eye(PROJECTION_SIZE - 1), atol=1e-6)
    left = np.linalg.norm(points - points @ directions.T @ directions, axis=1)
    assert np.all(left < 0.1 * np.linalg.norm(points, axis=1))


@pytest.mark.parametrize("points", [np.zeros((50, 130)), np.ones((50, 130)), np.eye(3, 130)])
def test_directions_of_few_distinct_points_are_orthonormal_too(points):
    directions = directions_of(points)
    np.testing.assert_allclose(directions @ directions.T, np.eye(PROJECTION_SIZE - 1), atol=1e-12)


@precisions
@features
@clouds
def test_projections_are_what_their_twin_says_and_never_too_short(d, dtype, cloud):
    points = cloud(np.random.default_rng(0), 200, d, dtype)
    directions = directions_of(points)
    found, twin = project(points, directions), naive.projections(points, directions)
    length = np.linalg.norm(points.astype(float), axis=1)
    slack = 2 * np.sqrt(PROJECTION_SIZE) * (d + 8) * np.finfo(dtype).eps
    np.testing.assert_allclose(found.length, length, rtol=1e-12)
    np.testing.assert_allclose(found.numbers[:, :-1], twin[:, :-1], atol=slack * length.max())
    assert np.all(found.numbers[:, -1] >= twin[:, -1])
    assert np.all(found.numbers[:, -1] ** 2 <= twin[:, -1] ** 2 + 2 * slack * length**2)


@precisions
@features
@clouds
def test_projections_never_make_an_inner_product_smaller(d, dtype, cloud):
    random = np.random.default_rng(0)
    points, others = cloud(random, 200, d, dtype), cloud(random, 30, d, dtype)
    seen, known = (project(each, directions_of(others)) for each in (points, others))
    products = seen.numbers.astype(float) @ known.numbers.astype(float).T
    allowed = (d + 8) * np.finfo(dtype).eps * (seen.length[:, None] + known.length) ** 2
    assert np.all(products >= points.astype(float) @ others.astype(float).T - allowed)


@precisions
@features
@clouds
@pytest.mark.parametrize("foreign", [False, True], ids=["own directions", "foreign directions"])
def test_with_projections_a_row_finds_to_the_bit_what_it_finds_without(d, dtype, cloud, foreign):
    random = np.random.default_rng(0)
    rows, centres = cloud(random, 700, d, dtype), cloud(random, 60, d, dtype)
    pruned = PrunedSearch.of(centres, directions_of(in_all_directions(random, 60, d, dtype)) if foreign else None)
    index, squared = search(rows, centres)
    np.testing.assert_allclose(squared, naive.labels(rows, centres)[1], rtol=1e-4, atol=1e-9)
    for some in (slice(0, 700), slice(5, 6), slice(100, 613)):
        for seen in (None, project(rows, pruned.directions).part(some)):
            found = search(rows[some], centres, pruned, seen)
            np.testing.assert_array_equal(found[0], index[some])
            np.testing.assert_array_equal(found[1], squared[some])


@precisions
@features
@clouds
@pytest.mark.parametrize("n_nearest", [1, 4, 60])
def test_with_projections_the_k_nearest_are_to_the_bit_those_found_without(d, dtype, cloud, n_nearest):
    random = np.random.default_rng(0)
    rows, points = cloud(random, 300, d, dtype), cloud(random, 60, d, dtype)
    expected = search_all(rows, points, n_nearest)
    twin = naive.search_all(rows, points, n_nearest)
    np.testing.assert_allclose(expected[1], twin[1], rtol=1e-4, atol=1e-9)
    candidates = random.permuted(np.tile(np.arange(60, dtype=np.int32), (60, 1)), axis=1)
    for count in (n_nearest, 60):  # whichever the candidates are
        for some in (slice(0, 300), slice(5, 6), slice(100, 213)):
            found = PrunedSearch.of(points).search(rows[some], n_nearest, np.ascontiguousarray(candidates[:, :count]))
            np.testing.assert_array_equal(found[0], expected[0][some])
            np.testing.assert_array_equal(found[1], expected[1][some])


@pytest.mark.parametrize("far", [1.0, 100.0, 1e4])
def test_rounding_of_projections_decides_nothing(far):
    """Centres so close to each other, and so far away, that products do not tell them apart."""
    random = np.random.default_rng(0)
    centres = in_a_plane(random, 1, 257, np.float32) + np.float32(1e-3) * in_a_plane(random, 100, 257, np.float32)
    rows = np.float32(far) * in_a_plane(random, 200, 257, np.float32)
    for found, expected in zip(search(rows, centres, PrunedSearch.of(centres)), search(rows, centres), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("cloud", "all_of_them"), [(in_a_plane, True), (in_all_directions, False)])
def test_projections_that_rule_out_too_little_are_given_up(cloud, all_of_them):
    random = np.random.default_rng(0)
    rows, centres = cloud(random, 1000, 257, np.float32), cloud(random, 100, 257, np.float32)
    known = PrunedSearch.of(centres)
    seen = project(rows, known.directions)
    products = seen.numbers @ known.projections.numbers.T
    known_by = products, seen.length, known.projections.length
    nearest, squared = np.empty((1000, 3), np.int32), np.empty((1000, 3), np.float32)
    for some in (np.tile(np.arange(9, dtype=np.int32), (100, 1)), np.empty((0, 0), np.int32)):
        searched = search_pruned(rows, centres, some, *known_by, nearest, squared)
        assert searched == 1000 if all_of_them else searched < 2 * TRIED_ROWS
        np.testing.assert_array_equal(nearest[:searched], search_all(rows, centres, 3)[0][:searched])


@pytest.mark.parametrize(("cloud", "few"), [(in_a_plane, True), (in_all_directions, False)])
def test_how_much_projections_leave_is_known_beforehand(cloud, few):
    random = np.random.default_rng(0)
    rows, points = cloud(random, 300, 257, np.float32), cloud(random, 200, 257, np.float32)
    left = PrunedSearch.of(points).left(rows, 5)
    assert 5 <= left < 20 if few else 150 < left <= 200


@pytest.mark.parametrize(("left", "count"), [(0.5, 1), (0.1, 2), (1e-3, 3), (0.0, 9)])
def test_leading_directions_are_no_more_than_hold_the_squares_asked_for(left, count):
    random = np.random.default_rng(0)
    axes = np.linalg.qr(random.standard_normal((50, 50)))[0]
    spread = np.array([10, 5, 2, *[0.01] * 47])
    points = (random.standard_normal((2000, 50)) * spread @ axes.T).astype(np.float32)
    found = leading_directions(points, 9, left)
    assert len(found) == count
    np.testing.assert_allclose(found @ found.T, np.eye(count), atol=1e-5)
    np.testing.assert_allclose(np.abs(np.diag(found[:3] @ axes[:, :3])), 1, atol=1e-3)
