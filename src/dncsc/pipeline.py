"""Run a recipe over an engine, and keep what is needed to walk new rows through it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dncsc.engines.base import Block, Column, Engine
from dncsc.engines.frame import Frame
from dncsc.phases.affinity import Affinity
from dncsc.phases.discretize import LABEL, Clusters, Discretized
from dncsc.phases.nearest import NEAREST, SQUARED, Links, Search
from dncsc.phases.partition import Spectrum
from dncsc.phases.select import Tree
from dncsc.phases.settings import Settings
from dncsc.phases.survey import NotFinite, check_finite, find_not_finite, survey
from dncsc.recipes import Recipe

Result = TypeVar("Result")


@dataclass(frozen=True)
class Model:
    """A fitted recipe. Its methods take blocks of rows as the user has them, and see each row by itself."""

    frame: Frame
    tree: Tree
    search: Search
    affinity: Affinity
    clusters: Clusters

    def link(self, rows: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Nearest landmarks (n, K), the rows' shares in them, and their degrees: B is share times degree."""
        inside = self.frame.enter(rows)
        found = self.search.find(inside, self.tree.locate(inside))
        transition, degree = self.affinity.weigh(found.squared)
        return found.nearest, transition, degree

    def embed(self, rows: Any) -> np.ndarray:
        """Spectral embedding of each row, scaled to norm 1."""
        nearest, transition, _ = self.link(rows)
        return self.clusters.lift.embed(nearest, transition)

    def label(self, rows: Any) -> np.ndarray:
        """Cluster of each row."""
        nearest, transition, _ = self.link(rows)
        return self.clusters.label(nearest, transition)[0]


@dataclass
class Run:
    """What a run found."""

    model: Model
    labels: Any
    links: Links
    spectrum: Spectrum
    discretized: Discretized
    timings: dict[str, float]


class _Clock:
    def __init__(self, say: Callable[[str], None]) -> None:
        self.timings: dict[str, float] = {}
        self._say = say

    def __call__(self, phase: str, function: Callable[[], Result]) -> Result:
        start = time.perf_counter()
        result = function()
        self.timings[phase] = time.perf_counter() - start
        self._say(f"{phase:<10} {self.timings[phase]:8.3f} s")
        return result


def run(
    recipe: Recipe,
    engine: Engine,
    settings: Callable[[Frame], Settings],
    names: Sequence[str] | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Run:
    """Carry out a recipe.

    Parameters
    ----------
    recipe : Recipe
    engine : Engine
        Entered, and in its raw frame.
    settings : callable
        Gives the settings once the frame is known.
    names : sequence of str, optional
        Names of the features, for messages.
    say : callable
        Told of each phase that ends.
    """
    clock = _Clock(say)
    n_counted = clock("survey", lambda: survey(engine, names))
    chosen = settings(engine.frame)
    selection = clock("select", lambda: recipe.select(engine, chosen, n_counted))
    links = clock("nearest", lambda: recipe.nearest(engine, chosen, selection))
    affinity = recipe.affinity(chosen, links)
    spectrum = clock("partition", lambda: recipe.partition(engine, chosen, links, affinity))
    found = clock("discretize", lambda: recipe.discretize(engine, chosen, n_counted, spectrum, affinity))
    engine.drop(NEAREST)
    engine.drop(SQUARED)
    model = Model(engine.frame, selection.tree, links.search, affinity, found.clusters)
    return Run(model, engine.take(LABEL), links, spectrum, found, clock.timings)


@dataclass(frozen=True)
class _Apply:
    """Walk rows through a model, block by block; the engine is in its raw frame."""

    function: Callable[[np.ndarray], Sequence[np.ndarray]]
    writes: Sequence[Column]
    """one for each array that the function returns"""
    reads: Sequence[str] = ()

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
    vectors = model.clusters.lift.vectors
    column = Column("embedding", vectors.dtype, vectors.shape[1])
    return _apply(engine, _Apply(lambda rows: [model.embed(rows)], [column]), names)[0]


def weigh(model: Model, engine: Engine, names: Sequence[str] | None = None) -> tuple[Any, Any]:
    """Nearest landmarks of every row of an engine, and the weights of the row in them."""

    def visit(rows: np.ndarray) -> Sequence[np.ndarray]:
        nearest, transition, degree = model.link(rows)
        return nearest, transition * degree[:, None]

    width, dtype = model.search.n_neighbors, model.frame.dtype
    columns = [Column(NEAREST, np.int32, width), Column("weight", dtype, width)]
    nearest, weight = _apply(engine, _Apply(visit, columns), names)
    return nearest, weight


def _apply(engine: Engine, task: _Apply, names: Sequence[str] | None) -> list[Any]:
    check_finite([bad for total in engine.sweep(task) for bad in total], names)
    return [engine.take(column.name) for column in task.writes]
