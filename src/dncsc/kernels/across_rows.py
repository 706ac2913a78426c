"""Few features: distances lane by lane across the rows of a group, which share what they are compared with.

A block's rows are visited by group (`group_rows`), a tile of them at a time, held feature by feature. A row's result
depends on that row and the points alone, never on its block or tile, so that predicting a training row repeats what
fitting did. Of equally near points the first looked at wins.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit

CENTRE_TILE = 512
"""Rows a tile against centres: two features, a best distance and an index of each fit the L1 cache."""

LANDMARK_TILE = 64
"""Rows a tile against candidate landmarks: all go on until the last of them is done, so fewer."""


@jit()
def nearest_across_rows(rows, order, first, centres, first_centre, index, squared):
    """`nearest_centres`, vectorised across the rows of a group; OUT: index int32 (n,), squared (n,).

    IN: `order` and `first` are what `group_rows` gives.
    """
    d = rows.shape[1]
    pairs = (d + 1) // 2
    tile = np.zeros((2 * pairs, CENTRE_TILE), rows.dtype)  # an odd last feature is paired with zeros
    centre = np.zeros(2 * pairs, rows.dtype)
    total = np.zeros(CENTRE_TILE, rows.dtype)
    best = np.empty(CENTRE_TILE, rows.dtype)
    best_index = np.zeros(CENTRE_TILE, np.int32)
    for g in range(first.shape[0] - 1):
        for start in range(first[g], first[g + 1], CENTRE_TILE):
            count = min(CENTRE_TILE, first[g + 1] - start)
            lanes = min(CENTRE_TILE, (count + 15) // 16 * 16)  # whole vectors only: no second version of the loop
            for r in range(count):
                row = order[start + r]
                for f in range(d):
                    tile[f, r] = rows[row, f]
            best[:lanes] = np.inf
            for c in range(first_centre[g], first_centre[g + 1]):
                for f in range(d):
                    centre[f] = centres[c, f]
                for pair in range(pairs - 1):
                    x, y = tile[2 * pair], tile[2 * pair + 1]
                    cx, cy = centre[2 * pair], centre[2 * pair + 1]
                    for r in range(lanes):
                        u = x[r] - cx
                        v = y[r] - cy
                        total[r] += u * u + v * v
                x, y = tile[2 * pairs - 2], tile[2 * pairs - 1]
                cx, cy = centre[2 * pairs - 2], centre[2 * pairs - 1]
                if pairs == 1:  # the common case of two features needs no running total
                    for r in range(lanes):
                        u = x[r] - cx
                        v = y[r] - cy
                        t = u * u + v * v
                        closer = t < best[r]
                        best[r] = t if closer else best[r]
                        best_index[r] = np.int32(c) if closer else best_index[r]
                else:
                    for r in range(lanes):
                        u = x[r] - cx
                        v = y[r] - cy
                        t = total[r] + (u * u + v * v)
                        total[r] = 0
                        closer = t < best[r]
                        best[r] = t if closer else best[r]
                        best_index[r] = np.int32(c) if closer else best_index[r]
            for r in range(count):
                row = order[start + r]
                index[row] = best_index[r]
                squared[row] = best[r]


@jit()
def search_across_rows(rows, order, first, landmarks, candidates, reach, nearest, squared, own):
    """`search_candidates`, vectorised across rows; OUT: nearest int32 (n, K), squared (n, K), own (n,).

    Candidates are in order of their distance from the row's own landmark r. Once ``d(r, c) > d(x, r) + d_K`` no
    later one can be among the K nearest of x (triangle inequality).
    """
    d = rows.shape[1]
    n_nearest = nearest.shape[1]
    tile = np.zeros((d, LANDMARK_TILE), rows.dtype)
    value = np.zeros(LANDMARK_TILE, rows.dtype)
    label = np.zeros(LANDMARK_TILE, np.int32)
    distance = np.zeros(LANDMARK_TILE, rows.dtype)
    best = np.empty((n_nearest, LANDMARK_TILE), rows.dtype)
    best_index = np.zeros((n_nearest, LANDMARK_TILE), np.int32)
    for g in range(first.shape[0] - 1):
        for start in range(first[g], first[g + 1], LANDMARK_TILE):
            count = min(LANDMARK_TILE, first[g + 1] - start)
            lanes = (count + 15) // 16 * 16
            for r in range(count):
                row = order[start + r]
                for f in range(d):
                    tile[f, r] = rows[row, f]
            for f in range(d):
                for r in range(count, lanes):  # idle lanes repeat a row, so that they never prolong the search
                    tile[f, r] = tile[f, 0]
            best[:] = np.inf
            for i in range(candidates.shape[1]):
                if i >= n_nearest and i % 4 == 0:  # the look whether to go on costs as much as some more candidates
                    bound = rows.dtype.type(0)
                    worst = best[n_nearest - 1]
                    for r in range(lanes):
                        b = distance[r] + np.sqrt(worst[r])
                        bound = b if b > bound else bound
                    if reach[g, i] > bound:
                        break
                c = candidates[g, i]
                x, cx = tile[0], landmarks[c, 0]
                for r in range(lanes):
                    u = x[r] - cx
                    value[r] = u * u
                    label[r] = c
                for f in range(1, d):
                    x, cx = tile[f], landmarks[c, f]
                    for r in range(lanes):
                        u = x[r] - cx
                        value[r] += u * u
                if i == 0:
                    for r in range(lanes):
                        distance[r] = np.sqrt(value[r])
                for j in range(min(n_nearest, i + 1)):  # one step of insertion in all lanes at once
                    slot, slot_index = best[j], best_index[j]
                    for r in range(lanes):
                        new, old = value[r], slot[r]
                        new_index, old_index = label[r], slot_index[r]
                        # what has been displaced displaces the next, also its equal: the order of equals is kept
                        closer = (new < old) | (new_index != c)
                        slot[r] = new if closer else old
                        value[r] = old if closer else new
                        slot_index[r] = new_index if closer else old_index
                        label[r] = old_index if closer else new_index
            for r in range(count):
                row = order[start + r]
                own[row] = distance[r]
                for j in range(n_nearest):
                    nearest[row, j] = best_index[j, r]
                    squared[row, j] = best[j, r]


@jit()
def measure_links(rows, nearest, landmarks, squared):
    """Squared distances, OUT (n, K), to landmarks that are known, IN int (n, K): to the bit those of the search."""
    n, n_nearest = nearest.shape
    for r in range(n):
        for j in range(n_nearest):
            landmark = landmarks[nearest[r, j]]
            total = rows.dtype.type(0)
            for f in range(rows.shape[1]):
                u = rows[r, f] - landmark[f]
                total += u * u
            squared[r, j] = total
