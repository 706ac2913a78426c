"""Noise that passes for a cluster, and a cut without it.

Uniform noise hangs together. Where it takes the place of a cluster, two others pass for one. Its rows are farther from
their landmarks than those of clusters are, and lie around these rather than beside them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dncsc.engines.base import Engine
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import Partition, cut_landmarks
from dncsc.phases.cut.weights import by_data
from dncsc.phases.embedding import RowsAndLandmarks
from dncsc.phases.noise import NoiseLimit
from dncsc.phases.settings import Settings


class SampledClusters(NamedTuple):
    """Some rows, and the clusters that they are in."""

    label: np.ndarray
    own: np.ndarray
    """nearest landmark"""
    distance: np.ndarray
    """mean of those to the K nearest landmarks"""
    weight: np.ndarray
    n_clusters: int

    @property
    def sizes(self) -> np.ndarray:
        """(k,): weight of each cluster; 0 for one that none of the rows is in."""
        return np.bincount(self.label, self.weight, self.n_clusters)

    def middle(self, which: np.ndarray) -> float:
        """Median of the distances of some rows, by their weights."""
        distance, weight = self.distance[which], self.weight[which]
        order = np.argsort(distance, kind="stable")
        within = np.cumsum(weight[order])
        return float(distance[order[np.searchsorted(within, within[-1] / 2)]])


def noise_in_the_way(
    settings: Settings, graph: RowsAndLandmarks, clusters: SampledClusters, given: NoiseLimit | None
) -> NoiseLimit | None:
    """What tells noise from clusters, where one of these is noise; None where none is.

    Where the share of noise is `given`, it is a cluster most of whose rows are beyond the limit. Else it may be one
    whose rows are far from their landmarks, and around all others.
    """
    if given is not None:
        is_far = clusters.distance > given.threshold
        far = clusters._replace(weight=clusters.weight * is_far).sizes
        return given if np.any(far > settings.policy.noise_of_cluster * clusters.sizes) else None
    found = _limit(clusters, settings.policy)
    if found is None or not _surrounds(clusters, graph.points, found.threshold, settings.policy):
        return None
    return found


def _limit(clusters: SampledClusters, policy: CutPolicy) -> NoiseLimit | None:
    """Halfway between the sparsest cluster and the others, if these are much denser."""
    label, distance = clusters.label, clusters.distance
    middle = {c: clusters.middle(label == c) for c in np.unique(label).tolist()}
    sparsest = max(middle, key=lambda c: middle[c])
    if len(middle) < 2:
        return None
    of_others = clusters.middle(label != sparsest)
    if middle[sparsest] <= policy.sparse * of_others:
        return None
    threshold = float(np.sqrt(middle[sparsest] * of_others))
    is_near = distance <= threshold
    return NoiseLimit(threshold, float(np.average(distance[is_near], weights=clusters.weight[is_near])))


def _surrounds(clusters: SampledClusters, points: np.ndarray, threshold: float, policy: CutPolicy) -> bool:
    """Whether far rows lie around the others: with the same middle, and wider in each feature."""
    places, is_far = points[clusters.own].astype(np.float64), clusters.distance > threshold

    def centre_and_width(which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weight = clusters.weight[which]
        centre = np.average(places[which], axis=0, weights=weight)
        return centre, np.sqrt(np.average((places[which] - centre) ** 2, axis=0, weights=weight))

    (of_far, far_width), (of_near, width) = centre_and_width(is_far), centre_and_width(~is_far)
    return bool(np.all((np.abs(of_far - of_near) <= policy.around * width) & (far_width >= width)))


def cut_without_noise(
    engine: Engine, settings: Settings, partition: Partition, graph: RowsAndLandmarks, limit: NoiseLimit
) -> Partition:
    """The cut in which rows that are noise have no say; they are placed as all rows are."""
    attempts = by_data(settings, replace(graph.links, mean_distance=limit.mean_distance))
    found = cut_landmarks(engine, settings, graph.links, attempts, limit.threshold)
    rejected = *partition.rejected, "most rows of a cluster are noise", *found.rejected
    return replace(found, rejected=rejected, counted=partition.counted)
