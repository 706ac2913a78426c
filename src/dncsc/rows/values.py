"""Values of one column as texts, as an Arrow array, or as an array of numbers."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from dncsc.rows.arrow import arrow


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
