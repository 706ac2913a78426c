"""Totals of groups and of distances."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.sums import add_by_group, add_distances

blocks = pytest.mark.parametrize("n", [1, 7, 63, 64, 65, 511, 513, 1000])
features = pytest.mark.parametrize("d", [1, 2, 3, 16, 257])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


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
