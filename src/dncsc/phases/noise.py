"""Rows that lie apart from all others: noise.

Landmarks are where the rows are. A row that is far from those nearest to it, in the mean of the K that it is linked to,
is in a sparse place: scores as good as those of local outlier factors and isolation forests (docs/notes/outliers.md),
from what the links know already.
"""

from __future__ import annotations

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import stream
from dncsc.phases.embedding import Lifted, RowsAndLandmarks, Voted
from dncsc.phases.sample import draw_rows
from dncsc.phases.settings import Settings

COMPARED_ROWS = 100_000
"""that tell how far away the farthest rows are"""


def farthest_of(engine: Engine, settings: Settings, embedding: Lifted | Voted) -> float:
    """Distance from landmarks beyond which `Settings.noise` of the rows are."""
    graph = embedding.graph
    assert isinstance(graph, RowsAndLandmarks)
    drawn = draw_rows(engine, stream(settings.seed, "noise"), COMPARED_ROWS, settings.n_counted, graph.reads)
    distance = graph.remoteness(*drawn.values)
    order = np.argsort(distance, kind="stable")
    within = np.cumsum(drawn.weight[order])
    last = np.searchsorted(within, (1 - settings.noise) * within[-1] * (1 - np.finfo(np.float64).eps))
    return float(distance[order[min(last, len(order) - 1)]])
