"""First look at a block: where does the data lie; and moving it to safer coordinates."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


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
