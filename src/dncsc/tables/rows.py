"""Rows of files whose features are computed on the way, and rows without those that lack a value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dncsc.engines.frame import working_dtype
from dncsc.errors import InputError
from dncsc.rows import Rows
from dncsc.rows.base import BATCH_ROWS, StreamRows
from dncsc.tables.encoding import Encoding


class EncodedRows(Rows):
    """Features of rows, computed from their stored numbers as these are read."""

    def __init__(self, stored: Rows, encoding: Encoding) -> None:
        self.source, self.encoding = stored, encoding
        names = None if stored.names is None else encoding.feature_names
        shape = stored.shape[0], len(encoding.feature_names)
        super().__init__(stored.files, shape, working_dtype(stored.dtype), names)
        self.direct, self.seekable = stored.direct, stored.seekable

    def _read(self, start: int, stop: int) -> np.ndarray:
        return self._encoded(self.source.read(start, stop))

    def _batches(self, n_rows: int) -> Iterator[np.ndarray]:
        return map(self._encoded, self.source.batches(n_rows))

    @property
    def stored(self) -> Rows:
        """The rows that are read, if they are as wide: what is copied to be read again is as wide as the features."""
        return self.source if self.source.shape == self.shape else self

    def computed(self, stored: np.ndarray) -> np.ndarray:
        return stored if self.stored is self else self._encoded(stored)

    def _encoded(self, stored: np.ndarray) -> np.ndarray:
        return self.encoding.encode(stored).astype(self.dtype)


class CompleteRows(StreamRows):
    """Rows without those that lack a value, of which `kept` says which these are, for all rows."""

    def __init__(self, rows: Rows, kept: np.ndarray) -> None:
        if not kept.any():
            raise InputError("every row lacks a value: nothing is left to cluster. Fill values, or leave columns out.")
        self.source, self.kept = rows, kept
        super().__init__(rows.files, (int(kept.sum()), rows.shape[1]), rows.dtype, rows.names)

    def _slices(self) -> Iterator[np.ndarray]:
        start = 0
        for batch in self.source.batches():
            yield batch[self.kept[start : start + len(batch)]]
            start += len(batch)


def complete(rows: Rows) -> np.ndarray:
    """Whether each row has all its values."""
    kept = [np.isfinite(batch).all(axis=1) for batch in rows.batches(BATCH_ROWS)]
    return np.concatenate(kept)
