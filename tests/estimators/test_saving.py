"""Fitted models into files: the same model comes back, from this version's files and from earlier ones."""

from __future__ import annotations

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from dncsc import DnCSC, clusterer, load_model, methods, open_rows
from model_files import ONE_OF_EACH_KIND, assert_same, fitted, saved, table


@pytest.mark.parametrize(
    ("name", "dtype"), [*((name, "float64") for name in methods()), *((name, "float32") for name in ONE_OF_EACH_KIND)]
)
def test_every_method_comes_back_as_it_was(tmp_path, name, dtype):
    model = fitted(name, dtype)
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert_same(again, model)
    if name != "sc":
        np.testing.assert_array_equal(again.predict(table().astype(dtype)), model.labels_)
    again.save(tmp_path / "again.npz")  # and once more
    assert_same(load_model(tmp_path / "again.npz"), model)


@pytest.mark.parametrize("bandwidth", ["local", "adaptive", 0.3])
def test_every_bandwidth_comes_back(tmp_path, bandwidth):
    for name in ("dnc-sc", "lsc-r"):
        model = clusterer(name, 3, n_landmarks=30, bandwidth=bandwidth, normalize="l1", random_state=0).fit(table())
        model.save(tmp_path / "model.npz")
        assert_same(load_model(tmp_path / "model.npz"), model)


def test_a_loaded_model_can_be_fitted_again(tmp_path):
    fitted("dnc-sc").save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz").fit(table())
    np.testing.assert_array_equal(again.labels_, fitted("dnc-sc").labels_)


def test_names_of_features_are_kept(tmp_path):
    frame = pd.DataFrame(table(), columns=["width of a moon", "höhe"])
    model = DnCSC(3, n_landmarks=30, random_state=0).fit(frame)
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert list(again.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(again.predict(frame), model.labels_)
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(frame[["höhe", "width of a moon"]])


def test_notes_are_kept(tmp_path):
    notes = {"data": "moons", "rows": 600, "nested": {"a": [1, None, "ü"]}}
    fitted("dnc-sc").save(tmp_path / "model.npz", notes=notes)
    assert load_model(tmp_path / "model.npz").notes_ == notes
    fitted("dnc-sc").save(tmp_path / "model.npz")
    assert load_model(tmp_path / "model.npz").notes_ == {}


def test_a_path_may_have_any_letters(tmp_path):
    for name in ("ein Mödell mit 空白.npz", "no suffix", "model.dncsc"):
        fitted("dnc-sc").save(str(tmp_path / name))
        assert_same(load_model(str(tmp_path / name)), fitted("dnc-sc"))
    assert len(list(tmp_path.iterdir())) == 3


def test_parameters_of_this_machine_stay_here(tmp_path):
    model = DnCSC(3, n_landmarks=30, n_jobs=1, max_memory="4GB", scratch_dir=tmp_path, checkpoint=tmp_path / "phases")
    model.set_params(random_state=np.random.RandomState(0)).fit(table()).save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    for name in ("n_jobs", "max_memory", "scratch_dir", "checkpoint", "random_state"):
        assert getattr(again, name) is None
    assert str(tmp_path).encode() not in (tmp_path / "model.npz").read_bytes()


def test_a_model_of_rows_in_files_is_the_same(tmp_path):
    np.save(tmp_path / "rows.npy", table())
    model = DnCSC(3, n_landmarks=30, random_state=0).fit(open_rows(tmp_path / "rows.npy"), labels_to=tmp_path / "l.npy")
    model.save(tmp_path / "model.npz")
    assert_same(load_model(tmp_path / "model.npz").set_params(), model)
    np.testing.assert_array_equal(model.labels_, fitted("dnc-sc").labels_)


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_pickle_and_joblib_keep_everything(tmp_path, name):
    model = fitted(name)
    joblib.dump(model, tmp_path / "model.joblib")
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(again.labels_, model.labels_)
        if name != "sc":
            np.testing.assert_array_equal(again.predict(table()), model.labels_)


def test_a_model_whose_labels_are_in_a_file_can_be_pickled(tmp_path):
    model = DnCSC(3, n_landmarks=30, random_state=0).fit(table(), labels_to=tmp_path / "labels.npy")
    again = pickle.loads(pickle.dumps(model))
    (tmp_path / "labels.npy").unlink()
    np.testing.assert_array_equal(again.labels_, model.predict(table()))


# Writing


def test_a_model_that_is_not_fitted_cannot_be_saved(tmp_path):
    with pytest.raises(NotFittedError):
        DnCSC(3).save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("notes", [{"a": {1}}, {"a": object()}, {"a": float("nan")}, {"a": np.zeros(3)}])
def test_a_file_is_replaced_only_when_all_is_written(tmp_path, notes):
    path = tmp_path / "model.npz"
    path.write_bytes(b"old")
    with pytest.raises((TypeError, ValueError)):
        fitted("dnc-sc").save(path, notes=notes)
    assert path.read_bytes() == b"old"
    with pytest.raises(FileNotFoundError):
        fitted("dnc-sc").save(tmp_path / "missing" / "model.npz")
    assert list(tmp_path.iterdir()) == [path]
    fitted("dnc-sc").save(path)
    assert load_model(path).n_clusters == 3
    assert list(tmp_path.iterdir()) == [path]


def test_there_is_no_pickle_in_a_file():
    for name in ONE_OF_EACH_KIND:
        with np.load(io.BytesIO(saved(name)), allow_pickle=False) as arrays:
            assert all(arrays[each].dtype.kind in "biuf" for each in arrays)
