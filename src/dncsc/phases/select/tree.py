"""Landmarks, and the tree of centres on which a row walks down to its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.kernels.nearest import PrunedSearch, nearest_centres, pruning_helps
from dncsc.kernels.projection import projected
from dncsc.kernels.sums import add_by_group
from dncsc.phases.kmeans import added

SUBSET = "subset"
"""Column: the subset a row belongs to; after the selection, its own landmark."""

LEAST_GAIN = 1e-4


@dataclass(frozen=True)
class Level:
    """One round of division: subset i got the centres ``centres[first[i]:first[i + 1]]``."""

    centres: np.ndarray
    first: np.ndarray

    @classmethod
    def flat(cls, centres: np.ndarray) -> Level:
        """A round that divides all rows at once."""
        return cls(centres, np.array([0, len(centres)], np.int32))

    def descend(self, rows: np.ndarray, subset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The part of its subset that each row falls into, and its squared distance to that part's centre."""
        return nearest_centres(rows, subset, self.centres, self.first, pruned=self._pruned)

    @cached_property
    def _pruned(self) -> PrunedSearch | None:
        """Projections of the centres, where those save time: of many in one subset."""
        m, d = self.centres.shape
        return PrunedSearch.of(self.centres) if len(self.first) == 2 and pruning_helps(d, m) else None


@dataclass(frozen=True)
class Tree:
    """The rounds of division. Walking down finds the own landmark of any row, new ones too."""

    levels: tuple[Level, ...]
    directions: np.ndarray | None = None
    """(q, d): in which rows are seen on their way down; None where centres have all features"""
    makes: ClassVar[Sequence[str]] = (SUBSET,)
    reads: ClassVar[Sequence[str]] = ()

    @property
    def columns(self) -> Sequence[Column]:
        return (Column(SUBSET, np.int32, rule=self),) if self.levels else ()

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return [self.locate(rows)]

    def locate(self, rows: np.ndarray) -> np.ndarray:
        subset, places = np.zeros(len(rows), np.int32), projected(rows, self.directions)
        for level in self.levels:
            subset, _ = level.descend(places, subset)
        return subset


@dataclass(frozen=True)
class Cells:
    """Centres of cells (c, d); landmarks of cell i are those from ``first[i]`` to ``first[i + 1]``."""

    centres: np.ndarray
    first: np.ndarray


@dataclass(frozen=True)
class Selection:
    """Landmarks (p, d), and how a row finds its own. The column `SUBSET` holds it for the rows of the engine.

    Where landmarks are sorted by cells, there is no such column, and the tree has no levels.
    """

    landmarks: np.ndarray
    tree: Tree
    cells: Cells | None = None

    @property
    def columns(self) -> Sequence[Column]:
        return self.tree.columns


class Subsets(NamedTuple):
    """Of each subset: sum of rows, of weights, of squared distances to the centre; rows of positive weight."""

    sums: np.ndarray
    mass: np.ndarray
    residual: np.ndarray
    n_rows: np.ndarray

    @classmethod
    def empty(cls, m: int, d: int) -> Subsets:
        return cls(np.zeros((m, d)), np.zeros(m), np.zeros(m), np.zeros(m, np.int64))

    def means(self, centres: np.ndarray) -> np.ndarray:
        """Mean of each subset; the centre itself where a subset is empty, or where all its rows equal the centre."""
        apart = (self.mass > 0) & (self.residual > 0)
        means = self.sums / np.where(self.mass > 0, self.mass, 1)[:, None]
        return np.where(apart[:, None], means, centres).astype(centres.dtype)

    def residual_around_means(self, centres: np.ndarray) -> np.ndarray:
        """Sum of squares around the mean, from the one around the centre."""
        moved = np.sum((self.means(centres).astype(np.float64) - centres) ** 2, axis=1)
        return np.maximum(self.residual - self.mass * moved, 0)


@dataclass(frozen=True)
class _Divide(Pass[Subsets]):
    """Assign each row to the nearest centre within its subset, and add up the new subsets."""

    level: Level
    subset_of: np.ndarray | None
    """subset of the level for each value of the column; None where all rows are in one"""

    @property
    def reads(self) -> Sequence[str]:
        return () if self.subset_of is None else (SUBSET,)

    @property
    def writes(self) -> Sequence[Column]:
        return (Column(SUBSET, np.int32),)

    def begin(self) -> Subsets:
        return Subsets.empty(*self.level.centres.shape)

    def visit(self, total: Subsets, block: Block) -> None:
        where = self.subset_of
        subset = np.zeros(len(block), np.int32) if where is None else where[block.columns[SUBSET]]
        part, squared = self.level.descend(block.rows, subset)
        add_by_group(block.rows, block.weight, part, squared, *total)
        block.columns[SUBSET][:] = part


def divide(engine: Engine, level: Level, again: bool = False) -> Subsets:
    """Carry out a round of division on all rows; fills the column `SUBSET`.

    Parameters
    ----------
    engine : Engine
    level : Level
    again : bool
        The column holds parts of this level already, from centres that have moved since, and not its subsets.
    """
    n_subsets = len(level.first) - 1
    subset_of = None
    if n_subsets > 1:
        subset_of = np.arange(n_subsets, dtype=np.int32)
        if again:
            subset_of = np.repeat(subset_of, np.diff(level.first))
    return Subsets(*map(added, zip(*engine.sweep(_Divide(level, subset_of)), strict=True)))


def lloyd(engine: Engine, level: Level, subsets: Subsets, max_iter: int) -> tuple[Level, Subsets, int]:
    """Lloyd's iterations over all rows, within each subset of a level that has been carried out.

    Each is a pass over the rows, so they end when the sum of squares falls by less than a ten-thousandth.

    Returns
    -------
    level, subsets, n_iter
    """
    for n_iter in range(1, max_iter + 1):
        level = Level(engine.frame.restore_length(subsets.means(level.centres)), level.first)
        before, subsets = subsets.residual.sum(), divide(engine, level, again=True)
        if subsets.residual.sum() >= (1 - LEAST_GAIN) * before:
            return level, subsets, n_iter
    return level, subsets, max_iter


@dataclass(frozen=True)
class _Assign(Pass[Subsets]):
    tree: Tree
    n_landmarks: int
    n_features: int

    @property
    def writes(self) -> Sequence[Column]:
        return (Column(SUBSET, np.int32),)

    def begin(self) -> Subsets:
        return Subsets.empty(self.n_landmarks, self.n_features)

    def visit(self, total: Subsets, block: Block) -> None:
        own = self.tree.locate(block.rows)
        add_by_group(block.rows, block.weight, own, np.zeros(len(block), block.rows.dtype), *total)
        block.columns[SUBSET][:] = own


def assign(engine: Engine, tree: Tree) -> Subsets:
    """Walk all rows down a tree; fills the column `SUBSET`. Residuals are left at 0."""
    task = _Assign(tree, len(tree.levels[-1].centres), engine.layout.n_features)
    return Subsets(*map(added, zip(*engine.sweep(task), strict=True)))
