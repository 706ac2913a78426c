"""A fitted recipe, and what it computes for rows: labels, embedding, weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.frame import Frame
from dncsc.phases.discretize import LABEL
from dncsc.phases.embedding import Embedding, Lifted, RowsAndLandmarks
from dncsc.phases.nearest import NEAREST
from dncsc.phases.survey import NotFinite, check_finite, find_not_finite

FARTHEST = {"float32": 2.0**50, "float64": 2.0**410}
"""From the middle of a frame, in any feature: a few hundred times as far as training rows are, so that squares can be
summed, and differences between directions are still seen."""


@dataclass(frozen=True)
class Model:
    """A fitted recipe: what `Operation` needs to tell anything of rows as the user has them, each row by itself."""

    frame: Frame
    embedding: Embedding
    centroids: np.ndarray

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        """Values of the embedding's inputs."""
        return self.embedding.lookup(self._enter(rows))

    def link(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Landmarks that rows are linked to (n, K), nearest first, and the weights of the links."""
        nearest, shares, degree = _graph(self).shares(*self.lookup(rows))
        return nearest, shares * degree[:, None]

    def _enter(self, rows: np.ndarray) -> np.ndarray:
        """Rows in the frame. Those so far out that squares would overflow come nearer, each along its direction."""
        inside, farthest = self.frame.transform(rows), FARTHEST[self.frame.dtype.name]
        if max(inside.max(initial=0), -inside.min(initial=0)) > farthest:
            far = np.flatnonzero(np.abs(inside).max(axis=1) > farthest)
            some, middle = rows[far].astype(np.float64), self.frame.shift / self.frame.scale
            size = np.maximum(np.abs(some).max(axis=1, keepdims=True), np.abs(middle).max())
            direction = some / size - middle / size  # the difference itself could overflow
            inside[far] = direction * (farthest / np.abs(direction).max(axis=1, keepdims=True))
        return inside


def _graph(model: Model) -> RowsAndLandmarks:
    assert isinstance(model.embedding, Lifted)
    assert isinstance(model.embedding.graph, RowsAndLandmarks)
    return model.embedding.graph


@dataclass(frozen=True)
class Operation(ABC):
    """What a model computes for rows, block by block, wherever they are."""

    model: Model
    phase: ClassVar[str]
    """what goes on, for those who watch"""

    @property
    @abstractmethod
    def columns(self) -> Sequence[Column]:
        """What it computes: dtype and width of each array."""

    @abstractmethod
    def compute(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """The values of the columns for a block of rows, which are finite."""


class Label(Operation):
    """Cluster of each row."""

    phase = "label"

    @property
    def columns(self) -> Sequence[Column]:
        return [Column(LABEL, np.int32)]

    def compute(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        return self.model.embedding.label(self.model.centroids, *self.model.lookup(rows))[:1]


class Embed(Operation):
    """Spectral embedding of each row."""

    phase = "place"

    @property
    def columns(self) -> Sequence[Column]:
        return [Column("place", self.model.embedding.dtype, self.model.embedding.n_dimensions)]

    def compute(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        return [self.model.embedding.transform(*self.model.lookup(rows))]


class Weigh(Operation):
    """The row's entries in B: landmarks in ascending order, and the weights of the links."""

    phase = "weigh"

    @property
    def columns(self) -> Sequence[Column]:
        width = _graph(self.model).links.search.n_neighbors
        return [Column(NEAREST, np.int32, width), Column("weight", self.model.frame.dtype, width)]

    def compute(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        nearest, weight = self.model.link(rows)
        order = np.argsort(nearest, axis=1)
        return [np.take_along_axis(each, order, axis=1) for each in (nearest, weight)]


@dataclass(frozen=True)
class _Apply(Pass[list[NotFinite]]):
    """An operation on every block; the engine is in its raw frame."""

    operation: Operation

    @property
    def writes(self) -> Sequence[Column]:
        return self.operation.columns

    def begin(self) -> list[NotFinite]:
        return []

    def visit(self, total: list[NotFinite], block: Block) -> None:
        bad = find_not_finite(block)
        if bad:
            total += bad
            return
        for column, values in zip(self.writes, self.operation.compute(block.rows), strict=True):
            block.columns[column.name][:] = values


def apply(operation: Operation, engine: Engine, names: Sequence[str] | None = None) -> list[Any]:
    """Carry out an operation on all rows of an engine in its raw frame; one array for each column."""
    engine.phase = operation.phase
    check_finite([bad for total in engine.sweep(_Apply(operation)) for bad in total], names)
    return [engine.take(column.name) for column in operation.columns]
