"""Rows by group: visited so, what a group needs stays in the nearest cache."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit()
def group_rows(group, n_groups):
    """Row numbers by group: those of group g are ``order[first[g]:first[g + 1]]``, ascending.

    IN: group int32 (n,), from 0 to n_groups - 1. Returns order int32 (n,) and first int32 (n_groups + 1,).
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
    """Copy rows, IN (n, w), to their places in whole, OUT (m, w); a negative place is none."""
    for r in range(rows.shape[0]):
        if place[r] >= 0:
            for f in range(rows.shape[1]):
                whole[place[r], f] = rows[r, f]
