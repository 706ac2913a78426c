"""Rows of any kind, read block by block, and a sample of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from dncsc.engines.layout import block_rows

SAMPLED_VALUES = 2**26
"""Values kept of a sample at most, whatever the features: 256 MB of float32."""


class Source:
    """Rows in memory or in files: a shape, names of the features, and blocks of finite numbers.

    Parameters
    ----------
    rows : array, frame, sparse matrix, or object with `shape` and `read(start, stop)`
    names : sequence of str, optional
        Names of the features, where the model knows them.
    """

    def __init__(self, rows: Any, names: Any = None) -> None:
        if not hasattr(rows, "shape"):
            rows = np.asarray(rows)
        if len(rows.shape) != 2:
            raise ValueError(f"rows must have two dimensions, rows and features; got the shape {tuple(rows.shape)}.")
        self._rows = rows.tocsr() if scipy.sparse.issparse(rows) else rows
        self.n_rows, self.n_features = (int(side) for side in rows.shape)
        self.kind = _kind(rows)
        for known in (names, getattr(rows, "names", None), getattr(rows, "columns", None)):
            if known is not None and len(known) == self.n_features:
                self.names = [str(name) for name in known]
                break
        else:
            self.names = [f"x{number}" for number in range(self.n_features)]

    def blocks(self) -> Iterator[tuple[int, int, np.ndarray]]:
        """First row, end and values of each block, in order."""
        step = block_rows(self.n_features)
        streamed = None if getattr(self._rows, "seekable", True) else self._rows.batches(step)
        for start in range(0, self.n_rows, step):
            stop = min(start + step, self.n_rows)
            values = _slice(self._rows, start, stop) if streamed is None else next(streamed)
            yield start, stop, self._checked(values, start, stop)

    def _checked(self, values: np.ndarray, start: int, stop: int) -> np.ndarray:
        if values.shape != (stop - start, self.n_features):
            raise ValueError(
                f"rows {start} to {stop} came with the shape {values.shape}, not {(stop - start, self.n_features)}."
            )
        if values.dtype.kind != "f" or values.dtype.itemsize < 4:
            values = values.astype(np.float64)
        if not np.isfinite(values).all():
            line, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"row {start + line} has a value in {self.names[column]!r} that is not finite: no model can have been "
                "fitted to it. Give the rows that the model was fitted to."
            )
        return values


def _slice(rows: Any, start: int, stop: int) -> np.ndarray:
    if hasattr(rows, "read"):
        return np.asarray(rows.read(start, stop))
    if scipy.sparse.issparse(rows):
        return np.asarray(rows[start:stop].toarray())
    if hasattr(rows, "iloc"):
        return np.asarray(rows.iloc[start:stop].to_numpy())
    if hasattr(rows, "to_numpy"):
        return np.asarray(rows[start:stop].to_numpy())
    return np.asarray(rows[start:stop])


def _kind(rows: Any) -> str:
    """What the rows are, for people: "NumPy array of float32"."""
    if hasattr(rows, "read"):
        return "files"
    if isinstance(rows, np.memmap):
        return f"memory-mapped array of {rows.dtype}"
    if isinstance(rows, np.ndarray):
        return f"NumPy array of {rows.dtype}"
    if scipy.sparse.issparse(rows):
        return f"sparse matrix of {rows.dtype}"
    return f"{type(rows).__module__.split('.')[0]} {type(rows).__name__}"


def choose(n_rows: int, n_features: int, most: int) -> np.ndarray:
    """Numbers of at most `most` rows, ascending: one at random from each of as many equal stretches."""
    n_chosen = min(n_rows, most, max(1, SAMPLED_VALUES // n_features))
    if n_chosen == n_rows:
        return np.arange(n_rows)
    place = np.arange(n_chosen) + np.random.default_rng(0).random(n_chosen)
    return np.minimum((place * (n_rows / n_chosen)).astype(np.int64), n_rows - 1)
