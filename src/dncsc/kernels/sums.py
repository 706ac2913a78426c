"""Totals of rows by group, in float64 and in row order."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit()
def add_by_group(rows, weight, index, squared, sums, mass, residual, count):
    """Add each row to the totals of its group, index int32 (n,).

    OUT: weighted sums of the rows float64 (m, d), mass float64 (m,), the residual float64 (m,), which is the weighted
    sum of `squared`, and the count int64 (m,) of rows of positive weight.
    """
    for r in range(rows.shape[0]):
        w = weight[r]
        if w > 0:
            g = index[r]
            mass[g] += w
            residual[g] += w * squared[r]
            count[g] += 1
            for f in range(rows.shape[1]):
                sums[g, f] += w * rows[r, f]


@jit()
def add_distances(squared, weight, by_rank):
    """Add weighted distances, from their squares (n, K), to a sum for each rank, OUT (K,): the nearest first."""
    for r in range(squared.shape[0]):
        for j in range(squared.shape[1]):
            by_rank[j] += weight[r] * np.sqrt(squared[r, j])
