"""Many features: a row's features fill the vector lanes, or a matrix product shortlists.

BLAS rounds a row of a matrix product differently in another block. A product therefore only leaves out what is surely
farther, and `squared_distance`, which depends on its two points alone, decides among the rest.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit
from dncsc.kernels.distance import insert, squared_distance, sum_of_squares


@jit()
def nearest_along_features(rows, group, centres, first_centre, index, squared):
    """`nearest_centres`, row by row; OUT: index int32 (n,), squared (n,)."""
    for r in range(rows.shape[0]):
        row = rows[r]
        g = group[r]
        best = rows.dtype.type(np.inf)
        index[r] = first_centre[g]
        for c in range(first_centre[g], first_centre[g + 1]):
            value = squared_distance(row, centres[c])
            if value < best:
                best = value
                index[r] = c
        squared[r] = best


@jit()
def search_along_features(rows, group, landmarks, candidates, reach, nearest, squared, own):
    """`search_candidates`, row by row; OUT: nearest int32 (n, K), squared (n, K), own (n,)."""
    n_nearest = nearest.shape[1]
    for r in range(rows.shape[0]):
        row = rows[r]
        g = group[r]
        filled = 0
        for i in range(candidates.shape[1]):
            if i >= n_nearest and reach[g, i] > own[r] + np.sqrt(squared[r, n_nearest - 1]):
                break
            c = candidates[g, i]
            value = squared_distance(row, landmarks[c])
            if i == 0:
                own[r] = np.sqrt(value)
            filled = insert(value, c, filled, squared[r], nearest[r], False)


@jit()
def search_shortlist(rows, points, products, nearest, squared):
    """The exact K nearest of all points, in order of distance; OUT: nearest int32 (n, K), squared (n, K).

    IN: `products` (n, m) are ``rows @ points.T``, by any order of summation. Where one is NaN, and there is no
    distance, squared is infinite, and the point any.
    """
    n, d = rows.shape
    m = points.shape[0]
    n_nearest = nearest.shape[1]
    eps = np.finfo(rows.dtype).eps
    half = np.empty(m, rows.dtype)
    longest = 0.0
    for c in range(m):
        length = np.sqrt(sum_of_squares(points[c]))
        half[c] = 0.5 * length * length
        longest = max(longest, length)
    score = np.empty(m, rows.dtype)
    lowest = np.empty(n_nearest, rows.dtype)
    lowest_label = np.empty(n_nearest, np.int32)
    for r in range(n):
        row = rows[r]
        product = products[r]
        for c in range(m):
            score[c] = half[c] - product[c]  # half the squared distance, less half the row's own square
        filled = 0
        for c in range(m):
            if filled < n_nearest or score[c] < lowest[n_nearest - 1]:
                filled = insert(score[c], c, filled, lowest, lowest_label, False)
        # what the product and the distance that decides may each be off by
        margin = (d + 8) * eps * (np.sqrt(sum_of_squares(row)) + longest) ** 2
        bound = rows.dtype.type(lowest[n_nearest - 1] + 2.0 * margin)
        filled = 0
        for c in range(m):
            if score[c] <= bound:
                value = squared_distance(row, points[c])
                filled = insert(value, c, filled, squared[r], nearest[r], False)
        for j in range(filled, n_nearest):
            squared[r, j] = np.inf
            nearest[r, j] = j
