"""Fitted models as files: the same model comes back, and a file that is not one is refused, whoever made it."""

from __future__ import annotations

import dataclasses
import io
import json
import pickle
import shutil
import zipfile
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from dncsc import DnCSC, clusterer, estimate, load_model, methods, open_rows
from dncsc.estimators import saving

ATTRIBUTES = [
    "landmarks_",
    "n_landmarks_",
    "bandwidth_",
    "eigenvalues_",
    "cluster_centers_",
    "cluster_sizes_",
    "inertia_",
    "n_iter_",
    "exact_fraction_",
    "n_graph_components_",
    "timings_",
    "n_features_in_",
]


def params_of(name):
    small = {} if name in ("k-means", "sc") else {"n_landmarks": 30}
    return {**small, **{"lsec": {"n_members": 4, "n_graphs": 2}, "u-senc": {"n_members": 2}}.get(name, {})}


@pytest.fixture(scope="module")
def table(moons):
    return moons[0][:600]


@pytest.fixture(scope="module")
def fitted(table):
    """Each method, fitted when first asked for."""
    found = {}

    def fit(name, dtype="float64"):
        if (name, dtype) not in found:
            found[name, dtype] = clusterer(name, 3, random_state=0, **params_of(name)).fit(table.astype(dtype))
        return found[name, dtype]

    return fit


@pytest.fixture(scope="module")
def saved(fitted, tmp_path_factory):
    """The bytes of a model file."""
    folder = tmp_path_factory.mktemp("models")

    def content(name="dnc-sc"):
        fitted(name).save(folder / "model.npz")
        return (folder / "model.npz").read_bytes()

    return content


