"""Ensembles: many clusterings of the same rows, and their consensus by one more transfer cut (U-SENC, LSEC).

Members are clusterings into 20 to 60 clusters, or to 40 where they mix weights, from a few selections of landmarks.
Rows and the members' clusters form a bipartite graph with one link a member, which is cut as the graph of rows and
landmarks is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.seeds import generator
from dncsc.phases.discretize import draw, k_means_of, one_run
from dncsc.phases.embedding import Lift, Lifted, values_of
from dncsc.phases.partition import Cut, Partition, cut
from dncsc.phases.sample import Drawn
from dncsc.phases.settings import AUTO, Settings
from dncsc.phases.spectrum import Fading

FEWEST, MOST = 20, 60
"""Clusters of a member"""
MOST_IF_MIXED = 40
"""The same where members differ in their weights too: finer ones then cost more than they add."""
FEWEST_A_CLUSTER, MOST_A_CLUSTER = 0.75, 2
"""at least, for each cluster that is sought: where these are many, members are not coarser than what they are for"""
ROWS_A_CLUSTER = 20
"""Of few rows a member makes fewer clusters: nearly empty ones would share no rows with other members'."""
LANDMARKS_A_CLUSTER = 4
"""Likewise of few landmarks: pieces of one or two say little."""
MEMBER_ROWS_A_CLUSTER = 200
MEMBER_ITERATIONS = 20
"""that the k-means of a member sees, and does; it need not be the best"""

OF_CONSENSUS = Fading(fall=0.4, further=0.5)
"""Vectors of the consensus fade faster than those of landmarks, and fewer behind the first count."""

MEMBERS_A_COARSE_ONE = 3
"""At least so many members in all for each that has as many clusters as are sought."""


@dataclass(frozen=True)
class Graphs:
    """Landmark graphs of the same links, with different weights."""

    fine: Sequence[Partition]
    """with `Settings.n_vectors` eigenvectors each"""
    coarse: Sequence[Partition]
    """with one for each cluster that is sought, where such cuts are worth a member each"""
    faded: bool
    """whether vectors should count by their eigenvalues where the clusters sought are looked for"""


