"""Before the five phases: look at every value and weight once, refuse what is bad, and find a safe frame."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from dncsc.engines.base import Block, Engine, FusedPass, Pass, Task
from dncsc.engines.frame import COSINE, EUCLIDEAN, LEAST_SPREAD, Frame
from dncsc.engines.scales import scale_for, scaled
from dncsc.errors import InputError, NotFiniteError
from dncsc.kernels.survey import survey_rows
from dncsc.phases.sample import Drawn, EarlySample


class NotFinite(NamedTuple):
    """Values of a block that are NaN or infinite."""

    n_nan: int
    n_plus: int
    n_minus: int
    row: int
    """of the first, among all rows"""
    column: int


def find_not_finite(block: Block) -> list[NotFinite]:
    """An empty list, or one record of what is wrong in a block."""
    rows = block.rows
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.sum(dtype=np.float64)):
            return []
    row, column = np.nonzero(~np.isfinite(rows))
    if not len(row):
        return []  # finite, but their sum is not
    values = rows[row, column]
    n_nan, n_plus, n_minus = (int(test(values).sum()) for test in (np.isnan, np.isposinf, np.isneginf))
    return [NotFinite(n_nan, n_plus, n_minus, block.start + int(row[0]), int(column[0]))]


def check_finite(found: Sequence[NotFinite], names: Sequence[str] | None, chunk: int | None = None) -> None:
    """Raise the error for values that are not finite, if there are any."""
    if found:
        counts = dict(zip(("NaN", "inf", "-inf"), np.sum(found, axis=0)[:3].tolist(), strict=True))
        row, column = found[0].row, found[0].column
        raise NotFiniteError(counts, row, column, None if names is None else str(names[column]), chunk)


class BadWeight(NamedTuple):
    """A weight that is negative or not finite."""

    row: int
    value: float


def find_bad_weight(block: Block) -> list[BadWeight]:
    """An empty list, or the first bad weight of a block."""
    good = (block.weight >= 0) & (block.weight < np.inf)
    if good.all():
        return []
    first = int(np.argmin(good))
    return [BadWeight(block.start + first, float(block.weight[first]))]


def check_weights(found: Sequence[BadWeight], n_counted: int) -> None:
    """Raise the error for weights that cannot be used, if there are any."""
    if found:
        raise InputError(
            "sample_weight contains values that are negative or not finite; "
            f"the first is {found[0].value} in row {found[0].row}. A row that is not to count has the weight 0."
        )
    if not n_counted:
        raise InputError("sample_weight is 0 for every row: nothing is left to cluster.")


MEDIAN_ROWS = 64
"""Rows of a block that the centre is the median of, at most."""
MOST_MEDIAN_ROWS = 2**22
"""Of all blocks together."""


@dataclass
class _Seen:
    sums: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_counted: int = 0
    n_zero: int = 0
    heaviest: float = 0.0
    some: list[np.ndarray] = field(default_factory=list)
    not_finite: list[NotFinite] = field(default_factory=list)
    bad_weights: list[BadWeight] = field(default_factory=list)
    checks: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Survey(Pass[_Seen]):
    n_features: int
    median_rows: int
    checksum: bool
    count_zeros: bool

    def begin(self) -> _Seen:
        d = self.n_features
        return _Seen(np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf))

    def visit(self, total: _Seen, block: Block) -> None:
        survey_rows(block.rows, total.sums, total.low, total.high)
        n_counted = int(np.count_nonzero(block.weight > 0))
        total.n_counted += n_counted
        total.heaviest = max(total.heaviest, float(block.weight.max(initial=0.0)))
        counted = block.rows if n_counted == len(block) else block.rows[block.weight > 0]
        total.some.append(counted[:: max(1, -(-n_counted // self.median_rows))].astype(np.float64))
        if self.count_zeros:
            total.n_zero += len(block) - int(np.count_nonzero(block.rows.any(axis=1)))
        if self.checksum:
            total.checks += [zlib.crc32(block.rows.data), zlib.crc32(np.ascontiguousarray(block.weight).data)]
        if not np.isfinite(total.sums).all():
            total.not_finite += find_not_finite(block)
        if not total.bad_weights:
            total.bad_weights = find_bad_weight(block)


@dataclass(frozen=True)
class _Find(Pass[list[int]]):
    """The first row of each shard that has a value in a column."""

    column: int
    value: float

    def begin(self) -> list[int]:
        return []

    def visit(self, total: list[int], block: Block) -> None:
        if not total:
            total += (block.start + np.flatnonzero(block.rows[:, self.column] == self.value)[:1]).tolist()


SPREAD_ROWS = 4096
"""Rows that show how far rows are from their centre, at most."""


def _check_spread(
    engine: Engine, frame: Frame, halves: np.ndarray, ends: tuple[np.ndarray, np.ndarray], names: Sequence[str] | None
) -> None:
    """Refuse rows most of which could not be told apart, next to one that is too far away.

    `halves` are half of some rows, and `ends` the least and largest values of all.
    """
    inside = halves[:: -(-len(halves) // SPREAD_ROWS)] * (2 * frame.scale) - frame.shift
    away = np.abs(inside).max(axis=1, initial=0.0)
    spread = float(np.median(away[away > 0])) if away.any() else 0.0
    if not 0 < spread < LEAST_SPREAD[frame.dtype.name]:
        return
    low, high = (end * frame.scale - frame.shift for end in ends)
    column = int(np.maximum(high, -low).argmax())
    value = float(ends[int(high[column] > -low[column])][column])
    row = next(row for found in engine.sweep(_Find(column, value)) for row in found)
    named = "" if names is None else f" ({str(names[column])!r})"
    wider = ", or give all as float64" if frame.dtype == np.float32 else ""
    raise InputError(
        f"row {row} has the value {value:.6g} in column {column}{named}, next to which most rows are the same: they "
        f"lie some {frame.length_outside(spread):.3g} around their middle. Leave it out, or bound it{wider}."
    )


@dataclass(frozen=True)
class Surveyed:
    """A safe frame for the rows, a safe scale for their weights, and how many have positive weight."""

    frame: Frame
    weight_scale: float
    n_counted: int
    n_zero: int
    """rows that have no direction, where that is what counts"""
    checksum: int | None
    """of all rows and weights, where it was asked for"""
    drawn: Drawn | None = None
    """rows in that frame, where some were to be drawn on the way"""


def survey(
    engine: Engine,
    names: Sequence[str] | None = None,
    checksum: bool = False,
    early_sample: EarlySample | None = None,
) -> Surveyed:
    """Look at all values once, check them, and find the frame that is centred on them.

    Parameters
    ----------
    engine : Engine
        In its raw frame, which has the metric.
    names : sequence of str, optional
        Names of the features, for the message.
    checksum : bool
        Whether to take one, to tell this data from other data.
    early_sample : EarlySample, optional
        Rows to draw meanwhile.

    Raises
    ------
    ValueError
        Where a value is NaN or infinite: how many, and where the first is. Where one is so large that next to it the
        other rows would all be the same. Where a weight is NaN, infinite or negative, or where none is positive.
    """
    median_rows = min(max(MOST_MEDIAN_ROWS // engine.layout.n_blocks, 1), MEDIAN_ROWS)
    dtype, metric = engine.frame.dtype, engine.frame.metric
    tasks: list[Task[Any, Any]] = [_Survey(engine.layout.n_features, median_rows, checksum, metric == COSINE)]
    if early_sample is not None:
        tasks.append(early_sample.task)
    seen, *gathered = zip(*engine.sweep(FusedPass(tasks)), strict=True)
    check_finite([bad for total in seen for bad in total.not_finite], names)
    n_counted = sum(total.n_counted for total in seen)
    check_weights([bad for total in seen for bad in total.bad_weights], n_counted)
    low = np.min([total.low for total in seen], axis=0)
    high = np.max([total.high for total in seen], axis=0)
    # The median, not the mean: one far outlier would pull the mean so far away that the other rows lose their digits.
    halves = np.concatenate([some / 2 for total in seen for some in total.some])
    centre = 2 * np.median(halves, axis=0)
    half = np.maximum(high / 2 - centre / 2, centre / 2 - low / 2)  # the whole could overflow
    frame = Frame.around(dtype, centre, float(half.max(initial=0.0)), metric)
    if metric == EUCLIDEAN:
        _check_spread(engine, frame, halves, (low, high), names)
    checks = [check for total in seen for check in total.checks]
    whole = zlib.crc32(np.array(checks, np.uint32).data) if checksum else None
    weight_scale, n_zero = scale_for(max(total.heaviest for total in seen)), sum(total.n_zero for total in seen)
    surveyed = Surveyed(frame, weight_scale, n_counted, n_zero, whole)
    drawn = None if early_sample is None else early_sample.drawn(engine, *gathered)
    return surveyed if drawn is None else replace(surveyed, drawn=_in_frame(drawn, surveyed))


def _in_frame(drawn: Drawn, surveyed: Surveyed) -> Drawn:
    """Rows that were drawn in the raw frame, in the one that was found since."""
    rows = [surveyed.frame.place(each) for each in drawn.values]
    return drawn._replace(values=rows, weight=scaled(drawn.weight, surveyed.weight_scale))