def assert_same(found, wanted, table):
    assert repr(found) == repr(wanted)
    assert type(found) is type(wanted)
    for name in ATTRIBUTES:
        assert hasattr(found, name) == hasattr(wanted, name), name
        if hasattr(wanted, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert not hasattr(found, "labels_")
    for what in ("predict", "transform", "affinity"):
        if hasattr(wanted, what):
            one, other = getattr(found, what)(table), getattr(wanted, what)(table)
            assert one.dtype == other.dtype
            assert (one != other).nnz == 0 if what == "affinity" else np.array_equal(one, other), what


# The same model


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", methods())
def test_every_method_comes_back_as_it_was(fitted, table, tmp_path, name, dtype):
    model = fitted(name, dtype)
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert_same(again, model, table)
    if name != "sc":
        np.testing.assert_array_equal(again.predict(table.astype(dtype)), model.labels_)
    again.save(tmp_path / "again.npz")  # and once more
    assert_same(load_model(tmp_path / "again.npz"), model, table)


@pytest.mark.parametrize("bandwidth", ["local", "adaptive", 0.3])
def test_every_bandwidth_comes_back(table, tmp_path, bandwidth):
    for name in ("dnc-sc", "lsc-r"):
        model = clusterer(name, 3, n_landmarks=30, bandwidth=bandwidth, normalize="l1", random_state=0).fit(table)
        model.save(tmp_path / "model.npz")
        assert_same(load_model(tmp_path / "model.npz"), model, table)


def test_a_loaded_model_can_be_fitted_again(fitted, table, tmp_path):
    fitted("dnc-sc").save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz").fit(table)
    np.testing.assert_array_equal(again.labels_, fitted("dnc-sc").labels_)


def test_names_of_features_are_kept(table, tmp_path):
    frame = pd.DataFrame(table, columns=["width of a moon", "höhe"])
    model = DnCSC(3, n_landmarks=30, random_state=0).fit(frame)
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert list(again.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(again.predict(frame), model.labels_)
    with pytest.raises(ValueError, match="feature names should match"):
        again.predict(frame[["höhe", "width of a moon"]])


def test_notes_are_kept(fitted, tmp_path):
    notes = {"data": "moons", "rows": 600, "nested": {"a": [1, None, "ü"]}}
    fitted("dnc-sc").save(tmp_path / "model.npz", notes=notes)
    assert load_model(tmp_path / "model.npz").notes_ == notes
    fitted("dnc-sc").save(tmp_path / "model.npz")
    assert load_model(tmp_path / "model.npz").notes_ == {}


def test_a_path_may_have_any_letters(fitted, table, tmp_path):
    for name in ("ein Mödell mit 空白.npz", "no suffix", "model.dncsc"):
        fitted("dnc-sc").save(str(tmp_path / name))
        assert_same(load_model(str(tmp_path / name)), fitted("dnc-sc"), table)
    assert len(list(tmp_path.iterdir())) == 3


def test_parameters_of_this_machine_stay_here(table, tmp_path):
    model = DnCSC(3, n_landmarks=30, n_jobs=1, max_memory="4GB", scratch_dir=tmp_path, checkpoint=tmp_path / "phases")
    model.set_params(random_state=np.random.RandomState(0)).fit(table).save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    for name in ("n_jobs", "max_memory", "scratch_dir", "checkpoint", "random_state"):
        assert getattr(again, name) is None
    assert str(tmp_path).encode() not in (tmp_path / "model.npz").read_bytes()


def test_a_model_of_rows_in_files_is_the_same(table, fitted, tmp_path):
    np.save(tmp_path / "rows.npy", table)
    model = DnCSC(3, n_landmarks=30, random_state=0).fit(open_rows(tmp_path / "rows.npy"), labels_to=tmp_path / "l.npy")
    model.save(tmp_path / "model.npz")
    assert_same(load_model(tmp_path / "model.npz").set_params(), model, table)
    np.testing.assert_array_equal(model.labels_, fitted("dnc-sc").labels_)


@pytest.mark.parametrize("name", ["dnc-sc", "lsec", "nystrom", "sc"])
def test_pickle_and_joblib_keep_everything(fitted, table, tmp_path, name):
    model = fitted(name)
    joblib.dump(model, tmp_path / "model.joblib")
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model.joblib")):
        np.testing.assert_array_equal(again.labels_, model.labels_)
        if name != "sc":
            np.testing.assert_array_equal(again.predict(table), model.labels_)


def test_a_model_whose_labels_are_in_a_file_can_be_pickled(table, tmp_path):
    model = DnCSC(3, n_landmarks=30, random_state=0).fit(table, labels_to=tmp_path / "labels.npy")
    again = pickle.loads(pickle.dumps(model))
    (tmp_path / "labels.npy").unlink()
    np.testing.assert_array_equal(again.labels_, model.predict(table))


# Writing


def test_a_model_that_is_not_fitted_cannot_be_saved(tmp_path):
    with pytest.raises(NotFittedError):
        DnCSC(3).save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("notes", [{"a": {1}}, {"a": object()}, {"a": float("nan")}, {"a": np.zeros(3)}])
def test_a_file_is_replaced_only_when_all_is_written(fitted, tmp_path, notes):
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


def test_there_is_no_pickle_in_a_file(saved):
    for name in ("dnc-sc", "lsec", "nystrom", "sc"):
        with np.load(io.BytesIO(saved(name)), allow_pickle=False) as arrays:
            assert all(arrays[each].dtype.kind in "biuf" for each in arrays)


# Reading what is damaged


def load_bytes(content, folder):
    path = folder / "model.npz"
    path.write_bytes(content)
    return load_model(path)


def load_if_sound(content, folder):
    """The model, or None where it was refused with words that name the file."""
    try:
        return load_bytes(content, folder)
    except (ValueError, OSError) as error:
        if "model.npz" not in str(error):
            raise
        return None


def test_a_file_that_ends_too_soon_is_refused(saved, tmp_path):
    content = saved()
    lengths = {0, 1, 3, 4, 21, 22, 30, len(content) - 1, *np.linspace(0, len(content) - 1, 150).astype(int).tolist()}
    for length in sorted(lengths):
        with pytest.raises(ValueError, match=r"model\.npz is damaged, or no file of dncsc"):
            load_bytes(content[:length], tmp_path)


@pytest.mark.parametrize("name", ["dnc-sc", "lsec", "nystrom", "k-means", "lsc-r"])
def test_a_file_with_changed_bytes_is_refused_or_harmless(saved, fitted, table, tmp_path, name):
    """Most changes are found by checksums; a few bytes of a zip file, such as dates, mean nothing."""
    content, random = saved(name), np.random.default_rng(0)
    labels = fitted(name).labels_
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        directory = archive.start_dir
    models = []
    for trial in range(120):
        changed = bytearray(content)
        for _ in range(random.integers(1, 4)):
            place = random.integers(directory if trial % 2 else 0, len(content))  # half of them in the directory
            changed[place] = random.integers(256)
        models.append(load_if_sound(bytes(changed), tmp_path))
    assert 60 < models.count(None) < 120
    for model in filter(None, models):
        np.testing.assert_array_equal(model.predict(table), labels)


def repacked(content: bytes, change: Any = None, arrays: Any = None, compression: int = zipfile.ZIP_STORED) -> bytes:
    """A file whose header or arrays somebody has changed, with valid checksums."""
    with np.load(io.BytesIO(content)) as found:
        parts = {name: found[name] for name in found}
    header = json.loads(parts.pop("header").tobytes())
    if change:
        changed = change(header)
        header = changed if isinstance(changed, list) else header
    if arrays:
        arrays(parts)
    parts["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, value in parts.items():
            archive.writestr(f"{name}.npy", value if isinstance(value, bytes) else npy_bytes(value))
    return target.getvalue()


def npy_bytes(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    return stream.getvalue()


def npy_claiming(text: str, data: bytes = b"") -> bytes:
    """An array file whose header says what it likes."""
    head = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data


@pytest.mark.parametrize("name", methods())
def test_a_file_that_was_written_again_by_others_is_read(saved, fitted, table, tmp_path, name):
    model = load_bytes(repacked(saved(name)), tmp_path)
    assert_same(model, fitted(name), table)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h: h.update({"format": "other"}), "but not of a model"),
        (lambda h: h.pop("format"), "but not of a model"),
        (lambda h: h.update({"format_version": 2}), r"has version 2 of the format; this dncsc .* reads version 1"),
        (lambda h: h.update({"class": "Popen"}), "of a class 'Popen', which is none of DnCSC"),
        (lambda h: h.update({"class": "NystromSC"}), "parameters of another version"),
        (lambda h: h.update({"class": "NystromSC", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"class": "LSEC", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"class": "LloydKMeans", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"class": "ExactSC", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"class": ["DnCSC"]}), "no valid class"),
        (lambda h: h["params"].update({"n_clusters": "3"}), "n_clusters must be an integer"),
        (lambda h: h["params"].update({"n_landmarks": None}), "n_landmarks must be an integer"),
        (lambda h: h["params"].update({"select": "rm -rf"}), "select must be one of"),
        (lambda h: h["params"].update({"random_state": "x"}), "random_state must be None"),
        (lambda h: h["params"].update({"other": 1}), "parameters of another version"),
        (lambda h: h["params"].update({"checkpoint": "somewhere"}), "no valid params"),
        (lambda h: h["params"].update({"scratch_dir": "somewhere"}), "no valid params"),
        (lambda h: h.update({"params": [1]}), "no valid params"),
        (lambda h: h.update({"notes": None}), "no valid notes"),
        (lambda h: h.pop("timings"), "no valid timings"),
        (lambda h: h.update({"n_features": "2"}), "no valid n_features"),
        (lambda h: h.update({"n_features": 3}), "the shift has shape"),
        (lambda h: h.update({"feature_names": ["a"]}), "no valid feature_names"),
        (lambda h: h.update({"feature_names": []}), "no valid feature_names"),
        (lambda h: h.update({"feature_names": 0}), "no valid feature_names"),
        (lambda h: h.update({"feature_names": ["a", 1]}), "no valid feature_names"),
        (lambda h: h.update({"record": None}), "the record is a NoneType"),
        (lambda h: h["record"].update({"is": "Estimate"}), "malformed"),
        (lambda h: h["record"].update({"is": "Model"}), "of another version"),
        (lambda h: h["record"]["has"].update({"n_iter": "1"}), "n_iter of a Fitted is a str"),
        (lambda h: h["record"]["has"].update({"inertia": 10**400}), "malformed"),
        (lambda h: h["record"]["has"]["model"]["has"]["frame"]["has"].update({"scale": 0}), "scale is not positive"),
        (lambda h: h["record"]["has"]["model"]["has"]["frame"]["has"].update({"scale": float("nan")}), "scale is not"),
        (lambda h: h["record"]["has"]["model"]["has"].update({"embedding": None}), "embedding of a Model"),
        (lambda h: [1], "says nothing about a record"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(saved, tmp_path, change, words):
    with pytest.raises(ValueError, match=words) as caught:
        load_bytes(repacked(saved(), change), tmp_path)
    assert "model.npz" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def test_a_header_without_names_of_features_is_read(saved, fitted, table, tmp_path):
    assert_same(load_bytes(repacked(saved(), lambda h: h.pop("feature_names")), tmp_path), fitted("dnc-sc"), table)


def rewritten(model, **changes):
    """A fitted model with parts of its records replaced; "embedding.graph.links" names a part."""
    record = model._model
    for path, value in changes.items():
        record = with_part(record, path.split("__"), value)
    other = pickle.loads(pickle.dumps(model))
    other._model = record
    return other


def with_part(record, path, value):
    part = getattr(record, path[0])
    if len(path) > 1:
        value = with_part(part, path[1:], value)
    elif callable(value):
        value = value(part)
    return dataclasses.replace(record, **{path[0]: value})


SEARCH = "embedding__graph__links__search__"
TREE = "embedding__graph__links__tree__levels"


def with_number(value):
    def change(array):
        array = array.copy()
        array.flat[-1] = value
        return array

    return change


def first_level(**changes):
    def change(levels):
        given = {name: each(getattr(levels[0], name)) for name, each in changes.items()}
        return (dataclasses.replace(levels[0], **given), *levels[1:])

    return change


@pytest.mark.parametrize(
    ("part", "change", "words"),
    [
        (SEARCH + "candidates", with_number(30), "a candidate names what does not exist"),
        (SEARCH + "candidates", with_number(2**31 - 1), "a candidate names what does not exist"),
        (SEARCH + "candidates", with_number(-1), "a candidate names what does not exist"),
        (SEARCH + "candidates", lambda c: c.astype(np.int64), "the candidates has shape"),
        (SEARCH + "candidates", lambda c: c[:, :3].copy(), "more neighbours than there are candidates|the reach"),
        (SEARCH + "n_neighbors", 0, "more neighbours than there are candidates"),
        (SEARCH + "n_neighbors", 31, "more neighbours than there are candidates"),
        (SEARCH + "n_neighbors", 2**70, "more neighbours than there are candidates"),
        (SEARCH + "reach", lambda r: r[:-1], "the reach has shape"),
        (SEARCH + "horizon", lambda r: r[:-1], "the horizon has shape"),
        (SEARCH + "horizon", with_number(np.nan), "the horizon has NaN"),
        (SEARCH + "landmarks", lambda x: x[:-1], "has shape|names what does not exist"),
        (SEARCH + "landmarks", lambda x: x[:0], "has shape|names what does not exist"),
        (SEARCH + "landmarks", lambda x: x.ravel(), "the landmarks has shape"),
        (SEARCH + "landmarks", lambda x: (x / 1e99).astype(np.float32), "the landmarks has shape"),
        (TREE, (), "its tree leads to other landmarks"),
        (TREE, first_level(centres=lambda c: c[:-1]), "torn"),
        (TREE, first_level(first=lambda f: f[:-1]), "the first centres has shape|torn"),
        (TREE, first_level(first=with_number(10**6)), "torn"),
        (TREE, first_level(first=lambda f: f - 1), "torn"),
        (TREE, first_level(first=lambda f: f.astype(np.int64)), "the first centres has shape"),
        (TREE, first_level(centres=with_number(np.nan)), "the centres has NaN"),
        (TREE, lambda levels: (*levels, levels[-1]), "torn|the first centres"),
        ("embedding__graph__affinity__bandwidth", 0.0, "bandwidth is not positive"),
        ("embedding__graph__affinity__bandwidth", -1.0, "bandwidth is not positive"),
        ("embedding__graph__affinity__count", 0, "neighbours that are none"),
        ("embedding__graph__affinity__count", 6, "neighbours that are none"),
        ("embedding__lift__vectors", lambda v: v[:-1], "the eigenvectors has shape"),
        ("embedding__lift__vectors", lambda v: v[:, :0], "no eigenvectors"),
        ("embedding__lift__vectors", lambda v: v[:, 0], "malformed|the eigenvectors has shape"),
        ("embedding__lift__vectors", lambda v: v.astype(np.float16), "the eigenvectors has shape"),
        ("centroids", lambda c: c[:0], "no centroids"),
        ("centroids", lambda c: c[:, :-1], "the centroids has shape"),
        ("centroids", lambda c: c.astype(np.int32), "the centroids has shape"),
        ("frame__shift", lambda s: s[:1], "the shift has shape"),
        ("frame__shift", with_number(np.inf), "infinitely far away"),
        ("frame__scale", -1.0, "scale is not positive"),
        ("frame__scale", 1e305, "scale is not positive, or out of all measure"),
        ("frame__dtype", np.dtype(np.float32), "has shape|out of all measure"),
    ],
)
def test_a_model_that_kernels_cannot_be_trusted_with_is_refused(fitted, tmp_path, part, change, words):
    rewritten(fitted("dnc-sc"), **{part: change}).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=words) as caught:
        load_model(tmp_path / "model.npz")
    assert "model.npz is damaged" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "part", "change", "words"),
    [
        ("nystrom", "embedding__kernel__landmarks", lambda x: x[:-1], "has shape"),
        ("nystrom", "embedding__kernel__bandwidth", 0.0, "bandwidth is not positive"),
        ("nystrom", "embedding__lines", lambda x: x[:-1], "the lines has shape"),
        ("nystrom", "embedding__lines", lambda x: x[:, :0], "has shape|no eigenvectors"),
        ("k-means", "embedding__n_dimensions", 3, "its rows have another shape"),
        ("lsec", "embedding__graph__groups", (), "its graph is none"),
        ("lsec", "embedding__graph__groups", lambda g: g[::-1], "members are not in order"),
        ("lsec", "embedding__graph__groups", lambda g: (dataclasses.replace(g[0], members=()), g[1]), "not in order"),
        ("lsec", "embedding__graph__groups", lambda g: g[:1], "the eigenvectors has shape"),
        (
            "lsec",
            "embedding__graph__groups",
            lambda g: (dataclasses.replace(g[0], members=(g[0].members[0], g[1].members[0])), g[1]),
            "members of a group have different landmarks",
        ),
        (
            "lsec",
            "embedding__graph__groups",
            lambda g: (
                dataclasses.replace(
                    g[0], members=(dataclasses.replace(g[0].members[0], centroids=np.zeros((300, 20))),)
                ),
                g[1],
            ),
            "a member",
        ),
    ],
)
def test_other_models_that_cannot_be_trusted_are_refused(fitted, tmp_path, name, part, change, words):
    rewritten(fitted(name), **{part: change}).save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=words):
        load_model(tmp_path / "model.npz")


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("cluster_sizes_", np.zeros(2, np.int64)),
        ("cluster_sizes_", np.zeros((3, 3), np.int64)),
        ("cluster_sizes_", np.zeros(3)),
        ("eigenvalues_", np.zeros((2, 2))),
        ("eigenvalues_", np.zeros(2, np.int64)),
    ],
)
def test_sums_of_the_wrong_shape_are_refused(fitted, tmp_path, attribute, value):
    other = rewritten(fitted("dnc-sc"))
    setattr(other, attribute, value)
    other.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=r"sizes of the clusters|eigenvalues"):
        load_model(tmp_path / "model.npz")


