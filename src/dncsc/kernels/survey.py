"""First look at a block: where does the data lie; and moving it to safer coordinates."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit

LARGE = 2.0**900
"""A sum of squares below this has not overflowed."""


@jit()
def survey_rows(rows, sums, low, high):
    """Add a block to running totals, OUT float64 (d,). Sums are not finite where a value is not, or they overflow."""
    for r in range(rows.shape[0]):
        for f in range(rows.shape[1]):
            value = np.float64(rows[r, f])
            sums[f] += value
            low[f] = min(low[f], value)
            high[f] = max(high[f], value)


@jit()
def scale_and_shift(rows, scale, shift):
    """``rows * scale - shift`` in place; rows : (n, d), shift : IN (d,)."""
    for r in range(rows.shape[0]):
        for f in range(rows.shape[1]):
            rows[r, f] = rows[r, f] * scale - shift[f]


@jit(fastmath={"reassoc", "contract"}, error_model="numpy")
def _squares(row, unit):
    """Sum of squares of a row's values, in multiples of a unit."""
    total = 0.0
    for f in range(row.shape[0]):
        value = row[f] / unit
        total += value * value
    return total


@jit(error_model="numpy")
def to_length_one(rows):
    """Divide each row by its length, in place; rows that are 0, or have values that are not finite, stay.

    Values are seen as multiples of one of them: a row and its multiples give the same, to the last bit, and no square
    is too large or too small for a number.
    """
    for r in range(rows.shape[0]):
        row, unit = rows[r], 0.0
        for f in range(row.shape[0]):
            if row[f] != 0:
                unit = abs(np.float64(row[f]))
                break
        squared = _squares(row, unit)
        if not squared < LARGE:
            for f in range(row.shape[0]):
                unit = max(unit, abs(np.float64(row[f])))
            squared = _squares(row, unit)
        if squared > 0:  # and not NaN
            inverse = 1 / np.sqrt(squared)
            for f in range(row.shape[0]):
                row[f] = row[f] / unit * inverse
