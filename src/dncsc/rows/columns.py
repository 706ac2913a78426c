"""Which columns of a table are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from dncsc.errors import ANY_VALUE, InputError
from dncsc.suggest import did_you_mean


class ColumnsError(InputError, TypeError):
    """A table needs another choice of columns.

    `where` is the file. `rule` says what is wrong and what to do; ``{columns}`` stands for the parameter. `columns` are
    those that would do, where they are known.
    """

    def __init__(self, where: str, rule: str, columns: Sequence[str] | None = None) -> None:
        super().__init__(f"{where}: {rule}", (), {"columns": list(columns) if columns else ANY_VALUE})
        self.where, self.rule, self.columns = where, rule, columns
        self.args = (where, rule, columns)


class NotNumbersError(ColumnsError):
    """Columns hold other values than numbers."""


class MissingValueError(InputError):
    """A column of numbers lacks some."""


def checked(columns: Sequence[Any] | None) -> list[Any] | None:
    """Columns that a caller asks for, as a list without repetitions; None for all."""
    if columns is None:
        return None
    if isinstance(columns, (str, int)):
        raise TypeError(f"columns must be a list; for one column give [{columns!r}].")
    chosen = list(columns)
    if not chosen:
        raise ValueError("columns is empty: choose at least one, or give None for all.")
    twice = repeated(chosen)
    if twice:
        raise ValueError(f"columns has {listed(twice)} more than once.")
    return chosen


def column_numbers(columns: Sequence[Any] | None, d: int, where: str) -> list[int] | None:
    """Numbers of chosen columns, in a table whose columns have no names; None for all."""
    if columns is None:
        return None
    for column in columns:
        if isinstance(column, bool) or not isinstance(column, (int, np.integer)):
            raise ValueError(f"{where} has no column names: choose columns by number, 0 to {d - 1}; got {column!r}.")
        if not 0 <= column < d:
            raise ValueError(f"{where} has columns 0 to {d - 1}; there is no column {column}.")
    return [int(column) for column in columns]


def column_names(columns: Sequence[Any] | None, names: Sequence[str], where: str) -> list[str]:
    """Names of chosen columns, or of all, in a table whose columns have names."""
    is_nameless_read = columns is None or "" in columns
    twice = repeated([name for name in names if name or is_nameless_read])
    if twice:
        raise ValueError(f"{where} has more than one column called {listed(twice)}. Rename them: names must differ.")
    if columns is None:
        return list(names)
    known = set(names)
    for column in columns:
        if column not in known:
            hint = did_you_mean(column, names)
            raise ValueError(f"{where} has no column {column!r}.{hint} It has {listed(names, 30)}.")
    return list(columns)


def repeated(values: Sequence[Any]) -> list[Any]:
    """Values that occur more than once, in order of their first places."""
    return [value for value, count in Counter(values).items() if count > 1]


def listed(values: Sequence[Any], most: int = 10) -> str:
    """The first few values for a message."""
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(map(repr, values[:most])) + more
