"""Totals of rows by group, in float64 and in row order."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit()
def add_by_group(rows, weight, index, squared, sums, mass, residual, count):
    """Add each row to its group's totals.

    Parameters
    ----------
    rows : IN (n, d)
    weight : IN float64 (n,)
    index : IN int32 (n,)
    squared : IN (n,)
    sums : OUT float64 (m, d)
        Weighted sum of rows.
    mass : OUT float64 (m,)
        Sum of weights.
    residual : OUT float64 (m,)
        Weighted sum of `squared`.
    count : OUT int64 (m,)
        Rows of positive weight.
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
    """Add weighted distances, from their squares, to a sum for the nearest, one for the second nearest, and so on.

    Parameters
    ----------
    squared : IN (n, K)
    weight : IN float64 (n,)
    by_rank : OUT float64 (K,)
    """
    for r in range(squared.shape[0]):
        for j in range(squared.shape[1]):
            by_rank[j] += weight[r] * np.sqrt(squared[r, j])
