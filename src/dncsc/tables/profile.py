"""What the columns of a table hold, found in one pass: kind, values, spread, gaps, and what looks like an id."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dncsc.rows.dialect import MARKS_FOR_MISSING
from dncsc.rows.values import arrow
from dncsc.tables import cells as reading
from dncsc.tables.looks import DURATIONS, Looks, Slips
from dncsc.tables.notation import NOTATIONS, PLAIN, Notation, fitting
from dncsc.tables.statistics import Moments

NUMBER, WHOLE, TRUTH, DATE, GROUPED = "number", "whole number", "true/false", "date", "number with thousands"
COMMA = "number with decimal comma"
NUMBERS = (NUMBER, GROUPED, COMMA)
CATEGORY, TEXT, OTHER, EMPTY = "category", "text", "other values", "empty"

MOST_VALUES = 100
"""That a category may have, and no more than one for two rows: a column of more different texts is text."""

FEW_VALUES = 10
"""Of texts that look like money, percents or dates, or are nearly all numbers: with more they are no category."""

NEARLY_ALL = 0.9
"""Share of the cells that are numbers from which on the others look like slips."""

LEAST_ID_ROWS = 5
"""That an id has to have: fewer values differ, or go up, by accident."""

ID_DENSITY = 10
"""Whole numbers that differ look like an id if their range is at most so many times their count: others measure."""

ID_NAME = re.compile(r"(^|[\W_])(?i:id|uuid|guid)$|[a-z\d]I[dD]$")
"""How names of ids end: id, client_id, Client ID, clientId."""

WIDER = {
    "": (NUMBER, TRUTH, DATE, GROUPED, COMMA, TEXT),
    NUMBER: (NUMBER, GROUPED, COMMA, TEXT),
    GROUPED: (GROUPED, COMMA, TEXT),
    **{kind: (kind, TEXT) for kind in (TRUTH, DATE, COMMA)},
    TEXT: (TEXT,),
}
"""What a column may be, by what its cells so far are: the first that fits is chosen."""


@dataclass(frozen=True)
class ColumnProfile:
    """What one column holds. Dates are days since 1970-01-01; what is not known of a kind is NaN."""

    name: str
    kind: str
    n_rows: int
    n_missing: int
    values: tuple[str, ...] = ()
    """of a category, sorted"""
    low: float = np.nan
    high: float = np.nan
    deviation: float = np.nan
    counts_up: bool = False
    """whether whole numbers go up by 1 from row to row"""
    is_identifier: bool = False
    """whether it looks like an id: whole numbers that go up, values that all differ, or many under the name of one"""
    n_infinite: int = 0
    """of the values that are missing, those that are infinite"""
    n_values: int | None = None
    """of texts, how many differ; None for more than a category may have"""
    looks_like: str = ""
    """of texts that are no category, what they are meant as"""
    advice: str = ""
    """what to do about them"""
    misfit: tuple[int, str] | None = None
    """where nearly all texts are numbers, row and letters of the first that is none"""
    notations: tuple[Notation, ...] = ()
    """those that all numbers of a text file may be written in"""

    @property
    def is_constant(self) -> bool:
        """Whether all cells that have a value have the same."""
        return len(self.values) == 1 or self.low == self.high


def is_called_id(name: str) -> bool:
    """Whether a column has the name of an id."""
    return ID_NAME.search(name) is not None


def profile(
    blocks: Iterable[Sequence[Any]],
    names: Sequence[str],
    is_text: bool = False,
    notation: Notation = PLAIN,
) -> tuple[ColumnProfile, ...]:
    """Profiles of all columns of a table.

    Parameters
    ----------
    blocks : iterable of sequences of columns
        Rows, some at a time: their columns in the order of `names`, as `dncsc.rows.formats.read_columns` has them.
    names : sequence of str
        Of the columns.
    is_text : bool, default=False
        Whether columns are cells of a text file, so that only their letters show what they are.
    notation : Notation, optional
        How numbers are written in text files.

    Returns
    -------
    tuple of ColumnProfile
    """
    columns = [_Column(name, is_text, notation) for name in names]
    moments = Moments(len(names))
    with np.errstate(invalid="ignore", over="ignore"):
        for block in blocks:
            found = [column.add(cells) for column, cells in zip(columns, block, strict=True)]
            if len(found[0]):
                moments.add(np.stack(found, axis=1))
        spread = zip(columns, moments.low, moments.high, moments.deviation, strict=True)
        return tuple(column.profile(*map(float, numbers)) for column, *numbers in spread)


class _Column:
    """What is known of a column so far."""

    def __init__(self, name: str, is_text: bool, notation: Notation) -> None:
        self.name, self.kind, self.is_text = name, "", is_text
        self.n_rows = self.n_missing = self.n_infinite = 0
        self.is_duration = False
        self.looks, self.slips = Looks(), Slips(NOTATIONS if notation.is_plain else (notation,))
        self.is_plain, self.notations = notation.is_plain, NOTATIONS if is_text else ()
        self.values: set[str] | None = set()
        self.marks, self.may_be_marks = Counter[str](), True
        self.is_textual = self.all_differ = self.is_whole = self.goes_up = self.counts_up = True
        self.last = np.nan
        self._readers: dict[str, Callable[[Any], np.ndarray | None]] = {
            NUMBER: partial(reading.numbers, notation=notation) if is_text else _typed_numbers,
            TRUTH: reading.truth_values,
            DATE: reading.days,
            GROUPED: partial(self._read_otherwise, "."),
            COMMA: partial(self._read_otherwise, ","),
            TEXT: lambda cells: np.full(len(cells), np.nan),
        }

    def add(self, column: Any) -> np.ndarray:
        """Take in the next cells; they are given back as numbers, NaN where they are none."""
        cells = reading.as_cells(reading.without_codes(column), self.is_text)
        self._count_marks(column)
        n_missing, found = cells.null_count, np.full(len(cells), np.nan)
        if n_missing < len(cells):
            self.notations = fitting(self.notations, cells)
            for kind in WIDER[self.kind]:
                read = self._readers[kind](cells)
                if read is not None:
                    self.kind, found = kind, reading.without_infinite(read)
                    self.n_infinite += int(np.isinf(read).sum())
                    break
            if self.kind in NUMBERS:
                n_missing = int(np.isnan(found).sum())
            self._look_at_texts(cells)
        self.n_rows, self.n_missing = self.n_rows + len(cells), self.n_missing + n_missing
        self._count_values(cells)
        self._look_for_order(cells, found[~np.isnan(found)])
        return found

    def _count_marks(self, column: Any) -> None:
        """Remember marks such as - in text files, which are gaps but where texts are marks themselves, as + and -."""
        if self.is_text and self.may_be_marks:
            for each in arrow("pyarrow.compute").value_counts(reading.as_cells(column)).to_pylist():
                cell = each["values"]
                if cell in MARKS_FOR_MISSING:
                    self.marks[cell] += each["counts"]
                elif cell is not None and cell not in reading.GAPS and any(map(str.isalnum, cell)):
                    self.may_be_marks = False
                    break

    def _read_otherwise(self, decimal: str, cells: Any) -> np.ndarray | None:
        """Numbers in the first notation with this decimal mark that fits all cells so far; None if there is none."""
        notation = next((each for each in self.notations if each.decimal == decimal), None)
        return None if notation is None else reading.numbers(cells, notation)

    def _look_at_texts(self, cells: Any) -> None:
        """What texts look like, and which are no numbers; in text files, cells of any kind are texts."""
        self.is_duration = arrow("pyarrow.types").is_duration(cells.type)
        if reading.is_textual(cells):
            if self.kind == TEXT:
                self.looks.add(cells)
            if self.kind not in (NUMBER, GROUPED):
                self.slips.add(cells, self.n_rows)

    def _count_values(self, cells: Any) -> None:
        """Remember different texts, while they are few; those of numbers too, as some text may follow."""
        if cells.null_count < len(cells):
            self.is_textual = reading.is_textual(cells)
            if self.values is not None and self.is_textual:
                self.values |= set(cells.unique().drop_null().to_pylist())
            if self.values is not None and (len(self.values) > MOST_VALUES or not self.is_textual):
                self.values = None

    def _look_for_order(self, cells: Any, present: np.ndarray) -> None:
        """Whether values differ, within each block at least, and how numbers go on from row to row."""
        if self.kind == TEXT and self.all_differ:
            n_different = arrow("pyarrow.compute").count_distinct(cells).as_py() if self.is_textual else -1
            self.all_differ = n_different == len(cells) - cells.null_count
        elif self.kind in NUMBERS and len(present) and self.is_whole:
            self.is_whole = bool((np.isfinite(present) & (present == np.floor(present))).all())
            step = np.diff(present, prepend=self.last)[int(np.isnan(self.last)) :]
            self.goes_up = self.goes_up and bool((step > 0).all())
            self.counts_up = self.counts_up and bool((step == 1).all())
            self.all_differ = self.all_differ and (self.goes_up or len(np.unique(present)) == len(present))
            self.last = float(present[-1])

    def profile(self, low: float, high: float, deviation: float) -> ColumnProfile:
        """What it is, when all cells have been seen."""
        if self.kind == TEXT and self.values and self.may_be_marks:
            self.values |= set(self.marks)
            self.n_missing -= self.marks.total()
        n_present = self.n_rows - self.n_missing
        if not n_present:
            return ColumnProfile(self.name, EMPTY, self.n_rows, self.n_missing)
        all_differ = self.all_differ and self.n_rows == n_present >= LEAST_ID_ROWS
        if self.kind == TEXT:
            return self._profile_of_texts(n_present, all_differ)
        is_whole = self.kind in NUMBERS and self.is_whole
        is_dense = self.goes_up or high - low < ID_DENSITY * n_present
        return ColumnProfile(
            self.name,
            WHOLE if is_whole and self.kind == NUMBER else self.kind,
            self.n_rows,
            self.n_missing,
            (),
            low,
            high,
            deviation,
            counts_up=is_whole and self.counts_up and n_present >= LEAST_ID_ROWS,
            is_identifier=is_whole
            and ((all_differ and is_dense) or (is_called_id(self.name) and high - low > MOST_VALUES)),
            n_infinite=self.n_infinite,
            misfit=self.slips.first() if self.kind == COMMA and not self.is_plain else None,
            notations=self.notations if self.kind in NUMBERS else (),
        )

    def _profile_of_texts(self, n_present: int, all_differ: bool) -> ColumnProfile:
        """What a column of texts is, or of values of no known kind."""
        values = () if self.values is None else tuple(sorted(self.values))
        misfit = self.slips.first((1 - NEARLY_ALL) * n_present, n_present / 2)
        look = DURATIONS if self.is_duration else self.looks.found if self.is_textual else None
        all_differ = all_differ and not look and not misfit and (self.values is None or len(values) == n_present)
        is_slip = self.is_text and misfit is not None  # elsewhere numbers beside texts may be meant as texts
        is_strange = len(values) > FEW_VALUES and bool(look or is_slip or is_called_id(self.name))
        about: dict[str, Any] = {"n_values": len(values) or None, "is_identifier": all_differ, "misfit": misfit}
        if 0 < len(values) <= n_present // 2 + 1 and not all_differ and not is_strange:
            return ColumnProfile(self.name, CATEGORY, self.n_rows, self.n_missing, values, **about)
        if look is not None and misfit is None:
            about |= {"looks_like": look.what, "advice": look.advice}
        kind = TEXT if self.is_textual else OTHER
        if kind == TEXT and misfit is None and look is None:
            about["is_identifier"] = all_differ or is_called_id(self.name)
        return ColumnProfile(self.name, kind, self.n_rows, self.n_missing, **about)


def _typed_numbers(cells: Any) -> np.ndarray | None:
    """Numbers of a column that has a type: texts are none, whatever their letters are, nor are truth values."""
    is_truth = arrow("pyarrow.types").is_boolean(cells.type)
    return None if reading.is_textual(cells) or is_truth else reading.numbers(cells)
