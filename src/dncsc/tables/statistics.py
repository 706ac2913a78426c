"""Centre and spread of columns in one pass over blocks of rows; NaN is a missing value, and counts for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dncsc.engines.watch import Watcher

SAMPLE_ROWS = 100_000
"""Rows that medians and quartiles are taken from."""

LEAST_EXPONENT = -1000
"""Of the powers of two that columns are multiplied by the inverse of: that of a smaller one would overflow."""
LEAST_APART = 1e-150
"""Of the largest value: a column divided by less would overflow where it is squared."""


class Statistics(NamedTuple):
    """A value for each column; NaN for one without values."""

    mean: np.ndarray
    deviation: np.ndarray
    median: np.ndarray
    between_quartiles: np.ndarray


class Moments:
    """Mean, standard deviation, smallest and largest value; blocks are joined by Chan's rule, which does not cancel.

    Columns are seen as multiples of a power of two that is above their values so far, so that no square overflows or
    vanishes.
    """

    def __init__(self, n_columns: int) -> None:
        self._count = np.zeros(n_columns, np.int64)
        self._mean, self._squares = np.zeros(n_columns), np.zeros(n_columns)
        self._unit = np.full(n_columns, LEAST_EXPONENT)
        self.low, self.high = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)

    def add(self, block: np.ndarray) -> None:
        """Take more rows in, of any type."""
        block = block.astype(np.float64)
        gaps = np.isnan(block)
        has_gaps = bool(gaps.any())
        low, high = (np.where(gaps, end, block) if has_gaps else block for end in (np.inf, -np.inf))
        self.low, self.high = np.minimum(self.low, low.min(axis=0)), np.maximum(self.high, high.max(axis=0))
        if has_gaps:
            block[gaps] = 0
        before, self._unit = self._unit, np.maximum(self._unit, _exponent(block))
        step = before - self._unit
        self._mean, self._squares = np.ldexp(self._mean, step), np.ldexp(self._squares, 2 * step)
        block *= np.ldexp(1.0, -self._unit)
        n, m = self._count, len(block) - gaps.sum(axis=0)
        own = block.sum(axis=0) / np.maximum(m, 1)
        apart = block - own
        if has_gaps:
            apart[gaps] = 0
        both = np.maximum(n + m, 1)
        away = np.where(m > 0, own - self._mean, 0.0)
        self._mean = self._mean + away * (m / both)
        self._squares = self._squares + (apart**2).sum(axis=0) + away**2 * (n * m / both)
        self._count = n + m

    @property
    def mean(self) -> np.ndarray:
        equal = self.low == self.high  # their mean may round
        found = np.where(equal, self.low, np.ldexp(self._mean, self._unit))
        return np.where(self._count > 0, found, np.nan)

    @property
    def deviation(self) -> np.ndarray:
        found = np.ldexp(np.sqrt(self._squares / np.maximum(self._count, 1)), self._unit)
        return np.where(self._count > 0, np.where(self.low == self.high, 0.0, found), np.nan)


def statistics(
    batches: Iterable[np.ndarray], shape: tuple[int, int], seed: int, watch: Watcher, *, moments: bool, quartiles: bool
) -> Statistics:
    """Those of rows that are asked for, in one pass; quartiles are of a sample of rows."""
    (n, d), done, parts = shape, 0, []
    found, unknown = Moments(d), np.full(d, np.nan)
    chosen = np.sort(np.random.default_rng(seed).choice(n, min(n, SAMPLE_ROWS), replace=False, shuffle=False))
    with np.errstate(invalid="ignore", over="ignore"):  # what comes of values that are not finite is refused later
        for block in batches:
            if moments:
                found.add(block)
            if quartiles:
                first, last = np.searchsorted(chosen, [done, done + len(block)])
                parts.append(block[chosen[first:last] - done].astype(np.float64))
            done += len(block)
            watch("scale", done, n)
        middle = _quartiles(np.concatenate(parts)) if quartiles else (unknown, unknown)
        return Statistics(found.mean if moments else unknown, found.deviation if moments else unknown, *middle)


def _quartiles(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Median and distance between the quartiles; 0 where that is next to nothing beside the largest value."""
    unit = _exponent(np.where(np.isnan(sample), 0, sample))  # else the largest leave no room
    sample = sample * np.ldexp(1.0, -unit)
    found = np.full((3, sample.shape[1]), np.nan)
    for place, column in enumerate(sample.T):
        values = column[~np.isnan(column)]
        if len(values):
            found[:, place] = np.quantile(values, [0.25, 0.5, 0.75])
    low, middle, high = found
    apart = np.where(high - low < LEAST_APART, 0.0, high - low)
    return np.ldexp(middle, unit), np.ldexp(apart, unit)


def _exponent(block: np.ndarray) -> np.ndarray:
    """Of the least power of two above all values of a column, or `LEAST_EXPONENT` if that is more."""
    return np.maximum(np.frexp(np.abs(block).max(axis=0))[1], LEAST_EXPONENT)
