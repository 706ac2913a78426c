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

    @property
    def sizes(self) -> np.ndarray:
        return np.bincount(self.label, self.weight)


def noise_in_the_way(
    settings: Settings, graph: RowsAndLandmarks, clusters: SampledClusters, given: NoiseLimit | None
) -> NoiseLimit | None:
    """What tells noise from clusters, where one of these is noise; None where none is.

    Where the share of noise is `given`, it is a cluster most of whose rows are beyond the limit. Else it may be one
    whose rows are far from their landmarks, and around all others.
    """
    if given is not None:
        far = np.bincount(clusters.label, clusters.weight * (clusters.distance > given.threshold))
        return given if np.any(far > settings.policy.noise_of_cluster * clusters.sizes) else None
    found = _limit(clusters, settings.policy)
    if found is None or not _surrounds(graph.points[clusters.own], clusters.distance > found.threshold, settings):
        return None
    return found


def _limit(clusters: SampledClusters, policy: CutPolicy) -> NoiseLimit | None:
    """Halfway between the sparsest cluster and the others, if these are much denser."""
    label, distance = clusters.label, clusters.distance
    middle = {c: float(np.median(distance[label == c])) for c in np.unique(label).tolist()}
    sparsest = max(middle, key=lambda c: middle[c])
    others = distance[label != sparsest]
    if not len(others) or middle[sparsest] <= policy.sparse * np.median(others):
        return None
    threshold = float(np.sqrt(middle[sparsest] * np.median(others)))
    return NoiseLimit(threshold, float(distance[distance <= threshold].mean()))


def _surrounds(places: np.ndarray, is_far: np.ndarray, settings: Settings) -> bool:
    """Whether far rows lie around the others: with the same middle, and wider in each feature."""
    far, near = places[is_far].astype(np.float64), places[~is_far].astype(np.float64)
    width = near.std(axis=0)
    is_around = np.abs(far.mean(axis=0) - near.mean(axis=0)) <= settings.policy.around * width
    return bool(np.all(is_around & (far.std(axis=0) >= width)))


def cut_without_noise(
    engine: Engine, settings: Settings, partition: Partition, graph: RowsAndLandmarks, limit: NoiseLimit
) -> Partition:
    """The cut in which rows that are noise have no say; they are placed as all rows are."""
    attempts = by_data(settings, replace(graph.links, mean_distance=limit.mean_distance))
    found = cut_landmarks(engine, settings, graph.links, attempts, limit.threshold)
    rejected = *partition.rejected, "most rows of a cluster are noise", *found.rejected
    return replace(found, rejected=rejected, counted=partition.counted)
