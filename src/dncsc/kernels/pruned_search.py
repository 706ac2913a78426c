"""Many features: searches that skip the points which projections rule out.

Distances that decide are to the bit those of `dncsc.kernels.along_features`.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit
from dncsc.kernels.distance import insert, squared_distance

USEFUL = 6
"""Projections are of use where they leave less than one in so many points to look at."""

TRIED_ROWS = 64
"""Rows that show whether they do."""

LANES = 64
"""Points from one to the next whose scores are looked at together."""


@jit()
def nearest_pruned(rows, points, products, length, point_length, index, squared):
    """The exact nearest of all points, given inner products of projections.

    Parameters
    ----------
    rows : IN (n, d)
    points : IN (m, d)
    products : IN (n, m)
        Inner products of projections (`dncsc.kernels.projection`): but for rounding, none is less than that of the row
        and the point.
    length : IN float64 (n,), point_length : IN float64 (m,)
        Lengths of rows and points.
    index : OUT int32 (n,)
        The first of equally near points.
    squared : OUT (n,)

    Returns
    -------
    done : int
        Rows that were searched. The rest is left where projections rule out too few points to be of use.
    """
    n, d = rows.shape
    m = points.shape[0]
    eps = np.finfo(rows.dtype).eps
    half = (0.5 * point_length * point_length).astype(rows.dtype)
    longest = point_length.max()
    score = np.empty(m, rows.dtype)
    looked = 0
    for r in range(n):
        if looked > (r + TRIED_ROWS) * m // USEFUL:
            return r
        likely = 0
        for c in range(m):
            score[c] = half[c] - products[r, c]  # at most half the squared distance, less half the row's own square
            likely = c if score[c] < score[likely] else likely
        likely_value = squared_distance(rows[r], points[likely])
        # Products of projections may be off by sqrt(31) / 4 d eps, distances that decide by d eps / 2 each.
        margin = 2.0 * (d + 8) * eps * (length[r] + longest) ** 2
        bound = rows.dtype.type(0.5 * (likely_value - length[r] * length[r]) + margin)
        best = rows.dtype.type(np.inf)
        index[r] = likely  # also where a product is NaN, and there is no distance
        for c in range(m):
            if score[c] <= bound:
                value = likely_value if c == likely else squared_distance(rows[r], points[c])
                looked += 1
                if value < best:
                    best = value
                    index[r] = c
        squared[r] = best
    return n


@jit()
def _score(half, product, score, lowest):
    """Half the squared distance, less half the row's own square, by products; and the least of every 64th."""
    m = half.shape[0]
    whole = m // LANES * LANES
    lowest[:] = np.inf
    for start in range(0, whole, LANES):
        halves, products, scores = half[start:], product[start:], score[start:]
        for lane in range(LANES):
            value = halves[lane] - products[lane]
            scores[lane] = value
            lowest[lane] = value if value < lowest[lane] else lowest[lane]
    for c in range(whole, m):
        score[c] = half[c] - product[c]
        lowest[c - whole] = min(lowest[c - whole], score[c])


@jit()
def search_pruned(rows, group, points, candidates, products, length, point_length, nearest, squared):
    """The exact K nearest of all points, in order of distance: candidates first, and what projections do not rule out.

    Parameters
    ----------
    group : IN int32 (n,)
        The row of `candidates` in which each row's stand.
    candidates : IN int32 (g, c)
        Points that are likely to be among the nearest, at least K; whichever they are, the result is the same.
    rows, points, products, length, point_length
        As in `nearest_pruned`.
    nearest : OUT int32 (n, K)
        Of equally near points the first comes first.
    squared : OUT (n, K)
        Infinite where there is no distance, because a product is NaN; the point is then any.

    Returns
    -------
    done : int
        As in `nearest_pruned`.
    """
    n, d = rows.shape
    m = points.shape[0]
    n_nearest = nearest.shape[1]
    eps = np.finfo(rows.dtype).eps
    half = (0.5 * point_length * point_length).astype(rows.dtype)
    longest = point_length.max()
    score = np.empty(m, rows.dtype)
    lowest = np.empty(LANES, rows.dtype)
    looked = 0
    for r in range(n):
        if looked > (r + TRIED_ROWS) * m // USEFUL:
            return r
        _score(half, products[r], score, lowest)
        # what a score may be off by, as in `nearest_pruned`, and lacks of half a squared distance
        beyond = 2.0 * (d + 8) * eps * (length[r] + longest) ** 2 - 0.5 * length[r] * length[r]
        bound = rows.dtype.type(np.inf)
        filled = 0
        for i in range(candidates.shape[1]):
            c = candidates[group[r], i]
            if score[c] <= bound:
                value = squared_distance(rows[r], points[c])
                score[c] = np.inf
                looked += 1
                filled = insert(value, c, filled, squared[r], nearest[r], True)
                if filled == n_nearest:
                    bound = rows.dtype.type(0.5 * squared[r, n_nearest - 1] + beyond)
        for lane in range(LANES):
            if lowest[lane] <= bound:
                for c in range(lane, m, LANES):
                    if score[c] <= bound:
                        value = squared_distance(rows[r], points[c])
                        looked += 1
                        filled = insert(value, c, filled, squared[r], nearest[r], True)
                        if filled == n_nearest:
                            bound = rows.dtype.type(0.5 * squared[r, n_nearest - 1] + beyond)
        for j in range(filled, n_nearest):
            squared[r, j] = np.inf
            nearest[r, j] = j
    return n
