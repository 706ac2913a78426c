"""A small group that takes the place of a cluster, and a cut without it.

Rows with values filled in, or of a rare category, lie apart from all others. Where more is asked of the graph than such
a group, two clusters pass for one. The rest is cut alone, and is believed if it shows as many clusters.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dncsc.engines.base import Engine
from dncsc.phases.cut.transfer_cut import Partition, cut_landmarks
from dncsc.phases.cut.weights import by_data
from dncsc.phases.embedding import Lifted, RowsAndLandmarks
from dncsc.phases.settings import Settings


def is_tiny(settings: Settings, sizes: np.ndarray) -> bool:
    """Whether some cluster has far less than its share of the rows."""
    return len(sizes) > 1 and bool(sizes.min() < settings.policy.tiny * sizes.mean())


def cut_without_small_groups(engine: Engine, settings: Settings, partition: Partition, least: float) -> Partition:
    """The cut by weights that suit the data when groups of fewer rows, in mean clusters, are outliers."""
    assert isinstance(partition.embedding, Lifted)
    graph = partition.embedding.graph
    assert isinstance(graph, RowsAndLandmarks)
    chosen = replace(settings, policy=settings.policy.without_small_groups(least))
    found = cut_landmarks(engine, chosen, graph.links, by_data(chosen, graph.links))
    rejected = *partition.rejected, "small groups take places of clusters", *found.rejected
    return replace(found, rejected=rejected, counted=partition.counted)


def shows_clusters(settings: Settings, again: Partition, sizes: np.ndarray, before: Partition) -> bool:
    """Whether a cut without tiny groups is clear, or has a gap where the one before was not clear.

    Each of its clusters has much of its share of the rows: a tiny group gives way to no other small one.
    """
    is_believed = again.is_clear or (again.has_gap(settings.policy) and not before.is_clear)
    return is_believed and bool(sizes.min() >= settings.policy.least_second * sizes.mean())
