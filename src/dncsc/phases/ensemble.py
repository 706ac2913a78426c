"""Ensembles: many base clusterings of the same rows, and their consensus by one more transfer cut (U-SENC, LSEC).

Base clusterings have 20 to 60 clusters, or to 40 where they mix weights, and come from a few selections of landmarks.
Rows and base clusters form a bipartite graph with one link a clustering, which is cut as that of rows and landmarks is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.seeds import generator
from dncsc.phases.base_clusterings import BaseClustering, RowsAndClusters, SharedClusterings, cluster_numbers
from dncsc.phases.cut.landmark_graph import landmark_graph
from dncsc.phases.cut.outliers import OutlierTest, adopt_nearest, without_outliers
from dncsc.phases.cut.spectrum import Weighting
from dncsc.phases.cut.transfer_cut import Partition, cut
from dncsc.phases.cut.weights import CutOptions
from dncsc.phases.discretize import draw, k_means_of, one_run
from dncsc.phases.embedding import Lift, Lifted
from dncsc.phases.inputs import columns_of, values_of
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
    coarse: Sequence[Partition]
    """with one for each cluster that is sought, where such cuts are worth a base clustering each"""
    weighting: Weighting | None
    """of the vectors of a fine cut where the clusters sought are looked for"""


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
    policy, all_shared, is_weighted = settings.policy, [], True
    for number, share in enumerate(np.array_split(np.arange(size.n_clusterings), size.n_graphs)):
        seed = int(generator(settings.seed, "graph", number).integers(2**31))
        n_clusters = _base_clusters(settings, seed, len(share))
        of_graph = replace(settings, seed=seed, mixed=settings.bandwidth == AUTO)
        graphs = cut_graphs(replace(of_graph, n_vectors=max(n_clusters)))
        shared = _shared_clusterings(engine, of_graph, number, graphs, n_clusters)
        all_shared.append(shared)
        is_weighted = is_weighted and graphs.weighting is not None
        engine.sweep(_LabelRows(shared))
        for name in columns_of(graphs.fine[0].embedding.inputs):
            engine.drop(name)
    bipartite = RowsAndClusters(tuple(all_shared))
    weighting = Weighting(policy, policy.consensus_weighting_power, policy.consensus_spare_vectors)
    options = CutOptions(weighting=weighting if is_weighted else None)
    found = cut(engine, settings, bipartite, landmark_graph(engine, bipartite), options)
    assert isinstance(found, Partition)  # without a limit
    return found


def _base_clusters(settings: Settings, seed: int, count: int) -> list[int]:
    """Clusters of each base clustering, at random."""
    k, policy = settings.n_clusters, settings.policy
    most = policy.max_mixed_base_clusters if settings.bandwidth == AUTO else policy.max_base_clusters
    most = max(most, round(policy.max_base_clusters_a_cluster * k))
    by_landmarks = settings.n_landmarks // policy.landmarks_a_base_cluster
    most = min(most, by_landmarks, settings.n_counted // policy.rows_a_base_cluster)
    most = min(max(most, k), settings.n_landmarks)
    fewest = min(max(policy.min_base_clusters, round(policy.min_base_clusters_a_cluster * k)), most)
    return generator(seed, "sizes").integers(fewest, most, count, endpoint=True).tolist()


def _shared_clusterings(
    engine: Engine, settings: Settings, number: int, graphs: LandmarkGraphs, n_clusters: list[int]
) -> SharedClusterings:
    """Base clusterings of the graphs of one selection, all from one sample of the rows."""
    drawn = draw(engine, settings, graphs.fine[0].embedding, SAMPLE_ROWS_A_BASE_CLUSTER * max(n_clusters))
    component = _components(settings, (graphs.coarse or graphs.fine)[0], drawn)
    return SharedClusterings(number, _cluster(engine, settings, graphs, n_clusters, drawn, component), component)


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
    adopt_nearest(component, landmarks, np.arange(len(landmarks)), without_outliers(component, test).landmarks)
    return np.unique(component, return_inverse=True)[1].astype(np.int32)


def _cluster(
    engine: Engine,
    settings: Settings,
    graphs: LandmarkGraphs,
    n_clusters: list[int],
    drawn: Drawn,
    component: np.ndarray,
) -> tuple[BaseClustering, ...]:
    """k-means on the first eigenvectors of each graph, all from one sample of the rows.

    Where graphs were cut into the clusters sought as well, one base clustering each comes from these cuts, if that
    leaves enough for finer ones; where vectors are weighted, one from those of the first graph. One selection of
    landmarks may find all clusters; fine clusterings alone let the consensus merge some.
    """
    coarse = list(graphs.coarse)
    if graphs.weighting:
        coarse = [_weighted(graphs.fine[0], graphs.weighting, settings)]
    if len(n_clusters) < settings.policy.clusterings_a_coarse_one * len(coarse):
        coarse = []
    shares = np.array_split(n_clusters[len(coarse) :], len(graphs.fine))
    wanted = [(graph, count) for graph, share in zip(graphs.fine, shares, strict=True) for count in share.tolist()]
    of_rows, n_components = component[drawn.values[0][:, 0]], int(component.max()) + 1

    def finish(embedding: Lifted, centroids: np.ndarray) -> BaseClustering:
        nearest, _ = embedding.label(centroids, *drawn.values)
        clusters = cluster_numbers(nearest, of_rows, len(centroids), n_components)
        return BaseClustering(embedding, centroids, clusters)

    def find_clusters(graph: Partition) -> BaseClustering:
        assert isinstance(graph.embedding, Lifted)
        return finish(graph.embedding, k_means_of(drawn, settings, graph.embedding, engine.each).places)

    def make(number: int) -> BaseClustering:
        graph, count = wanted[number]
        assert isinstance(graph.embedding, Lifted)
        vectors = graph.embedding.lift.vectors[:, :count].copy()
        embedding = replace(graph.embedding, lift=Lift(vectors, settings.by_length))
        chosen = replace(settings, seed=settings.seed + number, n_clusters=count, max_iter=BASE_ITERATIONS)
        return finish(embedding, one_run(embedding.transform(*drawn.values), drawn.weight, chosen).centres)

    return (*map(find_clusters, coarse), *engine.each(make, range(len(wanted))))


def _weighted(graph: Partition, weighting: Weighting, settings: Settings) -> Partition:
    """What a graph that was cut finely says of the clusters sought."""
    assert isinstance(graph.embedding, Lifted)
    vectors = weighting.apply(graph.embedding.lift.vectors, graph.eigenvalues, settings.n_clusters)
    lift = Lift(vectors.astype(graph.embedding.dtype), settings.by_length)
    return replace(graph, embedding=replace(graph.embedding, lift=lift))
