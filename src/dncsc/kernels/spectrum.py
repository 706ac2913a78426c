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
    """Spectral embedding of rows, each scaled to norm 1.

    Parameters
    ----------
    nearest : IN int32 (n, K)
    transition : IN (n, K)
    vectors : IN (p, k)
        Eigenvectors on the landmarks, already divided by ``sqrt(1 - lambda)``.
    by_length : bool
        Scale to 2-norm 1, else to 1-norm 1.
    embedding : OUT (n, k)
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
    all products e.c are sums of K lines of one table.

    Parameters
    ----------
    nearest : IN int32 (n, K)
    transition : IN (n, K)
    table : IN (p, width)
        Eigenvectors V in the first `dims` columns, ``V C^T`` behind; zeros may fill up either.
    dims : int
    half : IN (m,)
        ``|c|^2 / 2`` of each centroid.
    by_length : bool
    labels : OUT int32 (n,)
        The first of equally near centroids.
    squared : OUT (n,)
        Squared distance to the centroid.
    """
    n, n_nearest = nearest.shape
    n_centroids = half.shape[0]
    width = table.shape[1]
    sums = np.empty(width, table.dtype)
    zero = table.dtype.type(0)
    one = table.dtype.type(1)
    two = table.dtype.type(2)
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
        for c in range(n_centroids):
            score = sums[dims + c] * inverse - half[c]
            if score > best:
                best = score
                label = c
        labels[r] = label
        length = (norm if by_length else _norm(sums[:dims], True)) * inverse
        squared[r] = max(zero, length * length - two * best)
