"""What the columns of a table hold, in words, and a command that can use them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from dncsc.cli.inputs import ColumnSelection, join_names, split_names
from dncsc.cli.summary import table_lines
from dncsc.errors import InputError, enumerated, visible
from dncsc.tables.notation import NOTATIONS, Notation
from dncsc.tables.profile import (
    CATEGORY,
    DATE,
    EMPTY,
    GROUPED,
    NUMBER,
    NUMBERS,
    OTHER,
    TEXT,
    WHOLE,
    ColumnProfile,
    is_called_id,
)

if TYPE_CHECKING:
    from dncsc.tables.learning import TableOptions

MOST_LINES = 60
"""Columns that a diagnosis lists; of wider tables it shows the first."""

MOST_LETTERS = 40
"""Of a name or a value that are shown."""

SPREAD_RATIO = 100
"""Between the spreads of two columns: from there on the wider one decides nearly alone."""


class DiagnosisError(InputError):
    """A table whose columns cannot be used as they are: what they hold, and options that make them usable."""

    def __init__(self, name: str, profiles: Sequence[ColumnProfile], options: Mapping[str, str] | None) -> None:
        super().__init__(f"{name} has columns that cannot be used as they are.")
        self.name, self.profiles, self.options = name, tuple(profiles), options

    def told(self, arguments: Sequence[str]) -> str:
        """All of it in lines, the last of which is a command: what was typed, with these options."""
        shown = profile_lines(self.profiles[:MOST_LINES], sys.stderr)
        hidden = len(self.profiles) - MOST_LINES
        shown += [f"and {hidden} columns more"] if hidden > 0 else []
        if self.options is None:
            are_dates = any(column.kind == DATE for column in self.profiles)
            but = ", unless --dates number makes days of dates" if are_dates else ""
            return "\n".join([str(self), "", *shown, "", f"None of them can be a feature{but}."])
        ready = shlex.join(["dncsc", *amended(arguments, self.options)])
        others = ["--missing drop leaves out rows with gaps"] if "--missing" in self.options else []
        dropped = _left_out(self.profiles, self.options)
        if "--dates" in self.options:
            others.append("--dates number makes days of dates")
        meant = [column for column in self.profiles if column.name in dropped and _is_meant_as_numbers(column)]
        without = f", but without {enumerated([repr(column.name) for column in meant])}: {_what_to_do(meant)}"
        more = f" You may also like: {'; '.join(others)}." if others else ""
        text = f"This command works{without if meant else ''}.{more}"
        return "\n".join([str(self), "", *shown, "", text, ready])


def profile_lines(profiles: Sequence[ColumnProfile], stream: Any = None) -> list[str]:
    """A table of columns: name, what it holds, the share that is missing, values or spread."""
    cells = [[_short(column.name), _holds(column), _missing(column), _values(column)] for column in profiles]
    return table_lines(["column", "holds", "missing", "values"], cells, ["missing"], stream)


def _left_out(profiles: Sequence[ColumnProfile], options: Mapping[str, str]) -> set[str]:
    """Columns that options leave out, by name or by naming others."""
    if "--columns" not in options:
        return set(split_names(options.get("--drop", "")))
    return {column.name for column in profiles} - set(split_names(options["--columns"]))


def _what_to_do(columns: Sequence[ColumnProfile]) -> str:
    """About columns that are meant as numbers and are left out."""
    are_texts = any(column.kind == TEXT for column in columns)
    return "see what to do about them above" if are_texts else "their numbers are written in another way than others"


def _is_meant_as_numbers(column: ColumnProfile) -> bool:
    """Whether a column could be a feature if its cells were written otherwise."""
    if column.kind == TEXT:
        return bool(column.looks_like or column.misfit)
    return column.kind in (*NUMBERS, WHOLE) and not (column.is_identifier or column.is_constant)


def _short(text: str) -> str:
    """A text of a table for a terminal: a few letters."""
    shown = visible(text)
    return shown if len(shown) <= MOST_LETTERS else f"{shown[: MOST_LETTERS - 3]}..."


def _holds(column: ColumnProfile) -> str:
    if column.kind == CATEGORY:
        return f"category, {len(column.values)} value{'s' * (len(column.values) > 1)}"
    return column.kind


def _missing(column: ColumnProfile) -> str:
    if not column.n_missing:
        return ""
    share = 100 * column.n_missing / column.n_rows
    return f"{share:.1f} %" if share >= 0.1 else "< 0.1 %"


def _values(column: ColumnProfile, most: int = 4) -> str:
    if column.kind == CATEGORY:
        return ", ".join(map(_short, column.values[:most])) + (" ..." if len(column.values) > most else "")
    if column.misfit is not None and column.kind == TEXT:
        return f"numbers, but not {_cell(column)}: correct or empty such cells"
    if column.looks_like:
        return f"looks like {column.looks_like}: {column.advice}"
    if column.kind == TEXT:
        return _looks_like_id(column) if column.is_identifier else "too many different ones for a category"
    if column.kind in (EMPTY, OTHER):
        return "no values" if column.kind == EMPTY else "no numbers, texts or dates"
    infinite = f", {column.n_infinite:,} infinite counted as missing" if column.n_infinite else ""
    other = "" if column.misfit is None else f", {_cell(column)} is not as the options say"
    return f"{_spread(column)}{infinite}{other}"


def _cell(column: ColumnProfile) -> str:
    """The first cell that is no number, and its row."""
    row, cell = column.misfit or (0, "")
    return f"{_short(cell)!r} in row {row:,}"


def _spread(column: ColumnProfile) -> str:
    """Values of numbers or dates."""
    if column.is_constant:
        return f"always {_number(column, column.low)}"
    spread = f"{_number(column, column.low)} to {_number(column, column.high)}"
    if column.is_identifier:
        return f"{spread}, {_looks_like_id(column)}"
    return f"{spread}, deviation {_brief(column.deviation)}" if column.kind in (*NUMBERS, WHOLE) else spread


def _looks_like_id(column: ColumnProfile) -> str:
    if is_called_id(column.name) and not column.counts_up:
        return "looks like an id by its name"
    return f"{'counts up' if column.counts_up else 'all different'}: looks like an id"


def _number(column: ColumnProfile, value: float) -> str:
    if column.kind == DATE:
        first = date(1970, 1, 1)
        days = np.clip(value, (date.min - first).days, (date.max - first).days)
        return (first + timedelta(days=float(days))).isoformat()
    return _brief(value)


def _brief(value: float) -> str:
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.4g}"


def needed(
    profiles: Sequence[ColumnProfile], options: TableOptions, choice: ColumnSelection, carries_ids: bool
) -> dict[str, str] | None:
    """Options that make a table usable, with their values; None if no column would be left."""
    ids = [column for column in profiles if column.is_identifier and choice.columns is None]
    dates = [column for column in profiles if column.kind == DATE and options.dates != "number"]
    texts = [column for column in profiles if column.kind in (TEXT, CATEGORY) and options.categorical == "drop"]
    dropped = [*dates, *texts]
    aside = {column.name for column in [*ids, *dropped]}
    rest = [column for column in profiles if column.name not in aside and not _is_useless(column, options)]
    used, marks = _readable(rest, options)
    if not used:
        return None
    found: dict[str, str] = {}
    carried = _carried(ids) if carries_ids and choice.identifier is None else []
    if carried:
        found["--id"] = join_names(carried)
    left = {*carried, *(column.name for column in [*used, *dropped])}
    unused = [column.name for column in profiles if column.name not in left]
    if unused and choice.columns is not None:
        found["--columns"] = join_names([column.name for column in used])
    elif unused:
        found["--drop"] = join_names([*split_names(*(choice.drop or ())), *unused])
    refused = dates if options.dates == "refuse" else []
    if any(column.n_missing for column in [*used, *refused]) and options.missing == "refuse":
        found["--missing"] = "median"  # for dates too, of which numbers may be wanted
    if any(column.kind == CATEGORY for column in used) and options.categorical == "refuse":
        found["--categorical"] = "one-hot"
    if refused:
        found["--dates"] = "drop"
    found |= marks
    if options.scale == "none" and (spread_ratio(used) > SPREAD_RATIO or any(each.kind == CATEGORY for each in used)):
        found["--scale"] = "standard"
    return found


def _carried(ids: Sequence[ColumnProfile]) -> list[str]:
    """Ids to carry over; those that number rows from 0 or 1 say nothing next to another."""
    names = [column.name for column in ids if not column.name.startswith("label")]  # as columns of labels are called
    numbering = {column.name for column in ids if column.counts_up and column.low in (0, 1)}
    return [name for name in names if name not in numbering] or names[:1]


def _readable(
    columns: Sequence[ColumnProfile], options: TableOptions
) -> tuple[Sequence[ColumnProfile], dict[str, str]]:
    """Columns whose numbers can be read together, and the options that say how they are written.

    All have to be written alike: the notation that most are written in is taken, and the others are left out.
    """
    typed, kinds = options.notation, (*NUMBERS, WHOLE)
    numbers = [column for column in columns if column.kind in kinds]

    def are_read(notation: Notation) -> list[ColumnProfile]:
        if notation == typed:
            return [column for column in numbers if column.kind in (NUMBER, WHOLE)]
        return [column for column in numbers if notation in column.notations and not has_thousands(column, notation)]

    def has_thousands(column: ColumnProfile, notation: Notation) -> bool:
        """Whether commas are no decimals but stand between thousands: 950 stands beside 1,050."""
        is_grouped = column.kind == GROUPED and Notation(",") in column.notations
        return is_grouped and notation.decimal == "," and column.low < 1000 <= column.high

    best = max((typed, *NOTATIONS), key=lambda each: len(are_read(each)))
    readable = {column.name for column in are_read(best)}
    marks = {} if best.decimal == typed.decimal else {"--decimal": best.decimal}
    if best.thousands not in (None, typed.thousands):
        marks["--thousands"] = str(best.thousands)
    elif typed.thousands == best.decimal:  # which has been typed, and can only be replaced
        marks["--thousands"] = "." if best.decimal == "," else ","
    return [column for column in columns if column.kind not in kinds or column.name in readable], marks


def _is_useless(column: ColumnProfile, options: TableOptions) -> bool:
    """Whether a column has to be left out by name."""
    if column.kind in (TEXT, CATEGORY):
        return options.categorical != "drop" and (column.kind == TEXT or column.is_constant)
    return column.kind in (OTHER, EMPTY)


def spread_ratio(profiles: Sequence[ColumnProfile]) -> float:
    """How many times as far the widest column of numbers spreads as the narrowest that is not constant."""
    found = [column.deviation for column in profiles if column.deviation > 0]
    return max(found) / min(found) if found else 1.0


def amended(arguments: Sequence[str], options: Mapping[str, str]) -> list[str]:
    """Arguments of a command with these options, in place of what was typed for them."""
    found, skip = [], False
    for word in arguments:
        name = word.partition("=")[0]
        if not skip and name not in options:
            found.append(word)
        skip = not skip and word in options
    return [*found, *(part for name, value in options.items() for part in (name, value))]
