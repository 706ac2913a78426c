"""What the last two phases agree on: an embedding places rows, and k-means there gives the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from dncsc.engines.base import Column
from dncsc.kernels.communities import vote_rows
from dncsc.kernels.nearest import nearest_centres
from dncsc.kernels.spectrum import embed_rows, label_rows
from dncsc.phases.affinity import Affinity
from dncsc.phases.nearest import Links
from dncsc.phases.search import NEAREST, SQUARED


class Embedding(Protocol):
    """Places rows in k dimensions, each row by itself."""

    @property
    def inputs(self) -> Sequence[str]:
        """What it places the engine's rows by: columns, or `dncsc.phases.inputs.ROWS`."""
        ...

    @property
    def columns(self) -> Sequence[Column]:
        """Columns among its inputs, and those that they are made from, with rules where they can be made again."""
        ...

    @property
    def n_dimensions(self) -> int: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        """For new rows, the values of the inputs."""
        ...

    def transform(self, *values: np.ndarray) -> np.ndarray:
        """Places of rows (n, k), from the values of the inputs."""
        ...

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest centroid of each row, and its squared distance."""
        ...


@runtime_checkable
class ThroughLandmarks(Embedding, Protocol):
    """Places rows by the landmarks that they are linked to, and knows how far these are."""

    def mean_distance(self, *values: np.ndarray) -> np.ndarray:
        """Of each row to its K nearest landmarks, from the values of the inputs."""
        ...


@dataclass(frozen=True)
class Lift:
    """From a row's shares in landmarks to its place: the mean of its landmarks' coordinates, scaled to norm 1."""

    vectors: np.ndarray
    """(p, k), in working precision"""
    by_length: bool

    def transform(self, nearest: np.ndarray, transition: np.ndarray) -> np.ndarray:
        places = np.empty((len(nearest), self.vectors.shape[1]), self.vectors.dtype)
        embed_rows(nearest, transition, self.vectors, self.by_length, places)
        return places

    def label(
        self, centroids: np.ndarray, nearest: np.ndarray, transition: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Nearest centroid of each row, without storing the row's place."""
        vectors, centroids = self.vectors, centroids.astype(self.vectors.dtype)
        lanes = _to_lanes(vectors)
        table = np.concatenate([lanes, _to_lanes(vectors @ centroids.T)], axis=1)
        half = (centroids**2).sum(axis=1) / 2
        labels = np.empty(len(nearest), np.int32)
        squared = np.empty(len(nearest), vectors.dtype)
        label_rows(nearest, transition, table, lanes.shape[1], half, self.by_length, labels, squared)
        return labels, squared


