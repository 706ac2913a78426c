"""Search in cells finds what its naive twin finds, ties included."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.cells import search_cells

precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def grid(random, n, d, dtype):
    """Points on few places, many of them the same: sums are exact, and many distances are equal."""
    return random.integers(0, 4, (n, d)).astype(dtype)


def search(rows, cells, points, first, n_nearest, order=None):
    nearest = np.full((len(rows), n_nearest), -1, np.int32)
    squared = np.full((len(rows), n_nearest), np.nan, rows.dtype)
    found = np.empty(len(rows), np.int32)
    order = np.arange(len(rows)) if order is None else order
    centres, radius = np.zeros((len(first) - 1, rows.shape[1])), np.zeros(len(first) - 1)
    for c in np.flatnonzero(np.diff(first)):
        inside = points[first[c] : first[c + 1]].astype(float)
        centres[c] = inside.mean(axis=0)
        radius[c] = np.sqrt(naive.squared_distances(inside, centres[c : c + 1])).max()
    away = np.take_along_axis(naive.squared_distances(rows.astype(float), centres), cells, axis=1).astype(rows.dtype)
    known = cells.astype(np.int32), away, points, first.astype(np.int32), radius
    search_cells(rows, order, *known, nearest, squared, found)
    return nearest, squared, found


def some_cells(random, n, count):
    """Different cells of six for each row; the third has no points."""
    return np.argsort(random.random((n, 6)), axis=1)[:, :count], np.array([0, 7, 8, 8, 30, 41, 60])


@precisions
@pytest.mark.parametrize("d", [1, 3, 17])
@pytest.mark.parametrize("count", [1, 2, 6])
def test_the_nearest_points_of_a_rows_cells_are_those_of_the_twin(d, count, dtype):
    random = np.random.default_rng(0)
    rows, points = grid(random, 200, d, dtype), grid(random, 60, d, dtype)
    cells, first = some_cells(random, 200, count)
    nearest, squared, found = search(rows, cells, points, first, 5)
    for r, (of_row, distances) in enumerate(zip(*naive.search_cells(rows, cells, points, first, 5), strict=True)):
        assert found[r] == len(of_row)
        np.testing.assert_array_equal(nearest[r, : found[r]], of_row)
        np.testing.assert_array_equal(squared[r, : found[r]], distances)


@precisions
def test_a_search_of_all_cells_is_a_search_of_all_points(dtype):
    random = np.random.default_rng(1)
    rows, points = grid(random, 300, 2, dtype), grid(random, 60, 2, dtype)
    cells, first = some_cells(random, 300, 6)
    nearest, squared, found = search(rows, cells, points, first, 9)
    assert (found == 9).all()
    for array, expected in zip((nearest, squared), naive.search_all(rows, points, 9), strict=True):
        np.testing.assert_array_equal(array, expected)


def test_the_order_of_rows_and_of_cells_changes_nothing():
    random = np.random.default_rng(2)
    rows, points = grid(random, 100, 2, np.float64), grid(random, 60, 2, np.float64)
    cells, first = some_cells(random, 100, 6)
    straight = search(rows, cells, points, first, 5)
    turned = search(rows, cells[:, ::-1].copy(), points, first, 5, order=random.permutation(100))
    for one, other in zip(straight, turned, strict=True):
        np.testing.assert_array_equal(one, other)
