"""Where the graph shows no clusters: divide the rows by position, as k-means does.

One dense heap has no gap to cut at. The cut then takes off what hangs on it by little, and one cluster holds most of
the rows, which says less than k-means would.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import stream
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import one_run
from dncsc.phases.embedding import Lift, Lifted, nearest_centroids
from dncsc.phases.sample import SAMPLE_ROWS, draw_rows
from dncsc.phases.settings import AUTO, Settings

STARTS = 10
"""of k-means on a sample of the rows"""


def shows_nothing(settings: Settings, partition: Partition, sizes: np.ndarray) -> bool:
    """Whether a cut that chose its weights itself found no gap, and one cluster leaves hardly a row to the others."""
    if settings.bandwidth != AUTO or partition.clearness is None or len(sizes) < 2:
        return False
    return partition.clearness * settings.policy.gap < 1 and _is_one_heap(sizes, settings)


def _is_one_heap(sizes: np.ndarray, settings: Settings) -> bool:
    return bool(np.sort(sizes)[-2] < settings.policy.least_second * sizes.mean())


def cut_by_position(engine: Engine, settings: Settings, partition: Partition) -> Partition:
    """The same graph, with landmarks at the corners of the clusters that k-means finds among rows.

    Unless these are as uneven, as where most rows are the same: then the cut stays.
    """
    embedding = partition.embedding
    assert isinstance(embedding, Lifted)
    landmarks = embedding.graph.points
    drawn = draw_rows(engine, stream(settings.seed, "by position"), SAMPLE_ROWS, settings.n_counted)
    runs = engine.each(lambda start: one_run(drawn.values[0], drawn.weight, settings, start), range(STARTS))
    best = min(runs, key=lambda run: run.inertia)
    of_drawn = nearest_centroids(drawn.values[0], best.centres)[0]
    if len(best.centres) < 2 or _is_one_heap(np.bincount(of_drawn, drawn.weight, len(best.centres)), settings):
        return partition
    corners = np.eye(len(best.centres), dtype=embedding.dtype)[nearest_centroids(landmarks, best.centres)[0]]
    placed = Lifted(embedding.graph, Lift(corners, embedding.lift.by_length))
    return replace(partition, embedding=placed, is_by_position=True)
