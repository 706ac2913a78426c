"""Run a recipe over an engine, and keep what is needed to walk new rows through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.frame import Frame
from dncsc.phases.discretize import LABEL, Discretized
from dncsc.phases.embedding import Embedding, Lifted, RowsAndLandmarks
from dncsc.phases.ensemble import CONFIDENCE, Members, confidence, consensus
from dncsc.phases.nearest import NEAREST
from dncsc.phases.partition import Partition
from dncsc.phases.settings import Settings
from dncsc.phases.survey import NotFinite, check_finite, find_not_finite, survey
from dncsc.recipes import Recipe

Result = TypeVar("Result")


@dataclass(frozen=True)
class Model:
    """A fitted recipe. Its methods take blocks of rows as the user has them, and see each row by itself."""

    frame: Frame
    embedding: Embedding
    centroids: np.ndarray

    def link(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Landmarks that rows are linked to (n, K), and the weights of the links: the rows' entries in B."""
        assert isinstance(self.embedding, Lifted)
        graph = self.embedding.graph
        nearest, shares, degree = graph.shares(*graph.look(self.frame.enter(rows)))
        return nearest, shares * degree[:, None]

    def place(self, rows: np.ndarray) -> np.ndarray:
        """Spectral embedding of each row."""
        return self.embedding.place(*self.embedding.look(self.frame.enter(rows)))

    def label(self, rows: np.ndarray) -> np.ndarray:
        """Cluster of each row."""
        return self.embedding.label(self.centroids, *self.embedding.look(self.frame.enter(rows)))[0]


@dataclass
class Run:
    """What a run found."""

    model: Model
    labels: Any
    partition: Partition
    discretized: Discretized
    timings: dict[str, float]
    confidence: Any = None
    """how far the members of an ensemble agree on each row"""


class _Clock:
    """Seconds a phase; a phase that runs several times adds up."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.timings: dict[str, float] = {}
        self._say = say

    def __call__(self, phase: str, function: Callable[..., Result], *arguments: Any) -> Result:
        start = time.perf_counter()
        result = function(*arguments)
        seconds = time.perf_counter() - start
        self.timings[phase] = self.timings.get(phase, 0.0) + seconds
        self._say(f"{phase:<10} {seconds:8.3f} s")
        return result


def run(
    recipe: Recipe,
    engine: Engine,
    settings: Callable[[Frame, int], Settings],
    names: Sequence[str] | None = None,
    say: Callable[[str], None] = lambda text: None,
    members: Members | None = None,
) -> Run:
    """Carry out a recipe.

    Parameters
    ----------
    recipe : Recipe
    engine : Engine
        Entered, and in its raw frame.
    settings : callable
        Gives the settings once the frame and the number of rows of positive weight are known.
    names : sequence of str, optional
        Names of the features, for messages.
    say : callable
        Told of each phase that ends.
    members : Members, optional
        For an ensemble.
    """
    clock = _Clock(say)
    n_counted = clock("survey", survey, engine, names)
    chosen = settings(engine.frame, n_counted)
    if members is None:
        partition = _graph(recipe, clock, engine, chosen)
    else:
        partition = consensus(engine, chosen, members, partial(_graph, recipe, clock))
    found = clock("discretize", recipe.discretize, engine, chosen, partition.embedding)
    if members is not None:
        assert isinstance(partition.embedding, Lifted)
        clock("confidence", confidence, engine, partition.embedding.graph, len(found.centroids))
    for name in partition.embedding.reads:
        engine.drop(name)
    model = Model(engine.frame, partition.embedding, found.centroids)
    agreed = engine.take(CONFIDENCE) if members is not None else None
    return Run(model, engine.take(LABEL), partition, found, clock.timings, agreed)


def _graph(recipe: Recipe, clock: _Clock, engine: Engine, settings: Settings) -> Partition:
    """Phases 1 to 4."""
    selection = links = affinity = None
    if recipe.select:
        selection = clock("select", recipe.select, engine, settings)
    if recipe.nearest:
        links = clock("nearest", recipe.nearest, engine, settings, selection)
    if recipe.affinity:
        affinity = clock("affinity", recipe.affinity, engine, settings, links)
    return clock("partition", recipe.partition, engine, settings, selection, links, affinity)


@dataclass(frozen=True)
class _Apply(Pass[list[NotFinite]]):
    """Walk rows through a model, block by block; the engine is in its raw frame."""

    function: Callable[[np.ndarray], Sequence[np.ndarray]]
    columns: Sequence[Column]
    """one for each array that the function returns"""

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
        for column, values in zip(self.writes, self.function(block.rows), strict=True):
            block.columns[column.name][:] = values


def label(model: Model, engine: Engine, names: Sequence[str] | None = None) -> Any:
    """Cluster of every row of an engine."""
    return _apply(engine, _Apply(lambda rows: [model.label(rows)], [Column(LABEL, np.int32)]), names)[0]


def embed(model: Model, engine: Engine, names: Sequence[str] | None = None) -> Any:
    """Spectral embedding of every row of an engine."""
    column = Column("place", model.embedding.dtype, model.embedding.n_dimensions)
    return _apply(engine, _Apply(lambda rows: [model.place(rows)], [column]), names)[0]


def weigh(model: Model, engine: Engine, names: Sequence[str] | None = None) -> tuple[Any, Any]:
    """Landmarks that every row of an engine is linked to, and the weights of the links."""
    assert isinstance(model.embedding, Lifted)
    assert isinstance(model.embedding.graph, RowsAndLandmarks)
    width = model.embedding.graph.links.search.n_neighbors
    columns = [Column(NEAREST, np.int32, width), Column("weight", model.frame.dtype, width)]
    nearest, weight = _apply(engine, _Apply(model.link, columns), names)
    return nearest, weight


def _apply(engine: Engine, task: _Apply, names: Sequence[str] | None) -> list[Any]:
    check_finite([bad for total in engine.sweep(task) for bad in total], names)
    return [engine.take(column.name) for column in task.writes]
