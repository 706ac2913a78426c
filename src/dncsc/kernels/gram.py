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

STRETCH = 64
"""Columns of a dense line that are looked at together."""

MOST_UNROLLED = 8
"""Links of a row up to which the number of them is part of what is compiled: half the time, for K = 5."""


def add_rows_dense(nearest: np.ndarray, transition: np.ndarray, mass: np.ndarray, square: np.ndarray) -> None:
    """Add the rows of a block to half of W_R, OUT float64 (p, p): W_R is this plus its transpose, less the diagonal.

    IN: nearest int (n, K), transition (n, K), and mass (n,), the degree of each row times its sample weight.
    """
    n_nearest = nearest.shape[1]
    _add_rows_dense(nearest, transition, mass, square, (0,) * n_nearest if n_nearest <= MOST_UNROLLED else ())


@jit()
def _add_rows_dense(nearest, transition, mass, square, links):
    """The same; `links` is a tuple of K numbers, whose length the compiler knows, or an empty one."""
    n = nearest.shape[0]
    n_nearest = len(links) if len(links) > 0 else nearest.shape[1]
    for r in range(n):
        for a in range(n_nearest):
            line = square[np.uint32(nearest[r, a])]  # unsigned: no look for negative indices
            value = mass[r] * transition[r, a]
            for b in range(a, n_nearest):
                line[np.uint32(nearest[r, b])] += value * transition[r, b]


@jit()
def entries_of_dense(square):
    """What is not 0, IN float64 (p, p), in compressed rows: where each begins, columns, values."""
    p = square.shape[0]
    bits = square.view(np.uint64)
    start = np.zeros(p + 1, np.int32)
    columns, values = np.empty(16 * p, np.int32), np.empty(16 * p)
    count = 0
    for i in range(p):
        if count + p > len(columns):
            more = max(p, len(columns))
            columns, values = np.append(columns, np.empty(more, np.int32)), np.append(values, np.empty(more))
        for first in range(0, p, STRETCH):
            stop = min(first + STRETCH, p)
            found = np.uint64(0)
            for j in range(first, stop):  # most stretches are empty, and are soon seen to be
                found |= bits[i, j]
            if found != 0:
                for j in range(first, stop):
                    if bits[i, j] != 0:
                        columns[count], values[count] = j, square[i, j]
                        count += 1
        start[i + 1] = count
    return start, columns[:count].copy(), values[:count].copy()


def entries_of_table(
    columns: np.ndarray, sums: np.ndarray, used: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of the table; columns of a line in no order."""
    inside = columns != EMPTY
    return np.cumsum([0, *used], dtype=np.int32), columns[inside], sums[inside]


@jit()
def add_rows_sparse(nearest, transition, mass, begin, columns, sums, used):
    """Add the rows of a block, from `begin` on, to the table until it may be full; return the first row left out, or n.

    OUT: columns int32 (p, width), sums float64 (p, width), used int32 (p,); `width` is a power of two.
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
