"""Base clusterings of an ensemble, and the bipartite graph of rows and their clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dncsc.engines.base import Column
from dncsc.engines.layout import BLOCK_VALUES
from dncsc.phases.embedding import Lifted, to_norm_one


@dataclass(frozen=True)
class BaseClustering:
    """An embedding and its centroids. Rows of different components of the graph are in different clusters."""

    embedding: Lifted
    centroids: np.ndarray
    clusters: np.ndarray
    """int32 (centroids, components): the cluster of rows that are nearest to a centroid and in a component"""

    @property
    def n_clusters(self) -> int:
        return int(self.clusters.max()) + 1

    def label(self, nearest: np.ndarray, transition: np.ndarray, component: np.ndarray) -> np.ndarray:
        return self.clusters[self.embedding.lift.label(self.centroids, nearest, transition)[0], component]

    def centroid_of(self, component: np.ndarray) -> np.ndarray:
        """(clusters,): for each the centroid that most of its landmarks are nearest to.

        Rows between landmarks may be a cluster that no landmark is in: that has its own centroid.
        """
        nearest = self.embedding.label_points(self.centroids)
        count = np.zeros((self.n_clusters, len(self.centroids)))
        count[self.clusters, np.arange(len(self.centroids))[:, None]] = 0.5  # less than any landmark counts
        np.add.at(count, (self.clusters[nearest, component], nearest), 1)
        return count.argmax(axis=1)

    def landmarks(self, component: np.ndarray) -> np.ndarray:
        """(clusters,): for each the landmark of its component whose place is nearest to its centroid."""
        places = to_norm_one(self.embedding.lift.vectors, self.embedding.lift.by_length)
        size = max(1, BLOCK_VALUES // self.centroids.size)  # differences in all dimensions are k x k a landmark
        blocks = (places[start : start + size, None] for start in range(0, len(places), size))
        squared = np.concatenate([((block - self.centroids) ** 2).sum(axis=2) for block in blocks])
        found = np.empty(self.n_clusters, np.int64)
        for one in range(self.clusters.shape[1]):
            inside = np.flatnonzero(component == one)
            found[self.clusters[:, one]] = inside[np.argmin(squared[inside], axis=0)]
        return found


def cluster_numbers(nearest: np.ndarray, component: np.ndarray, n_centroids: int, n_components: int) -> np.ndarray:
    """Number the pairs of a centroid and a component that rows have; others get the largest of their component.

    k-means alone would put small components together, or one with a piece of a large one.

    Parameters
    ----------
    nearest : int (n,)
        The centroid of some rows.
    component : int (n,)
        The component of the graph that they are in.
    n_centroids, n_components : int

    Returns
    -------
    clusters : int32 (n_centroids, n_components)
    """
    pair, size = nearest * n_components + component, n_centroids * n_components
    count = np.bincount(pair, minlength=size).reshape(n_centroids, n_components)
    largest = count.argmax(axis=0), np.arange(n_components)
    seen = count > 0
    seen[largest] = True
    number = np.cumsum(seen).reshape(seen.shape) - 1
    return np.where(seen, number, number[largest]).astype(np.int32)


@dataclass(frozen=True)
class SharedClusterings:
    """Base clusterings that share landmarks, and the columns that their embeddings read."""

    number: int
    clusterings: tuple[BaseClustering, ...]
    component: np.ndarray
    """int32 (p,): the connected component of the graph that each landmark is in"""
    reads: ClassVar[Sequence[str]] = ()

    @property
    def column(self) -> Column:
        """The cluster of a row in each base clustering."""
        [name] = self.makes
        return Column(name, np.min_scalar_type(max(self.sizes, default=1) - 1), len(self.clusterings), self)

    @property
    def sizes(self) -> list[int]:
        """Clusters of each base clustering."""
        return [each.n_clusters for each in self.clusterings]

    @property
    def makes(self) -> Sequence[str]:
        return (f"clusterings-{self.number}",)

    @property
    def points(self) -> np.ndarray:
        """A landmark in the middle of each cluster."""
        chosen = np.concatenate([each.landmarks(self.component) for each in self.clusterings])
        return self.clusterings[0].embedding.graph.points[chosen]

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return [self.label(*self.clusterings[0].embedding.lookup(rows))]

    def label(self, *values: np.ndarray) -> np.ndarray:
        """(n, clusterings), from the columns."""
        found, graph = np.empty((len(values[0]), len(self.clusterings)), self.column.dtype), None
        for number, each in enumerate(self.clusterings):
            if each.embedding.graph is not graph:  # those of one kind of weights follow each other
                graph = each.embedding.graph
                nearest, transition, _ = graph.shares(*values)
            found[:, number] = each.label(nearest, transition, self.component[nearest[:, 0]])
        return found


@dataclass(frozen=True)
class RowsAndClusters:
    """The bipartite graph of rows and the clusters of all base clusterings."""

    shared: tuple[SharedClusterings, ...]
    kept_columns: ClassVar[Sequence[Column]] = ()

    @property
    def reads(self) -> Sequence[str]:
        return [name for each in self.shared for name in each.makes]

    @property
    def columns(self) -> Sequence[Column]:
        return [each.column for each in self.shared]

    @property
    def sizes(self) -> np.ndarray:
        """Clusters of each base clustering."""
        return np.array([size for each in self.shared for size in each.sizes])

    @property
    def n_points(self) -> int:
        return int(self.sizes.sum())

    @property
    def points(self) -> np.ndarray:
        return np.concatenate([each.points for each in self.shared])

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        return [values for each in self.shared for values in each.make(rows)]

    def mean_distance_of(self, rows: np.ndarray) -> np.ndarray:
        graphs = [each.clusterings[0].embedding.graph for each in self.shared]
        return np.mean([graph.mean_distance_of(rows) for graph in graphs], axis=0)

    def shares(self, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sizes = self.sizes
        cluster = np.concatenate(values, axis=1).astype(np.int32) + (np.cumsum(sizes) - sizes).astype(np.int32)
        return cluster, np.full(cluster.shape, 1 / len(sizes), np.float32), np.ones(len(cluster), np.float32)
