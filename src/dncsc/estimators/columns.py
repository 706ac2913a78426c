"""Columns of a table that hold no numbers, found by name: dates, categories, text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import numpy as np

from dncsc.errors import InputError, NotNumericError
from dncsc.rows.columns import listed, repeated
from dncsc.rows.raw import REAL

SPANS = "spans of time"
NO_NUMBERS = {
    **dict.fromkeys(("date", "timestamp"), "dates"),
    **dict.fromkeys(("timedelta", "duration"), SPANS),
    **{"time": "times", "complex": "complex numbers", "list": "lists", "struct": "records"},
}
"""Beginnings of types, as pandas, polars and Arrow call them, of which no value is a real number."""

TEXT_OR_TIME = str | bytes | date | timedelta
"""What is looked for in arrays of objects; about others scikit-learn has its own words."""


def refuse_types(X: Any) -> None:
    """Refuse a frame that is none yet, has no columns, or has some of a type that is not numbers.

    Dates in particular: some frames would give them as numbers. Text may still be that of numbers, as it may in arrays.
    """
    if type(X).__name__ == "LazyFrame":
        raise InputError("X is a polars LazyFrame, which has no rows yet. Give X.collect().")
    types = _types(X)
    if types is not None and not types:
        raise InputError("X has no columns: there is nothing to cluster.")
    if hasattr(X, "iloc") and types is not None and (twice := repeated(X.columns)):
        raise InputError(f"X has more than one column called {listed(twice)}. Rename them: names must differ.")
    if any(_no_numbers(each) for each in set(types or ())):
        raise NotNumericError(find_no_numbers(X))


def find_no_numbers(X: Any) -> dict[Any, str]:
    """Columns of a table that hold no numbers, by name or number, and what they hold; empty if X is no table."""
    found = {}
    for name, dtype, column in _columns(X):
        if _no_numbers(dtype):
            found[name] = words(dtype)
        elif getattr(dtype, "kind", "O") not in REAL:
            values, kinds = np.asarray(column), object if _types(X) is not None else TEXT_OR_TIME
            is_text = values.dtype.kind in "US"  # of which NumPy makes no numbers, whatever it says
            for row, value in enumerate(values if is_text or values.dtype == object else ()):
                if isinstance(value, kinds) and (is_text or not _is_number(value)):
                    text = repr(value.item() if isinstance(value, np.generic) else value)
                    found[name] = f"{text if len(text) <= 60 else f'{text[:57]}...'} in row {row} ({dtype})"
                    break
    return found


def words(dtype: Any) -> str:
    """What a column of a type holds that is not numbers."""
    what = _no_numbers(dtype) or "no numbers"
    return f"{what} ({dtype}){', of which dt.total_seconds() makes numbers' if what == SPANS else ''}"


def _no_numbers(dtype: Any) -> str | None:
    text = str(dtype).lower()
    return next((what for start, what in NO_NUMBERS.items() if text.startswith(start)), None)


def _types(X: Any) -> list[Any] | None:
    """Types of the columns of a frame of pandas, polars or Arrow; None for all else."""
    if type(X).__module__.split(".")[0] not in ("pandas", "polars", "pyarrow") or len(getattr(X, "shape", ())) != 2:
        return None
    return list(X.dtypes if hasattr(X, "dtypes") else X.schema.types)


def _columns(X: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Name, type and values of each column; a number for the name where X is no frame."""
    types = _types(X)
    if types is not None:
        names = X.columns if hasattr(X, "dtypes") else X.schema.names
        for number, (name, dtype) in enumerate(zip(names, types, strict=True)):
            yield name, dtype, X.iloc[:, number] if hasattr(X, "iloc") else X[name]
        return
    try:
        table = np.asarray(X, None if isinstance(X, np.ndarray) else object)  # lists would become text as a whole
    except ValueError:  # ragged
        return
    for number, column in enumerate(table.T if table.ndim == 2 and table.dtype.kind in "OUS" else ()):
        yield number, table.dtype, column


def _is_number(value: Any) -> bool:
    """Whether NumPy makes a number of it: it does of None, and of "1.5"."""
    try:
        return value is None or (not isinstance(value, np.ndarray) and float(value) is not None)
    except (TypeError, ValueError):
        return False
