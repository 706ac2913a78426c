"""Phase 1, select: p landmarks by divide and conquer (Section 3.1 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dncsc.engines.base import Block, Column, Engine
from dncsc.engines.seeds import generator, stream
from dncsc.kernels.nearest import nearest_centres
from dncsc.kernels.sums import add_by_group
from dncsc.phases.kmeans import Each, added, kmeans, one_by_one
from dncsc.phases.sample import draw
from dncsc.phases.settings import Settings

SUBSET = "subset"
"""Column: the subset a row belongs to; after the last round, its own landmark."""

LLOYD_ITERATIONS = 10
"""of the k-means inside the selection"""


@dataclass(frozen=True)
class Level:
    """One round of division: subset i got the centres ``centres[first[i]:first[i + 1]]``."""

    centres: np.ndarray
    first: np.ndarray

    def descend(self, rows: np.ndarray, subset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The part of its subset that each row falls into, and its squared distance to that part's centre."""
        return nearest_centres(rows, subset, self.centres, self.first)


@dataclass(frozen=True)
class Tree:
    """The rounds of division. Walking down finds the own landmark of any row, new ones too."""

    levels: tuple[Level, ...]

    def locate(self, rows: np.ndarray) -> np.ndarray:
        subset = np.zeros(len(rows), np.int32)
        for level in self.levels:
            subset, _ = level.descend(rows, subset)
        return subset


@dataclass(frozen=True)
class Selection:
    """Landmarks (p, d), and how a row finds its own."""

    landmarks: np.ndarray
    tree: Tree


class _Totals(NamedTuple):
    """Of each subset: sum of rows, of weights, of squared distances to the centre; rows of positive weight."""

    sums: np.ndarray
    mass: np.ndarray
    residual: np.ndarray
    n_rows: np.ndarray


@dataclass(frozen=True)
class _Divide:
    """Assign each row to the nearest centre within its subset, and add up the new subsets."""

    level: Level

    @property
    def reads(self) -> Sequence[str]:
        return () if len(self.level.first) == 2 else (SUBSET,)

    @property
    def writes(self) -> Sequence[Column]:
        return (Column(SUBSET, np.int32),)

    def begin(self) -> _Totals:
        m, d = self.level.centres.shape
        return _Totals(np.zeros((m, d)), np.zeros(m), np.zeros(m), np.zeros(m, np.int64))

    def visit(self, total: _Totals, block: Block) -> None:
        subset = block.columns[SUBSET] if self.reads else np.zeros(len(block), np.int32)
        part, squared = self.level.descend(block.rows, subset)
        add_by_group(block.rows, block.weight, part, squared, *total)
        block.columns[SUBSET][:] = part


def divide_and_conquer(engine: Engine, settings: Settings, n_counted: int) -> Selection:
    """Divide the rows into at most alpha subsets, those again, and so on until there are p; landmarks are their means.

    Parameters
    ----------
    engine : Engine
        Gets the column `SUBSET`: each row's own landmark.
    settings : Settings
    n_counted : int
        Rows of positive weight.

    Returns
    -------
    Selection
        With fewer than p landmarks where the rows have fewer distinct values.
    """
    levels: list[Level] = []
    centres = np.zeros((1, engine.layout.n_features), engine.frame.dtype)
    count = np.array([n_counted])
    parts = np.array([min(settings.n_landmarks, settings.selection_rate, n_counted)])
    while True:
        level = _divide_subsets(engine, settings, len(levels), centres, count, parts)
        totals = _Totals(*map(added, zip(*engine.sweep(_Divide(level)), strict=True)))
        levels.append(level)
        centres, count = level.centres, totals.n_rows
        means, residual = _means_and_residuals(level, totals)
        grown = np.diff(level.first)
        residual[np.repeat((grown == 1) & (parts > 1), grown)] = 0  # it could not be divided: its rows are all alike
        parts = allocate(residual, np.minimum(settings.selection_rate, count), settings.n_landmarks)
        if not np.any(parts > 1):
            return Selection(means, Tree(tuple(levels)))


def allocate(residual: np.ndarray, most: np.ndarray, total: int) -> np.ndarray:
    """Into how many parts each subset goes: in proportion to its residual sum of squares (equation 12).

    What a subset may not take because of its bound goes to the others, so that p is reached in the first round in
    which the bounds allow it; every round is a pass over all rows.

    Parameters
    ----------
    residual : float64 (c,)
    most : int (c,)
        Upper bound of each subset: alpha, or its rows where those are fewer.
    total : int
        p: the sum over all subsets is exactly this, or less where the bounds demand it.

    Returns
    -------
    parts : int64 (c,)
        At least 1 each; 1 where there is nothing to divide.
    """
    more = np.where(residual > 0, most - 1, 0).clip(min=0)
    spare = total - len(residual)
    if spare <= 0 or more.sum() <= spare:
        return 1 + (more if spare > 0 else np.zeros_like(more))
    share = residual / residual.max()
    low, high = 0.0, min(total / share[share > 0].min(), 1e18)
    for _ in range(200):  # bisection for the size of a whole share; the sum grows with it
        middle = (low + high) / 2
        low, high = (low, middle) if np.clip(share * middle - 1, 0, more).sum() > spare else (middle, high)
    exact = np.clip(share * low - 1, 0, more)
    whole = np.floor(exact).astype(np.int64)
    by_remainder = np.argsort(whole - exact, kind="stable")
    room = by_remainder[(whole < more)[by_remainder]]
    whole[room[: spare - whole.sum()]] += 1
    return 1 + whole


def _divide_subsets(
    engine: Engine, settings: Settings, round_: int, centres: np.ndarray, count: np.ndarray, parts: np.ndarray
) -> Level:
    """Light-k-means in every subset that is to be divided; the others keep their centre."""
    wanted = np.where(parts > 1, settings.sample_size, 0)
    if round_ == 0:
        wanted[0] = settings.sample_size
    drawn = draw(engine, stream(settings.seed, "select", round_), wanted, count, SUBSET if round_ else None)

    def divide(i: int, each: Each = one_by_one) -> np.ndarray:
        random = generator(settings.seed, "select", round_, i)
        rows, weight = drawn[i].values[0], drawn[i].weight
        return kmeans(rows, weight, int(parts[i]), random, LLOYD_ITERATIONS, each=each).centres

    todo = np.flatnonzero(wanted).tolist()
    # Threads go to the subsets, or within the only one.
    done = engine.each(divide, todo) if len(todo) > 1 else [divide(i, engine.each) for i in todo]
    divided = dict(zip(todo, done, strict=True))
    centres_of = [divided.get(i, centres[i : i + 1]) for i in range(len(parts))]
    first = np.cumsum([0, *map(len, centres_of)]).astype(np.int32)
    return Level(np.concatenate(centres_of), first)


def _means_and_residuals(level: Level, totals: _Totals) -> tuple[np.ndarray, np.ndarray]:
    """Mean of each subset and the sum of squares around it, from sums taken around its centre."""
    sums, mass, residual, _ = totals
    centres = level.centres.astype(np.float64)
    means = np.where(mass[:, None] > 0, sums / np.where(mass > 0, mass, 1)[:, None], centres)
    means[residual == 0] = centres[residual == 0]  # all rows equal the centre: no rounding
    moved = np.sum((means - centres) ** 2, axis=1)
    return means.astype(level.centres.dtype), np.maximum(residual - mass * moved, 0)
