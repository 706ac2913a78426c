"""Labels of rows whose landmarks all have the same, or those near their own landmark."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit()
def settle_rows(nearest, cluster, labels):
    """Label rows by the cluster of their landmarks; return the numbers of those that landmarks do not agree on.

    IN: nearest int (n, K), cluster int32 (p,), negative for a landmark that settles nothing. OUT: labels int32 (n,).
    """
    n, n_nearest = nearest.shape
    rest = np.empty(n, np.int64)
    count = 0
    for r in range(n):
        label = cluster[nearest[r, 0]]
        differs = label < 0
        for j in range(1, n_nearest):
            differs |= cluster[nearest[r, j]] != label
        labels[r] = label
        rest[count] = r
        count += differs
    return rest[:count].copy()


@jit()
def settle_near(rows, own, landmarks, within, cluster, labels):
    """Label rows that are near their own landmark by its cluster; return the numbers of the others.

    IN: rows (n, d), own int (n,), landmarks (p, d), within (p,): squared distance that is near, negative where none is;
    cluster int32 (p,). OUT: labels int32 (n,).
    """
    n, d = rows.shape
    rest = np.empty(n, np.int64)
    count = 0
    for r in range(n):
        landmark = own[r]
        total = rows.dtype.type(0)
        for f in range(d):
            u = rows[r, f] - landmarks[landmark, f]
            total += u * u
        labels[r] = cluster[landmark]
        rest[count] = r
        count += total > within[landmark]
    return rest[:count].copy()
