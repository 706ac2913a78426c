"""Values of columns in other forms: Arrow's columns as rows, and one column as texts, Arrow array or numbers."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

from dncsc.rows.columns import MissingValueError

TILE_BYTES = 2**21
"""Of rows that are filled column by column before the next ones: few enough for the cache, but not a few."""


@cache
def arrow(module: str = "pyarrow") -> Any:
    """pyarrow, or a module of it, imported when a file needs it."""
    try:
        importlib.import_module("pyarrow")
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError('files and tables of this kind are read by pyarrow: pip install "dncsc[io]"') from error


def numpy_type(kind: Any) -> np.dtype[Any] | None:
    """The dtype of an Arrow type's values as numbers; None if they are none."""
    types = arrow("pyarrow.types")
    if types.is_dictionary(kind):
        return numpy_type(kind.value_type)
    if types.is_decimal(kind):
        return np.dtype(np.float64)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return np.dtype(kind.to_pandas_dtype())
    return None


def side_by_side(columns: Sequence[np.ndarray], dtype: np.dtype[Any]) -> np.ndarray:
    """Columns as rows."""
    rows = np.empty((len(columns[0]), len(columns)), dtype)
    step = max(1, TILE_BYTES // max(1, rows.itemsize * len(columns)))
    for first in range(0, len(rows), step):
        for number, column in enumerate(columns):
            rows[first : first + step, number] = column[first : first + step]
    return rows


def as_array(column: Any, name: str, start: int, where: str) -> np.ndarray:
    """One column as an array; a missing value is refused."""
    types = arrow("pyarrow.types")
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    refuse_missing(column, name, start, where)
    if types.is_decimal(column.type):
        column = column.cast(arrow().float64())
    return column.to_numpy(zero_copy_only=False)


def refuse_missing(column: Any, name: str | int, start: int, where: str) -> None:
    """Say where values are missing, if some are; `start` is the number of the first row."""
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        raise MissingValueError(
            f"{where}: column {name!r} has no value in row {start + missing[0]}; {len(missing)} of the {len(column)} "
            f"values from row {start} on are missing. Fill them, drop these rows, or choose other columns."
        )


class ColumnOverflowError(ValueError):
    """A column has values that an output format, or the type of the other files, cannot hold."""

    def __init__(self, column: str, problem: str, advice: str) -> None:
        super().__init__(f"column {column!r} {problem}. {advice}.")


def as_texts(column: Any) -> list[Any]:
    """Values that become text as they should; None for a missing one. Bytes are decoded as UTF-8."""
    if isinstance(column, list):
        return column
    if not isinstance(column, np.ndarray):
        values: list[Any] = column.to_pylist()
    elif column.dtype.kind in "biuSU":
        values = column.tolist()
    else:  # the shortest digits of a float32 are not those of the float64 it becomes, and times would become numbers
        values = column.astype(str).tolist()
    return [value.decode(errors="backslashreplace") if isinstance(value, bytes) else value for value in values]


def as_arrow(column: Any) -> Any:
    """Values as an Arrow array; those of NumPy types that Arrow does not have, as text."""
    pa = arrow()
    if isinstance(column, list):
        return pa.array(column, pa.string())
    if not isinstance(column, np.ndarray):
        return column.dictionary_decode() if arrow("pyarrow.types").is_dictionary(column.type) else column
    native = column.astype(column.dtype.newbyteorder("="), copy=False)
    if native.dtype.kind not in "SU":
        with suppress(pa.ArrowNotImplementedError):
            return pa.array(native)
    return pa.array(as_texts(native), pa.string())


def as_numbers(name: str, column: Any) -> np.ndarray | None:
    """Values as an array of numbers; None for other values.

    Integers with missing values become floats; those that no float is equal to are refused.
    """
    if isinstance(column, list):
        return None
    if isinstance(column, np.ndarray):
        return column if column.dtype.kind in "biuf" else None
    pa, types = arrow(), arrow("pyarrow.types")
    if not (types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type)):
        return None
    if column.null_count and not types.is_floating(column.type):
        try:
            column = column.cast(pa.float64())
        except pa.ArrowInvalid as error:
            raise no_array(name, "has gaps, and integers that no float is equal to") from error
    return np.asarray(column.to_numpy(zero_copy_only=False))


def no_array(name: str, problem: str) -> ColumnOverflowError:
    """The error for a column that no NumPy array holds."""
    advice = "Write .csv or .parquet instead"
    return ColumnOverflowError(name, f"{problem}, for which an .npz file has no place", advice)
