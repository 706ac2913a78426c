"""Rows by group: visited so, what a group needs stays in the nearest cache."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit()
def group_rows(group, n_groups):
    """Sort rows by group, stably.

    Parameters
    ----------
    group : IN int32 (n,)
        Group of each row, 0 to n_groups - 1.
    n_groups : int

    Returns
    -------
    order : int32 (n,)
        Row numbers; those of group g stand in ``order[first[g]:first[g + 1]]``, ascending.
    first : int32 (n_groups + 1,)
    """
    n = group.shape[0]
    first = np.zeros(n_groups + 1, np.int32)
    for r in range(n):
        first[group[r] + 1] += 1
    for g in range(n_groups):
        first[g + 1] += first[g]
    place = first[:-1].copy()
    order = np.empty(n, np.int32)
    for r in range(n):
        g = group[r]
        order[place[g]] = r
        place[g] += 1
    return order, first


@jit()
def put_rows(rows, place, whole):
    """Copy each row to its place, or nowhere.

    Parameters
    ----------
    rows : IN (n, w)
    place : IN int64 (n,)
        Row number in `whole`, or negative.
    whole : OUT (m, w)
    """
    for r in range(rows.shape[0]):
        if place[r] >= 0:
            for f in range(rows.shape[1]):
                whole[place[r], f] = rows[r, f]
