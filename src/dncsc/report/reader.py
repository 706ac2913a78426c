"""Rows of any kind, read block by block, and a sample of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

from dncsc.engines.layout import block_rows

SAMPLED_VALUES = 2**26
"""Values of a sample at most, for any number of features: 256 MB of float32."""

StepProgress = Callable[[str, float], None]
"""Called with a step of the report and the share of it that is done."""


class BlockReader:
    """Rows in memory or in files: their shape, names of the features, and blocks of finite numbers.

    Parameters
    ----------
    rows : array, frame, sparse matrix, or object with `shape` and `read(start, stop)`
    names : sequence of str, optional
        Names of the features, where the model knows them.
    progress : callable, optional
        Called after each block.
    """

    def __init__(self, rows: Any, names: Any = None, progress: StepProgress | None = None) -> None:
        rows = rows if hasattr(rows, "shape") else np.asarray(rows)
        if len(rows.shape) != 2:
            raise ValueError(f"rows must have two dimensions, rows and features; got the shape {tuple(rows.shape)}.")
        self.container = _container(rows)
        self.shape = self.n_rows, self.n_features = int(rows.shape[0]), int(rows.shape[1])
        self.progress: StepProgress = progress or (lambda step, done: None)
        self._rows = rows.tocsr() if scipy.sparse.issparse(rows) else rows
        known = (names, getattr(rows, "names", None), getattr(rows, "columns", None), range(self.n_features))
        found = next(each for each in known if each is not None and len(each) == self.n_features)
        self.names = [f"x{name}" if isinstance(found, range) else str(name) for name in found]

    def blocks(self, step: str) -> Iterator[tuple[int, int, np.ndarray]]:
        """First row, end and values of each block, in order."""
        size = block_rows(self.n_features)
        streamed = None if getattr(self._rows, "seekable", True) else self._rows.batches(size)
        for start in range(0, self.n_rows, size):
            stop = min(start + size, self.n_rows)
            values = _slice(self._rows, start, stop) if streamed is None else next(streamed)
            yield start, stop, self._checked(values, start, stop)
            self.progress(step, stop / self.n_rows)

    def _checked(self, values: np.ndarray, start: int, stop: int) -> np.ndarray:
        if values.shape != (stop - start, self.n_features):
            raise ValueError(
                f"rows {start} to {stop} came with the shape {values.shape}, not {(stop - start, self.n_features)}."
            )
        if values.dtype.kind != "f" or values.dtype.itemsize < 4:
            values = values.astype(np.float64)
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"row {start + row} has a value in {self.names[column]!r} that is not finite: no model can have been "
                "fitted to it. Give the rows that the model was fitted to."
            )
        return values


def _slice(rows: Any, start: int, stop: int) -> np.ndarray:
    if hasattr(rows, "read"):
        return np.asarray(rows.read(start, stop))
    some = (rows.iloc if hasattr(rows, "iloc") else rows)[start:stop]
    return some.toarray() if scipy.sparse.issparse(some) else np.asarray(some)


def _container(rows: Any) -> str:
    """What the rows are kept in: "numpy ndarray of float32"."""
    if hasattr(rows, "read"):
        return "files"
    values = f" of {rows.dtype}" if hasattr(rows, "dtype") else ""
    return f"{type(rows).__module__.split('.')[0]} {type(rows).__name__}{values}"


def sample_numbers(n_rows: int, n_features: int, most: int) -> np.ndarray:
    """Numbers of at most `most` rows, ascending: a random one from each of as many equal intervals."""
    n_chosen = min(n_rows, most, max(1, SAMPLED_VALUES // n_features))
    if n_chosen == n_rows:
        return np.arange(n_rows)
    place = np.arange(n_chosen) + np.random.default_rng(0).random(n_chosen)
    return np.minimum((place * (n_rows / n_chosen)).astype(np.int64), n_rows - 1)
