"""k-means on the rows themselves, for comparison: no landmarks, no graph, Lloyd's iterations over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dncsc.engines.base import Column, Engine
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids, k_means
from dncsc.phases.embedding import nearest_centroids
from dncsc.phases.inputs import ROWS
from dncsc.phases.select.tree import SUBSET, Level, divide, lloyd
from dncsc.phases.settings import Settings


@dataclass(frozen=True)
class IdentityEmbedding:
    """The embedding that leaves rows where they are."""

    n_dimensions: int
    dtype: np.dtype[Any]
    inputs: ClassVar[Sequence[str]] = (ROWS,)
    columns: ClassVar[Sequence[Column]] = ()

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        return [rows]

    def transform(self, *values: np.ndarray) -> np.ndarray:
        return values[0]

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return nearest_centroids(values[0], centroids)


def identity_embedding(engine: Engine, settings: Settings, selection: None, links: None, affinity: None) -> Partition:
    """Rows where they are; there is no spectrum."""
    return Partition(IdentityEmbedding(engine.layout.n_features, engine.frame.dtype), np.empty(0), 1)


def lloyd_on_rows(engine: Engine, settings: Settings, embedding: IdentityEmbedding) -> Centroids:
    """The best start on a sample, then Lloyd's iterations over all rows; for the cosine, those of spherical k-means."""
    best = k_means(engine, settings, embedding)
    level = Level.flat(engine.frame.restore_length(best.places))
    level, _, n_iter = lloyd(engine, level, divide(engine, level), settings.max_iter)
    engine.drop(SUBSET)
    return Centroids(level.centres, n_iter)
