"""Ensembles: many clusterings of the same rows, and their consensus by one more transfer cut (U-SENC, LSEC).

Members are clusterings into 20 to 60 clusters, or to 40 where they mix weights, from a few selections of landmarks.
Rows and the members' clusters form a bipartite graph with one link a member, which is cut as the graph of rows and
landmarks is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.seeds import generator
from dncsc.phases.discretize import draw, k_means_of, one_run
from dncsc.phases.embedding import Lift, Lifted, values_of
from dncsc.phases.members import Group, Member, RowsAndMembers, cluster_numbers
from dncsc.phases.partition import Cut, Partition, cut
from dncsc.phases.sample import Drawn
from dncsc.phases.settings import AUTO, Settings
from dncsc.phases.specks import Measure, share_lines, without_specks
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
"""Rows that the k-means of a member sees."""
MEMBER_ITERATIONS = 20
"""that it does at most: it need not be the best"""

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
    drawn = draw(engine, settings, graphs.fine[0].embedding, MEMBER_ROWS_A_CLUSTER * max(sizes))
    part = _part(settings, (graphs.coarse or graphs.fine)[0], drawn)
    return Group(number, _members(engine, settings, graphs, sizes, drawn, part), part)


def _part(settings: Settings, graph: Partition, drawn: Drawn) -> np.ndarray:
    """The connected part of a graph that each landmark is in, or of several that were joined, where they are many.

    What is a speck among the clusters sought belongs to the part that is nearest: in finer members it may be a cluster.
    """
    assert isinstance(graph.embedding, Lifted)
    landmarks = graph.embedding.graph.points
    n_parts = int(np.count_nonzero(graph.eigenvalues == 0))
    # The first vectors are those of the parts, and constant on one each; there are no others where some were joined.
    part = np.argmax(np.abs(graph.embedding.lift.vectors[:, :n_parts]), axis=1)
    mass = np.bincount(drawn.values[0][:, 0], drawn.weight, len(landmarks))
    core, *_ = without_specks(part, Measure(mass, settings.n_clusters, settings.n_counted))
    share_lines(part, landmarks, np.arange(len(landmarks)), core)
    return np.unique(part, return_inverse=True)[1].astype(np.int32)


def _members(
    engine: Engine, settings: Settings, graphs: Graphs, sizes: list[int], drawn: Drawn, part: np.ndarray
) -> tuple[Member, ...]:
    """k-means on the first eigenvectors of each graph, all from one sample of the rows.

    Where graphs were cut into the clusters sought as well, one member each comes from these cuts, if that leaves enough
    for finer ones; where vectors fade, one from those of the first graph. One selection of landmarks may find all
    clusters; fine members alone let the consensus merge some.
    """
    coarse = [_faded(graphs.fine[0], settings)] if graphs.faded else list(graphs.coarse)
    if len(sizes) < MEMBERS_A_COARSE_ONE * len(coarse):
        coarse = []
    shares = np.array_split(sizes[len(coarse) :], len(graphs.fine))
    wanted = [(graph, size) for graph, share in zip(graphs.fine, shares, strict=True) for size in share.tolist()]
    of_rows, n_parts = part[drawn.values[0][:, 0]], int(part.max()) + 1

    def finish(embedding: Lifted, centroids: np.ndarray) -> Member:
        nearest, _ = embedding.label(centroids, *drawn.values)
        return Member(embedding, centroids, cluster_numbers(nearest, of_rows, len(centroids), n_parts))

    def find_clusters(graph: Partition) -> Member:
        assert isinstance(graph.embedding, Lifted)
        return finish(graph.embedding, k_means_of(drawn, settings, graph.embedding, engine.each).places)

    def make(number: int) -> Member:
        graph, n_clusters = wanted[number]
        assert isinstance(graph.embedding, Lifted)
        vectors = graph.embedding.lift.vectors[:, :n_clusters].copy()
        embedding = replace(graph.embedding, lift=Lift(vectors, settings.by_length))
        chosen = replace(settings, seed=settings.seed + number, n_clusters=n_clusters, max_iter=MEMBER_ITERATIONS)
        return finish(embedding, one_run(embedding.transform(*drawn.values), drawn.weight, chosen).centres)

    return (*map(find_clusters, coarse), *engine.each(make, range(len(wanted))))


def _faded(graph: Partition, settings: Settings) -> Partition:
    """What a graph that was cut finely says of the clusters sought."""
    assert isinstance(graph.embedding, Lifted)
    vectors = Fading().fade(graph.embedding.lift.vectors, graph.eigenvalues, settings.n_clusters)
    lift = Lift(vectors.astype(graph.embedding.dtype), settings.by_length)
    return replace(graph, embedding=replace(graph.embedding, lift=lift))
