"""A fitted recipe, and new rows walked through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    """A fitted recipe. Its methods give arrays for blocks of rows as the user has them, each row by itself."""

    frame: Frame
    embedding: Embedding
    centroids: np.ndarray

    def link(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """Landmarks that rows are linked to (n, K), and the weights of the links."""
        assert isinstance(self.embedding, Lifted)
        graph = self.embedding.graph
        nearest, shares, degree = graph.shares(*graph.lookup(self._enter(rows)))
        return nearest, shares * degree[:, None]

    def weigh(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """The rows' entries in B: the same links, but in the order of the landmarks."""
        nearest, weight = self.link(rows)
        order = np.argsort(nearest, axis=1)
        return [np.take_along_axis(each, order, axis=1) for each in (nearest, weight)]

    def place(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """Spectral embedding of each row."""
        return [self.embedding.transform(*self.embedding.lookup(self._enter(rows)))]

    def label(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """Cluster of each row."""
        return self.embedding.label(self.centroids, *self.embedding.lookup(self._enter(rows)))[:1]

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


@dataclass(frozen=True)
class _Apply(Pass[list[NotFinite]]):
    """Walk rows through a model, block by block; the engine is in its raw frame."""

    model: Model
    what: str
    """the method of the model that gives the values"""
    columns: Sequence[Column]
    """one for each array that it returns"""

    @property
    def writes(self) -> Sequence[Column]:
        return self.columns

    def begin(self) -> list[NotFinite]:
        return []

    def visit(self, total: list[NotFinite], block: Block) -> None:
        bad = find_not_finite(block)
        if bad:
            total += bad
            return
        for column, values in zip(self.writes, getattr(self.model, self.what)(block.rows), strict=True):
            block.columns[column.name][:] = values


def label(model: Model, engine: Engine, names: Sequence[str] | None = None) -> Any:
    """Cluster of every row of an engine."""
    [labels] = _apply(engine, _Apply(model, "label", made_by(model, "label")), names)
    return labels


def embed(model: Model, engine: Engine, names: Sequence[str] | None = None) -> Any:
    """Spectral embedding of every row of an engine."""
    [places] = _apply(engine, _Apply(model, "place", made_by(model, "embed")), names)
    return places


def weigh(model: Model, engine: Engine, names: Sequence[str] | None = None) -> tuple[Any, Any]:
    """Landmarks that every row of an engine is linked to, and the weights of the links."""
    nearest, weight = _apply(engine, _Apply(model, "weigh", made_by(model, "weigh")), names)
    return nearest, weight


def made_by(model: Model, function: str) -> Sequence[Column]:
    """Columns that one of the three functions above fills, by its name."""
    if function == "label":
        return [Column(LABEL, np.int32)]
    if function == "embed":
        return [Column("place", model.embedding.dtype, model.embedding.n_dimensions)]
    assert isinstance(model.embedding, Lifted)
    assert isinstance(model.embedding.graph, RowsAndLandmarks)
    width = model.embedding.graph.links.search.n_neighbors
    return [Column(NEAREST, np.int32, width), Column("weight", model.frame.dtype, width)]


def _apply(engine: Engine, task: _Apply, names: Sequence[str] | None) -> list[Any]:
    engine.phase = task.what
    check_finite([bad for total in engine.sweep(task) for bad in total], names)
    return [engine.take(column.name) for column in task.writes]
