"""Ensembles: many clusterings of the same rows, and their consensus by one more transfer cut (U-SENC, LSEC).

Members are clusterings into 20 to 60 clusters, from a few landmark graphs. Rows and the members' clusters form a
bipartite graph with one link a member, which is cut as the graph of rows and landmarks is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.seeds import generator
from dncsc.phases.discretize import LABEL, k_means
from dncsc.phases.embedding import Lift, Lifted, values_of
from dncsc.phases.kmeans import added
from dncsc.phases.partition import Cut, Partition, cut, whole
from dncsc.phases.settings import Settings

FEWEST, MOST = 20, 60
"""Clusters of a member."""
ROWS_A_CLUSTER = 20
"""Of few rows a member makes fewer clusters: nearly empty ones would share no rows with other members'."""
LANDMARKS_A_CLUSTER = 4
"""Likewise of few landmarks: pieces of one or two say little."""
MEMBER_ITERATIONS = 20
"""of the k-means of a member, which need not be its best"""

CONFIDENCE = "confidence"
"""Column: how far the members agree on a row."""

Grow = Callable[[Settings], Partition]
"""Makes a landmark graph and cuts it; fills the columns that its embedding reads."""


@dataclass(frozen=True)
class Members:
    """How many members an ensemble has, and from how many landmark graphs they come."""

    count: int
    n_graphs: int


@dataclass(frozen=True)
class Member:
    """A clustering: an embedding and its centroids."""

    embedding: Lifted
    centroids: np.ndarray

    def label(self, shares: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        return self.embedding.lift.label(self.centroids, *shares)[0]


@dataclass(frozen=True)
class Group:
    """Members that share a landmark graph."""

    number: int
    members: tuple[Member, ...]
    reads: ClassVar[Sequence[str]] = ()

    @property
    def column(self) -> Column:
        """The cluster of a row in each member."""
        [name] = self.makes
        return Column(name, np.uint8, len(self.members), self)

    @property
    def makes(self) -> Sequence[str]:
        return (f"members-{self.number}",)

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return [self.label(*self.members[0].embedding.look(rows))]

    def label(self, *values: np.ndarray) -> np.ndarray:
        """(n, members), from the values that the shared graph reads."""
        shares = self.members[0].embedding.graph.shares(*values)[:2]
        return np.stack([member.label(shares) for member in self.members], axis=1).astype(np.uint8)


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
        return np.array([len(member.centroids) for group in self.groups for member in group.members])

    @property
    def points(self) -> np.ndarray:
        """Which cluster of which member; clusters have no place of their own."""
        return np.arange(self.sizes.sum())[:, None]

    def look(self, rows: np.ndarray) -> list[np.ndarray]:
        return [values for group in self.groups for values in group.make(rows)]

    def shares(self, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        sizes = self.sizes
        cluster = np.concatenate(values, axis=1).astype(np.int32) + (np.cumsum(sizes) - sizes).astype(np.int32)
        return cluster, np.full(cluster.shape, 1 / len(sizes), np.float32), np.ones(len(cluster), np.float32)


@dataclass(frozen=True)
class _LabelByMembers(Pass[None]):
    group: Group

    @property
    def reads(self) -> Sequence[str]:
        return self.group.members[0].embedding.reads

    @property
    def writes(self) -> Sequence[Column]:
        return (self.group.column,)

    def begin(self) -> None:
        return None

    def visit(self, total: None, block: Block) -> None:
        block.columns[self.group.column.name][:] = self.group.label(*values_of(block, self.reads))


def consensus(engine: Engine, settings: Settings, members: Members, grow: Grow) -> Partition:
    """Cluster the rows by each member, and cut the graph of rows and members' clusters.

    Parameters
    ----------
    engine : Engine
    settings : Settings
    members : Members
    grow : callable
        Makes and cuts one landmark graph, with as many eigenvectors as settings ask for.
    """
    groups = []
    for number, share in enumerate(np.array_split(np.arange(members.count), members.n_graphs)):
        seed = int(generator(settings.seed, "graph", number).integers(2**31))
        sizes = _sizes(settings, seed, len(share))
        graph = grow(replace(settings, seed=seed, n_clusters=max(sizes)))
        assert isinstance(graph.embedding, Lifted)
        of_graph = [_member(engine, replace(settings, seed=seed + i), graph.embedding, k) for i, k in enumerate(sizes)]
        groups.append(Group(number, tuple(of_graph)))
        engine.sweep(_LabelByMembers(groups[-1]))
        for name in graph.embedding.reads:
            engine.drop(name)
    return whole(cut(engine, settings, RowsAndMembers(tuple(groups)), Cut()))


def _sizes(settings: Settings, seed: int, count: int) -> list[int]:
    """Clusters of each member, at random."""
    most = min(MOST, settings.n_landmarks // LANDMARKS_A_CLUSTER, settings.n_counted // ROWS_A_CLUSTER)
    most = min(max(most, settings.n_clusters), settings.n_landmarks)
    return generator(seed, "sizes").integers(min(FEWEST, most), most, count, endpoint=True).tolist()


def _member(engine: Engine, settings: Settings, shared: Lifted, n_clusters: int) -> Member:
    """k-means on the first n_clusters eigenvectors of the shared embedding."""
    embedding = replace(shared, lift=Lift(shared.lift.vectors[:, :n_clusters].copy(), settings.by_length))
    chosen = replace(settings, n_clusters=n_clusters, n_init=1, max_iter=MEMBER_ITERATIONS)
    return Member(embedding, k_means(engine, chosen, embedding).places)


@dataclass(frozen=True)
class _CountLabels(Pass[np.ndarray]):
    """How the final labels spread over each cluster of each member."""

    graph: RowsAndMembers
    n_clusters: int

    @property
    def reads(self) -> Sequence[str]:
        return [*self.graph.reads, LABEL]

    def begin(self) -> np.ndarray:
        return np.zeros((self.graph.sizes.sum(), self.n_clusters))

    def visit(self, total: np.ndarray, block: Block) -> None:
        *members, label = values_of(block, self.reads)
        pair = self.graph.shares(*members)[0] * self.n_clusters + label[:, None]
        total += np.bincount(pair.ravel(), minlength=total.size).reshape(total.shape)


@dataclass(frozen=True)
class _Confide(Pass[None]):
    graph: RowsAndMembers
    agreement: np.ndarray

    @property
    def writes(self) -> Sequence[Column]:
        return (Column(CONFIDENCE, np.float32),)

    @property
    def reads(self) -> Sequence[str]:
        return [*self.graph.reads, LABEL]

    def begin(self) -> None:
        return None

    def visit(self, total: None, block: Block) -> None:
        *members, label = values_of(block, self.reads)
        shared = self.agreement[self.graph.shares(*members)[0], label[:, None]]
        block.columns[CONFIDENCE][:] = shared.mean(axis=1)


def confidence(engine: Engine, graph: RowsAndMembers, n_clusters: int) -> None:
    """For each row, the mean share of its label in the members' clusters it is in; fills the column `CONFIDENCE`.

    1 where all members keep the row with rows of its own label only.
    """
    counts = added(engine.sweep(_CountLabels(graph, n_clusters)))
    agreement = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    engine.sweep(_Confide(graph, agreement))
