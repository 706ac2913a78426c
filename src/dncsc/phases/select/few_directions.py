"""Rows of many features in a few directions, where those distinguish near rows.

Images differ from the images most like them in some dozens of directions, and tables of unequal scales in their widest
columns: dividing rows by these takes a fraction of the time, and landmarks are as good. Embeddings differ from their
neighbours in all directions alike, and are divided by all features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dncsc.engines.base import Column, Engine
from dncsc.kernels.nearest import search_others
from dncsc.kernels.projection import directions_of, projected
from dncsc.phases.sample import Drawn, draw_rows
from dncsc.phases.settings import AUTO, Settings
from dncsc.phases.shared_sample import drawn_once, first_keys, keep_few

LEAST_FEATURES, FEATURES_A_DIRECTION, MOST_DIRECTIONS = 32, 4, 31
"""Of fewer features, or by more directions, there is little to gain."""

TRIED_ROWS = 1000
"""that directions are found with, and judged by"""
ROWS_A_LANDMARK = 35
"""that are divided; each landmark is the mean of all its rows"""

PROJECTED = "projected"
"""Column: a row in these directions."""


@dataclass(frozen=True)
class _Projection:
    """The rule of the column."""

    directions: np.ndarray
    makes: ClassVar[Sequence[str]] = (PROJECTED,)
    reads: ClassVar[Sequence[str]] = ()

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return [projected(rows, self.directions)]


def few_directions(engine: Engine, settings: Settings, n_drawn: int) -> np.ndarray | None:
    """Directions (q, d) to divide rows by; None where all features are needed, and where weights are named.

    The rows that decide are some of the `n_drawn` that a division begins with, so that these need not be drawn again.
    """
    if engine.layout.n_features < LEAST_FEATURES or settings.bandwidth != AUTO:
        return None
    drawn = drawn_once(engine, settings, first_keys(settings), n_drawn).fewer(TRIED_ROWS)
    return directions_that_tell(drawn.values[0], settings.policy.projected_share)


def directions_that_tell(rows: np.ndarray, least: float) -> np.ndarray | None:
    """First principal directions, where they hold at least a share of what near rows differ by, beyond chance.

    None where they do not, and of fewer than a thousand rows.
    """
    n, d = rows.shape
    if n < TRIED_ROWS:
        return None
    count = min(d // FEATURES_A_DIRECTION, MOST_DIRECTIONS)
    directions = directions_of(rows, count)
    nearest = search_others(rows, 0, n, 1)[0][:, 0]
    apart = rows - rows[nearest]
    whole = float(np.sum(apart**2, dtype=np.float64))
    seen = float(np.sum((apart @ directions.T) ** 2, dtype=np.float64))
    return directions if seen > (least * (1 - count / d) + count / d) * whole else None


def draw_projected(engine: Engine, settings: Settings, directions: np.ndarray) -> Drawn:
    """Rows to divide, in these directions."""
    keep_few(engine, settings, first_keys(settings))
    engine.register([Column(PROJECTED, engine.frame.dtype, len(directions), _Projection(directions))])
    wanted = ROWS_A_LANDMARK * settings.n_landmarks
    drawn = draw_rows(engine, first_keys(settings), wanted, settings.n_counted, (PROJECTED,))
    engine.drop(PROJECTED)
    return drawn
