"""k-means on the rows themselves, for comparison: no landmarks, no graph, Lloyd's iterations over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dncsc.engines.base import Engine
from dncsc.phases.discretize import Discretized, best_of_starts, label_all
from dncsc.phases.embedding import nearest_centroids
from dncsc.phases.partition import Partition
from dncsc.phases.select.tree import SUBSET, Level, divide, lloyd
from dncsc.phases.settings import Settings


@dataclass(frozen=True)
class Rows:
    """The embedding that leaves rows where they are."""

    n_dimensions: int
    dtype: np.dtype[Any]
    reads: Sequence[str] = ()

    def look(self, rows: np.ndarray) -> list[np.ndarray]:
        return [rows]

    def place(self, *values: np.ndarray) -> np.ndarray:
        return values[0]

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return nearest_centroids(values[0], centroids)


def rows_themselves(engine: Engine, settings: Settings, selection: None, links: None, affinity: None) -> Partition:
    """Rows where they are; there is no spectrum."""
    return Partition(Rows(engine.layout.n_features, engine.frame.dtype), np.empty(0), 1)


def lloyd_on_rows(engine: Engine, settings: Settings, embedding: Rows) -> Discretized:
    """The best start on a sample, then Lloyd's iterations over all rows; fills the column `LABEL`."""
    best = best_of_starts(engine, settings, embedding)
    level = Level.flat(best.centres)
    level, _, n_iter = lloyd(engine, level, divide(engine, level), settings.max_iter)
    engine.drop(SUBSET)
    return label_all(engine, embedding, level.centres, n_iter)
