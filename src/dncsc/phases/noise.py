"""Rows that lie apart from all others: noise.

Landmarks are where the rows are. A row that is far from its K nearest landmarks is in a sparse place: scores as good as
those of local outlier factors and isolation forests (docs/notes/outliers.md), from what the links know already.
"""

from __future__ import annotations

from dataclasses import dataclass

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
ROUNDING = 1e-12
"""of the weight of all rows: sums of weights are off by less"""


@dataclass(frozen=True)
class NoiseLimit:
    """Mean distance of a row to its landmarks beyond which it is noise."""

    threshold: float
    mean_distance: float
    """of the rows that are not noise"""


def find_noise_limit(engine: Engine, settings: Settings, embedding: Embedding) -> NoiseLimit:
    """The limit beyond which `Settings.noise` of the rows are."""
    assert isinstance(embedding, ThroughLandmarks)
    drawn = draw_rows(engine, stream(settings.seed, "noise"), THRESHOLD_ROWS, settings.n_counted, embedding.inputs)
    distance = embedding.mean_distance(*drawn.values)
    order = np.argsort(distance, kind="stable")
    weight = drawn.weight[order]
    within = np.cumsum(weight)
    last = np.searchsorted(within, within[-1] - (settings.noise + ROUNDING) * within[-1])
    last = min(last, len(order) - 1)
    near = slice(None, last + 1)
    return NoiseLimit(float(distance[order[last]]), float(weight[near] @ distance[order[near]] / within[last]))


def is_noise(embedding: Embedding, threshold: float, *values: np.ndarray) -> np.ndarray:
    """Bool (n,): which rows are farther from their landmarks than the threshold."""
    assert isinstance(embedding, ThroughLandmarks)
    return np.asarray(embedding.mean_distance(*values) > threshold)


def mark_noise(labels: np.ndarray, embedding: Embedding, threshold: float, *values: np.ndarray) -> None:
    """Take rows that are noise out of their clusters."""
    labels[is_noise(embedding, threshold, *values)] = NOISE
