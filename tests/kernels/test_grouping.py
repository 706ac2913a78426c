"""Rows by group, and rows put in their places."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.grouping import group_rows, put_rows

blocks = pytest.mark.parametrize("n", [1, 7, 63, 64, 65, 511, 513, 1000])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


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
