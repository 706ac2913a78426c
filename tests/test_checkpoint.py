"""Interrupted work resumes after the last finished phase, to the same labels, and never with results of other work."""

from __future__ import annotations

import json
import pickle
import shutil
import zipfile
from pathlib import Path

import dask.array as da
import numpy as np
import pytest

from dncsc import clusterer, open_rows, watch
from dncsc.checkpoint import MANIFEST, CheckpointMismatchError
from dncsc.records import RecordError
from in_child import fit_and_be_killed, run_in_child

METHODS = {
    "dnc-sc": {"n_clusters": 3, "n_landmarks": 60, "random_state": 0},
    "lsc-k": {"n_clusters": 3, "n_landmarks": 40, "random_state": 0},
    "nystrom": {"n_clusters": 3, "n_landmarks": 20, "random_state": 0},
    "k-means": {"n_clusters": 3, "random_state": 0},
    "lsec": {"n_clusters": 3, "n_landmarks": 60, "n_members": 3, "n_graphs": 2, "random_state": 0},
}


@pytest.fixture(scope="module")
def table(flower):
    """Two blocks of rows."""
    return flower[0][:66_000]


@pytest.fixture(scope="module")
def file(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.npy"
    np.save(path, table)
    return path


@pytest.fixture(scope="module")
def at_once(table):
    """What a method finds without any interruption, and without checkpoints."""
    found = {}

    def fit(name):
        if name not in found:
            found[name] = clusterer(name, **METHODS[name]).fit(table)
        return found[name]

    return fit


@pytest.fixture(scope="module")
def finished(file, tmp_path_factory):
    """A checkpoint of a finished fit; copy it to change it."""
    folder = tmp_path_factory.mktemp("finished")
    clusterer("dnc-sc", checkpoint=folder, **METHODS["dnc-sc"]).fit(open_rows(file))
    return folder


def fit_and_watch(name, rows, folder, **others):
    """A fit, and the phases that it had to run."""
    seen = []
    with watch(lambda phase, done, n_rows: seen.append(phase)):
        model = clusterer(name, checkpoint=folder, **{**METHODS[name], **others}).fit(rows)
    return model, list(dict.fromkeys(seen))


def assert_same(found, wanted):
    assert np.asarray(found.labels_).tobytes() == wanted.labels_.tobytes()
    for name in ("landmarks_", "eigenvalues_", "cluster_centers_", "confidence_"):
        if hasattr(wanted, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


# Before the work


def test_what_is_refused_leaves_no_folder(table, tmp_path):
    bad = table[:300].copy()
    bad[7, 1] = np.nan
    for params in ({}, {"random_state": None}):
        with pytest.raises(ValueError, match="row 7"):
            fit_and_watch("dnc-sc", bad, tmp_path / "new" / "work", **params)
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_a_folder_is_refused_before_any_pass(table, tmp_path):
    (tmp_path / "file").touch()
    seen = []
    for folder in (tmp_path / "file", tmp_path / "file" / "work"):
        with pytest.raises(NotADirectoryError, match="file is not a folder"), watch(lambda *told: seen.append(told)):
            clusterer("dnc-sc", checkpoint=folder, **METHODS["dnc-sc"]).fit(table)
    assert not seen


# Resuming


def stop_at(phase, times=1):
    """A watcher that stops a fit in the middle of a phase, when that has begun for the n-th time."""
    begun = []

    def watcher(now, done, n_rows):
        if begun[-1:] != [now]:
            begun.append(now)
        if begun.count(phase) == times:
            raise InterruptedError

    return watcher


def assert_resumes(name, file, folder, at_once, left):
    """A fit that was stopped runs the phases that are left, to the same labels."""
    model, seen = fit_and_watch(name, open_rows(file), folder)
    assert_same(model, at_once(name))
    if name == "lsec":  # base clusterings are made again, within the phase before
        assert set(seen) == set(left)
    else:
        assert seen == left
    assert_same(fit_and_watch(name, open_rows(file), folder)[0], at_once(name))  # and once more, all kept


@pytest.mark.parametrize(
    ("name", "phase", "times", "left"),
    [
        ("dnc-sc", "survey", 1, ["survey", "select", "nearest", "partition", "discretize"]),
        ("dnc-sc", "select", 1, ["survey", "select", "nearest", "partition", "discretize"]),
        ("dnc-sc", "partition", 1, ["survey", "partition", "discretize"]),
        ("dnc-sc", "discretize", 1, ["survey", "discretize"]),
        ("lsc-k", "affinity", 1, ["survey", "affinity", "partition", "discretize"]),
        ("nystrom", "partition", 1, ["survey", "partition", "discretize"]),
        ("k-means", "discretize", 1, ["survey", "discretize"]),
        ("lsec", "nearest", 2, ["survey", "partition", "nearest", "discretize", "confidence"]),
        ("lsec", "confidence", 1, ["survey", "partition", "discretize", "confidence"]),
    ],
)
def test_an_interrupted_fit_resumes_to_the_same_labels(file, at_once, tmp_path, name, phase, times, left):
    with pytest.raises(InterruptedError), watch(stop_at(phase, times)):
        clusterer(name, checkpoint=tmp_path, **METHODS[name]).fit(open_rows(file))
    assert_resumes(name, file, tmp_path, at_once, left)


@pytest.mark.parametrize(
    ("name", "phase", "times", "left"),
    [
        ("dnc-sc", "nearest", 1, ["survey", "nearest", "partition", "discretize"]),
        ("lsec", "partition", 2, ["survey", "partition", "discretize", "confidence"]),
    ],
)
def test_a_killed_fit_resumes_to_the_same_labels(file, at_once, tmp_path, name, phase, times, left):
    params = {**METHODS[name], "checkpoint": tmp_path}
    assert run_in_child(fit_and_be_killed, file, name, params, phase, times) == -9
    assert_resumes(name, file, tmp_path, at_once, left)


def test_phases_that_are_not_run_again_are_told(file, finished, capsys):
    fit_and_watch("dnc-sc", open_rows(file), finished, verbose=1)
    said = capsys.readouterr().out
    for phase in ("select", "nearest", "partition"):
        assert f"[dncsc] {phase:<10}     kept" in said


def test_arrays_and_files_of_the_same_rows_resume_one_another(table, file, at_once, tmp_path):
    for first, second in ((table, open_rows(file)), (open_rows(file), np.asfortranarray(table))):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        with pytest.raises(InterruptedError), watch(stop_at("partition")):
            clusterer("dnc-sc", checkpoint=folder, **METHODS["dnc-sc"]).fit(first)
        model, seen = fit_and_watch("dnc-sc", second, folder)
        assert_same(model, at_once("dnc-sc"))
        assert "nearest" not in seen


def test_another_number_of_threads_or_folder_is_no_other_work(file, at_once, finished, tmp_path):
    params = {"n_jobs": 1, "max_memory": "8GB", "scratch_dir": tmp_path}
    model, seen = fit_and_watch("dnc-sc", open_rows(file), finished, **params)
    assert_same(model, at_once("dnc-sc"))
    assert seen == ["survey", "discretize"]


def test_without_a_random_state_the_first_seed_is_used_again(file, tmp_path):
    one, _ = fit_and_watch("dnc-sc", open_rows(file), tmp_path, random_state=None)
    two, seen = fit_and_watch("dnc-sc", open_rows(file), tmp_path, random_state=None)
    assert_same(two, one)
    assert "select" not in seen
    assert json.loads((tmp_path / MANIFEST).read_text())["made_from"]["seed"] >= 0


def test_weights_belong_to_the_data(file, table, tmp_path):
    weight = np.ones(len(table))
    params = {**METHODS["dnc-sc"], "checkpoint": tmp_path}
    clusterer("dnc-sc", **params).fit(table, sample_weight=weight)
    weight[:100] = 2
    with pytest.raises(CheckpointMismatchError, match="checksum was"):
        clusterer("dnc-sc", **params).fit(table, sample_weight=weight)


# Other work


@pytest.mark.parametrize(
    ("params", "difference"),
    [
        ({"n_clusters": 4}, "n_clusters was 3 and is now 4"),
        ({"n_landmarks": 61}, "n_landmarks was 60 and is now 61"),
        ({"bandwidth": "local"}, "bandwidth was 'auto' and is now 'local'"),
        ({"random_state": 1}, r"seed was \d+ and is now \d+"),
        ({"select": "kmeans"}, "select was 'divide_and_conquer' and is now 'k_means_of_all_rows'"),
        ({"normalize": "l1"}, "by_length was True and is now False"),
        ({"metric": "cosine"}, "metric was 'euclidean' and is now 'cosine'"),
    ],
)
def test_other_parameters_are_refused(table, finished, params, difference):
    before = {path.name: path.read_bytes() for path in finished.iterdir()}
    with pytest.raises(
        CheckpointMismatchError, match=f"made from something else: .*{difference}.* another folder to start anew"
    ):
        fit_and_watch("dnc-sc", table, finished, **params)
    assert {path.name: path.read_bytes() for path in finished.iterdir()} == before


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda X: X[:-1], "n_rows was 66000 and is now 65999"),
        (lambda X: np.hstack([X, X]), "n_features was 2 and is now 4"),
        (lambda X: X.astype(np.float64), "dtype was 'float32' and is now 'float64'"),
        (lambda X: X[::-1], "checksum was"),
        (lambda X: np.where(X[5, 1] == X, X + np.float32(1e-6), X), "checksum was"),
    ],
)
def test_other_data_is_refused(table, finished, change, difference):
    with pytest.raises(CheckpointMismatchError, match=difference):
        fit_and_watch("dnc-sc", change(table), finished)


