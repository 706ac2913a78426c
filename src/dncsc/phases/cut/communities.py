"""Communities of a graph: nodes with more links among themselves than chance would give (Louvain method)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from dncsc.engines.seeds import generator
from dncsc.kernels.communities import move_nodes
from dncsc.phases.cut.landmark_graph import aggregate
from dncsc.phases.settings import Settings

MAX_ROUNDS = 10
"""of moves at one level"""
MOST_DOUBLINGS = 10
"""of the resolution, until there are as many communities as clusters"""


def find_communities(links: csr_array, settings: Settings) -> np.ndarray:
    """Community of each landmark, at least as many as clusters if there are such."""
    resolution = settings.policy.resolution * settings.n_clusters
    for number in range(MOST_DOUBLINGS):
        community = louvain(links, resolution * 2**number, settings)
        if community.max() + 1 >= settings.n_clusters:
            break
    return community


def louvain(links: csr_array, resolution: float, settings: Settings) -> np.ndarray:
    """Community of each node: moves of single nodes, then of the communities that these have formed, and so on."""
    found = np.arange(links.shape[0], dtype=np.int32)
    level = 0
    while True:
        n = links.shape[0]
        degree = np.asarray(links.sum(axis=1), np.float64).ravel()
        order = generator(settings.seed, "communities", level).permutation(n)
        community = np.arange(n, dtype=np.int32)
        graph = links.indptr, links.indices, links.data.astype(np.float64)
        if not move_nodes(*graph, degree, resolution, np.zeros(n), order, MAX_ROUNDS, community):
            return found
        community = without_gaps(community)
        links, found = aggregate(links, community, int(community.max()) + 1), community[found]
        level += 1


def without_gaps(group: np.ndarray) -> np.ndarray:
    """The same groups, numbered from 0."""
    return np.unique(group, return_inverse=True)[1].astype(np.int32)
