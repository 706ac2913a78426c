"""Rows encoded as they are read: scaled, filled, and without those that lack a value."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler, StandardScaler

from dncsc import DnCSC
from dncsc.budget import InsufficientMemoryError, ResourceLimits
from dncsc.estimators.inputs import open_engine, size_of
from dncsc.rows import open_rows
from dncsc.tables.encoding import Encoding, NumberColumn
from dncsc.tables.learning import TableOptions, learned
from dncsc.tables.rows import CompleteRows, EncodedRows, complete


def encoded(rows, **options):
    """Rows of numbers, encoded as asked."""
    asked = TableOptions(**options)
    plan = Encoding(tuple(NumberColumn(str(number)) for number in range(rows.shape[1])), asked.missing, asked.scale)
    return EncodedRows(rows, learned(plan, asked, rows.batches(), rows.shape))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("how", "scaler"), [("standard", StandardScaler()), ("robust", RobustScaler())])
def test_scaled_rows_are_those_of_scikit_learn(how, scaler, folder):
    random = np.random.default_rng(0)
    X = random.normal([0, 5e6, 0.1, -3], [1, 10, 0, 1e-3], (40_000, 4))
    np.save("rows.npy", X)
    with open_rows("rows.npy") as rows:
        found = encoded(rows, scale=how)
        np.testing.assert_allclose(found.read(0, 40_000), scaler.fit_transform(X), rtol=1e-6, atol=1e-8)
        np.testing.assert_array_equal(np.concatenate(list(found.batches(999))), found.read(0, 40_000))
    assert found.encoding.columns[2].scale == 1


@pytest.mark.parametrize("how", ["standard", "robust"])
def test_scaled_rows_do_not_depend_on_how_large_or_small_a_column_is(how, folder):
    X = np.random.default_rng(0).normal(size=(40_000, 1))
    powers = np.array([0, 512, 600, 1019, -400, -1000])  # squares of columns overflow or vanish
    np.save("rows.npy", np.hstack([X * 2.0**powers, np.full_like(X, 1.7e308)]))
    with open_rows("rows.npy") as rows:
        Y = encoded(rows, scale=how).read(0, 40_000)
    np.testing.assert_array_equal(Y[:, :-1], Y[:, [0] * len(powers)])
    assert Y[:, 0].std() == pytest.approx(1 if how == "standard" else 0.74, abs=0.01)
    assert not Y[:, -1].any()


@pytest.mark.parametrize("how", ["standard", "robust"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_column_that_is_not_finite_cannot_be_scaled(how, value, folder):
    np.save("rows.npy", np.column_stack([np.arange(10.0), np.full(10, value)]))
    with open_rows("rows.npy") as rows, pytest.raises(ValueError, match="column '1' has values that are not finite"):
        encoded(rows, scale=how)


def test_small_numbers_that_are_scaled_are_copied_as_they_stand_in_the_file(folder):
    X = np.random.default_rng(0).normal(5, 2, (40_000, 4)).astype(np.float16)
    np.savez_compressed("packed.npz", X=X)
    np.save("rows.npy", X.astype(np.float32))
    packed, direct = (encoded(open_rows(name), scale="standard") for name in ("packed.npz", "rows.npy"))
    model = DnCSC(3, n_landmarks=40, n_init=1, random_state=0)
    size = size_of(model, packed)
    with pytest.raises(InsufficientMemoryError, match="a copy of 320 kB"):
        open_engine(packed, None, None, size, ResourceLimits(size.working, folder, size.must_keep))
    labels = model.fit(direct).labels_
    np.testing.assert_array_equal(model.fit(packed).labels_, labels)
    np.testing.assert_array_equal(model.predict(packed), labels)


@pytest.mark.parametrize("how", ["median", "mean"])
def test_gaps_are_filled_by_what_the_other_rows_have(how, folder):
    X = np.random.default_rng(0).normal(5, [1, 30], (3_000, 2))
    holes = X.copy()
    holes[::7, 1] = np.nan
    np.save("rows.npy", holes)
    with open_rows("rows.npy") as rows:
        Y = encoded(rows, missing=how).read(0, 3_000)
    np.testing.assert_array_equal(Y[:, 0], X[:, 0])
    np.testing.assert_allclose(Y[::7, 1], getattr(np, f"nan{how}")(holes[:, 1]))
    np.testing.assert_array_equal(Y[1::7], X[1::7])


def test_rows_that_lack_a_value_are_left_out_in_every_batch(folder):
    X = np.random.default_rng(0).normal(size=(50_000, 3))
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    np.save("rows.npy", X)
    with open_rows("rows.npy") as rows:
        kept = complete(rows)
        left = CompleteRows(rows, kept)
        np.testing.assert_array_equal(kept, ~np.isnan(X).any(axis=1))
        np.testing.assert_array_equal(np.concatenate(list(left.batches(999))), X[kept])
    np.save("holes.npy", np.full((5, 2), np.nan))
    with open_rows("holes.npy") as rows, pytest.raises(ValueError, match="every row lacks a value"):
        CompleteRows(rows, complete(rows))
