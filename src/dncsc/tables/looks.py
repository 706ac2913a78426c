"""What texts look like that are meant as numbers or dates, but not written as such; and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dncsc.rows.values import arrow
from dncsc.tables.notation import NOTATIONS, PLAIN, Notation

SIGN = r"(\p{Sc}|EUR|USD|GBP|CHF|JPY)"
AMOUNT = r"\d[\d.,'\s]*"
MINUS = "\u2212"
PLUS_MINUS = rf"[+{MINUS}-]?"
TIME = r"([ T]\d{1,2}:\d{2}(:\d{2})?)?"


NUMERIC = r"(?i)^[+-]?([\d.,]|nan$|inf)"
"""How numbers begin in any notation: what all texts of a column are not is asked once."""


class Look(NamedTuple):
    """What all texts of a column look like, and what to do."""

    what: str
    advice: str
    pattern: str
    evidence: str = ""
    """what some of them contain: all numbers look like those with thousands"""


def _look_of(notation: Notation) -> Look:
    """Numbers that are written otherwise than programs write them."""
    what = "thousands" if notation.decimal == "." else "a decimal comma"
    marks = ", ".join(f"{name}={mark!r}" for name, mark in notation.marks.items())
    evidence = notation.decimal if notation.decimal == "," else notation.thousands or ""
    advice = f"make numbers of them, as pandas.read_csv({marks}) does"
    return Look(f"numbers with {what}", advice, notation.pattern, evidence)


DURATIONS = Look("durations", "make seconds of them, as pandas' dt.total_seconds() does", "")

LOOKS = (
    Look("money", "write plain numbers, as 1234.50", rf"^{PLUS_MINUS}({SIGN}\s?{PLUS_MINUS}{AMOUNT}|{AMOUNT}{SIGN})$"),
    Look("percents", "write plain numbers, as 12.5", rf"^{PLUS_MINUS}{AMOUNT}%$"),
    Look(
        "dates",
        "write them as 2020-12-31",
        rf"^(\d{{1,2}}([./-])\d{{1,2}}[./-](\d\d|\d{{4}})|\d{{4}}[./]\d\d?[./]\d\d?){TIME}$",
    ),
    Look("times of day", "make hours of them, as 13.5", r"^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?$"),
    Look(
        "negative numbers in brackets",
        "write them as -1234.50",
        rf"^({PLUS_MINUS}{SIGN}?\s?{AMOUNT}|\({SIGN}?\s?{AMOUNT}\))$",
        "(",
    ),
    Look(
        f"numbers with the minus sign {MINUS}",
        "write -, as on keyboards",
        rf"(?i)^{PLUS_MINUS}[.,]?{AMOUNT}(e{PLUS_MINUS}\d+)?$",
        MINUS,
    ),
    *(_look_of(notation) for notation in NOTATIONS if notation != PLAIN),
)

NUMBER_PART = rf"^{PLUS_MINUS}[\d.,'\s]+"
UNIT = Look(
    "numbers with a unit",
    "write plain numbers, and the unit in the name of the column",
    rf"{NUMBER_PART}\p{{L}}+[23]?(/\p{{L}}+[23]?)?$",
)
"""The same unit in all of them: 12A, 12B and 14A are codes."""


class Looks:
    """What the texts of a column look like, as far as they have been seen."""

    def __init__(self) -> None:
        self._fitting, self._shown = [*LOOKS, UNIT], {""}
        self._units = set[str]()

    def add(self, cells: Any) -> None:
        """Take in more texts."""
        compute = arrow("pyarrow.compute")
        matches = compute.match_substring_regex
        self._fitting = [
            each for each in self._fitting if compute.all(matches(cells, each.pattern), min_count=0).as_py()
        ]
        if UNIT in self._fitting:
            units = compute.utf8_trim_whitespace(compute.replace_substring_regex(cells, NUMBER_PART, ""))
            self._units |= set(units.unique().drop_null().to_pylist())
            if len(self._units) > 1:
                self._fitting.remove(UNIT)
        self._shown |= {
            each.evidence
            for each in self._fitting
            if each.evidence not in self._shown
            and compute.any(compute.match_substring(cells, each.evidence), min_count=0).as_py()
        }

    @property
    def found(self) -> Look | None:
        """The first that all texts have."""
        return next((each for each in self._fitting if each.evidence in self._shown), None)


class Slips:
    """Texts among numbers in a column of a text file: how many are none, by notation, and the first of them."""

    def __init__(self, notations: Sequence[Notation]) -> None:
        self._counts = dict.fromkeys(notations, 0)
        self._first: dict[Notation, tuple[int, str]] = {}
        self._others: set[Notation] = set()

    def add(self, cells: Any, start: int) -> None:
        """Take in more texts; `start` is the number of their first row."""
        compute = arrow("pyarrow.compute")
        begins = compute.match_substring_regex(cells, NUMERIC)
        has_numbers = compute.any(begins, min_count=0).as_py()
        for notation in self._counts:
            matches = notation.matches(cells) if has_numbers else begins
            misfits = np.flatnonzero(~matches.fill_null(True).to_numpy(zero_copy_only=False))
            self._counts[notation] += len(misfits)
            if len(misfits):
                row = int(misfits[0])
                _, first = self._first.setdefault(notation, (start + row, cells[row].as_py()))
                if notation not in self._others and set(cells.take(misfits).unique().to_pylist()) != {first}:
                    self._others.add(notation)

    def first(self, most: float = np.inf, most_marks: float = np.inf) -> tuple[int, str] | None:
        """Row and letters of the first, if there are at most so many, by the notation that has the fewest.

        More may be there of one and the same mark for a gap, as *, which has no letters.
        """
        notation = min(self._counts, key=self._counts.__getitem__)
        _, cell = self._first.get(notation, (0, "a"))
        is_mark = notation not in self._others and not any(map(str.isalnum, cell))
        return self._first.get(notation) if self._counts[notation] <= (most_marks if is_mark else most) else None
