"""Models from files: a file that is damaged, hostile, of another kind or of a later version is refused."""

from __future__ import annotations

import io
import pickle
import shutil
import zipfile

import numpy as np
import pytest

from dncsc import DnCSC, estimate, load_model
from dncsc.model_file import KINDS
from model_files import ONE_OF_EACH_KIND, assert_same, fitted, load_bytes, repacked, saved, table
from row_files import npy_claiming


def load_if_sound(content, folder):
    """The model, or None where it was refused with words that name the file."""
    try:
        return load_bytes(content, folder)
    except (ValueError, OSError) as error:
        if "model.npz" not in str(error):
            raise
        return None


def test_a_file_that_ends_too_soon_is_refused(tmp_path):
    content = saved()
    lengths = {0, 1, 3, 4, 21, 22, 30, len(content) - 1, *np.linspace(0, len(content) - 1, 60).astype(int).tolist()}
    for length in sorted(lengths):
        with pytest.raises(ValueError, match=r"model\.npz is damaged, or no file of dncsc"):
            load_bytes(content[:length], tmp_path)


@pytest.mark.parametrize("name", ["dnc-sc", "lsec", "nystrom", "k-means"])
def test_a_file_with_changed_bytes_is_refused_or_harmless(tmp_path, name):
    """Most changes are found by checksums; a few bytes of a zip file, such as dates, mean nothing."""
    content, random = saved(name), np.random.default_rng(0)
    labels = fitted(name).labels_
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        directory = archive.start_dir
    models = []
    for trial in range(80):
        changed = bytearray(content)
        for _ in range(random.integers(1, 4)):
            place = random.integers(directory if trial % 2 else 0, len(content))  # half of them in the directory
            changed[place] = random.integers(256)
        models.append(load_if_sound(bytes(changed), tmp_path))
    assert 40 < models.count(None) < 80
    for model in filter(None, models):
        np.testing.assert_array_equal(model.predict(table()), labels)


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_a_file_that_was_written_again_by_others_is_read(tmp_path, name):
    model = load_bytes(repacked(saved(name)), tmp_path)
    assert_same(model, fitted(name))


def model_of(header):
    return header["record"]["fields"]["model"]["fields"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda h: h.update({"format": "other"}), "it is not a dncsc model"),
        (lambda h: h.pop("format"), "it is not a dncsc model"),
        (lambda h: h.update({"method": "Popen"}), "its method 'Popen' is none of dnc-sc"),
        (lambda h: h.update({"method": "DnCSC"}), "its method 'DnCSC' is none of dnc-sc"),
        (lambda h: h.update({"method": "nystrom"}), "parameters do not fit the method 'nystrom'"),
        (lambda h: h.update({"method": "nystrom", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"method": "lsec", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"method": "k-means", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"method": "sc", "params": {}}), "what it holds is of another one"),
        (lambda h: h.update({"method": ["dnc-sc"]}), "no valid method"),
        (lambda h: h["params"].update({"n_clusters": "3"}), "n_clusters must be an integer"),
        (lambda h: h["params"].update({"n_landmarks": None}), "n_landmarks must be an integer"),
        (lambda h: h["params"].update({"select": "rm -rf"}), "select must be one of"),
        (lambda h: h["params"].update({"random_state": "x"}), "random_state must be None"),
        (lambda h: h["params"].update({"other": 1}), "parameters do not fit the method 'dnc-sc'"),
        (lambda h: h["params"].update({"checkpoint": "somewhere"}), "no valid params"),
        (lambda h: h["params"].update({"scratch_dir": "somewhere"}), "no valid params"),
        (lambda h: h.update({"params": [1]}), "no valid params"),
        (lambda h: h.update({"notes": None}), "no valid notes"),
        (lambda h: h.pop("timings"), "no valid timings"),
        (lambda h: h.update({"n_features": "2"}), "no valid n_features"),
        (lambda h: h.update({"n_features": 3}), r"shift of shape \(2,\)"),
        (lambda h: h.update({"feature_names": ["a"]}), "no valid feature_names"),
        (lambda h: h.update({"feature_names": []}), "no valid feature_names"),
        (lambda h: h.update({"feature_names": 0}), "no valid feature_names"),
        (lambda h: h.update({"feature_names": ["a", 1]}), "no valid feature_names"),
        (lambda h: h.update({"feature_names": ["a", "b"], "n_features": "2"}), "no valid n_features"),
        (lambda h: h.update({"later": 1}), "its header has an unknown field 'later'"),
        (lambda h: h.update({"record": None}), "the record is a NoneType"),
        (lambda h: h["record"].update({"tag": "model"}), "'model' lacks field: centroids, embedding, frame"),
        (lambda h: h["record"]["fields"].update({"n_iter": "1"}), "n_iter of 'fitted' is a str"),
        (lambda h: h["record"]["fields"].update({"inertia": 10**400}), "malformed"),
        (lambda h: model_of(h)["frame"]["fields"].update({"scale": 0}), "scale is out of range"),
        (
            lambda h: model_of(h)["frame"]["fields"].update({"metric": "other"}),
            "its metric 'other' is none",
        ),
        (lambda h: model_of(h)["frame"]["fields"].update({"metric": 1}), "metric of 'frame' is a int"),
        (
            lambda h: model_of(h)["frame"]["fields"].update({"metric": "cosine"}),
            "its metric is 'euclidean', but",
        ),
        (lambda h: h["params"].update({"metric": "cosine"}), "its metric is 'cosine', but what it holds is of another"),
        (lambda h: model_of(h).update({"embedding": None}), "embedding of 'model' is a NoneType"),
        (lambda h: [1], "its header has no record"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path, change, words):
    with pytest.raises(ValueError, match=words) as caught:
        load_bytes(repacked(saved(), change), tmp_path)
    assert "model.npz" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


