"""Rows scaled on the way: centre and scale of each column are found in one pass, and kept with the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dncsc.engines.frame import working_dtype
from dncsc.engines.watch import Watcher
from dncsc.rows import Rows

SCALING_ROWS = 100_000
"""Rows that medians and quartiles are taken from."""

LEAST_EXPONENT = -1000
"""Of the powers of two that columns are multiplied by the inverse of: that of a smaller one would overflow."""


class ScaledRows(Rows):
    """Rows whose columns are centred and scaled as they are read: ``(x - centre) / scale``."""

    def __init__(self, rows: Rows, centre: Any, scale: Any) -> None:
        self._rows = rows
        self.centre, self.scale = np.asarray(centre, np.float64), np.asarray(scale, np.float64)
        # A power of two: the same digits, and no difference overflows.
        self._factor = np.where(self.scale > 1, 0.25, 1.0)
        super().__init__(rows.files, rows.shape, working_dtype(rows.dtype), rows.names)
        self.direct, self.seekable = rows.direct, rows.seekable

    def _read(self, start: int, stop: int) -> np.ndarray:
        return self.computed(self.stored.read(start, stop))

    def _batches(self, n_rows: int) -> Iterator[np.ndarray]:
        return map(self.computed, self.stored.batches(n_rows))

    @property
    def stored(self) -> Rows:
        return self._rows

    def computed(self, stored: np.ndarray) -> np.ndarray:
        moved = stored * self._factor - self.centre * self._factor
        return (moved / (self.scale * self._factor)).astype(self.dtype)


def scaled(rows: Rows, how: str, seed: int, watch: Watcher) -> tuple[Rows, dict[str, Any] | None]:
    """Rows scaled as asked, and what a model has to remember about it."""
    if how == "none":
        return rows, None
    with np.errstate(invalid="ignore", over="ignore"):  # what comes of values that are not finite is refused below
        centre, scale = _moments(rows, watch) if how == "standard" else _quartiles(rows, seed, watch)
    scale = np.where(scale == 0, 1.0, scale)
    if not (np.isfinite(centre).all() and np.isfinite(scale).all()):
        column = int(np.flatnonzero(~(np.isfinite(centre) & np.isfinite(scale)))[0])
        name = column if rows.names is None else repr(rows.names[column])
        raise ValueError(f"column {name} has values that are not finite, or too large to scale. Remove such rows.")
    return ScaledRows(rows, centre, scale), {"how": how, "centre": centre.tolist(), "scale": scale.tolist()}


def as_remembered(rows: Rows, remembered: Any) -> Rows:
    """Rows scaled as those that a model was fitted to; what the model's file says is checked."""
    if remembered is None:
        return rows
    try:
        centre, scale = (np.asarray(remembered[name], np.float64) for name in ("centre", "scale"))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("the model's file does not say how columns are scaled, though it should.") from error
    fits = centre.shape == scale.shape == rows.shape[1:]
    if not fits or not np.isfinite([centre, scale]).all() or (scale <= 0).any():
        raise ValueError(f"the model's file says how to scale columns, but not for {rows.shape[1]} of them.")
    return ScaledRows(rows, centre, scale)


def _moments(rows: Rows, watch: Watcher) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation; batches are joined by Chan's rule, which does not cancel.

    Columns are seen as multiples of a power of two that is above their values so far, so that no square overflows or
    vanishes.
    """
    d = rows.shape[1]
    n, mean, squares, low, high = 0, np.zeros(d), np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf)
    unit = np.full(d, LEAST_EXPONENT)
    for block in rows.batches():
        block = block.astype(np.float64)
        low, high = np.minimum(low, block.min(axis=0)), np.maximum(high, block.max(axis=0))
        before, unit = unit, np.maximum(unit, _exponent(block))
        mean, squares = np.ldexp(mean, before - unit), np.ldexp(squares, 2 * (before - unit))
        block *= np.ldexp(1.0, -unit)
        own, m = block.mean(axis=0), len(block)
        step = own - mean
        mean = mean + step * (m / (n + m))
        squares = squares + ((block - own) ** 2).sum(axis=0) + step**2 * (n * m / (n + m))
        n += m
        watch("scale", n, rows.shape[0])
    equal = low == high  # their mean may round
    return np.where(equal, low, np.ldexp(mean, unit)), np.where(equal, 0.0, np.ldexp(np.sqrt(squares / n), unit))


def _quartiles(rows: Rows, seed: int, watch: Watcher) -> tuple[np.ndarray, np.ndarray]:
    """Median and distance between the quartiles, of a sample of rows."""
    random, n, done, parts = np.random.default_rng(seed), rows.shape[0], 0, []
    chosen = np.sort(random.choice(n, min(n, SCALING_ROWS), replace=False, shuffle=False))
    for block in rows.batches():
        first, last = np.searchsorted(chosen, [done, done + len(block)])
        parts.append(block[chosen[first:last] - done].astype(np.float64))
        done += len(block)
        watch("scale", done, n)
    sample = np.concatenate(parts)
    unit = _exponent(sample)  # between the largest numbers there is no room to interpolate
    low, middle, high = np.quantile(sample * np.ldexp(1.0, -unit), [0.25, 0.5, 0.75], axis=0)
    return np.ldexp(middle, unit), np.ldexp(high - low, unit)


def _exponent(block: np.ndarray) -> np.ndarray:
    """Of the least power of two above all values of a column, or `LEAST_EXPONENT` if that is more."""
    return np.maximum(np.frexp(np.abs(block).max(axis=0))[1], LEAST_EXPONENT)
