"""Random numbers that belong to a row, not to a moment: a hash of (stream, row number).

The key of a row does not depend on threads or order, so "the m rows with the smallest keys" is a random sample that is
the same for all engines.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit()
def row_keys(stream, start, keys):
    """Keys, OUT uint64 (n,), of rows from `start` on: the SplitMix64 finaliser of stream + row number.

    Streams come from `dncsc.engines.seeds.stream`.
    """
    for r in range(keys.shape[0]):
        z = stream + np.uint64(start + r + 1) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys[r] = z ^ (z >> np.uint64(31))


@jit()
def rows_below(keys, group, limit, weight):
    """Numbers of the rows of positive weight whose key is at most their group's limit; a limit of 0 takes no row."""
    n = keys.shape[0]
    chosen = np.empty(n, np.int64)
    m = 0
    for r in range(n):
        bound = limit[group[r]]
        chosen[m] = r
        if keys[r] <= bound and bound > np.uint64(0) and weight[r] > 0:
            m += 1
    return chosen[:m].copy()


@jit()
def places_below(keys, group, limit, first, place):
    """Places, OUT int64 (n,), of the same rows where groups begin at `first`, each in row order; -1 for other rows.

    Weights do not matter here.
    """
    following = first.copy()
    for r in range(keys.shape[0]):
        g = group[r]
        inside = keys[r] <= limit[g] and limit[g] > np.uint64(0)
        place[r] = following[g] if inside else -1
        following[g] += 1 if inside else 0