Grow = Callable[[Settings], Graphs]
"""Selects landmarks and cuts their graphs; fills the columns that all embeddings read."""


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
    """Members that share landmarks, and the columns that their embeddings read."""

    number: int
    members: tuple[Member, ...]
    apart: np.ndarray
    """int32 (p,): 0, or for landmarks of a small part of the graph its number; in all members it is a cluster"""
    reads: ClassVar[Sequence[str]] = ()

    @property
    def column(self) -> Column:
        """The cluster of a row in each member."""
        [name] = self.makes
        return Column(name, np.min_scalar_type(max(self.sizes, default=1) - 1), len(self.members), self)

    @property
    def sizes(self) -> list[int]:
        """Clusters of each member."""
        return [len(member.centroids) + int(self.apart.max()) for member in self.members]

    @property
    def makes(self) -> Sequence[str]:
        return (f"members-{self.number}",)

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return [self.label(*self.members[0].embedding.look(rows))]

    def label(self, *values: np.ndarray) -> np.ndarray:
        """(n, members), from the columns."""
        found, graph = np.empty((len(values[0]), len(self.members)), self.column.dtype), None
        for number, member in enumerate(self.members):
            if member.embedding.graph is not graph:  # those of one kind of weights follow each other
                graph = member.embedding.graph
                shares = graph.shares(*values)[:2]
                apart = self.apart[shares[0][:, 0]]
            found[:, number] = np.where(apart > 0, len(member.centroids) + apart - 1, member.label(shares))
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
        Selects landmarks and cuts their graphs, with as many eigenvectors as settings ask for.
    """
    groups, faded = [], True
    for number, share in enumerate(np.array_split(np.arange(members.count), members.n_graphs)):
        seed = int(generator(settings.seed, "graph", number).integers(2**31))
        sizes = _sizes(settings, seed, len(share))
        of_graph = replace(settings, seed=seed, mixed=settings.bandwidth == AUTO)
        graphs = grow(replace(of_graph, n_vectors=max(sizes)))
        groups.append(_group(engine, of_graph, number, graphs, sizes))
        faded = faded and graphs.faded
        engine.sweep(_LabelByMembers(groups[-1]))
        for name in graphs.fine[0].embedding.reads:
            engine.drop(name)
    use = Cut(fading=OF_CONSENSUS if faded else None)
    return cut(engine, settings, RowsAndMembers(tuple(groups)), use)


def _sizes(settings: Settings, seed: int, count: int) -> list[int]:
    """Clusters of each member, at random."""
    k = settings.n_clusters
    most = max(MOST_IF_MIXED if settings.bandwidth == AUTO else MOST, round(MOST_A_CLUSTER * k))
    most = min(most, settings.n_landmarks // LANDMARKS_A_CLUSTER, settings.n_counted // ROWS_A_CLUSTER)
    most = min(max(most, k), settings.n_landmarks)
    fewest = min(max(FEWEST, round(FEWEST_A_CLUSTER * k)), most)
    return generator(seed, "sizes").integers(fewest, most, count, endpoint=True).tolist()


def _group(engine: Engine, settings: Settings, number: int, graphs: Graphs, sizes: list[int]) -> Group:
    """Members of the graphs of one selection, all from one sample of the rows."""
    first = graphs.fine[0]
    drawn = draw(engine, settings, first.embedding, MEMBER_ROWS_A_CLUSTER * max(sizes))
    members = _members(engine, settings, graphs, sizes, drawn)
    most_parts = settings.n_clusters if graphs.faded else 1
    return Group(number, members, _apart(first, most_parts, drawn, max(sizes)))


def _apart(graph: Partition, most_parts: int, drawn: Drawn, n_clusters: int) -> np.ndarray:
    """Number small parts of a graph: those with fewer rows than a member's cluster, which k-means would join to others.

    The first vectors are those of the parts, and constant on one each.
    """
    assert isinstance(graph.embedding, Lifted)
    n_zeros = int(np.count_nonzero(graph.eigenvalues == 0))
    n_parts = n_zeros if n_zeros <= most_parts else 1
    part = np.argmax(np.abs(graph.embedding.lift.vectors[:, :n_parts]), axis=1)
    mass = np.bincount(part[drawn.values[0][:, 0]], drawn.weight, n_parts)
    is_small = mass * n_clusters < mass.sum()
    return (np.cumsum(is_small) * is_small).astype(np.int32)[part]


def _members(engine: Engine, settings: Settings, graphs: Graphs, sizes: list[int], drawn: Drawn) -> tuple[Member, ...]:
    """k-means on the first eigenvectors of each graph, all from one sample of the rows.

    Where graphs were cut into the clusters sought as well, one member each comes from these cuts, if that leaves enough
    for finer ones; where vectors fade, one from those of the first graph. One selection of landmarks may find all
    clusters; fine members alone let the consensus merge some.
    """
    coarse = [_faded(graphs.fine[0], settings)] if graphs.faded else list(graphs.coarse)
    if len(sizes) < MEMBERS_A_COARSE_ONE * len(coarse):
        coarse = []
    parts = np.array_split(sizes[len(coarse) :], len(graphs.fine))
    wanted = [(graph, size) for graph, part in zip(graphs.fine, parts, strict=True) for size in part.tolist()]

    def find_clusters(graph: Partition) -> Member:
        assert isinstance(graph.embedding, Lifted)
        return Member(graph.embedding, k_means_of(drawn, settings, graph.embedding, engine.each).places)

    def make(number: int) -> Member:
        graph, n_clusters = wanted[number]
        assert isinstance(graph.embedding, Lifted)
        vectors = graph.embedding.lift.vectors[:, :n_clusters].copy()
        embedding = replace(graph.embedding, lift=Lift(vectors, settings.by_length))
        chosen = replace(settings, seed=settings.seed + number, n_clusters=n_clusters, max_iter=MEMBER_ITERATIONS)
        return Member(embedding, one_run(embedding.place(*drawn.values), drawn.weight, chosen).centres)

    return (*map(find_clusters, coarse), *engine.each(make, range(len(wanted))))


def _faded(graph: Partition, settings: Settings) -> Partition:
    """What a graph that was cut finely says of the clusters sought."""
    assert isinstance(graph.embedding, Lifted)
    vectors = Fading().fade(graph.embedding.lift.vectors, graph.eigenvalues, settings.n_clusters)
    lift = Lift(vectors.astype(graph.embedding.dtype), settings.by_length)
    return replace(graph, embedding=replace(graph.embedding, lift=lift))
