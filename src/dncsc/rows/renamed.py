"""Rows whose columns go by other names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dncsc.rows.base import Rows


class RenamedRows(Rows):
    """The same rows; `names` are those of the columns, in their order."""

    def __init__(self, rows: Rows, names: Sequence[str]) -> None:
        self._rows = rows
        super().__init__(rows.files, rows.shape, rows.dtype, tuple(names))
        self.kind, self.direct, self.seekable = rows.kind, rows.direct, rows.seekable

    def _read(self, start: int, stop: int) -> np.ndarray:
        return self._rows.read(start, stop)

    def _batches(self, n_rows: int) -> Iterator[np.ndarray]:
        return self._rows.batches(n_rows)

    def fingerprint(self) -> dict[str, Any]:
        return {**self._rows.fingerprint(), "names": list(self.names or ())}
