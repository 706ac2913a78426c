"""Hints about columns of numbers that are used as they are, and perhaps should not be."""

from __future__ import annotations

import numpy as np

from dncsc.cli.diagnosis import SPREAD_RATIO
from dncsc.cli.errors import tell
from dncsc.cli.inputs import join_names
from dncsc.cli.tables import FeatureTable
from dncsc.rows import Rows
from dncsc.rows.formats import format_of
from dncsc.tables.learning import TableOptions
from dncsc.tables.profile import LEAST_ID_ROWS, MOST_VALUES, is_called_id
from dncsc.tables.rows import CompleteRows

LEAST_WHOLE = 0.05
"""Share of whole numbers in a column whose decimals may be thousands."""


def tell_hints(table: FeatureTable, options: TableOptions, quiet: bool) -> None:
    """Say how many rows are left out, and what may be wrong with columns of numbers, as far as the first rows show."""
    if table.left_out and not quiet:
        tell(f"{table.left_out:,} of {len(table.rows) + table.left_out:,} rows lack a value: they get no label.")
    stored = table.stored.source if isinstance(table.stored, CompleteRows) else table.stored
    if quiet or (stored.names is None and not stored.direct):  # some arrays have to be unpacked as a whole
        return
    names = list(stored.names or map(str, range(stored.shape[1])))
    numbers = range(len(names)) if table.encoding is None else table.encoding.number_columns
    batch = next(iter(stored.batches())).astype(np.float64)
    spread: dict[str, float] = {}
    may_have_thousands = options.notation.is_plain and _is_text(stored) and not _has_point(batch[:, list(numbers)])
    for number in numbers:
        name, values = names[number], batch[:, number]
        present = values[np.isfinite(values)]
        with np.errstate(over="ignore", invalid="ignore"):
            spread[name] = float(present.std()) if len(present) else 0.0
            why = _why_id(name, values)
        if why:
            shown = join_names([name])
            tell(
                f"hint: column {name!r} {why}, and is used as a feature. Carry it over with --id {shown}, or leave it "
                f"out with --drop {shown}."
            )
        if len(present) and may_have_thousands and _may_have_thousands(present):
            tell(
                f"hint: all decimals of column {name!r} have three digits. If a point stands between its thousands, "
                "give --thousands . --decimal ,"
            )
    varied = {name: value for name, value in spread.items() if 0 < value < np.inf}
    if options.scale != "none" or not varied:
        return
    wide, narrow = max(varied, key=varied.__getitem__), min(varied, key=varied.__getitem__)
    if varied[wide] > SPREAD_RATIO * varied[narrow]:
        times = f"{varied[wide] / varied[narrow]:,.0f}"
        tell(
            f"hint: column {wide!r} spreads {times} times as far as {narrow!r}, and decides nearly alone. With --scale "
            "standard columns count alike."
        )


def _why_id(name: str, values: np.ndarray) -> str:
    """Why numbers look like an id, if they do."""
    if not (values == np.floor(values)).all():
        return ""
    if len(values) >= LEAST_ID_ROWS and (np.diff(values) == 1).all():
        return "counts up from row to row, as an id does"
    return "has the name of an id" if is_called_id(name) and np.ptp(values) > MOST_VALUES else ""


def _is_text(stored: Rows) -> bool:
    """Whether numbers stand as texts in files."""
    return all(format_of(file).is_text for file in stored.files)


def _has_point(values: np.ndarray) -> bool:
    """Whether some numbers can only be written with a decimal point, as 0.5, 12.3456 and 1794.5, and so all are."""
    sizes = np.abs(values[np.isfinite(values) & (values != np.floor(values))])
    if ((sizes < 1) | (sizes >= 1000)).any():
        return True
    return not np.isclose(sizes * 1000, np.round(sizes * 1000), rtol=0, atol=1e-6).all()


def _may_have_thousands(values: np.ndarray) -> bool:
    """Whether numbers such as 1.794 beside 542 may be thousands: measurements with three decimals are hardly whole."""
    is_whole = values == np.floor(values)
    if is_whole.mean() < LEAST_WHOLE or is_whole.all() or np.abs(values).max() >= 1000:
        return False
    has_two = np.isclose(values * 100, np.round(values * 100), rtol=0, atol=1e-7)
    return not has_two.all()
