"""A fitted recipe, and what it computes for rows: labels, embedding, weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.frame import Frame
from dncsc.phases.discretize import LABEL
from dncsc.phases.embedding import Embedding, Lifted, RowsAndLandmarks, Voted
from dncsc.phases.mixture import Classifier
from dncsc.phases.noise import mark_noise
from dncsc.phases.refine import Refined
from dncsc.phases.search import NEAREST
from dncsc.phases.settled import Settled, settled
from dncsc.phases.survey import NotFinite, check_finite, find_not_finite

FARTHEST = {"float32": 2.0**50, "float64": 2.0**410}
"""From the middle of a frame, in any feature: a few hundred times as far as training rows are, so that squares can be
summed, and differences between directions are still seen."""


@dataclass(frozen=True)
class Model:
    """A fitted recipe: all that is needed to label or embed rows, each by itself, as they are in its raw frame."""

    frame: Frame
    embedding: Embedding
    centroids: np.ndarray
    noise_threshold: float | None = None
    """mean distance to its landmarks beyond which a row is noise; None where no row is"""
    classifier: Classifier | None = None
    """by which rows are labelled, where it separates clusters better than the embedding"""

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        """Values of the embedding's inputs."""
        return self.embedding.lookup(self._enter(rows))

    def label(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """Cluster of each row."""
        if self.classifier is not None:
            return [self._label_where_they_are(self.classifier, self._enter(rows))]
        if self.noise_threshold is None and self._settled is not None and self._settled.search is not None:
            return [self._label_by_own(self._settled, self._enter(rows))]
        values = self.lookup(rows)
        labels = self._label_by_links(values)
        if self.noise_threshold is not None:
            mark_noise(labels, self.embedding, self.noise_threshold, *values)
        return [labels]

    def _label_where_they_are(self, classifier: Classifier, rows: np.ndarray) -> np.ndarray:
        labels = classifier.label(rows)
        if self.noise_threshold is not None:
            mark_noise(labels, self.embedding, self.noise_threshold, *self.embedding.lookup(rows))
        return labels

    def _label_by_own(self, settled: Settled, rows: np.ndarray) -> np.ndarray:
        """The same where links are not looked for if a row is near its own landmark."""
        labels = np.empty(len(rows), np.int32)
        far = settled.by_own(rows, self.graph.links.tree.locate(rows), labels)
        labels[far] = self._label_by_links(self.embedding.lookup(rows[far]))
        return labels

    def _label_by_links(self, values: Sequence[np.ndarray]) -> np.ndarray:
        labels, rest = np.empty(len(values[0]), np.int32), np.arange(len(values[0]))
        if self._settled is not None:
            rest = self._settled.by_links(values[0], labels)
        labels[rest], _ = self.embedding.label(self.centroids, *(each[rest] for each in values))
        return labels

    @cached_property
    def _settled(self) -> Settled | None:
        """The clusters of landmarks, where they decide those of most rows."""
        return settled(self.embedding, self.centroids)

    def score(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """How near each row is to landmarks, in the user's units: less is farther."""
        assert isinstance(self.embedding, Lifted | Voted | Refined)
        inside, far, way = self._come_nearer(rows)
        distance = self.embedding.graph.mean_distance_of(inside) / self.frame.scale
        distance[far] = np.minimum(distance[far] + way, np.finfo(np.float64).max)
        return [-distance]

    def embed(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """Spectral embedding of each row."""
        return [self.embedding.transform(*self.lookup(rows))]

    def link(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Landmarks that rows are linked to (n, K), nearest first, and the weights of the links."""
        nearest, shares, degree = self.graph.shares(*self.graph.lookup(self._enter(rows)))
        return nearest, shares * degree[:, None]

    def weigh(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """The rows' entries in B: the same, with landmarks in ascending order."""
        nearest, weight = self.link(rows)
        order = np.argsort(nearest, axis=1)
        return [np.take_along_axis(each, order, axis=1) for each in (nearest, weight)]

    @property
    def graph(self) -> RowsAndLandmarks:
        """The graph of rows and landmarks, where there is one."""
        assert isinstance(self.embedding, Lifted | Voted | Refined)
        assert isinstance(self.embedding.graph, RowsAndLandmarks)
        return self.embedding.graph

    def _enter(self, rows: np.ndarray) -> np.ndarray:
        """Rows in the frame, none so far out that squares would overflow."""
        return self._come_nearer(rows)[0]

    def _come_nearer(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows in the frame, where those that would be too far out come nearer, each along its direction.

        Also the numbers of these, and how far they came, in the user's units: so much nearer are they to all landmarks.
        """
        inside = self.frame.place(np.array(rows, self.frame.dtype, order="C"))
        farthest = FARTHEST[self.frame.dtype.name]
        if max(inside.max(initial=0), -inside.min(initial=0)) <= farthest:
            return inside, np.empty(0, np.intp), np.empty(0)
        far = np.flatnonzero(np.abs(inside).max(axis=1) > farthest)
        some, middle = rows[far].astype(np.float64), self.frame.shift / self.frame.scale
        size = np.maximum(np.abs(some).max(axis=1, keepdims=True), np.abs(middle).max())
        direction = some / size - middle / size  # the difference itself could overflow
        longest = np.abs(direction).max(axis=1, keepdims=True)
        inside[far] = direction * (farthest / longest)
        with np.errstate(over="ignore"):
            way = np.linalg.norm(direction, axis=1) * (size - farthest / (longest * self.frame.scale))[:, 0]
        return inside, far, way


@dataclass(frozen=True)
class Operation:
    """What a model computes for rows, block by block, wherever they are."""

    model: Model
    phase: str
    """what goes on, for those who watch"""
    columns: Sequence[Column]
    """what it computes: dtype and width of each array"""
    compute: Callable[[np.ndarray], Sequence[np.ndarray]]
    """the values of the columns for a block of rows, which are finite"""

    @classmethod
    def label(cls, model: Model) -> Operation:
        return cls(model, "label", [Column(LABEL, np.int32)], model.label)

    @classmethod
    def score(cls, model: Model) -> Operation:
        return cls(model, "score", [Column("score", np.float64)], model.score)

    @classmethod
    def embed(cls, model: Model) -> Operation:
        return cls(model, "place", [Column("place", model.embedding.dtype, model.embedding.n_dimensions)], model.embed)

    @classmethod
    def weigh(cls, model: Model) -> Operation:
        width = model.graph.links.search.n_neighbors
        columns = [Column(NEAREST, np.int32, width), Column("weight", model.frame.dtype, width)]
        return cls(model, "weigh", columns, model.weigh)


@dataclass(frozen=True)
class _Apply(Pass[list[NotFinite]]):
    """An operation on every block; the engine is in the raw frame of the model."""

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
    """Carry out an operation on all rows of an engine; one array for each column."""
    engine.phase, engine.frame = operation.phase, operation.model.frame.unplaced()
    check_finite([bad for total in engine.sweep(_Apply(operation)) for bad in total], names)
    return [engine.take(column.name) for column in operation.columns]
