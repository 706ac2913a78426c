"""Borders finer than landmarks: some rows, the prototypes, agree with their neighbours, and all rows follow them.

Landmarks show which clusters there are; a border between two runs through the cells of landmarks. Prototypes are rows
at random, many more than landmarks, sorted into cells: an inverted file of rows, small enough for the model. Each
begins with the label that the landmarks give it, and takes that of most of its neighbours until hardly any changes;
where the spectrum has no gap, communities of them do so before, as wholes. A row then has the label that most of its
nearest prototypes have. Of many features, principal components are compared: neighbours are better by these, and found
many times faster. Where most prototypes of a row's landmarks are of one cluster, nothing is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from dncsc.engines.base import Column, Engine
from dncsc.engines.layout import block_rows
from dncsc.engines.seeds import generator, stream
from dncsc.kernels.communities import move_nodes, vote_rows
from dncsc.kernels.nearest import search_all
from dncsc.kernels.projection import leading_directions, projected
from dncsc.phases.affinity import Adaptive
from dncsc.phases.cell_search import CellSearch
from dncsc.phases.cut.communities import louvain
from dncsc.phases.cut.landmark_graph import aggregate
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.embedding import Lifted, RowsAndLandmarks
from dncsc.phases.inputs import ROWS
from dncsc.phases.kmeans import kmeans
from dncsc.phases.sample import draw_rows
from dncsc.phases.select.tree import Cells
from dncsc.phases.settings import Settings

DIRECTION_ROWS = 5_000
"""Rows that directions are found with."""
MAX_ROUNDS = 30
"""of prototypes that change sides"""
PROTOTYPES_A_CELL, MOST_A_CELL = 50, 200
"""On average, and where many are alike: of more, some at random are left out, so that no search is long."""
PROBED_CELLS, PROBED_CELLS_A_FEATURE = 24, 2
"""Cells that are searched for a row; fewer in few features, where fewer are near."""
SHARED_ROWS = 4096
"""Prototypes that a thread takes at a time: all of them are a block or two."""
CELL_ROWS, CELL_ITERATIONS = 20, 5
"""Rows a cell, and iterations, of the k-means that finds cells."""


UNSETTLED = -1
"""Stands for the cluster of a landmark whose prototypes are of several."""


@dataclass(frozen=True)
class Prototypes:
    """Rows that tell the cluster of rows near them."""

    directions: np.ndarray | None
    """(m, d): what rows are projected to; None where they are compared as they are"""
    search: CellSearch
    cluster: np.ndarray
    """int32 (q,)"""

    def vote(self, rows: np.ndarray) -> np.ndarray:
        """The cluster of most of the prototypes nearest to each row, of which nearer ones count more."""
        nearest, squared, _ = self.search.find(projected(rows, self.directions))
        shares = Adaptive().weigh(nearest, squared)[0]
        labels, unused = np.empty(len(rows), np.int32), np.empty(len(rows), shares.dtype)
        vote_rows(nearest, shares, self.cluster, labels, unused)
        return labels


@dataclass(frozen=True)
class Refined:
    """Labels rows by their nearest prototypes; in all else it is the embedding that it refines."""

    embedding: Lifted
    prototypes: Prototypes
    settled: np.ndarray
    """int32 (p,): the cluster of nearly all prototypes that are linked to a landmark, or `UNSETTLED`; where those of a
    row's landmarks agree, no prototype is looked for (`dncsc.phases.settled`)"""

    @property
    def graph(self) -> RowsAndLandmarks:
        assert isinstance(self.embedding.graph, RowsAndLandmarks)
        return self.embedding.graph

    @property
    def inputs(self) -> Sequence[str]:
        return (*self.embedding.inputs, ROWS)

    @property
    def columns(self) -> Sequence[Column]:
        return self.embedding.columns

    @property
    def n_dimensions(self) -> int:
        return self.embedding.n_dimensions

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.embedding.dtype

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        return [*self.embedding.lookup(rows), rows]

    def transform(self, *values: np.ndarray) -> np.ndarray:
        return self.embedding.transform(*values[:-1])

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cluster of most prototypes near a row; the distance is that of its place to the nearest centroid."""
        *others, rows = values
        return self.prototypes.vote(rows), self.embedding.label(centroids, *others)[1]

    def mean_distance(self, *values: np.ndarray) -> np.ndarray:
        return self.embedding.mean_distance(*values[:-1])


def refine(engine: Engine, settings: Settings, partition: Partition, centroids: np.ndarray) -> Refined | None:
    """Labels that neighbours agree with.

    None where next to none of the prototypes changes its own. Rows have to be placed by landmarks, and not divided by
    position, since their neighbours then show nothing.
    """
    embedding = partition.embedding
    assert isinstance(embedding, Lifted)
    policy = settings.policy
    wanted = policy.usual_prototypes(settings.n_counted)
    inputs = (*embedding.inputs, ROWS)
    drawn = draw_rows(engine, stream(settings.seed, "prototypes"), wanted, settings.n_counted, inputs)
    *links, rows = drawn.values
    directions = None
    if rows.shape[1] > policy.prototype_features:
        directions = leading_directions(
            drawn.fewer(DIRECTION_ROWS).values[-1], policy.prototype_features, policy.prototype_loss
        )
    [places] = _in_blocks(engine, lambda some: [projected(some, directions)], rows)
    search, order = _sorted_by_cells(engine, settings, places)
    nearest, squared = (each[order] for each in links)
    before = embedding.label(centroids, nearest, squared)[0]
    cluster, neighbors = before, _neighbors(engine, search)
    if not partition.has_gap(policy):
        cluster = _move_communities(neighbors, settings, cluster)
    cluster = _move(neighbors, settings, cluster)
    if np.average(cluster != before, weights=drawn.weight[order]) < policy.least_refined:
        return None
    settled = _settled(nearest, cluster, embedding.graph.n_points, policy)
    voting = replace(search, n_neighbors=min(policy.voting_prototypes + 1, search.n_neighbors))
    return Refined(embedding, Prototypes(directions, voting, cluster), settled)


def _sorted_by_cells(engine: Engine, settings: Settings, places: np.ndarray) -> tuple[CellSearch, np.ndarray]:
    """Prototypes in cells, and which they are, in that order."""
    random, n_cells = generator(settings.seed, "cells of prototypes"), max(1, len(places) // PROTOTYPES_A_CELL)
    some = places[random.permutation(len(places))[: CELL_ROWS * n_cells]]
    centres = kmeans(some, np.ones(len(some)), n_cells, random, CELL_ITERATIONS, each=engine.each).centres
    [nearest] = _in_blocks(engine, lambda some: search_all(some, centres, 1)[:1], places)
    shuffled = random.permutation(len(places))
    order = shuffled[np.argsort(nearest[shuffled, 0], kind="stable")]
    cell = nearest[order, 0]
    order = order[np.arange(len(cell)) - np.searchsorted(cell, cell) < MOST_A_CELL]
    cell = nearest[order, 0]
    first = np.searchsorted(cell, np.arange(len(centres) + 1)).astype(np.int32)
    count = min(settings.policy.prototype_neighbors + 1, len(order))
    n_probed = min(PROBED_CELLS, PROBED_CELLS_A_FEATURE * places.shape[1], len(centres))
    return CellSearch(places[order], count, Cells(centres, first), n_probed), order


def _neighbors(engine: Engine, search: CellSearch) -> csr_array:
    """Links of prototypes to their nearest, both ways; each finds itself, too, which counts for nothing."""
    nearest, squared = _in_blocks(engine, lambda some: search.find(some)[:2], search.landmarks)
    weight = Adaptive().weigh(nearest, squared)[0].astype(np.float64)
    n, count = nearest.shape
    links = csr_array(
        (weight.ravel(), nearest.ravel().astype(np.int32), np.arange(0, n * count + 1, count)), shape=(n, n)
    )
    return csr_array(links + links.T)


def _settled(nearest: np.ndarray, cluster: np.ndarray, n_landmarks: int, policy: CutPolicy) -> np.ndarray:
    """The cluster of nearly all prototypes that are linked to a landmark; `UNSETTLED` where they differ."""
    n_clusters = int(cluster.max()) + 1
    linked = nearest.astype(np.int64) * n_clusters + cluster[:, None]
    count = np.bincount(linked.ravel(), minlength=n_landmarks * n_clusters).reshape(n_landmarks, n_clusters)
    most = count.max(axis=1)
    is_settled = (most > 0) & (most >= policy.settled * count.sum(axis=1))
    return np.where(is_settled, count.argmax(axis=1), UNSETTLED).astype(np.int32)


def _move_communities(links: csr_array, settings: Settings, cluster: np.ndarray) -> np.ndarray:
    """Clusters of nodes once communities have changed, as wholes, to the cluster that most of their links lead to.

    A block of nodes on the wrong side of a border stays there when single ones move: each has most of its links inside.
    """
    community = louvain(links, settings.policy.refined_communities * settings.n_clusters, settings)
    n_communities, n_clusters = int(community.max()) + 1, int(cluster.max()) + 1
    if n_communities < n_clusters:
        return cluster
    members = np.bincount(community * n_clusters + cluster, minlength=n_communities * n_clusters)
    commonest = members.reshape(n_communities, n_clusters).argmax(axis=1).astype(np.int32)
    moved = _move(aggregate(links, community, n_communities), settings, commonest)
    return _unless_lost(cluster, moved[community])


def _move(links: csr_array, settings: Settings, cluster: np.ndarray) -> np.ndarray:
    """Clusters of nodes once these have changed to the one that most of their links lead to, until hardly any does.

    Modularity makes clusters even. Half of the size that one has to begin with counts for nothing, so that large ones
    may stay large.
    """
    degree, moved = np.asarray(links.sum(axis=1), np.float64).ravel(), cluster.copy()
    order = generator(settings.seed, "refine").permutation(len(cluster))
    policy, graph = settings.policy, (links.indptr, links.indices, links.data)
    kept = policy.kept_size * np.bincount(cluster, degree, len(cluster))
    move_nodes(*graph, degree, policy.refined_resolution, kept, order, MAX_ROUNDS, moved)
    return _unless_lost(cluster, moved)


def _unless_lost(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Clusters after a change, or those before where fewer would be left."""
    return after if len(np.unique(after)) == len(np.unique(before)) else before


def _in_blocks(
    engine: Engine, function: Callable[[np.ndarray], Sequence[np.ndarray]], rows: np.ndarray
) -> list[np.ndarray]:
    """Arrays that a function gives for some rows at a time, side by side, put together."""
    size = min(block_rows(rows.shape[1]), SHARED_ROWS)
    parts = engine.each(lambda start: function(rows[start : start + size]), range(0, len(rows), size))
    return [np.concatenate(each) for each in zip(*parts, strict=True)]
