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

LANES = 32
"""Points from one to the next whose scores are looked at together."""


@jit()
def _score(half, product, score, lowest):
    """Half the squared distance, less half the row's own square, by products; and the least of every 32nd."""
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
def search_pruned(rows, points, candidates, products, length, point_length, nearest, squared):
    """The exact K nearest of all points, in order of distance: candidates first, and what projections do not rule out.

    IN: candidates int32 (m, c), a line for each point: where a row seems to be nearest to that, they are looked at
    first, or only the point itself where there are none (c = 0). Whichever they are, the result is the same. `products`
    (n, m) are those of projections (`dncsc.kernels.projection`): but for rounding, none is less than that of the row
    and the point. `length` float64 (n,) and `point_length` float64 (m,) are lengths of rows and points.

    OUT: nearest int32 (n, K), squared (n, K). Of equally near points the first comes first. Where a product is NaN, and
    there is no distance, squared is infinite, and the point any.

    Returns how many rows were searched: the rest is left where projections rule out too few points to be of use.
    """
    n, d = rows.shape
    m = points.shape[0]
    n_nearest, n_candidates = nearest.shape[1], candidates.shape[1]
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
        likely = np.argmin(lowest)
        for c in range(likely, m, LANES):
            likely = c if score[c] < score[likely] else likely
        # Products of projections may be off by sqrt(31) / 4 d eps, distances that decide by d eps / 2 each; and a score
        # lacks half the row's own square.
        beyond = 2.0 * (d + 8) * eps * (length[r] + longest) ** 2 - 0.5 * length[r] * length[r]
        bound = rows.dtype.type(np.inf)
        filled = 0
        for i in range(max(n_candidates, 1)):
            c = candidates[likely, i] if n_candidates > 0 else likely
            if score[c] <= bound:
                value = squared_distance(rows[r], points[c])
                score[c] = np.nan  # not to be looked at again
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
