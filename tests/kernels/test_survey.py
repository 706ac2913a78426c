"""Where the data lies, and moving it to safer coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.kernels.survey import scale_and_shift, survey_rows

features = pytest.mark.parametrize("d", [1, 2, 3, 16, 257])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@features
@precisions
def test_survey_adds_up_and_finds_the_bounds_over_blocks(d, dtype):
    random = np.random.default_rng(0)
    rows = random.standard_normal((513, d)).astype(dtype)
    sums, low, high = np.zeros(d), np.full(d, np.inf), np.full(d, -np.inf)
    for part in (slice(0, 7), slice(7, 513)):
        survey_rows(rows[part], sums, low, high)
    np.testing.assert_allclose(sums, rows.sum(axis=0, dtype=float), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(low, rows.min(axis=0))
    np.testing.assert_array_equal(high, rows.max(axis=0))


@features
@precisions
def test_rows_are_scaled_and_shifted_in_place(d, dtype):
    random = np.random.default_rng(0)
    rows, shift = random.standard_normal((65, d)).astype(dtype), random.standard_normal(d).astype(dtype)
    twin = rows * dtype(4) - shift
    scale_and_shift(rows, dtype(4), shift)
    np.testing.assert_array_equal(rows, twin)