# Other versions


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda h: h.update({"schema": KINDS.version + 1}),
            rf"schema {KINDS.version + 1}, written by dncsc \S+; this is dncsc \S+, which .* up to {KINDS.version}",
        ),
        (lambda h: h.update({"schema": 10**30}), "Install a newer one"),
        (lambda h: h.pop("schema"), "no valid schema"),
        (lambda h: h.update({"schema": True}), "no valid schema"),
        (lambda h: h.update({"schema": 0}), "no valid schema"),
        (lambda h: h.update({"schema": "1"}), "no valid schema"),
        (lambda h: h["record"].update({"tag": "estimate"}), r"a record 'estimate', which dncsc \S+ does not know"),
        (lambda h: model_of(h)["embedding"].update({"tag": "Lifted"}), "a record 'Lifted', which dncsc"),
        (lambda h: h["record"]["fields"].pop("n_iter"), "'fitted' lacks field: n_iter"),
        (lambda h: h["record"]["fields"].update({"later": 1}), "'fitted' has an unknown field: later"),
    ],
)
def test_a_file_of_a_later_version_is_refused_with_what_is_unknown(tmp_path, change, words):
    with pytest.raises(ValueError, match=rf"model\.npz cannot be used: .*{words}"):
        load_bytes(repacked(saved(), change), tmp_path)


def test_a_header_without_names_of_features_is_read(tmp_path):
    assert_same(load_bytes(repacked(saved(), lambda h: h.pop("feature_names")), tmp_path), fitted("dnc-sc"))


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
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", b"\0" * 8), "claims the shape"),
        (npy_claiming("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}", b"\0" * 8), "claims the shape"),
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
def test_parts_that_are_no_arrays_of_numbers_are_refused(tmp_path, part, words):
    def change(arrays):
        arrays["array1"] = part

    with pytest.raises(ValueError, match=words):
        load_bytes(repacked(saved(), arrays=change), tmp_path)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400"])
def test_headers_have_finite_numbers_alone(tmp_path, number):
    def change(arrays):
        text = arrays["header"].tobytes().replace(b'"timings": {', f'"timings": {{"a": {number}, '.encode())
        arrays["header"] = np.frombuffer(text, np.uint8)

    with pytest.raises(ValueError, match=f"its header has the number {number}"):
        load_bytes(repacked(saved(), arrays=change), tmp_path)


HOSTILE = [np.nan, np.inf, -np.inf, 1e300, 1e-300, -1.0, 0.0, 2.0**31 - 1, -(2.0**31)]


@pytest.mark.parametrize("name", ["dnc-sc/nearest=exact", "lsec", "nystrom", "k-means"])
@np.errstate(all="ignore")
def test_numbers_that_nobody_would_write_are_refused_or_harmless(tmp_path, name):
    content, random = saved(name), np.random.default_rng(0)

    def change(arrays):
        part = random.choice([each for each in arrays if arrays[each].size and each != "header"])
        array = arrays[part].copy()
        places = random.integers(array.size, size=random.integers(1, 9))
        array.flat[places] = np.array(random.choice(HOSTILE)).astype(array.dtype)
        arrays[part] = array

    models = [load_if_sound(repacked(content, arrays=change), tmp_path) for _ in range(60)]
    assert models.count(None) > 5
    for model in filter(None, models):
        labels = model.set_params(n_jobs=1).predict(table())
        assert labels.shape == (len(table()),)
        assert labels.min() >= 0
        assert labels.max() < 3


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressed_parts_are_refused_unread(tmp_path, compression):
    with pytest.raises(ValueError, match="is compressed, which ours never are"):
        load_bytes(repacked(saved(), compression=compression), tmp_path)


def test_parts_that_claim_more_than_the_file_has_are_refused(tmp_path):
    content = saved()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        place, size = archive.start_dir, archive.infolist()[0].file_size
    sizes = content.index(size.to_bytes(4, "little") * 2, place)
    huge = content[:sizes] + (2**31).to_bytes(4, "little") * 2 + content[sizes + 8 :]
    with pytest.raises(ValueError, match="claim to be larger than the file"):
        load_bytes(huge, tmp_path)


def test_files_of_other_kinds_are_refused(tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, X=table())
    with pytest.raises(ValueError, match="it has no header"):
        load_model(path)
    np.save(tmp_path / "rows.npy", table())
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


def test_a_checkpoint_is_no_model(tmp_path):
    DnCSC(3, n_landmarks=30, checkpoint=tmp_path / "phases").fit(table())
    for path in sorted((tmp_path / "phases").glob("*.npz")):
        with pytest.raises(ValueError, match=r"cannot be used: it is not a dncsc model"):
            load_model(path)


def test_a_model_is_no_checkpoint(tmp_path):
    params = {"n_landmarks": 30, "random_state": 0, "checkpoint": tmp_path}
    DnCSC(3, **params).fit(table())
    fitted("dnc-sc").save(tmp_path / "model")
    shutil.copy(tmp_path / "model", tmp_path / "00-select.npz")
    with pytest.raises(ValueError, match=r"00-select\.npz cannot be used"):
        DnCSC(3, **params).fit(table())