def test_the_error_has_what_differs(table, finished):
    with pytest.raises(CheckpointMismatchError) as caught:
        fit_and_watch("dnc-sc", table, finished, n_clusters=4, bandwidth="local")
    assert caught.value.folder == finished
    assert caught.value.differences == {"n_clusters": (3, 4), "bandwidth": ("auto", "local")}
    assert pickle.loads(pickle.dumps(caught.value)).differences == caught.value.differences


def test_another_version_is_refused(table, finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "copy")
    manifest = folder / MANIFEST
    written = json.loads(manifest.read_text())
    written["made_from"]["version"] = "0.0.1"
    manifest.write_text(json.dumps(written))
    with pytest.raises(CheckpointMismatchError, match=r"version was '0\.0\.1' and is now"):
        fit_and_watch("dnc-sc", table, folder)


def test_phases_without_their_manifest_are_not_taken_for_others(table, finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "copy")
    (folder / MANIFEST).unlink()
    with pytest.raises(RecordError, match=r"00-select\.npz cannot be used: it was made from other data or parameters"):
        fit_and_watch("dnc-sc", table, folder, random_state=1)


# Files


def test_a_checkpoint_is_json_and_arrays_without_pickle(table, finished):
    names = sorted(path.name for path in finished.iterdir())
    assert names == [
        "00-select.npz",
        "01-nearest.npz",
        "03-partition.npz",
        "04-discretize.npz",
        MANIFEST,
    ]
    for path in finished.glob("*.npz"):
        with np.load(path, allow_pickle=False) as arrays:
            assert all(arrays[name].dtype.kind in "biuf" for name in arrays)
    assert json.loads((finished / MANIFEST).read_text())["made_from"]["n_rows"] == len(table)


