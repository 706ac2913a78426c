"""What the frame of the cosine promises: rows of length 1, once and for all engines, and means of that length."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from dncsc.engines.frame import COSINE, EUCLIDEAN, Frame
from naive import unit_rows

precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def some_frame(dtype, d=5, metric=COSINE):
    centre = unit_rows(np.random.default_rng(1).random((1, d)))[0]
    return Frame.around(np.dtype(dtype), centre, 0.7, metric)


@precisions
def test_rows_have_length_one_in_the_coordinates_of_the_user(dtype):
    rows, frame = 1e4 * np.random.default_rng(0).standard_normal((200, 5)).astype(dtype), some_frame(dtype)
    inside = frame.transform(rows)
    assert inside.dtype == dtype
    np.testing.assert_allclose(frame.inverse_transform(inside), unit_rows(rows), atol=4 * np.finfo(dtype).eps)


@precisions
@pytest.mark.parametrize("metric", [EUCLIDEAN, COSINE])
def test_the_raw_frame_and_then_the_place_is_the_same_to_the_last_bit(dtype, metric):
    """Rows that are predicted go one way, those that are fitted the other."""
    rows, frame = np.random.default_rng(0).standard_normal((200, 5)).astype(dtype), some_frame(dtype, metric=metric)
    np.testing.assert_array_equal(frame.place(frame.unplaced().transform(rows)), frame.transform(rows))


@pytest.mark.parametrize("kind", [np.int8, np.int64, bool, np.float16, np.longdouble])
def test_rows_of_any_dtype_get_length_one(kind):
    rows = np.random.default_rng(0).integers(0, 2, (50, 5)).astype(kind)
    frame = Frame.raw(np.dtype(np.float64), 5, COSINE)
    np.testing.assert_allclose(frame.transform(rows), unit_rows(rows.astype(float)), rtol=1e-15)
    np.testing.assert_array_equal(frame.transform(scipy.sparse.csr_matrix(rows.astype(float))), frame.transform(rows))


def test_rows_too_large_or_small_for_the_precision_keep_their_direction():
    rows = np.random.default_rng(0).standard_normal((50, 5))
    frame = some_frame(np.float32)
    for size in (2.0**300, 2.0**-300):
        np.testing.assert_array_equal(frame.transform(size * rows), frame.transform(rows))


def test_rows_are_not_changed_where_the_user_has_them():
    rows = np.random.default_rng(0).standard_normal((50, 5))
    before = rows.copy()
    some_frame(np.float64).transform(rows)
    np.testing.assert_array_equal(rows, before)


@precisions
def test_means_get_the_length_of_rows(dtype):
    rows, frame = np.random.default_rng(0).random((60, 5)).astype(dtype), some_frame(dtype)
    inside = frame.transform(rows)
    means = inside.reshape(20, 3, 5).mean(axis=1, dtype=np.float64).astype(dtype)
    expected = unit_rows(unit_rows(rows.astype(float)).reshape(20, 3, 5).mean(axis=1))
    found = frame.restore_length(means)
    assert found.dtype == dtype
    np.testing.assert_allclose(frame.inverse_transform(found), expected, atol=8 * np.finfo(dtype).eps)


@precisions
@pytest.mark.parametrize("d", [1, 2, 300])
def test_a_row_is_its_own_mean_to_the_last_bit(dtype, d):
    rows = np.random.default_rng(0).standard_normal((2000, d)).astype(dtype)
    rows[:10] = 0  # no direction: they stay at the origin
    frame = some_frame(dtype, d)
    inside = frame.transform(rows)
    np.testing.assert_array_equal(frame.restore_length(inside), inside)


@precisions
def test_means_that_had_their_length_restored_stay(dtype):
    frame = some_frame(dtype)
    once = frame.restore_length(frame.transform(np.random.default_rng(0).random((500, 5))) * dtype(0.7))
    np.testing.assert_array_equal(frame.restore_length(once), once)


def test_euclidean_means_are_left_alone():
    means = np.random.default_rng(0).random((20, 5))
    assert some_frame(np.float64, metric=EUCLIDEAN).restore_length(means) is means
