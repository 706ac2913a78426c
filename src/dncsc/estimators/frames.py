"""Data frames read block by block: of columns of several types, an array would be a copy as wide as the widest."""

from __future__ import annotations

from typing import Any

import numpy as np

from dncsc.rows.raw import REAL
from dncsc.rows.values import side_by_side


class FrameRows:
    """Columns of numbers, side by side in a block only. Each block has the type that holds the values of all columns.

    Use `of`, which knows which frames are better read in this way.
    """

    ndim = 2

    def __init__(self, columns: list[np.ndarray]) -> None:
        self.shape = len(columns[0]), len(columns)
        self.dtype: np.dtype[Any] = np.result_type(*(column.dtype for column in columns))
        self._columns = columns

    @classmethod
    def of(cls, X: Any) -> FrameRows | None:
        """The rows of a frame; None for all that can be an array without a copy, or has other columns than numbers."""
        kind = type(X).__module__.split(".")[0]
        if kind not in ("pandas", "polars") or len(getattr(X, "shape", ())) != 2 or 0 in X.shape:
            return None
        columns = _of_pandas(X) if kind == "pandas" else _of_polars(X)
        return None if columns is None else cls(columns)

    def read(self, start: int, stop: int) -> np.ndarray:
        return side_by_side([column[start:stop] for column in self._columns], self.dtype)


def _of_pandas(X: Any) -> list[np.ndarray] | None:
    if not all(isinstance(dtype, np.dtype) and dtype.kind in REAL for dtype in X.dtypes):
        return None
    columns = [X.iloc[:, number].to_numpy() for number in range(X.shape[1])]
    first = columns[0]
    together = first.base is not None and all(column.base is first.base for column in columns)
    return None if together and X.dtypes.nunique() == 1 else columns


def _of_polars(X: Any) -> list[np.ndarray] | None:
    columns = X.get_columns()
    for column in columns:
        kind = column.dtype
        if column.null_count() or not (kind.is_integer() or kind.is_float() or str(kind) == "Boolean"):
            return None
    return [column.to_numpy() for column in columns]
