"""Groups of rows that lie apart, by single linkage, where rows are few and the cut contradicts them.

With a few rows a landmark, chance makes links between landmarks strong or weak: a thin cluster is cut across, or its
end comes off. The rows themselves may show the clusters: those that are nearer to each other than some length make up
as many large groups as clusters are sought.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dncsc.engines.base import Engine
from dncsc.engines.seeds import stream
from dncsc.kernels.linkage import count_large, label_by_links, reach_of_rows, spanning_tree
from dncsc.phases.cut.categories import common_values, share_explained
from dncsc.phases.cut.outliers import adopt_nearest
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids, order_of
from dncsc.phases.embedding import Lifted, RowsAndLandmarks
from dncsc.phases.own_choice import agreement
from dncsc.phases.sample import Drawn, draw_rows
from dncsc.phases.settings import Settings

ROWS_A_TASK = 256
"""whose nearest rows are searched at a time"""


class _Tree(NamedTuple):
    """The links that hold all rows together, shortest first."""

    first: np.ndarray
    second: np.ndarray
    squared: np.ndarray
    """of their lengths"""

    def between(self, label: np.ndarray) -> np.ndarray:
        """Squared lengths of the links between rows of different labels."""
        return np.asarray(self.squared[label[self.first] != label[self.second]])


class _Groups(NamedTuple):
    """Rows that are linked to each other by short links."""

    label: np.ndarray
    """int64 (n,): the group of each row; rows that are in no large one are in that which they are linked to first"""
    tree: _Tree


def find_linked_groups(
    engine: Engine, settings: Settings, partition: Partition, centroids: Centroids
) -> tuple[Partition, Centroids] | None:
    """Landmarks in the groups that single linkage finds among all rows; None where the cut may as well be right."""
    if not _may_show(engine, settings, partition):
        return None
    drawn = draw_rows(engine, stream(settings.seed, "single linkage"), settings.n_counted, settings.n_counted)
    rows, weight, embedding = drawn.values[0], drawn.weight, partition.embedding
    of_cut = embedding.label(centroids.places, *embedding.lookup(rows))[0]
    if _has_gap(partition, np.bincount(of_cut, weight, settings.n_clusters), settings.policy):
        return None
    groups = _linked_groups(engine, settings, drawn)
    if groups is None or _agrees(of_cut, groups, weight, settings.policy):
        return None
    if _are_cells(rows, groups.label, weight, settings.policy):
        return None
    return _in_groups(partition, drawn, groups.label, settings)


def _may_show(engine: Engine, settings: Settings, partition: Partition) -> bool:
    """Whether there is a cut to compare with, and rows and features are few enough to measure all distances.

    A graph of more parts than clusters was not cut: some parts were joined.
    """
    policy = settings.policy
    is_cut = partition.is_as_cut and settings.n_clusters > 1 and partition.clear_from >= policy.clear_gap
    are_few = settings.n_counted <= policy.linked_rows and engine.layout.n_features < policy.few_features
    return is_cut and are_few


def _has_gap(partition: Partition, sizes: np.ndarray, policy: CutPolicy) -> bool:
    """Whether there is a gap behind clusters none of which is small: these may be ends of thin ones."""
    has_gap = partition.is_clear or (partition.clearness or 0) >= policy.linked_gap
    return has_gap and bool(sizes.min() >= policy.linked_size * sizes.mean())


def _agrees(of_cut: np.ndarray, groups: _Groups, weight: np.ndarray, policy: CutPolicy) -> bool:
    """Whether a cut is much like the groups, or its clusters, some of which may be smaller, lie farther apart."""
    if agreement(of_cut, groups.label, weight) >= policy.linked_agreement:
        return True
    tree = groups.tree
    of_clusters, of_groups = (tree.between(label) for label in (of_cut, groups.label))
    is_whole = len(of_clusters) == len(of_groups)  # each cluster is one piece of the tree, as each group is
    return is_whole and _mean_log(of_clusters) - _mean_log(of_groups) >= 2 * np.log(policy.linked_farther)


def _mean_log(squared: np.ndarray) -> float:
    """Of squared lengths, some of which may be 0."""
    return float(np.log(np.maximum(squared, np.finfo(np.float64).tiny)).mean())


def _are_cells(rows: np.ndarray, label: np.ndarray, weight: np.ndarray, policy: CutPolicy) -> bool:
    """Whether groups tell apart who shares a value of a feature, as a category, or one that was filled in."""
    common = common_values(rows, weight, policy).indicators
    members = np.eye(int(label.max()) + 1)[label]
    return bool(np.any(share_explained(common, weight, members) > policy.told))


def _linked_groups(engine: Engine, settings: Settings, drawn: Drawn) -> _Groups | None:
    """The groups, if shorter links than some length make up as many large ones as clusters; None if they never do.

    Other rows join the group that they are linked to first.
    """
    policy, k, weight = settings.policy, settings.n_clusters, drawn.weight / drawn.weight.mean()
    tree = _tree(engine, drawn.values[0], policy.linked_neighbors)
    n = len(weight)
    least = max(policy.linked_size * n / k, float(policy.outlier_rows))
    large = np.empty(n - 1, np.int64)
    count_large(tree.first, tree.second, weight, least, large)
    used = _longest_run(large == k, tree.squared, policy.linked_longer)
    if used is None:
        return None
    links = coo_array((np.ones(used), (tree.first[:used], tree.second[:used])), shape=(n, n))
    group = connected_components(links, directed=False)[1]
    chosen = np.flatnonzero(np.bincount(group, weight) >= least)
    label = np.full(group.max() + 1, -1)
    label[chosen] = np.arange(len(chosen))
    label = label[group]
    label_by_links(tree.first, tree.second, label)
    return _Groups(label, tree)


def _longest_run(holds: np.ndarray, squared: np.ndarray, longer: float) -> int | None:
    """How many links there are where something ceases to hold that held while their length grew most, in proportion.

    None if they never got so many times longer meanwhile. It does not hold after the last link.
    """
    changes = np.diff(np.concatenate([[False], holds, [False]]).astype(np.int8))
    begin, end = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
    grows = squared[begin] * longer**2 < squared[end]
    if not grows.any():
        return None
    with np.errstate(divide="ignore"):
        return int(end[grows][np.argmax(squared[end[grows]] / squared[begin[grows]])])


def _tree(engine: Engine, rows: np.ndarray, n_neighbors: int) -> _Tree:
    """The spanning tree by mutual reachability."""
    features = np.ascontiguousarray(rows.T, np.float64)
    n = len(rows)
    reach = np.empty(n)

    def search(start: int) -> None:
        reach_of_rows(features, n_neighbors, start, reach[start : start + ROWS_A_TASK])

    engine.each(search, range(0, n, ROWS_A_TASK))
    first, second, squared = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    spanning_tree(features, reach, first, second, squared)
    order = np.argsort(squared, kind="stable")
    return _Tree(first[order], second[order], squared[order])


def _in_groups(
    partition: Partition, drawn: Drawn, label: np.ndarray, settings: Settings
) -> tuple[Partition, Centroids] | None:
    """The same graph, with each landmark in the group of most rows that it is the nearest of; None if one has none."""
    embedding, k, rows = partition.embedding, settings.n_clusters, drawn.values[0]
    assert isinstance(embedding, Lifted)
    graph = embedding.graph
    assert isinstance(graph, RowsAndLandmarks)
    members = np.eye(k)[label] * drawn.weight[:, None]
    means = (members.T @ rows) / members.sum(axis=0)[:, None]
    label = np.argsort(order_of(means, settings))[label]
    values = embedding.lookup(rows)
    votes = np.zeros((graph.n_points, k))
    np.add.at(votes, (values[0][:, 0], label), drawn.weight)
    cluster = votes.argmax(axis=1)
    adopt_nearest(cluster, graph.points, np.flatnonzero(votes.any(axis=1)))
    if len(np.unique(cluster)) < k:
        return None
    placed, corners = embedding.at_corners(cluster, k), np.eye(k, dtype=embedding.dtype)
    squared = placed.label(corners, *values)[1].astype(np.float64)
    found = replace(partition, embedding=placed, is_by_linkage=True, is_clear=False, clearness=None)
    return found, Centroids(corners, 1, float(np.average(squared, weights=drawn.weight)))
