"""Frames are read block by block where an array would be a copy, and give what the array gives."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest

from dncsc.estimators.frames import FrameRows
from sound import fitted

RANDOM = np.random.default_rng(0)
COLUMNS = {
    "half": RANDOM.standard_normal(600).astype(np.float16),
    "small": RANDOM.integers(-100, 100, 600).astype(np.int8),
    "flag": RANDOM.random(600) < 0.5,
    "single": RANDOM.standard_normal(600).astype(np.float32),
}
TABLE = np.column_stack([column.astype(np.float32) for column in COLUMNS.values()])
FRAMES = {"pandas": pd.DataFrame(COLUMNS), "polars": pl.DataFrame(COLUMNS)}


@pytest.mark.parametrize("kind", FRAMES)
def test_blocks_are_the_rows_of_the_table(kind):
    rows = FrameRows.of(FRAMES[kind])
    assert (rows.shape, rows.dtype) == (TABLE.shape, np.float32)
    np.testing.assert_array_equal(rows.read(0, 600), TABLE)
    np.testing.assert_array_equal(rows.read(17, 18), TABLE[17:18])


@pytest.mark.parametrize("kind", FRAMES)
def test_fits_of_a_frame_are_those_of_the_table(kind):
    weight = RANDOM.random(600)
    model, expected = fitted(FRAMES[kind], weight=weight), fitted(TABLE, weight=weight)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(FRAMES[kind]), expected.labels_)
    assert list(model.feature_names_in_) == list(COLUMNS)
    assert model.n_features_in_ == 4


def test_frames_of_dask_may_have_flags_next_to_numbers():
    frame = dd.from_pandas(FRAMES["pandas"], npartitions=3)
    model, expected = fitted(frame), fitted(TABLE)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(frame), expected.labels_)
    assert list(model.feature_names_in_) == list(COLUMNS)


@pytest.mark.parametrize("kind", FRAMES)
def test_other_columns_than_those_fitted_are_refused(kind):
    model, frame = fitted(FRAMES[kind]), FRAMES[kind]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["small", "half", "flag", "single"]])
    with pytest.raises(ValueError, match="flag"):
        model.predict(frame[["half", "small", "single"]])


def test_columns_of_one_type_that_stand_apart_are_read_as_they_are():
    frame = pd.DataFrame({"a": COLUMNS["half"]})
    frame["b"] = COLUMNS["half"] + 1
    rows = FrameRows.of(frame)
    assert rows.dtype == np.float16
    np.testing.assert_array_equal(rows.read(0, 600), frame.to_numpy())


@pytest.mark.parametrize(
    "X",
    [
        TABLE,
        TABLE.tolist(),
        pd.DataFrame(TABLE),
        pd.DataFrame(np.asfortranarray(TABLE)),
        pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}),
        pd.DataFrame({"a": [1.5, 2.5], "b": pd.array([1, None], "Int64")}),
        pd.Series([1.5, 2.5]),
        pd.DataFrame({"a": np.empty(0), "b": np.empty(0, int)}),
        pl.DataFrame({"a": [1.5, 2.5], "b": [1, None]}),
        pl.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]}),
        pl.DataFrame({"a": [1.5, 2.5]}).lazy(),
    ],
)
def test_what_is_an_array_already_or_no_numbers_is_left_to_scikit_learn(X):
    assert FrameRows.of(X) is None
