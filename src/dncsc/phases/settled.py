"""Labels without places: most rows have landmarks of one cluster only, and need no place to be told so.

A row is placed at ``e / |e|``, where e is a mean of its landmarks' vectors v. Centroid a is nearer than c where
``e.(a - c) - |e| h > 0`` with ``h = (|a|^2 - |c|^2) / 2``. Neither side needs e: ``|e|`` is at most the mean of the
``|v|``, and at least that of ``v.s`` for any s of norm 1. So what holds for each landmark by itself holds for the row.
"""

from __future__ import annotations

import numpy as np

from dncsc.phases.embedding import Embedding, Lift, Lifted, RowsAndLandmarks, Voted, to_norm_one
from dncsc.phases.refine import UNSETTLED, Refined

SMALLEST, LARGEST = 1e-12, 1e12
"""Lengths of vectors: within these no product that decides a label is rounded to 0 or overflows."""


def settled_points(embedding: Embedding, centroids: np.ndarray) -> np.ndarray | None:
    """int32 (p,): the cluster of every row all of whose landmarks have it; `UNSETTLED` where rows have to be placed.

    None where rows are not placed by landmarks.
    """
    if isinstance(embedding, Voted):
        return embedding.cluster
    if isinstance(embedding, Refined):
        return embedding.settled
    if isinstance(embedding, Lifted) and isinstance(embedding.graph, RowsAndLandmarks):
        return _settled_by_bounds(embedding.lift, centroids, embedding.graph.links.search.n_neighbors)
    return None


def _settled_by_bounds(lift: Lift, centroids: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Clusters of landmarks that are nearer to their centroid than to any other by more than rounding may take."""
    vectors, places = lift.vectors.astype(np.float64), centroids.astype(np.float64)
    points, half = np.arange(len(vectors)), (places**2).sum(axis=1) / 2
    norm = np.linalg.norm(vectors, ord=2 if lift.by_length else 1, axis=1)
    products = vectors @ places.T
    own = np.argmax(products - norm[:, None] * half, axis=1)
    directions = to_norm_one(places, by_length=True) if lift.by_length else np.sign(places)
    least = np.sum(vectors * directions[own], axis=1)  # of the norm of a mean, for each landmark in it
    h = half[own, None] - half
    ahead = products[points, own, None] - products - np.where(h > 0, norm[:, None], least[:, None]) * h
    ahead[points, own] = np.inf
    # What scores and norms, sums of K lines of k numbers, may be off by, several times over.
    rounding = 4 * (vectors.shape[1] + n_neighbors + 16) * np.finfo(lift.vectors.dtype).eps
    size = 2 * np.sqrt(2 * half.max()) + 2 * half.max()
    is_settled = (ahead.min(axis=1) > rounding * size * norm) & (norm > SMALLEST) & (norm < LARGEST)
    return np.where(is_settled, own, UNSETTLED).astype(np.int32)
