"""``W_R = B^T D_X^-1 B``, the similarity of landmarks, added up row by row.

Where a dense p x p array fits the cache, rows add to it as they come. Beyond that, sums go to a table of one line a
landmark: `width` slots with column numbers and sums, found by linear probing from ``column mod width``. Landmarks that
are near each other have near numbers, so that most are found at once. Either way one half of W_R is added up: it is
symmetric.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit

EMPTY = -1


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
def add_rows_sparse(nearest, transition, mass, begin, columns, sums, used):
    """Add the rows of a block to the table, until it may be full.

    Parameters
    ----------
    nearest, transition, mass : IN
        As above.
    begin : int
        The first row to add.
    columns : OUT int32 (p, width), sums : OUT float64 (p, width), used : OUT int32 (p,)
        The table; `width` is a power of two.

    Returns
    -------
    int
        The first row that was not added; n where all were.
    """
    n, n_nearest = nearest.shape
    mask, next_slot = np.uint32(columns.shape[1] - 1), np.uint32(1)  # unsigned: no look for negative indices
    most = columns.shape[1] - n_nearest  # one slot of a line stays empty, where a search ends
    for r in range(begin, n):
        for a in range(n_nearest):
            if used[np.uint32(nearest[r, a])] >= most:
                return r
        for a in range(n_nearest):
            i = np.uint32(nearest[r, a])
            value = mass[r] * transition[r, a]
            if value == 0:
                continue
            for b in range(a, n_nearest):
                share = value * transition[r, b]
                if share == 0:
                    continue
                j = np.uint32(nearest[r, b])
                line, column = min(i, j), max(i, j)
                slot = column & mask
                while columns[line, slot] != np.int32(column):
                    if columns[line, slot] == EMPTY:
                        columns[line, slot] = column
                        used[line] += 1
                        break
                    slot = (slot + next_slot) & mask
                sums[line, slot] += share
    return n
