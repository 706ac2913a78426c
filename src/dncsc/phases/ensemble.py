"""Ensembles: many base clusterings of the same rows, and their consensus by one more transfer cut (U-SENC, LSEC).

Base clusterings have 20 to 60 clusters, and come from a few selections of landmarks.
Rows and base clusters form a bipartite graph with one link a clustering, which is cut as that of rows and landmarks is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.seeds import generator
from dncsc.phases.base_clusterings import BaseClustering, RowsAndClusters, SharedClusterings, cluster_numbers
from dncsc.phases.cut.outliers import OutlierTest, adopt_nearest, without_outliers
from dncsc.phases.cut.transfer_cut import Partition, cut
from dncsc.phases.cut.weights import CutOptions
from dncsc.phases.discretize import Centroids, draw, k_means_of, one_run
from dncsc.phases.embedding import Embedding, Lift, Lifted
from dncsc.phases.inputs import columns_of, values_of
from dncsc.phases.own_choice import consensus_or_own_choice
from dncsc.phases.sample import Drawn
from dncsc.phases.second_look import Clusters, find_clusters
from dncsc.phases.settings import AUTO, Settings

SAMPLE_ROWS_A_BASE_CLUSTER = 200
"""that k-means of a base clustering sees"""
BASE_ITERATIONS = 20
"""of it at most: it need not be the best"""


@dataclass(frozen=True)
class LandmarkGraphs:
    """Cuts of graphs of the same links, with different weights."""

    fine: Sequence[Partition]
    """with `Settings.n_vectors` eigenvectors each"""
    coarse: Partition | None = None
    """into the clusters sought, as `DnCSC` cuts, where weights are not named: worth a base clustering"""


CutGraphs = Callable[[Settings], LandmarkGraphs]
"""Selects landmarks and cuts their graphs; fills the columns that all embeddings read."""


@dataclass(frozen=True)
class EnsembleSize:
    """How many base clusterings there are, and from how many selections of landmarks they come."""

    n_clusterings: int
    n_graphs: int


@dataclass(frozen=True)
class _LabelRows(Pass[None]):
    """The cluster of each row in base clusterings that share landmarks."""

    shared: SharedClusterings

    @property
    def reads(self) -> Sequence[str]:
        return self.shared.clusterings[0].embedding.graph.reads

    @property
    def writes(self) -> Sequence[Column]:
        return (self.shared.column,)

    def begin(self) -> None:
        return None

    def visit(self, total: None, block: Block) -> None:
        block.columns[self.shared.column.name][:] = self.shared.label(*values_of(block, self.reads))


def consensus(engine: Engine, settings: Settings, size: EnsembleSize, cut_graphs: CutGraphs) -> Partition:
    """Cluster the rows by each base clustering, and cut the graph of rows and base clusters.

    Parameters
    ----------
    engine : Engine
    settings : Settings
    size : EnsembleSize
    cut_graphs : callable
        Selects landmarks and cuts their graphs, with as many eigenvectors as settings ask for.
    """
    all_shared, choices, has_gap = [], [], settings.bandwidth != AUTO
    for number, share in enumerate(np.array_split(np.arange(size.n_clusterings), size.n_graphs)):
        seed = int(generator(settings.seed, "graph", number).integers(2**31))
        n_clusters = _base_clusters(settings, seed, len(share))
        of_graph = replace(settings, seed=seed, mixed=settings.bandwidth == AUTO)
        graphs = cut_graphs(replace(of_graph, n_vectors=max(n_clusters)))
        drawn = draw(engine, of_graph, graphs.fine[0].embedding, SAMPLE_ROWS_A_BASE_CLUSTER * max(n_clusters))
        own = _own_choice(engine, of_graph, graphs.coarse, drawn) if graphs.coarse else None
        shared = _shared_clusterings(engine, of_graph, number, graphs.fine, own, n_clusters, drawn)
        all_shared.append(shared)
        choices.append(own)
        has_gap = has_gap or graphs.coarse is None or graphs.coarse.embedding.n_dimensions <= settings.n_clusters
        engine.sweep(_LabelRows(shared))
        for name in reversed(columns_of(graphs.fine[0].embedding.inputs)):
            engine.drop(name)
    found = cut(engine, settings, RowsAndClusters(tuple(all_shared)), CutOptions(weighted=not has_gap))
    assert isinstance(found, Partition)  # without a limit any graph is cut
    of_choices = [own.partition for own in choices if own is not None]
    return consensus_or_own_choice(engine, settings, found, of_choices) if len(of_choices) > 1 else found


def _base_clusters(settings: Settings, seed: int, count: int) -> list[int]:
    """Clusters of each base clustering, at random."""
    k, policy = settings.n_clusters, settings.policy
    scale = max(k / policy.min_base_clusters, 1.0)
    most = max(round(scale * policy.max_base_clusters), k)
    most = min(most, max(settings.n_counted // policy.rows_a_base_cluster, k), settings.n_landmarks)
    fewest = min(round(scale * policy.min_base_clusters), most)
    return generator(seed, "sizes").integers(fewest, most, count, endpoint=True).tolist()


def _own_choice(engine: Engine, settings: Settings, coarse: Partition, drawn: Drawn) -> Clusters:
    """The clusters sought, as `DnCSC` finds them."""

    def discretize(engine: Engine, settings: Settings, embedding: Embedding) -> Centroids:
        return k_means_of(drawn, settings, embedding, engine.each)

    return find_clusters(engine, settings, coarse, discretize)


def _shared_clusterings(
    engine: Engine,
    settings: Settings,
    number: int,
    fine: Sequence[Partition],
    own: Clusters | None,
    n_clusters: list[int],
    drawn: Drawn,
) -> SharedClusterings:
    """k-means on the first eigenvectors of the graphs of one selection, all from one sample of the rows.

    One base clustering is of the clusters sought: fine ones alone let the consensus merge some.
    """
    component = _components(settings, own.partition if own else fine[0], drawn)
    of_rows, n_components = component[drawn.values[0][:, 0]], int(component.max()) + 1
    shares = np.array_split(n_clusters[1:] if own else n_clusters, len(fine))
    wanted = [(graph, count) for graph, share in zip(fine, shares, strict=True) for count in share.tolist()]

    def finish(embedding: Lifted, centroids: np.ndarray) -> BaseClustering:
        nearest, _ = embedding.label(centroids, *drawn.values)
        return BaseClustering(embedding, centroids, cluster_numbers(nearest, of_rows, len(centroids), n_components))

    def make(number: int) -> BaseClustering:
        graph, count = wanted[number]
        assert isinstance(graph.embedding, Lifted)
        vectors = graph.embedding.lift.vectors[:, :count].copy()
        embedding = replace(graph.embedding, lift=Lift(vectors, settings.by_length))
        chosen = replace(settings, seed=settings.seed + number, n_clusters=count, max_iter=BASE_ITERATIONS)
        return finish(embedding, one_run(embedding.transform(*drawn.values), drawn.weight, chosen).centres)

    clusterings = engine.each(make, range(len(wanted)))
    if own:
        assert isinstance(own.partition.embedding, Lifted)
        clusterings = [finish(own.partition.embedding, own.centroids.places), *clusterings]
    return SharedClusterings(number, tuple(clusterings), component)


def _components(settings: Settings, graph: Partition, drawn: Drawn) -> np.ndarray:
    """The component of each landmark.

    What is an outlier among the clusters sought belongs to the component that is nearest: in finer clusterings it may
    be a cluster.
    """
    assert isinstance(graph.embedding, Lifted)
    assert graph.component is not None
    landmarks, component = graph.embedding.graph.points, graph.component.copy()
    mass = np.bincount(drawn.values[0][:, 0], drawn.weight, len(landmarks))
    test = OutlierTest(settings.policy, mass, settings.n_clusters, settings.n_counted)
    adopt_nearest(component, landmarks, without_outliers(component, test).landmarks)
    return np.unique(component, return_inverse=True)[1].astype(np.int32)
