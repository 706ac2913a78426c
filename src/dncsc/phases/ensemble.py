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
from dncsc.phases.discretize import draw, k_means_of, one_run
from dncsc.phases.embedding import Lift, Lifted
from dncsc.phases.inputs import columns_of, values_of
from dncsc.phases.own_choice import consensus_or_own_choice
from dncsc.phases.sample import Drawn
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
    all_shared, has_gap = [], settings.bandwidth != AUTO
    for number, share in enumerate(np.array_split(np.arange(size.n_clusterings), size.n_graphs)):
        seed = int(generator(settings.seed, "graph", number).integers(2**31))
        n_clusters = _base_clusters(settings, seed, len(share))
        of_graph = replace(settings, seed=seed, mixed=settings.bandwidth == AUTO)
        graphs = cut_graphs(replace(of_graph, n_vectors=max(n_clusters)))
        shared = _shared_clusterings(engine, of_graph, number, graphs, n_clusters)
        all_shared.append(shared)
        has_gap = has_gap or graphs.coarse is None or graphs.coarse.embedding.n_dimensions <= settings.n_clusters
        engine.sweep(_LabelRows(shared))
        for name in reversed(columns_of(graphs.fine[0].embedding.inputs)):
            engine.drop(name)
    found = cut(engine, settings, RowsAndClusters(tuple(all_shared)), CutOptions(weighted=not has_gap))
    assert isinstance(found, Partition)  # it may fragment
    have_choices = settings.bandwidth == AUTO and size.n_graphs > 1
    return consensus_or_own_choice(engine, settings, found) if have_choices else found


def _base_clusters(settings: Settings, seed: int, count: int) -> list[int]:
    """Clusters of each base clustering, at random."""
    k, policy = settings.n_clusters, settings.policy
    scale = max(k / policy.min_base_clusters, 1.0)
    most = max(round(scale * policy.max_base_clusters), k)
    most = min(most, max(settings.n_counted // policy.rows_a_base_cluster, k), settings.n_landmarks)
    fewest = min(round(scale * policy.min_base_clusters), most)
    return generator(seed, "sizes").integers(fewest, most, count, endpoint=True).tolist()


def _shared_clusterings(
    engine: Engine, settings: Settings, number: int, graphs: LandmarkGraphs, n_clusters: list[int]
) -> SharedClusterings:
    """k-means on the first eigenvectors of the graphs of one selection, all from one sample of the rows.

    One base clustering is of the clusters sought: fine ones alone let the consensus merge some.
    """
    drawn = draw(engine, settings, graphs.fine[0].embedding, SAMPLE_ROWS_A_BASE_CLUSTER * max(n_clusters))
    component = _components(settings, graphs.coarse or graphs.fine[0], drawn)
    of_rows, n_components = component[drawn.values[0][:, 0]], int(component.max()) + 1
    shares = np.array_split(n_clusters[1:] if graphs.coarse else n_clusters, len(graphs.fine))
    wanted = [(graph, count) for graph, share in zip(graphs.fine, shares, strict=True) for count in share.tolist()]

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
    if graphs.coarse:
        assert isinstance(graphs.coarse.embedding, Lifted)
        centroids = k_means_of(drawn, settings, graphs.coarse.embedding, engine.each).places
        clusterings = [finish(graphs.coarse.embedding, centroids), *clusterings]
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
