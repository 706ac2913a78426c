"""Cut a landmark graph into many clusters, level by level, without eigenvectors.

Landmarks gather in communities, some more than clusters are sought; then the two that are linked most, by normalised
weight, join, until as many are left as are sought. The cost hardly grows with their number, where that of eigenvectors
grows with its square.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dncsc.engines.base import Engine
from dncsc.phases.affinity import Adaptive, Affinity
from dncsc.phases.cut.agglomerate import Merges, agglomerate
from dncsc.phases.cut.communities import find_communities, without_gaps
from dncsc.phases.cut.landmark_graph import LandmarkGraph, aggregate, landmark_graph, without_self_links
from dncsc.phases.cut.layers import LandmarkLinks, numbered_by_first
from dncsc.phases.cut.outliers import OutlierTest, adopt_nearest, join_lightest
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids
from dncsc.phases.embedding import RowsAndLandmarks, Voted
from dncsc.phases.nearest import Links
from dncsc.phases.select.tree import Selection
from dncsc.phases.settings import Settings


def multilevel_cut(
    engine: Engine, settings: Settings, selection: Selection, links: Links, affinity: Affinity | None
) -> Partition:
    """Clusters of landmarks; rows take part in them by their links, which are adaptive unless asked for otherwise."""
    bipartite = RowsAndLandmarks(links, affinity or Adaptive())
    graph = landmark_graph(engine, settings, bipartite)
    others = without_self_links(graph.similarity)
    fine = find_communities(others, settings)
    cluster = _join(others, fine, graph, selection.landmarks, settings)
    n_clusters = int(cluster.max()) + 1
    n_components = connected_components(others, directed=False)[0]
    embedding = Voted(bipartite, cluster, n_clusters)
    return Partition(embedding, np.empty(0), n_components, links=LandmarkLinks.of(others))


def corners(engine: Engine, settings: Settings, embedding: Voted) -> Centroids:
    """A row goes to the cluster that it has the largest share in: centroids without coordinates."""
    return Centroids(np.empty((embedding.n_dimensions, 0), embedding.dtype), 1)


def _join(
    links: csr_array, fine: np.ndarray, graph: LandmarkGraph, landmarks: np.ndarray, settings: Settings
) -> np.ndarray:
    """Join communities until as many as are sought are more than outliers; outliers join the nearest landmark's.

    Where the graph has more parts than that without any link between them, the lightest join the nearest.
    """
    mass = np.bincount(fine, graph.mass)
    between = aggregate(links, fine, len(mass))
    least = OutlierTest(settings.policy, graph.mass, settings.n_clusters, graph.n_rows).least_mass
    if np.count_nonzero(mass >= least) < settings.n_clusters:
        least = 0.0
    cluster = _cut_where(agglomerate(between, settings.policy.join_power), mass, least, settings.n_clusters)[fine]
    is_outlier = np.bincount(cluster, graph.mass)[cluster] < least
    adopt_nearest(cluster, landmarks, np.flatnonzero(~is_outlier))
    joined = join_lightest(without_gaps(cluster), landmarks, graph.mass, settings.n_clusters)
    return numbered_by_first(joined.component)


def _cut_where(merges: Merges, mass: np.ndarray, least: float, n_clusters: int) -> np.ndarray:
    """Cluster of each community, once merges have left so many of at least some mass, or none that are linked."""
    group, mass = np.arange(len(mass)), mass.copy()
    n_left = int(np.count_nonzero(mass >= least))
    for into, other, strength in zip(*(each.tolist() for each in merges), strict=True):
        if n_left <= n_clusters or strength == 0:
            break
        n_left -= int(mass[into] >= least) + int(mass[other] >= least) - int(mass[into] + mass[other] >= least)
        mass[into] += mass[other]
        group[other] = into
    for i in range(len(group)):  # a path of merges leads to the one that is left
        while group[group[i]] != group[i]:
            group[i] = group[group[i]]
    return group
