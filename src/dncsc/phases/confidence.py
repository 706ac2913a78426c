"""How far the base clusterings of an ensemble agree on each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.phases.base_clusterings import RowsAndClusters
from dncsc.phases.discretize import LABEL
from dncsc.phases.inputs import values_of
from dncsc.phases.kmeans import added

CONFIDENCE = "confidence"
"""Column: how far the base clusterings agree on a row."""


@dataclass(frozen=True)
class _CountLabels(Pass[np.ndarray]):
    """How the final labels spread over each cluster of each base clustering."""

    graph: RowsAndClusters
    n_clusters: int

    @property
    def reads(self) -> Sequence[str]:
        return [*self.graph.reads, LABEL]

    def begin(self) -> np.ndarray:
        return np.zeros((self.graph.sizes.sum(), self.n_clusters))

    def visit(self, total: np.ndarray, block: Block) -> None:
        *clusters, label = values_of(block, self.reads)
        pair = self.graph.shares(*clusters)[0] * self.n_clusters + label[:, None]
        weight = np.repeat(block.weight, pair.shape[1])
        total += np.bincount(pair.ravel(), weight, total.size).reshape(total.shape)


@dataclass(frozen=True)
class _Confide(Pass[None]):
    graph: RowsAndClusters
    agreement: np.ndarray

    @property
    def writes(self) -> Sequence[Column]:
        return (Column(CONFIDENCE, np.float32),)

    @property
    def reads(self) -> Sequence[str]:
        return [*self.graph.reads, LABEL]

    def begin(self) -> None:
        return None

    def visit(self, total: None, block: Block) -> None:
        *clusters, label = values_of(block, self.reads)
        shared = self.agreement[self.graph.shares(*clusters)[0], label[:, None]]
        block.columns[CONFIDENCE][:] = shared.mean(axis=1)


def confidence(engine: Engine, graph: RowsAndClusters, n_clusters: int) -> None:
    """For each row, the mean share of its label in the base clusters it is in; fills the column `CONFIDENCE`.

    1 where all base clusterings keep the row with rows of its own label only.
    """
    counts = added(engine.sweep(_CountLabels(graph, n_clusters)))
    agreement = counts / np.maximum(counts.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    engine.sweep(_Confide(graph, agreement))
