"""Cells of one column, as Arrow has them, read as numbers, truth values, dates or texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dncsc.rows.dialect import MISSING
from dncsc.rows.values import arrow, as_arrow
from dncsc.tables.notation import PLAIN, Notation

MICROSECONDS_A_DAY = 86_400_000_000

GAPS = (*MISSING, "NaN", "nan")
"""Cells of text files without a value, of columns of any kind."""


def as_cells(column: Any, is_text: bool = False, values: Sequence[str] = ()) -> Any:
    """A column as one Arrow array: texts without blanks around them, an empty one null, codes as what they stand for.

    With `is_text`, as in CSV, words such as NA stand for a missing value too, unless they are among the values.
    """
    pa, compute = arrow(), arrow("pyarrow.compute")
    cells = as_arrow(column.combine_chunks() if hasattr(column, "combine_chunks") else column)
    if not is_textual(cells):
        return cells
    trimmed = compute.utf8_trim_whitespace(cells.cast(pa.string()))
    words = [word for word in (GAPS if is_text else [""]) if word not in values]
    missing = compute.is_in(trimmed, pa.array(words, pa.string()))
    return compute.if_else(missing, pa.scalar(None, pa.string()), trimmed)


def without_codes(column: Any) -> Any:
    """A column without codes: categories are texts, even those that are numbers."""
    kind = getattr(column, "type", None)
    found = texts(column) if kind is not None and arrow("pyarrow.types").is_dictionary(kind) else None
    return column if found is None else found


def is_textual(cells: Any) -> bool:
    """Whether cells are texts."""
    types = arrow("pyarrow.types")
    kind = cells.type
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def numbers(cells: Any, notation: Notation = PLAIN) -> np.ndarray | None:
    """Numbers in float64, NaN for a missing one; None if some cell is none. Truth values are 0 and 1."""
    pa, types = arrow(), arrow("pyarrow.types")
    kind = cells.type
    if is_textual(cells):
        cells = notation.plain(cells)
    elif not (types.is_null(kind) or types.is_boolean(kind) or types.is_integer(kind) or _is_real(kind)):
        return None
    with suppress(pa.ArrowInvalid):
        return None if cells is None else as_floats(cells.cast(pa.float64(), safe=is_textual(cells)))
    return None


def without_infinite(found: np.ndarray) -> np.ndarray:
    """Numbers, NaN in place of those that are infinite: they measure nothing."""
    return np.where(np.isinf(found), np.nan, found)


def truth_values(cells: Any) -> np.ndarray | None:
    """True and false as 1 and 0."""
    pa = arrow()
    if not is_textual(cells) and not arrow("pyarrow.types").is_boolean(cells.type):
        return None
    with suppress(pa.ArrowInvalid):
        return as_floats(cells.cast(pa.bool_()).cast(pa.float64()))
    return None


def days(cells: Any) -> np.ndarray | None:
    """Dates and times as days since 1970-01-01, in UTC where they have a zone; text as ISO 8601 has it."""
    pa, types = arrow(), arrow("pyarrow.types")
    kind = cells.type
    if not (is_textual(cells) or types.is_date(kind) or types.is_timestamp(kind) or types.is_null(kind)):
        return None
    for zone in (None, "UTC") if is_textual(cells) else (getattr(kind, "tz", None),):
        with suppress(pa.ArrowInvalid):
            found = cells.cast(pa.timestamp("us", zone), safe=is_textual(cells)).cast(pa.int64())
            return as_floats(found.cast(pa.float64(), safe=False)) / MICROSECONDS_A_DAY
    return None


def texts(cells: Any) -> Any:
    """Cells as an Arrow array of texts; None for those that have no text, such as lists."""
    pa = arrow()
    with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return cells.cast(pa.string())
    return None


def as_floats(cells: Any) -> np.ndarray:
    """Arrow's float64 as an array, NaN where there is none."""
    return np.asarray(cells.to_numpy(zero_copy_only=False), np.float64)


def first_misfit(cells: Any, read: Callable[[Any], Any]) -> tuple[int, Any]:
    """Row and value of the first cell that cannot be read; one that cannot has to be there."""
    row = next(row for row in range(len(cells)) if read(cells[row : row + 1]) is None)
    return row, cells[row].as_py()


def _is_real(kind: Any) -> bool:
    types = arrow("pyarrow.types")
    return types.is_floating(kind) or types.is_decimal(kind)
