"""What is divided: all rows, pass by pass, or a sample that stands for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.layout import block_rows
from dncsc.engines.seeds import stream
from dncsc.kernels.grouping import group_rows
from dncsc.kernels.sums import add_by_group
from dncsc.phases.kmeans import added
from dncsc.phases.sample import Drawn, draw_in_groups
from dncsc.phases.select.tree import SUBSET, Level, Subsets, divide, lloyd
from dncsc.phases.settings import Settings
from dncsc.phases.shared_sample import drawn_once, first_keys, keep_few

LEAST_A_PART = 20
"""sampled rows, on average: few far ones take no landmarks from the others"""

Samples = Iterator[tuple[np.ndarray, Drawn]]
"""Numbers of some subsets, and rows of them."""


class Rows(Protocol):
    """Rows in subsets; at first all are in one."""

    @property
    def engine(self) -> Engine: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def n_features(self) -> int: ...

    @property
    def least_a_part(self) -> int:
        """Rows that a part of a subset has on average, at least."""
        ...

    def draw(self, round_: int, wanted: np.ndarray, count: np.ndarray) -> Samples:
        """Rows of each subset that some are wanted of, about so many, or all; of some subsets at a time."""
        ...

    def centred(self, means: np.ndarray) -> np.ndarray:
        """Centres that lie where rows may be, from means of some."""
        ...

    def divide(self, level: Level) -> tuple[Level, Subsets]:
        """Divide the subsets; the level may be improved by that."""
        ...


@dataclass(frozen=True)
class AllRows:
    """Those of the engine; the column `SUBSET` has the subset of each."""

    engine: Engine
    settings: Settings
    n_iterations: int = 0
    """Lloyd's, over all rows of each subset"""
    least_a_part: int = 1

    @property
    def n_rows(self) -> int:
        return self.settings.n_counted

    @property
    def n_features(self) -> int:
        return self.engine.layout.n_features

    def draw(self, round_: int, wanted: np.ndarray, count: np.ndarray) -> Samples:
        if round_ == 0:
            drawn = drawn_once(self.engine, self.settings, first_keys(self.settings), int(wanted[0]))
            keep_few(self.engine, self.settings, first_keys(self.settings))
            return iter([(np.array([0]), drawn)])
        return draw_in_groups(self.engine, stream(self.settings.seed, "select", round_), wanted, count, SUBSET)

    def centred(self, means: np.ndarray) -> np.ndarray:
        return self.engine.frame.restore_length(means)

    def divide(self, level: Level) -> tuple[Level, Subsets]:
        subsets = divide(self.engine, level)
        if self.n_iterations:
            level, subsets, _ = lloyd(self.engine, level, subsets, self.n_iterations)
        return level, subsets


@dataclass
class SomeRows:
    """A sample of them: rows, or what is seen of them in few directions."""

    engine: Engine
    drawn: Drawn
    least_a_part: int = LEAST_A_PART
    are_projected: bool = False
    subset: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.subset = np.zeros(self.n_rows, np.int32)

    @property
    def n_rows(self) -> int:
        return len(self.drawn.keys)

    @property
    def n_features(self) -> int:
        return self.drawn.values[0].shape[1]

    def draw(self, round_: int, wanted: np.ndarray, count: np.ndarray) -> Samples:
        if len(wanted) == 1:
            yield np.array([0]), self.drawn.fewer(int(wanted[0]))
            return
        groups = np.flatnonzero(wanted > 0)
        if len(groups):
            order, first = group_rows(self.subset, len(wanted))
            chosen = np.concatenate([order[first[g] : first[g + 1]] for g in groups])
            yield groups, self.drawn.some(chosen, np.cumsum([0, *np.diff(first)[groups]]))

    def centred(self, means: np.ndarray) -> np.ndarray:
        return means if self.are_projected else self.engine.frame.restore_length(means)

    def divide(self, level: Level) -> tuple[Level, Subsets]:
        [rows], size = self.drawn.values, block_rows(self.n_features)

        def block(start: int) -> Subsets:
            total, span = Subsets.empty(*level.centres.shape), slice(start, start + size)
            part, squared = level.descend(rows[span], self.subset[span])
            add_by_group(rows[span], self.drawn.weight[span], part, squared, *total)
            self.subset[span] = part
            return total

        totals = self.engine.each(block, range(0, len(rows), size))
        return level, Subsets(*map(added, zip(*totals, strict=True)))
