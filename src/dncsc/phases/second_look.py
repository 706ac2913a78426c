"""Clusters of a partition, and a second look at them.

Noise may pass for a cluster, so may a few rows that lie apart, one cluster may leave hardly a row to the others, and
few rows may make up other groups. A sample of the rows shows that, before all are labelled. Only a cut that chose its
weights itself is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dncsc.engines.base import Column, Engine
from dncsc.phases.by_position import cut_heap, find_corners, is_heap
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids, draw
from dncsc.phases.embedding import Embedding, RowsAndLandmarks
from dncsc.phases.linked_groups import find_linked_groups
from dncsc.phases.noise import NoiseLimit
from dncsc.phases.noise_cluster import SampledClusters, cut_without_noise, noise_in_the_way
from dncsc.phases.settings import AUTO, Settings
from dncsc.phases.small_groups import cut_without_small_groups, is_tiny, shows_clusters

LOOKED_AT_ROWS = 5000
"""by which clusters are judged"""

Discretize = Callable[[Engine, Settings, Embedding], Centroids]


@dataclass(frozen=True)
class Clusters:
    """A partition, and centroids of its clusters."""

    partition: Partition
    centroids: Centroids

    @property
    def columns(self) -> Sequence[Column]:
        return self.partition.columns


def find_clusters(
    engine: Engine, settings: Settings, partition: Partition, discretize: Discretize, given: NoiseLimit | None = None
) -> Clusters:
    """Clusters of the partition, or of another one where these are none.

    Parameters
    ----------
    engine : Engine
    settings : Settings
    partition : Partition
    discretize : callable
        Finds centroids.
    given : NoiseLimit, optional
        Beyond which rows are noise, where their share is known.
    """

    def of(partition: Partition) -> Clusters:
        return Clusters(partition, discretize(engine, settings, partition.embedding))

    if partition.centres is not None:  # the own choice of a member, which had its second look
        return Clusters(partition, find_corners(engine, settings, partition))
    found, graph = of(partition), getattr(partition.embedding, "graph", None)
    if settings.bandwidth != AUTO or partition.clearness is None or not isinstance(graph, RowsAndLandmarks):
        return found
    drawn = draw(engine, settings, partition.embedding, LOOKED_AT_ROWS)

    def sampled(clusters: Clusters) -> SampledClusters:
        places = clusters.centroids.places
        label = clusters.partition.embedding.label(places, *drawn.values)[0]
        distance = graph.mean_distance(*drawn.values)
        return SampledClusters(label, drawn.values[0][:, 0], distance, drawn.weight, len(places))

    for known in dict.fromkeys((given, None)):  # a share that is given may be too small
        limit = noise_in_the_way(settings, graph, sampled(found), known)
        if limit is not None:
            again = cut_without_noise(engine, settings, partition, graph, limit)
            if known is not None or (again.clearness or 0.0) >= settings.policy.clear_gap:
                found = of(again)
    linked = find_linked_groups(engine, settings, found.partition, found.centroids)
    if linked is not None:
        return Clusters(*linked)
    if is_heap(settings, found.partition, sampled(found).sizes):
        divided, corners = cut_heap(engine, settings, found.partition, lambda again: sampled(of(again)).sizes)
        if divided is not found.partition:
            return of(divided) if corners is None else Clusters(divided, corners)
    if found.partition.counted is None and is_tiny(settings, sampled(found).sizes):
        rest = of(cut_without_small_groups(engine, settings, found.partition, settings.policy.tiny))
        if shows_clusters(settings, rest.partition, sampled(rest).sizes, found.partition):
            return rest
    return found
