"""Where one cluster leaves hardly a row to the others: divide rows by position, or cut again without small groups.

One dense heap has no gap to cut at. The cut then takes off a few loosely linked rows, which shows less than k-means
would. And where several clusters are sought, small groups that lie apart may become all clusters but one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import stream
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids, in_order, one_run
from dncsc.phases.embedding import Lifted, nearest_centroids
from dncsc.phases.sample import SAMPLE_ROWS, Drawn, draw_rows
from dncsc.phases.settings import Settings
from dncsc.phases.small_groups import cut_without_small_groups

STARTS = 10
"""of k-means on a sample of the rows"""
PLACED_ROWS = 5000
"""that tell how far rows are from the corners of their clusters"""


def is_heap(settings: Settings, partition: Partition, sizes: np.ndarray) -> bool:
    """Whether a cut leaves hardly a row to all clusters but one.

    Where it has a gap it is believed, unless rows are divided into far fewer clusters than were asked for, in effect.
    """
    if len(sizes) < 2 or not is_uneven(sizes, settings):
        return False
    is_believed = partition.counted is not None or _effective(sizes) >= settings.policy.least_effective
    return not (partition.has_gap(settings.policy) and is_believed)


def is_uneven(sizes: np.ndarray, settings: Settings) -> bool:
    """Whether all clusters but one have far less than their share of the rows."""
    return bool(np.sort(sizes)[-2] < settings.policy.least_second * sizes.mean())


def _are_no_better(by_k_means: np.ndarray, by_cut: np.ndarray, settings: Settings) -> bool:
    """Whether k-means leaves hardly a row to all clusters but one, too, and little more than the cut does."""
    second, of_cut = (np.sort(sizes)[-2] / sizes.sum() for sizes in (by_k_means, by_cut))
    return is_uneven(by_k_means, settings) and bool(of_cut >= settings.policy.least_second * second)


def _effective(sizes: np.ndarray) -> float:
    """How many clusters of equal size have the same entropy, in parts of all."""
    share = sizes[sizes > 0] / sizes.sum()
    return float(np.exp(-share @ np.log(share)) / len(sizes))


def cut_heap(
    engine: Engine, settings: Settings, partition: Partition, sizes_of: Callable[[Partition], np.ndarray]
) -> tuple[Partition, Centroids | None]:
    """Small groups that lie apart are set aside, and the rest is cut; without a gap, k-means finds clusters among rows.

    The cut stays if the clusters of k-means are hardly less uneven: most rows may be the same, or clusters uneven.
    `sizes_of` gives the sizes of the clusters of a partition. Clusters of k-means have centroids: the corners that
    their landmarks are at.
    """
    drawn = draw_rows(engine, stream(settings.seed, "by position"), SAMPLE_ROWS, settings.n_counted)
    runs = engine.each(lambda start: one_run(drawn.values[0], drawn.weight, settings, start), range(STARTS))
    centres = in_order(min(runs, key=lambda run: run.inertia).centres, settings)
    of_drawn = nearest_centroids(drawn.values[0], centres)[0]
    if len(centres) < 2 or _are_no_better(
        np.bincount(of_drawn, drawn.weight, len(centres)), sizes_of(partition), settings
    ):
        return partition, None
    if partition.has_gap(settings.policy):
        again = cut_without_small_groups(engine, settings, partition, settings.policy.least_second)
        if not is_heap(settings, again, sizes_of(again)):
            return again, None
    divided = _by_position(partition, centres)
    return divided, _corner_centroids(divided, drawn.fewer(PLACED_ROWS))


def _by_position(partition: Partition, centres: np.ndarray) -> Partition:
    """The same graph, with landmarks at the corners of the clusters that have these centres."""
    embedding = partition.embedding
    assert isinstance(embedding, Lifted)
    placed = embedding.at_corners(nearest_centroids(embedding.graph.points, centres)[0], len(centres))
    return replace(partition, embedding=placed, is_by_position=True, centres=centres)


def find_corners(engine: Engine, settings: Settings, partition: Partition) -> Centroids:
    """Corners of clusters that were divided by position before."""
    drawn = draw_rows(engine, stream(settings.seed, "by position"), PLACED_ROWS, settings.n_counted)
    return _corner_centroids(partition, drawn)


def _corner_centroids(partition: Partition, drawn: Drawn) -> Centroids:
    """Corners of clusters by position. Rows lie between them, and need not be nearest to that of their own cluster."""
    assert partition.centres is not None
    embedding, rows = partition.embedding, drawn.values[0]
    corners = np.eye(len(partition.centres), dtype=embedding.dtype)
    own = corners[nearest_centroids(rows, partition.centres)[0]]
    squared = np.sum((embedding.transform(*embedding.lookup(rows)) - own) ** 2, axis=1, dtype=np.float64)
    return Centroids(corners, 1, float(np.average(squared, weights=drawn.weight)))
