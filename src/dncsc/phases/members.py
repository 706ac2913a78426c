"""Members of an ensemble: clusterings of the same rows, and the bipartite graph of rows and their clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dncsc.engines.base import Column
from dncsc.phases.embedding import Lifted, to_norm_one


@dataclass(frozen=True)
class Member:
    """A clustering: an embedding and its centroids. Rows of different parts of the graph are in different clusters."""

    embedding: Lifted
    centroids: np.ndarray
    clusters: np.ndarray
    """int32 (centroids, parts): the cluster of rows that are nearest to a centroid and in a part"""

    @property
    def n_clusters(self) -> int:
        return int(self.clusters.max()) + 1

    def label(self, nearest: np.ndarray, transition: np.ndarray, part: np.ndarray) -> np.ndarray:
        return self.clusters[self.embedding.lift.label(self.centroids, nearest, transition)[0], part]

    def landmarks(self, part: np.ndarray) -> np.ndarray:
        """(clusters,): for each the landmark of its part whose place is nearest to its centroid."""
        places = to_norm_one(self.embedding.lift.vectors, self.embedding.lift.by_length)
        squared = ((places[:, None] - self.centroids) ** 2).sum(axis=2)
        found = np.empty(self.n_clusters, np.int64)
        for one in range(self.clusters.shape[1]):
            inside = np.flatnonzero(part == one)
            found[self.clusters[:, one]] = inside[np.argmin(squared[inside], axis=0)]
        return found


def cluster_numbers(nearest: np.ndarray, part: np.ndarray, n_centroids: int, n_parts: int) -> np.ndarray:
    """Number the pairs of a centroid and a part that rows have; what is in no other, by the largest one of its part.

    k-means would put small parts together, or one with a piece of a large one.

    Parameters
    ----------
    nearest : int (n,)
        The centroid of some rows.
    part : int (n,)
        The part of the graph that they are in.
    n_centroids, n_parts : int

    Returns
    -------
    clusters : int32 (n_centroids, n_parts)
    """
    count = np.bincount(nearest * n_parts + part, minlength=n_centroids * n_parts).reshape(n_centroids, n_parts)
    largest = count.argmax(axis=0), np.arange(n_parts)
    seen = count > 0
    seen[largest] = True
    number = np.cumsum(seen).reshape(seen.shape) - 1
    return np.where(seen, number, number[largest]).astype(np.int32)


@dataclass(frozen=True)
class Group:
    """Members that share landmarks, and the columns that their embeddings read."""

    number: int
    members: tuple[Member, ...]
    part: np.ndarray
    """int32 (p,): the connected part of the graph that each landmark is in"""
    reads: ClassVar[Sequence[str]] = ()

    @property
    def column(self) -> Column:
        """The cluster of a row in each member."""
        [name] = self.makes
        return Column(name, np.min_scalar_type(max(self.sizes, default=1) - 1), len(self.members), self)

    @property
    def sizes(self) -> list[int]:
        """Clusters of each member."""
        return [member.n_clusters for member in self.members]

    @property
    def makes(self) -> Sequence[str]:
        return (f"members-{self.number}",)

    @property
    def points(self) -> np.ndarray:
        """A landmark in the middle of each cluster of each member."""
        chosen = np.concatenate([member.landmarks(self.part) for member in self.members])
        return self.members[0].embedding.graph.points[chosen]

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return [self.label(*self.members[0].embedding.lookup(rows))]

    def label(self, *values: np.ndarray) -> np.ndarray:
        """(n, members), from the columns."""
        found, graph = np.empty((len(values[0]), len(self.members)), self.column.dtype), None
        for number, member in enumerate(self.members):
            if member.embedding.graph is not graph:  # those of one kind of weights follow each other
                graph = member.embedding.graph
                nearest, transition, _ = graph.shares(*values)
            found[:, number] = member.label(nearest, transition, self.part[nearest[:, 0]])
        return found


@dataclass(frozen=True)
class RowsAndMembers:
    """The bipartite graph of rows and the clusters of all members."""

    groups: tuple[Group, ...]

    @property
    def reads(self) -> Sequence[str]:
        return [name for group in self.groups for name in group.makes]

    @property
    def columns(self) -> Sequence[Column]:
        return [group.column for group in self.groups]

    @property
    def sizes(self) -> np.ndarray:
        """Clusters of each member."""
        return np.array([size for group in self.groups for size in group.sizes])

    @property
    def n_points(self) -> int:
        return int(self.sizes.sum())

    @property
    def points(self) -> np.ndarray:
        return np.concatenate([group.points for group in self.groups])

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        return [values for group in self.groups for values in group.make(rows)]

    def shares(self, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sizes = self.sizes
        cluster = np.concatenate(values, axis=1).astype(np.int32) + (np.cumsum(sizes) - sizes).astype(np.int32)
        return cluster, np.full(cluster.shape, 1 / len(sizes), np.float32), np.ones(len(cluster), np.float32)
