"""Where the data lies, and moving it to safer coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.kernels.survey import scale_and_shift, survey_rows, to_length_one
from naive import unit_rows

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


@features
@precisions
@pytest.mark.parametrize("size", [1.0, 1e-30, 1e30])
def test_rows_get_length_one_whatever_they_had(d, dtype, size):
    rows = (size * np.random.default_rng(0).standard_normal((65, d))).astype(dtype)
    twin = unit_rows(rows)
    to_length_one(rows)
    np.testing.assert_allclose(rows, twin, rtol=4 * np.finfo(dtype).eps)


@features
@pytest.mark.parametrize("power", [-1030, -600, 600, 1000])
def test_rows_whose_squares_are_no_numbers_get_the_length_that_others_get(d, power):
    rows = np.random.default_rng(0).integers(-9, 9, (65, d)) * 2.0**20
    twin = unit_rows(rows)
    rows = np.ldexp(rows, power)
    to_length_one(rows)
    np.testing.assert_allclose(rows, twin, rtol=1e-15)


@features
@precisions
def test_a_row_and_its_multiples_are_the_same_to_the_last_bit(d, dtype):
    rows = np.random.default_rng(0).integers(-9, 9, (65, d)).astype(dtype)
    multiples = rows * np.arange(1, 66, dtype=dtype)[:, None]
    to_length_one(rows)
    to_length_one(multiples)
    np.testing.assert_array_equal(multiples, rows)


def test_a_row_gets_length_one_whose_first_value_is_next_to_nothing():
    rows = np.array([[1e-300, 3e-20, -4e-20], [1e-200, 3e200, -4e200], [1e300, 0, 1e-300]])
    to_length_one(rows)
    np.testing.assert_allclose(rows, [[0, 0.6, -0.8], [0, 0.6, -0.8], [1, 0, 0]], atol=1e-15)


@precisions
def test_rows_that_are_0_or_not_finite_stay(dtype):
    rows = np.array([[0, 0], [np.nan, 1], [3, np.inf], [-np.inf, 0], [np.inf, np.inf]], dtype)
    before = rows.copy()
    to_length_one(rows)
    np.testing.assert_array_equal(rows, before)
