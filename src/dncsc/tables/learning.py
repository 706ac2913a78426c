"""From what columns hold and what the user wants to the encoding of a table."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dncsc.engines.watch import Watcher
from dncsc.errors import ANY_VALUE, InputError, ParameterError, Worded, shown
from dncsc.tables.cells import without_infinite
from dncsc.tables.encoding import (
    CATEGORICAL,
    CATEGORY_WEIGHT,
    DATES,
    MISSING,
    SCALES,
    CategoryColumn,
    Encoding,
    NumberColumn,
)
from dncsc.tables.notation import Notation, is_mark
from dncsc.tables.profile import (
    CATEGORY,
    COMMA,
    DATE,
    EMPTY,
    GROUPED,
    MOST_VALUES,
    OTHER,
    TEXT,
    TRUTH,
    ColumnProfile,
    is_called_id,
)
from dncsc.tables.statistics import statistics

CHOICES = {"missing": MISSING, "categorical": CATEGORICAL, "dates": DATES, "scale": SCALES}


@dataclass(frozen=True)
class TableOptions:
    """What becomes of gaps, categories, dates and numbers; and what stands between thousands and before decimals in
    text files."""

    missing: str = "refuse"
    categorical: str = "refuse"
    dates: str = "refuse"
    scale: str = "none"
    thousands: str | None = None
    decimal: str | None = None

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                raise ParameterError(name, getattr(self, name), f"must be one of {', '.join(map(repr, known))}")
        rule = "must be one character, such as a comma"
        if not is_mark(self.notation.decimal):
            raise ParameterError("decimal", self.decimal, rule)
        if self.thousands is not None and not is_mark(self.thousands):
            raise ParameterError("thousands", self.thousands, rule)
        if not self.notation.is_sound:
            problem = f"{{thousands}} and {{decimal}} are both {self.thousands!r}: the same character cannot stand"
            raise InputError(f"{problem} between thousands and before decimals.", ("thousands", "decimal"))

    @property
    def notation(self) -> Notation:
        """How numbers are written in text files."""
        return Notation(self.thousands, "." if self.decimal is None else self.decimal)

    @property
    def wants_numbers(self) -> bool:
        """Whether columns have to be numbers, none of them missing."""
        return replace(self, scale="none") == TableOptions()


class UnusableColumnsError(InputError):
    """Columns that no option says what to do with; `profiles` are those of all columns."""

    def __init__(self, profiles: Sequence[ColumnProfile], problems: Sequence[str]) -> None:
        settings = {
            "missing": "median",
            "categorical": "one-hot",
            "dates": "number",
            "thousands": ANY_VALUE,
            "decimal": ANY_VALUE,
        }
        super().__init__(f"columns cannot be used as they are: {'; '.join(problems)}.", (), settings)
        self.profiles = tuple(profiles)


class NumbersLeftOutWarning(Worded, UserWarning):
    """A column that is left out with the texts, though it is meant as numbers."""

    def __init__(self, column: ColumnProfile) -> None:
        why = f"its texts look like {column.looks_like}: {column.advice}"
        if column.misfit is not None:
            row, cell = column.misfit
            why = f"it holds numbers, but not {shown(cell)} in row {row}: correct or empty such cells"
        text = f"column {column.name!r} is left out by {{categorical}}, though {why}."
        super().__init__(text, (), {"categorical": "drop"})
        self.column = column


def planned(profiles: Sequence[ColumnProfile], options: TableOptions) -> Encoding:
    """What columns become, with nothing filled or scaled yet; refused where options do not say what."""
    columns: list[NumberColumn | CategoryColumn] = []
    problems: list[str] = []
    for column in profiles:
        problem = _problem(column, options)
        if problem is not None:
            problems.append(f"{column.name!r} {problem}")
        elif column.kind in (CATEGORY, TEXT) and options.categorical == "drop":
            if column.misfit or column.looks_like:
                warnings.warn(NumbersLeftOutWarning(column), stacklevel=3)
        elif column.kind == CATEGORY and options.categorical == "one-hot":
            fills = options.missing in ("median", "mean")
            columns.append(CategoryColumn(column.name, column.values, fills and column.n_missing > 0))
        elif column.kind in (TRUTH, DATE):
            if column.kind != DATE or options.dates == "number":
                columns.append(NumberColumn(column.name, column.kind))
        else:
            columns.append(NumberColumn(column.name))
    if problems:
        raise UnusableColumnsError(profiles, problems)
    if not columns:
        raise InputError("no column is left as a feature.")
    return Encoding(tuple(columns), options.missing, options.scale, notation=options.notation)


def _problem(column: ColumnProfile, options: TableOptions) -> str | None:
    """Why a column cannot be used, and what could be done; None where it can, or is left out."""
    if column.kind in (EMPTY, OTHER) and not column.looks_like:
        return f"has {'no values' if column.kind == EMPTY else 'values of no known kind'}: leave it out"
    if column.kind == OTHER:
        return f"holds {column.looks_like}: {column.advice}, or leave it out"
    if column.kind == DATE and options.dates != "number":
        return None if options.dates == "drop" else "holds dates: {dates} makes numbers of them, or leave it out"
    if column.kind in (CATEGORY, TEXT) and options.categorical == "drop":
        return None
    if column.kind == TEXT:
        return _problem_of_texts(column)
    if column.kind == CATEGORY and options.categorical == "refuse":
        return "holds texts: {categorical} makes columns of them, or leave it out"
    if column.kind == GROUPED:
        return "holds numbers with thousands: {thousands} reads them"
    if column.kind == COMMA:
        return "holds numbers with a decimal comma: {decimal} reads them"
    if column.n_missing and options.missing == "refuse":
        infinite = f", {column.n_infinite:,} of them infinite" if column.n_infinite else ""
        return f"lacks {column.n_missing:,} of {column.n_rows:,} values{infinite}: {{missing}} fills them"
    return None


def _problem_of_texts(column: ColumnProfile) -> str:
    """Why texts cannot be used that are no category, and what could be done."""
    if column.misfit is not None:
        row, cell = column.misfit
        return f"holds {shown(cell)} in row {row}, which is no number: correct such cells, or leave it out"
    if column.looks_like:
        return f"holds texts that look like {column.looks_like}: {column.advice}, or leave it out"
    if column.is_identifier and not is_called_id(column.name):
        return "holds texts, all different: leave it out"
    if column.n_values is None:
        return f"holds texts, more than {MOST_VALUES} different: leave it out"
    return f"holds texts, {column.n_values} different in {column.n_rows - column.n_missing} rows: leave it out"


def learned(
    encoding: Encoding,
    options: TableOptions,
    batches: Iterable[np.ndarray],
    shape: tuple[int, int],
    seed: int = 0,
    watch: Watcher = lambda *told: None,
) -> Encoding:
    """The encoding with fill values and scales of stored rows, which come in batches."""
    moments, quartiles = options.scale == "standard", options.scale == "robust"
    wanted = {"moments": moments or options.missing == "mean", "quartiles": quartiles or options.missing == "median"}
    if not any(wanted.values()):
        return encoding
    if options.missing != "refuse":
        batches = map(without_infinite, batches)
    found = statistics(batches, shape, seed, watch, **wanted)
    fills = {"median": found.median, "mean": found.mean}.get(options.missing)
    known: dict[str, Any] = {"standard": found[:2], "robust": found[2:]}
    centre, scale = known.get(options.scale, (np.zeros(shape[1]), np.ones(shape[1])))
    columns = []
    for number, column in enumerate(encoding.columns):
        if isinstance(column, NumberColumn):
            fill = None if fills is None else float(fills[number])
            if column.kind == TRUTH and options.categorical == "one-hot":  # as far apart as two categories are
                column = replace(column, fill=fill, scale=1 / (CATEGORY_WEIGHT * math.sqrt(2)))
            else:
                column = _scaled(column, fill, float(centre[number]), float(scale[number]))
        columns.append(column)
    return replace(encoding, columns=tuple(columns))


def _scaled(column: NumberColumn, fill: float | None, centre: float, scale: float) -> NumberColumn:
    if not all(map(math.isfinite, (centre, scale, fill or 0.0))):
        raise ValueError(
            f"column {column.name!r} has values that are not finite, or too large to scale. Remove such rows."
        )
    return replace(column, fill=fill, centre=centre, scale=scale or 1.0)
