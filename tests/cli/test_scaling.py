"""Rows scaled as they are read."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.preprocessing import RobustScaler, StandardScaler

from dncsc import DnCSC
from dncsc.budget import InsufficientMemoryError, ResourceLimits
from dncsc.cli.scaling import ScaledRows, scaled
from dncsc.estimators.inputs import open_engine, size_of
from dncsc.rows import open_rows


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
        found, remembered = scaled(rows, how, seed=0, watch=lambda *told: None)
        np.testing.assert_allclose(found.read(0, 40_000), scaler.fit_transform(X), rtol=1e-6, atol=1e-8)
        np.testing.assert_array_equal(np.concatenate(list(found.batches(999))), found.read(0, 40_000))
    assert remembered is not None
    assert remembered["scale"][2] == 1
    assert isinstance(found, ScaledRows)


@pytest.mark.parametrize("how", ["standard", "robust"])
def test_scaled_rows_do_not_depend_on_how_large_or_small_a_column_is(how, folder):
    X = np.random.default_rng(0).normal(size=(40_000, 1))
    powers = np.array([0, 512, 600, 1019, -400, -1000])  # squares of columns overflow or vanish
    np.save("rows.npy", np.hstack([X * 2.0**powers, np.full_like(X, 1.7e308)]))
    with open_rows("rows.npy") as rows:
        found, _ = scaled(rows, how, seed=0, watch=lambda *told: None)
        Y = found.read(0, 40_000)
    np.testing.assert_array_equal(Y[:, :-1], Y[:, [0] * len(powers)])
    assert Y[:, 0].std() == pytest.approx(1 if how == "standard" else 0.74, abs=0.01)
    assert not Y[:, -1].any()


@pytest.mark.parametrize("how", ["standard", "robust"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_column_that_is_not_finite_cannot_be_scaled(how, value, folder):
    np.save("rows.npy", np.column_stack([np.arange(10.0), np.full(10, value)]))
    with open_rows("rows.npy") as rows, pytest.raises(ValueError, match="column 1 has values that are not finite"):
        scaled(rows, how, seed=0, watch=lambda *told: None)


def test_small_numbers_that_are_scaled_are_copied_as_they_stand_in_the_file(folder):
    X = np.random.default_rng(0).normal(5, 2, (40_000, 4)).astype(np.float16)
    np.savez_compressed("packed.npz", X=X)
    np.save("rows.npy", X.astype(np.float32))
    packed, direct = (
        scaled(open_rows(name), "standard", 0, lambda *told: None)[0] for name in ("packed.npz", "rows.npy")
    )
    model = DnCSC(3, n_landmarks=40, n_init=1, random_state=0)
    size = size_of(model, packed)
    with pytest.raises(InsufficientMemoryError, match="a copy of 320 kB"):
        open_engine(packed, None, None, size, ResourceLimits(size.working, folder, size.must_keep))
    labels = model.fit(direct).labels_
    np.testing.assert_array_equal(model.fit(packed).labels_, labels)
    np.testing.assert_array_equal(model.predict(packed), labels)
