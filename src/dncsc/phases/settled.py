"""Labels without places, and without links: most rows have landmarks of one cluster only.

A row is placed at ``e / |e|``, where e is a mean of its landmarks' vectors v. Centroid a is nearer than c where
``e.(a - c) - |e| h > 0`` with ``h = (|a|^2 - |c|^2) / 2``. Neither side needs e: ``|e|`` is at most the mean of the
``|v|``, and at least that of ``v.s`` for any s of norm 1. So what holds for each landmark by itself holds for the row.

Nor need a row's landmarks be known. One at distance r from its own landmark has K landmarks within r + h of itself,
where h is how far the own one's K nearest are, and so within 2 r + h of its own: where the nearest landmark that is not
of the same cluster is farther, they are all of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dncsc.kernels.nearest import LANDMARKS_ALONG
from dncsc.kernels.settle import settle_near, settle_rows
from dncsc.phases.embedding import Embedding, Lift, Lifted, RowsAndLandmarks, Voted, to_norm_one
from dncsc.phases.refine import UNSETTLED, Refined
from dncsc.phases.search import CandidateSearch

SMALLEST, LARGEST = 1e-12, 1e12
"""Lengths of vectors: within these no product that decides a label is rounded to 0 or overflows."""


@dataclass(frozen=True)
class Settled:
    """What tells clusters of rows by their landmarks alone."""

    cluster: np.ndarray
    """int32 (p,): the cluster of every row all of whose landmarks have it; `UNSETTLED` where rows have to be placed"""
    search: CandidateSearch | None = None
    """that finds landmarks near a row's own; None where they are found otherwise, or features are many, and rows are
    near no landmark"""

    def by_links(self, nearest: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Label rows by their landmarks; the numbers of those that are left."""
        return settle_rows(nearest, self.cluster, labels)

    def by_own(self, rows: np.ndarray, own: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Label rows that are near their own landmark; the numbers of those that are left."""
        assert self.search is not None
        return settle_near(rows, own, self.search.landmarks, self._within, self.cluster, labels)

    @cached_property
    def _within(self) -> np.ndarray:
        """(p,): squared distance from its own landmark within which a row is of its cluster; -1 where none is.

        `reach` and `horizon` are too small by a margin for rounding, so that h is not: it gets three of them.
        """
        search = self.search
        assert search is not None
        d, dtype = search.landmarks.shape[1], search.landmarks.dtype
        margin = 4 * (d + 8) * float(np.finfo(dtype).eps)
        differs = self.cluster[search.candidates] != self.cluster[:, None]
        reach = search.reach.astype(np.float64)
        other = np.where(differs.any(axis=1), reach[np.arange(len(reach)), differs.argmax(axis=1)], search.horizon)
        near = (other - reach[:, search.n_neighbors - 1] * (1 + 3 * margin)) / 2 * (1 - margin)
        is_settled = (self.cluster != UNSETTLED) & (near > 0)
        return np.where(is_settled, near**2 * (1 - margin), -1).astype(dtype)


def settled(embedding: Embedding, centroids: np.ndarray) -> Settled | None:
    """What tells clusters of rows by their landmarks; None where rows are not placed by landmarks."""
    cluster = _settled_points(embedding, centroids)
    if cluster is None:
        return None
    assert isinstance(embedding, Lifted | Voted | Refined)
    assert isinstance(embedding.graph, RowsAndLandmarks)
    search = embedding.graph.links.search
    if isinstance(search, CandidateSearch) and search.landmarks.shape[1] < LANDMARKS_ALONG:
        return Settled(cluster, search)
    return Settled(cluster)


def _settled_points(embedding: Embedding, centroids: np.ndarray) -> np.ndarray | None:
    """int32 (p,): as `Settled.cluster`"""
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