class Evil:
    """Would leave a mark if it were unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('unpickled')",)


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (np.array([Evil()], dtype=object), "not plain numbers"),
        (np.array(["text"]), "not plain numbers"),
        (np.zeros(3, [("a", "f8")]), "not plain numbers"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"), "has 0 bytes"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (10**99,)}"), "damaged"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", b"\0" * 8), "has 8 bytes"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}", b"\0" * 8), "has 8 bytes"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (0, " + "9" * 40 + ")}"), "damaged"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", b"\0" * 16), "has 16 bytes"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': 1}", b"\0" * 8), "damaged"),
        (npy_claiming("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"\0" * 8), "not plain numbers"),
        (npy_claiming("(" * 50), "damaged"),
        (npy_claiming("__import__('os').abort()"), "damaged"),
        (b"", "damaged"),
        (b"text", "damaged"),
        (b"\x93NUMPY\x09\x00", "damaged"),
    ],
)
def test_parts_that_are_no_arrays_of_numbers_are_refused(saved, tmp_path, part, words):
    def change(arrays):
        arrays["array1"] = part

    with pytest.raises(ValueError, match=words):
        load_bytes(repacked(saved(), arrays=change), tmp_path)


HOSTILE = [np.nan, np.inf, -np.inf, 1e300, 1e-300, -1.0, 0.0, 2.0**31 - 1, -(2.0**31)]


@pytest.mark.parametrize("name", ["dnc-sc/nearest=exact", "lsec", "nystrom", "k-means"])
@np.errstate(all="ignore")
def test_numbers_that_nobody_would_write_are_refused_or_harmless(saved, table, tmp_path, name):
    content, random = saved(name), np.random.default_rng(0)

    def change(arrays):
        part = random.choice([each for each in arrays if arrays[each].size])
        array = arrays[part].copy()
        places = random.integers(array.size, size=random.integers(1, 9))
        array.flat[places] = np.array(random.choice(HOSTILE)).astype(array.dtype)
        arrays[part] = array

    models = [load_if_sound(repacked(content, arrays=change), tmp_path) for _ in range(60)]
    assert models.count(None) > 5
    for model in filter(None, models):
        labels = model.set_params(n_jobs=1).predict(table)
        assert labels.shape == (len(table),)
        assert labels.min() >= 0
        assert labels.max() < 3


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressed_parts_are_refused_unread(saved, tmp_path, compression):
    with pytest.raises(ValueError, match="is compressed, which ours never are"):
        load_bytes(repacked(saved(), compression=compression), tmp_path)


def test_parts_that_claim_more_than_the_file_has_are_refused(saved, tmp_path):
    content = saved()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        place, size = archive.start_dir, archive.infolist()[0].file_size
    sizes = content.index(size.to_bytes(4, "little") * 2, place)
    huge = content[:sizes] + (2**31).to_bytes(4, "little") * 2 + content[sizes + 8 :]
    with pytest.raises(ValueError, match="claim to be larger than the file"):
        load_bytes(huge, tmp_path)


def test_files_of_other_kinds_are_refused(table, tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, X=table)
    with pytest.raises(ValueError, match="it has no header"):
        load_model(path)
    np.save(tmp_path / "rows.npy", table)
    for content in ((tmp_path / "rows.npy").read_bytes(), b"", b"some text", pickle.dumps(estimate(1000, 2))):
        with pytest.raises(ValueError, match="damaged, or no file of dncsc"):
            load_bytes(content, tmp_path)
    with zipfile.ZipFile(path, "w"):
        pass
    with pytest.raises(ValueError, match="it has no header"):
        load_model(path)
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "missing.npz")
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path)


def test_a_checkpoint_is_no_model(table, tmp_path):
    DnCSC(3, n_landmarks=30, checkpoint=tmp_path / "phases").fit(table)
    for path in sorted((tmp_path / "phases").glob("*.npz")):
        with pytest.raises(ValueError, match="is a file of dncsc, but not of a model"):
            load_model(path)


def test_a_model_is_no_checkpoint(fitted, table, tmp_path):
    params = {"n_landmarks": 30, "random_state": 0, "checkpoint": tmp_path}
    DnCSC(3, **params).fit(table)
    fitted("dnc-sc").save(tmp_path / "model")
    shutil.copy(tmp_path / "model", tmp_path / "00-select.npz")
    with pytest.raises(ValueError, match=r"00-select\.npz cannot be used"):
        DnCSC(3, **params).fit(table)


def test_the_format_has_the_version_that_it_says(saved):
    with np.load(io.BytesIO(saved())) as arrays:
        header = json.loads(arrays["header"].tobytes())
    assert header["format"] == saving.FORMAT
    assert header["format_version"] == saving.FORMAT_VERSION == 1