class Bipartite(Protocol):
    """A graph of rows and a few points that stand for them: landmarks, or the clusters of base clusterings."""

    @property
    def reads(self) -> Sequence[str]: ...

    @property
    def columns(self) -> Sequence[Column]: ...

    @property
    def kept_columns(self) -> Sequence[Column]:
        """Columns that are worth keeping, once they have been made."""
        ...

    @property
    def n_points(self) -> int: ...

    @property
    def points(self) -> np.ndarray:
        """(p, d): where the points are, to tell which are near each other."""
        ...

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        """For new rows, what the columns hold for the engine's."""
        ...

    def mean_distance_of(self, rows: np.ndarray) -> np.ndarray:
        """Mean distance of new rows to their nearest landmarks."""
        ...

    def shares(self, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points that rows are linked to (n, K), the rows' shares in them, which sum to 1, and the rows' degrees."""
        ...


@dataclass(frozen=True)
class RowsAndLandmarks:
    """Each row is linked to its K nearest landmarks."""

    links: Links
    affinity: Affinity
    reads: ClassVar[Sequence[str]] = (NEAREST, SQUARED)

    @property
    def columns(self) -> Sequence[Column]:
        return self.links.columns

    @property
    def kept_columns(self) -> Sequence[Column]:
        return self.links.search.kept_columns

    @property
    def n_points(self) -> int:
        return len(self.points)

    @property
    def points(self) -> np.ndarray:
        return self.links.search.landmarks

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        found = self.links.lookup(rows)
        return [found.nearest, found.squared]

    def shares(self, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nearest, squared = values
        return nearest, *self.affinity.weigh(nearest, squared)

    def mean_distance(self, *values: np.ndarray) -> np.ndarray:
        """Of each row to its K nearest landmarks."""
        return np.sqrt(values[1].astype(np.float64)).mean(axis=1)

    def mean_distance_of(self, rows: np.ndarray) -> np.ndarray:
        return self.mean_distance(*self.lookup(rows))


@dataclass(frozen=True)
class _ThroughGraph:
    """What embeddings share that place rows by the points that they are linked to."""

    graph: Bipartite

    @property
    def inputs(self) -> Sequence[str]:
        return self.graph.reads

    @property
    def columns(self) -> Sequence[Column]:
        return self.graph.columns

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        return self.graph.lookup(rows)

    def mean_distance(self, *values: np.ndarray) -> np.ndarray:
        assert isinstance(self.graph, RowsAndLandmarks)
        return self.graph.mean_distance(*values)


@dataclass(frozen=True)
class Lifted(_ThroughGraph):
    """Places rows of a bipartite graph by the places of the points that they are linked to."""

    lift: Lift

    @property
    def n_dimensions(self) -> int:
        return self.lift.vectors.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.lift.vectors.dtype

    def transform(self, *values: np.ndarray) -> np.ndarray:
        return self.lift.transform(*self.graph.shares(*values)[:2])

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.lift.label(centroids, *self.graph.shares(*values)[:2])

    def at_corners(self, cluster: np.ndarray, n_clusters: int) -> Lifted:
        """The same graph, with each of its points at the corner of the cluster that it is in."""
        return Lifted(self.graph, Lift(np.eye(n_clusters, dtype=self.dtype)[cluster], self.lift.by_length))

    @property
    def places_of_points(self) -> np.ndarray:
        """Where a row would be whose links are all to one point of the graph (p, k)."""
        return to_norm_one(self.lift.vectors, self.lift.by_length)

    def label_points(self, centroids: np.ndarray) -> np.ndarray:
        """Cluster of each point of the graph."""
        return nearest_centroids(self.places_of_points, centroids)[0]


@dataclass(frozen=True)
class Voted(_ThroughGraph):
    """Places rows by their shares in clusters of landmarks, of which there may be thousands."""

    graph: RowsAndLandmarks
    cluster: np.ndarray
    """int32 (p,): of each landmark"""
    n_dimensions: int
    """clusters"""

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.graph.points.dtype

    def transform(self, *values: np.ndarray) -> np.ndarray:
        nearest, shares, _ = self.graph.shares(*values)
        places = np.zeros((len(nearest), self.n_dimensions), self.dtype)
        np.add.at(places, (np.arange(len(nearest))[:, None], self.cluster[nearest]), shares)
        return places

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cluster of the largest share, which is the nearest corner: no centroids are needed."""
        nearest, shares, _ = self.graph.shares(*values)
        labels, squared = np.empty(len(nearest), np.int32), np.empty(len(nearest), shares.dtype)
        vote_rows(nearest, shares, self.cluster, labels, squared)
        return labels, squared

    def label_points(self, centroids: np.ndarray) -> np.ndarray:
        """Cluster of each landmark."""
        return self.cluster


def _to_lanes(table: np.ndarray) -> np.ndarray:
    """A table whose lines fill vector lanes: with columns of zeros, up to a multiple of 8."""
    return np.pad(table, ((0, 0), (0, -table.shape[1] % 8)))


def to_norm_one(places: np.ndarray, by_length: bool) -> np.ndarray:
    """Rows scaled to 2-norm 1, or to 1-norm 1; rows of zeros stay."""
    norm = np.linalg.norm(places, ord=2 if by_length else 1, axis=1, keepdims=True)
    return places / np.where(norm > 0, norm, 1)


def nearest_centroids(places: np.ndarray, centroids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centroid of each place, and its squared distance."""
    return nearest_centres(
        np.ascontiguousarray(places),
        np.zeros(len(places), np.int32),
        centroids.astype(places.dtype),
        np.array([0, len(centroids)], np.int32),
    )
