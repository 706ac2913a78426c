"""Starting centres for k-means by k-means++ (Arthur and Vassilvitskii 2007)."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit
from dncsc.kernels.distance import squared_distance


@jit()
def _pick(share, target):
    """First place at which the running sum of `share` exceeds `target`."""
    running = 0.0
    last = 0
    for i in range(share.shape[0]):
        if share[i] > 0:
            running += share[i]
            last = i
            if running > target:
                return i
    return last


@jit()
def spread(points, weight, uniforms, chosen):
    """Choose points far from those already chosen, with probability proportional to weight times squared distance.

    Each choice tries several points and keeps the one that leaves the smallest sum of squared distances. IN: points
    (n, d), positive weights float64 (n,), uniforms in [0, 1) float64 (m, trials). OUT: chosen int64 (m,), numbers of
    points, no two of which are equal. Returns how many were chosen: fewer than m where fewer are distinct.
    """
    n = points.shape[0]
    m, trials = uniforms.shape
    share = weight.copy()
    squared = np.full(n, np.inf)
    trial = np.empty(n)
    best = np.empty(n)
    for i in range(m):
        total = share.sum()
        if not total > 0:
            return i
        lowest = np.inf
        for t in range(trials if i > 0 else 1):
            candidate = _pick(share, uniforms[i, t] * total)
            left = 0.0
            for r in range(n):
                trial[r] = min(squared[r], squared_distance(points[r], points[candidate]))
                left += weight[r] * trial[r]
            if left < lowest:
                lowest = left
                chosen[i] = candidate
                best, trial = trial, best
        for r in range(n):
            squared[r] = best[r]
            share[r] = weight[r] * best[r]
    return m
