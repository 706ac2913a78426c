"""Coarser clusterings from one cut: which clusters join first, as a tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from dncsc.phases.cut.agglomerate import agglomerate
from dncsc.phases.cut.landmark_graph import aggregate


@dataclass(frozen=True)
class LandmarkLinks:
    """Links between landmarks, those of landmark i from ``start[i]`` to ``start[i + 1]``."""

    start: np.ndarray
    neighbor: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, similarity: csr_array) -> LandmarkLinks:
        return cls(similarity.indptr, similarity.indices, similarity.data)

    @property
    def matrix(self) -> csr_array:
        p = len(self.start) - 1
        return csr_array((self.weight, self.neighbor, self.start), shape=(p, p))


def cluster_tree(
    links: csr_array, cluster: np.ndarray, n_clusters: int, points: np.ndarray, power: float
) -> np.ndarray:
    """In which order clusters join, in the form of SciPy's linkage matrices.

    Parameters
    ----------
    links : csr_array (p, p)
        Weights that landmarks are linked by.
    cluster : int (p,)
        Cluster of each landmark.
    n_clusters : int
    points : (p, d)
        The landmarks: groups of clusters without links between them join by distance.
    power : float
        As in `agglomerate`.

    Returns
    -------
    tree : float64 (n_clusters - 1, 4)
        Two clusters that join, the distance at which they do, ``1 - w / sqrt(v v')``, ascending from 0 to 1, and of how
        many clusters the new one is made. That of line i has the number ``n_clusters + i``.
    """
    merges = agglomerate(aggregate(links, cluster, n_clusters), power)
    number, size, group = np.arange(n_clusters), np.ones(n_clusters), np.arange(n_clusters)
    lines: list[tuple[int, int, float, float]] = []

    def join(into: int, other: int, strength: float) -> None:
        size[into] += size[other]
        low, high = sorted([int(number[into]), int(number[other])])
        lines.append((low, high, 1 - min(strength, 1.0), size[into]))
        number[into] = n_clusters + len(lines) - 1

    for into, other, strength in zip(*(each.tolist() for each in merges), strict=True):
        if strength > 0:
            join(into, other, strength)
            group[group == other] = into
    for into, other in _by_distance(group, cluster, points):
        join(into, other, 0.0)
    tree = np.array(lines, np.float64).reshape(-1, 4)
    tree[:, 2] = np.maximum.accumulate(tree[:, 2])
    return tree


def with_a_landmark_each(cluster: np.ndarray, middles: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The same clusters of landmarks, but that one without any has the nearest to its middle that another can spare.

    Clusters of rows may lie between landmarks, where these are few, and a tree tells how clusters join by their links.

    Parameters
    ----------
    cluster : int32 (p,)
    middles : (k, d)
        Of the clusters, where rows are or in an embedding.
    places : (p, d)
        Of the landmarks there.
    """
    cluster, sizes = cluster.copy(), np.bincount(cluster, minlength=len(middles))
    for number in np.flatnonzero(sizes == 0):
        spare = np.flatnonzero(sizes[cluster] > 1)
        if len(spare):
            nearest = spare[np.argmin(((places[spare].astype(np.float64) - middles[number]) ** 2).sum(axis=1))]
            sizes[cluster[nearest]] -= 1
            cluster[nearest], sizes[number] = number, 1
    return cluster


def _by_distance(group: np.ndarray, cluster: np.ndarray, points: np.ndarray) -> list[tuple[int, int]]:
    """Pairs of groups that join, those whose middles are nearest first (average linkage)."""
    left = np.unique(group)
    if len(left) == 1:
        return []
    from scipy.cluster.hierarchy import linkage  # seldom needed, and slow to import
    from scipy.spatial.distance import pdist

    of_point = np.searchsorted(left, group[cluster])
    member = csr_array((np.ones(len(cluster)), (of_point, np.arange(len(cluster)))), shape=(len(left), len(cluster)))
    middles = (member @ points.astype(np.float64)) / np.maximum(np.bincount(of_point, minlength=len(left)), 1)[:, None]
    standing, pairs = left.tolist(), []
    for a, b in linkage(pdist(middles), "average")[:, :2].astype(int).tolist():
        pairs.append((standing[a], standing[b]))
        standing.append(standing[a])
    return pairs


def merge(tree: np.ndarray, n_groups: int) -> np.ndarray:
    """Group of each cluster once so many groups are left, numbered by their first cluster: int32 (n_clusters,)."""
    n_clusters = len(tree) + 1
    group = np.arange(n_clusters + len(tree))
    for i, (a, b) in enumerate(tree[: n_clusters - n_groups, :2].astype(int)):
        group[[a, b]] = n_clusters + i
    for i in reversed(range(len(group))):  # the number of a group is larger than those of its parts
        group[i] = group[group[i]]
    return numbered_by_first(group[:n_clusters])


def numbered_by_first(group: np.ndarray) -> np.ndarray:
    """The same groups, numbered from 0 by where they come first: int32."""
    first, number = np.unique(group, return_index=True, return_inverse=True)[1:]
    return np.argsort(np.argsort(first)).astype(np.int32)[number]
