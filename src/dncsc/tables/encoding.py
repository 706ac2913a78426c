"""What each column of a table becomes: a record that is learned from rows, applied block by block, and kept in models.

Columns are first *stored* as numbers, one for each column: a number, days, the place of a value among those of its
category, -1 for a value that is none of them, and NaN for what is missing. Features are computed from these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from dncsc.errors import InputError, shown
from dncsc.rows.values import arrow
from dncsc.tables import cells as reading
from dncsc.tables.notation import NOTATIONS, PLAIN, Notation

CATEGORY_WEIGHT = 0.5
"""What a one-hot column has for its value: two rows that differ in one category are 0.7 standard deviations apart. With
more, clusters are cells of categories; with less, categories that go with groups are lost (docs/notes/tables.md)."""

MISSING = ("refuse", "drop", "median", "mean")
CATEGORICAL = ("refuse", "one-hot", "drop")
DATES = ("refuse", "drop", "number")
SCALES = ("none", "standard", "robust")

NUMBER = "number"
KINDS = (NUMBER, "true/false", "date")
"""Of columns that become one feature."""


class CellError(InputError):
    """A cell of a column that is something else than the others: which row, what it holds, and what it should be."""

    def __init__(self, column: str, cells: Any, row: int, cell: Any, what: str) -> None:
        self.column, self.row, self.cell, self.what = column, row, cell, what
        self.marks = _marks_of(cells, row) if what == NUMBER and reading.is_textual(cells) else {}
        marks = ", ".join(f"{name}={mark!r}" for name, mark in self.marks.items())
        hint = f" Make numbers of such texts, as pandas.read_csv({marks}) does." if marks else ""
        super().__init__(f"{self.problem(row)}{hint}")

    def problem(self, row: int) -> str:
        """What is wrong, with this number of the row."""
        return f"column {self.column!r} holds {shown(self.cell)} in row {row}, which is no {self.what}."


def _marks_of(texts: Any, row: int) -> dict[str, str]:
    """What has to be known to read texts as numbers: the notation that fits most; empty if that of a row is none so."""
    found = max(NOTATIONS, key=lambda each: each.matches(texts).true_count)
    if not found.fits(texts[row : row + 1]):
        return {}
    return found.marks or {"decimal": found.decimal}


@dataclass(frozen=True)
class NumberColumn:
    """A column that becomes one feature: ``(x - centre) / scale``, where a missing x is the fill value."""

    name: str
    kind: str = NUMBER
    fill: float | None = None
    centre: float = 0.0
    scale: float = 1.0

    @property
    def feature_names(self) -> tuple[str, ...]:
        return (self.name,)

    def read(self, column: Any, notation: Notation, is_text: bool = False) -> np.ndarray:
        """Cells of any form, perhaps of a text file, as numbers, NaN for those that are missing or infinite."""
        cells = reading.as_cells(column, is_text)
        read = partial(_READERS[self.kind], notation=notation)
        found = read(cells)
        if found is None:
            what = {"date": "date as 2024-12-31", "true/false": "truth value"}.get(self.kind, NUMBER)
            raise CellError(self.name, cells, *reading.first_misfit(cells, read), what)
        return reading.without_infinite(found)


@dataclass(frozen=True)
class CategoryColumn:
    """A column that becomes one feature for each of its values; that missing is a value too if it `has_gaps`."""

    name: str
    values: tuple[str, ...]
    has_gaps: bool = False
    kind: ClassVar[str] = "category"

    @property
    def feature_names(self) -> tuple[str, ...]:
        gaps = (f"{self.name} is missing",) if self.has_gaps else ()
        return (*(f"{self.name}={value}" for value in self.values), *gaps)

    def read(self, column: Any, notation: Notation, is_text: bool = False) -> np.ndarray:
        """Places of cells among the values, -1 for none of them, and NaN where the cell is missing."""
        pa, compute = arrow(), arrow("pyarrow.compute")
        cells = reading.texts(reading.as_cells(column, is_text, self.values))
        if cells is None:
            raise InputError(f"column {self.name!r} holds values that are no texts.")
        places = compute.index_in(cells, value_set=pa.array(self.values, pa.string())).cast(pa.float64())
        found = reading.as_floats(compute.fill_null(places, -1.0))
        return np.where(cells.is_null().to_numpy(zero_copy_only=False), np.nan, found)


def _truth_or_number(cells: Any, notation: Notation) -> np.ndarray | None:
    found = reading.truth_values(cells)
    return reading.numbers(cells, notation) if found is None else found


_READERS: dict[str, Callable[..., np.ndarray | None]] = {
    NUMBER: reading.numbers,
    "true/false": _truth_or_number,
    "date": lambda cells, notation: reading.days(cells),
}


@dataclass(frozen=True)
class Encoding:
    """What each column becomes, in order; `missing` and `scale` say how gaps and numbers were treated, and `notation`
    how numbers are written in text files."""

    columns: tuple[NumberColumn | CategoryColumn, ...]
    missing: str = "refuse"
    scale: str = "none"
    weight: float = CATEGORY_WEIGHT
    notation: Notation = PLAIN

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def drops_rows(self) -> bool:
        """Whether rows with a missing value are left out."""
        return self.missing == "drop"

    @property
    def fills_gaps(self) -> bool:
        """Whether missing values are filled, or make a category."""
        return self.missing in ("median", "mean")

    @property
    def is_plain(self) -> bool:
        """Whether all columns have to be numbers as they are usually written, none of them missing."""
        are_numbers = all(column.kind == NUMBER for column in self.columns)
        return self.missing == "refuse" and self.notation.is_plain and are_numbers

    @property
    def number_columns(self) -> list[int]:
        """Which columns become one feature each."""
        return [number for _, number, column in self._starts if isinstance(column, NumberColumn)]

    @property
    def units(self) -> tuple[np.ndarray, np.ndarray]:
        """Centre and scale that lead back from features to the table: numbers as they were, a category as 0 or 1."""
        m = len(self.feature_names)
        centre, scale = np.zeros(m), np.full(m, 1 / self.weight)
        places, _, (_, centre[places], scale[places]) = self._numbers
        return centre, scale

    def readers(self, is_text: bool = False) -> tuple[Callable[[Any], np.ndarray], ...]:
        """What reads the cells of each column; in text files words such as NA stand for gaps."""
        return tuple(partial(column.read, notation=self.notation, is_text=is_text) for column in self.columns)

    def encode(self, stored: np.ndarray) -> np.ndarray:
        """Features of rows from their stored numbers, in float64; missing ones are NaN where nothing fills them."""
        features = np.empty((len(stored), len(self.feature_names)))
        places, numbers, (fill, centre, scale) = self._numbers
        values = stored[:, numbers].astype(np.float64)
        if not np.isnan(fill).all():
            values = np.where(np.isfinite(values), values, fill)
        # A power of two: the same digits, and no difference overflows.
        factor = np.where(scale > 1, 0.25, 1.0)
        features[:, places] = (values * factor - centre * factor) / (scale * factor)
        for place, number, column in self._categories:
            codes = stored[:, number].astype(np.float64)
            gaps, m = np.isnan(codes), len(column.feature_names)
            if column.has_gaps:
                codes[gaps] = m - 1
            features[:, place : place + m] = np.where(codes[:, None] == np.arange(m), self.weight, 0.0)
            if not self.fills_gaps:  # else one that the fit did not see is a value that it did not see
                features[gaps, place : place + m] = np.nan
        return features

    @cached_property
    def _numbers(self) -> tuple[Any, Any, np.ndarray]:
        """Of columns of numbers: places among the features, numbers among the columns; fill, centre, scale of each."""
        found = [each for each in self._starts if isinstance(each[2], NumberColumn)]
        about = [[np.nan if c.fill is None else c.fill, c.centre, c.scale] for _, _, c in found]
        table = np.array(about).reshape(-1, 3).T
        if len(found) == len(self.columns):
            return slice(None), slice(None), table  # which costs less than all of them one by one
        return [place for place, _, _ in found], [number for _, number, _ in found], table

    @cached_property
    def _categories(self) -> list[tuple[int, int, Any]]:
        return [each for each in self._starts if isinstance(each[2], CategoryColumn)]

    @property
    def _starts(self) -> list[tuple[int, int, Any]]:
        """Of each column its first place among the features, its number, and what it becomes."""
        widths = [len(column.feature_names) for column in self.columns]
        starts = np.cumsum([0, *widths])[:-1].tolist()
        return [(start, n, column) for n, (start, column) in enumerate(zip(starts, self.columns, strict=True))]
