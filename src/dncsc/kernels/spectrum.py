"""From landmarks to rows: lift eigenvectors through the transition matrix, and find each row's nearest centroid."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit(fastmath={"reassoc", "contract"})
def _norm(x, by_length):
    total = x.dtype.type(0)
    if by_length:
        for m in range(x.shape[0]):
            total += x[m] * x[m]
        return np.sqrt(total)
    for m in range(x.shape[0]):
        total += abs(x[m])
    return total


@jit()
def embed_rows(nearest, transition, vectors, by_length, embedding):
    """Spectral embedding of rows, OUT (n, k), each scaled to norm 1: the 2-norm, `by_length`, or else the 1-norm.

    IN: nearest int32 (n, K), transition (n, K), and vectors (p, k) on the landmarks, divided by ``sqrt(1 - lambda)``.
    """
    n, n_nearest = nearest.shape
    for r in range(n):
        row = embedding[r]
        row[:] = 0
        for j in range(n_nearest):
            t = transition[r, j]
            v = vectors[nearest[r, j]]
            for m in range(row.shape[0]):
                row[m] += t * v[m]
        norm = _norm(row, by_length)
        if norm > 0:
            for m in range(row.shape[0]):
                row[m] /= norm


@jit()
def label_rows(nearest, transition, table, dims, half, by_length, labels, squared):
    """Nearest centroid of each row's embedding, without storing the embedding.

    With e the row's lifted vector and c a centroid, ``|e/|e| - c|^2 = |e/|e||^2 - 2 (e.c/|e| - |c|^2/2)``; both e and
    all products e.c are sums of K lines of one table. IN: table (p, width), with eigenvectors V in the first `dims`
    columns and ``V C^T`` behind, where zeros may fill up either; half (m,), ``|c|^2 / 2`` of each centroid. OUT: labels
    int32 (n,), the first of equally near centroids, and squared (n,), the distance to it.
    """
    n, n_nearest = nearest.shape
    width = table.shape[1]
    sums = np.empty(width, table.dtype)
    zero, one, two = table.dtype.type(0), table.dtype.type(1), table.dtype.type(2)
    for r in range(n):
        t = transition[r, 0]
        line = table[nearest[r, 0]]
        for m in range(width):
            sums[m] = t * line[m]
        for j in range(1, n_nearest):
            t = transition[r, j]
            line = table[nearest[r, j]]
            for m in range(width):
                sums[m] += t * line[m]
        norm = _norm(sums[:dims], by_length)
        inverse = one / norm if norm > zero else zero
        best = table.dtype.type(-np.inf)
        label = 0
        for c in range(half.shape[0]):
            score = sums[dims + c] * inverse - half[c]
            if score > best:
                best = score
                label = c
        labels[r] = label
        length = (norm if by_length else _norm(sums[:dims], True)) * inverse
        squared[r] = max(zero, length * length - two * best)
