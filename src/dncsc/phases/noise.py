"""Rows that lie apart from all others: noise.

Landmarks are where the rows are. A row that is far from its K nearest landmarks is in a sparse place: scores as good as
those of local outlier factors and isolation forests (docs/notes/outliers.md), from what the links know already.
"""

from __future__ import annotations

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import stream
from dncsc.phases.embedding import Embedding, ThroughLandmarks
from dncsc.phases.sample import draw_rows
from dncsc.phases.settings import Settings

NOISE = -1
"""Label of rows that are in no cluster."""
THRESHOLD_ROWS = 100_000
"""that the threshold is found with"""


def find_noise_threshold(engine: Engine, settings: Settings, embedding: Embedding) -> float:
    """Mean distance to landmarks beyond which `Settings.noise` of the rows are."""
    assert isinstance(embedding, ThroughLandmarks)
    drawn = draw_rows(engine, stream(settings.seed, "noise"), THRESHOLD_ROWS, settings.n_counted, embedding.inputs)
    distance = embedding.mean_distance(*drawn.values)
    order = np.argsort(distance, kind="stable")
    within = np.cumsum(drawn.weight[order])
    last = np.searchsorted(within, (1 - settings.noise) * within[-1] * (1 - np.finfo(np.float64).eps))
    return float(distance[order[min(last, len(order) - 1)]])


def mark_noise(labels: np.ndarray, embedding: Embedding, threshold: float, *values: np.ndarray) -> None:
    """Take rows that are farther from their landmarks than the threshold out of their clusters."""
    assert isinstance(embedding, ThroughLandmarks)
    labels[embedding.mean_distance(*values) > threshold] = NOISE
