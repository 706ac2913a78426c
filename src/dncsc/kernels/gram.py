"""``W_R = B^T D_X^-1 B``, the similarity of landmarks, added up row by row.

Where a dense p x p array fits the cache, rows add to it as they come. Beyond that, sums go to a table of one line a
landmark: `width` slots with column numbers and sums, found by linear probing from ``column mod width``. The rows of
one landmark have few landmarks among their nearest, so a small square, which stays in the L1 cache, collects their sums
first and is then emptied into the table. Either way one half of W_R is added up: it is symmetric.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit

EMPTY = -1
SQUARE = 128
"""Landmarks that the small square can take before it has to be emptied."""


@jit()
def add_rows_dense(nearest, transition, mass, square):
    """Add the rows of a block to a dense square.

    Parameters
    ----------
    nearest : IN int32 (n, K)
    transition : IN (n, K)
    mass : IN float64 (n,)
        Degree of each row times its sample weight.
    square : OUT float64 (p, p)
        Half of W_R: this plus its transpose, less the diagonal.
    """
    n, n_nearest = nearest.shape
    for r in range(n):
        for a in range(n_nearest):
            line = square[np.uint32(nearest[r, a])]  # unsigned: no look for negative indices
            value = mass[r] * transition[r, a]
            for b in range(a, n_nearest):
                line[np.uint32(nearest[r, b])] += value * transition[r, b]


@jit()
def entries_of_dense(square):
    """What is not 0, in compressed rows.

    Returns
    -------
    start : int32 (p + 1,), columns : int32 (m,), values : float64 (m,)
    """
    p = square.shape[0]
    start = np.zeros(p + 1, np.int32)
    for i in range(p):
        count = 0
        for j in range(p):
            count += square[i, j] != 0
        start[i + 1] = start[i] + count
    columns, values = np.empty(start[p], np.int32), np.empty(start[p])
    for i in range(p):
        place = start[i]
        if start[i + 1] > place:
            for j in range(p):
                if square[i, j] != 0:
                    columns[place] = j
                    values[place] = square[i, j]
                    place += 1
    return start, columns, values


@jit()
def entries_of_table(columns, sums, used):
    """The same of the table; columns of a line in no order."""
    p, width = columns.shape
    start = np.zeros(p + 1, np.int32)
    for line in range(p):
        start[line + 1] = start[line] + used[line]
    kept, values = np.empty(start[p], np.int32), np.empty(start[p])
    for line in range(p):
        place = start[line]
        for slot in range(width):
            if columns[line, slot] != EMPTY:
                kept[place] = columns[line, slot]
                values[place] = sums[line, slot]
                place += 1
    return start, kept, values


@jit()
def _add(line, column, value, columns, sums, used):
    """Add to one entry of the table, which has room."""
    mask = columns.shape[1] - 1
    slot = column & mask
    while columns[line, slot] != column and columns[line, slot] != EMPTY:
        slot = (slot + 1) & mask
    if columns[line, slot] == EMPTY:
        columns[line, slot] = column
        used[line] += 1
    sums[line, slot] += value


@jit()
def _widen(columns, sums, used):
    """The same table with twice the width."""
    p, width = columns.shape
    wide_columns = np.full((p, 2 * width), EMPTY, np.int32)
    wide_sums = np.zeros((p, 2 * width))
    used[:] = 0
    for line in range(p):
        for slot in range(width):
            if columns[line, slot] != EMPTY:
                _add(line, columns[line, slot], sums[line, slot], wide_columns, wide_sums, used)
    return wide_columns, wide_sums


@jit()
def _empty_square(square, members, count, columns, sums, used):
    """Move the sums of the small square into the table, which is widened where a line lacks room."""
    for a in range(count):
        i = members[a]
        for b in range(count):
            value = square[a, b]
            if value != 0:
                square[a, b] = 0
                line, column = min(i, members[b]), max(i, members[b])
                if used[line] >= columns.shape[1] - 1:  # one slot stays empty, where a search ends
                    columns, sums = _widen(columns, sums, used)
                _add(line, column, value, columns, sums, used)
    return columns, sums


@jit()
def add_rows_sparse(nearest, transition, mass, order, first, columns, sums, used):
    """Add the rows of a block to the table.

    Parameters
    ----------
    nearest, transition, mass : IN
        As above.
    order, first : IN
        Rows by their nearest landmark, or by some neighbouring ones, from `group_rows`.
    columns : OUT int32 (p, width), sums : OUT float64 (p, width), used : OUT int32 (p,)
        The table; `width` is a power of two.

    Returns
    -------
    columns, sums
        The table, now perhaps a wider one.
    """
    n_nearest = nearest.shape[1]
    size = max(SQUARE, n_nearest)
    square = np.zeros((size, size))
    members = np.empty(size, np.int32)
    place_of = np.full(columns.shape[0], EMPTY, np.int32)
    place = np.empty(n_nearest, np.uint32)  # unsigned: no look for negative indices
    for g in range(first.shape[0] - 1):
        count = 0
        for i in range(first[g], first[g + 1] + 1):
            if i == first[g + 1] or count + n_nearest > size:
                columns, sums = _empty_square(square, members, count, columns, sums, used)
                for a in range(count):
                    place_of[members[a]] = EMPTY
                count = 0
            if i == first[g + 1]:
                break
            r = np.uint32(order[i])
            for a in range(n_nearest):
                landmark = np.uint32(nearest[r, a])
                if place_of[landmark] == EMPTY:
                    place_of[landmark] = count
                    members[count] = landmark
                    count += 1
                place[a] = place_of[landmark]
            for a in range(n_nearest):
                line = square[place[a]]
                value = mass[r] * transition[r, a]
                for b in range(a, n_nearest):
                    line[place[b]] += value * transition[r, b]
    return columns, sums