def harm_truncate(path: Path):
    path.write_bytes(path.read_bytes()[:-100])


def harm_empty(path: Path):
    path.write_bytes(b"")


def harm_flip(path: Path):
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        end_of_header = archive.infolist()[1].header_offset  # where the first array ends
    content[end_of_header - 1] ^= 255
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("harm", "phase"), [(harm_truncate, "00-select"), (harm_empty, "03-partition"), (harm_flip, "03-partition")]
)
def test_a_damaged_phase_is_named_and_runs_again_when_deleted(table, at_once, finished, tmp_path, harm, phase):
    folder = shutil.copytree(finished, tmp_path / "copy")
    path = folder / f"{phase}.npz"
    harm(path)
    with pytest.raises(RecordError, match=rf"{phase}\.npz cannot be used: .*Delete it to have the phase run again"):
        fit_and_watch("dnc-sc", table, folder)
    path.unlink()
    model, seen = fit_and_watch("dnc-sc", table, folder)
    assert_same(model, at_once("dnc-sc"))
    assert seen == ["survey", phase[3:], "discretize"]


def test_a_phase_of_an_ensemble_that_runs_again_does_not_disturb_later_ones(table, at_once, tmp_path):
    fit_and_watch("lsec", table, tmp_path)
    assert len(list(tmp_path.glob("??-*.npz"))) == 11  # two phases and three cuts a graph, and the centroids
    (tmp_path / "00-select.npz").unlink()
    model, seen = fit_and_watch("lsec", table, tmp_path)
    assert "select" in seen
    assert_same(model, at_once("lsec"))


@pytest.mark.parametrize("form", [np.asarray, lambda table: da.from_array(table, chunks=(30_000, 2))])
def test_what_one_phase_kept_of_the_rows_is_not_taken_for_what_a_later_one_would(table, at_once, tmp_path, form):
    fit_and_watch("lsec", table, tmp_path)
    for path in [tmp_path / "00-select.npz", *sorted(tmp_path.glob("??-*.npz"))[6:]]:
        path.unlink()  # the first selection runs again; the second, which other links follow from, is kept
    model, seen = fit_and_watch("lsec", form(table), tmp_path)
    assert {"select", "nearest"} <= set(seen)
    assert_same(model, at_once("lsec"))


MANIFESTS = {
    "no seed": {"made_from": {}},
    "text as seed": {"made_from": {"seed": "0"}},
    "nothing": {"made_from": None},
    "another format": {"format": "other", "made_from": {"seed": 0}},
    "no schema": {"schema": None, "made_from": {"seed": 0}},
    "newer schema": {"schema": 99, "made_from": {"seed": 0}},
}


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "{}", "\0", *MANIFESTS])
def test_a_manifest_that_cannot_be_used_is_named(table, tmp_path, text):
    if text in MANIFESTS:
        text = json.dumps({"format": "dncsc checkpoint", "schema": 1, **MANIFESTS[text]})
    (tmp_path / MANIFEST).write_text(text)
    for seed in (None, 0):
        with pytest.raises(RecordError, match=r"manifest\.json cannot be used: .* to start anew"):
            fit_and_watch("dnc-sc", table, tmp_path, random_state=seed)


def test_a_phase_of_a_newer_schema_is_refused(table, finished, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "copy")
    with np.load(folder / "00-select.npz") as found:
        arrays = {name: found[name] for name in found}
    header = json.loads(arrays["header"].tobytes())
    assert header["record"]["tag"] == "landmarks"
    arrays["header"] = np.frombuffer(json.dumps({**header, "schema": 99}).encode(), np.uint8)
    np.savez(folder / "00-select.npz", **arrays)
    with pytest.raises(RecordError, match=r"00-select\.npz cannot be used: it has schema 99.* run again"):
        fit_and_watch("dnc-sc", table, folder)


def test_a_graph_of_all_rows_is_cut_again_but_gives_the_same(table, tmp_path):
    some = table[:600]
    plain = clusterer("sc", 3, random_state=0).fit(some)
    for _ in range(2):
        np.testing.assert_array_equal(
            clusterer("sc", 3, random_state=0, checkpoint=tmp_path).fit(some).labels_, plain.labels_
        )
    assert not list(tmp_path.glob("*partition*"))
