"""Rows in files and columns in scratch files: the answer of arrays in memory, within the memory that was allowed."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dncsc
from dncsc import DnCSC, InsufficientMemoryError, clusterer, estimate, memory, open_rows, watch
from dncsc.budget import ResourceLimits, Size
from dncsc.engines.base import Column
from dncsc.engines.columns import InMemory, InScratch
from dncsc.engines.layout import Layout
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.estimators.inputs import open_engine, size_of
from dncsc.estimators.parameters import check_parameters
from dncsc.phases.cut import landmark_graph
from dncsc.rows import FileReadError, RawRows, Rows
from dncsc.rows.base import FileState
from in_child import (
    fit_and_tell_peak,
    fit_in_scratch_and_be_killed,
    fit_where_files_are_small,
    run_in_child,
    too_little_memory,
)

SMALL = {"n_landmarks": 60, "random_state": 0}


class Noted(InScratch):
    """Scratch files that remember for which columns there were any."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.kept: set[str] = set()

    def allocate(self, column: Column) -> None:
        self.kept.add(column.name)
        super().allocate(column)


def in_memory(rows, folder):
    return InMemory(len(rows))


def in_scratch(rows, folder):
    return Noted(len(rows), folder)


def without_links(rows, folder):
    """Scratch files for subsets, labels and confidence only: links and members are recomputed when they are needed."""
    return Noted(len(rows), folder, 12 * len(rows))


def fit_over(model, engine):
    """What `fit` does, over a given engine."""
    with engine:
        model._keep(model._run(engine, check_parameters(model)))
    return model


def assert_same(found, wanted):
    np.testing.assert_array_equal(found.labels_, wanted.labels_)
    np.testing.assert_array_equal(found.eigenvalues_, wanted.eigenvalues_)
    np.testing.assert_array_equal(found.cluster_centers_, wanted.cluster_centers_)
    assert found.inertia_ == wanted.inertia_
    for name in ("landmarks_", "confidence_"):
        if hasattr(wanted, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))


def descriptors_in(folder: Path) -> list[str]:
    """Open files of this process in a folder, those without names too."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with_path = Path("/proc/self/fd") / number
        if os.path.lexists(with_path) and (target := os.readlink(with_path)).startswith(str(folder)):
            found.append(target)
    return found


@pytest.fixture(scope="module")
def table(flower):
    """Two blocks of rows."""
    X = flower[0][:70_000]
    assert Layout(*X.shape).n_blocks == 2
    return X


@pytest.fixture(scope="module")
def file(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.npy"
    np.save(path, table)
    return path


@pytest.fixture(scope="module")
def fitted(table):
    return DnCSC(3, **SMALL).fit(table)


def test_many_landmarks_are_summed_in_a_table_from_scratch_files_too(table, tmp_path, monkeypatch):
    monkeypatch.setattr(landmark_graph, "DENSE_LANDMARKS", 10)
    wanted = DnCSC(3, **SMALL).fit(table)
    found = fit_over(DnCSC(3, **SMALL), LocalEngine(ArraySource(table), columns=in_scratch(table, tmp_path), n_jobs=1))
    assert_same(found, wanted)


@pytest.fixture
def copy(file, tmp_path):
    """A file that a test may harm."""
    return shutil.copy(file, tmp_path / "rows.npy")


@pytest.fixture
def scratch(tmp_path):
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


# The answer of arrays


@pytest.fixture(scope="module")
def of_dtype(flower):
    """The same rows in several dtypes, and what is found in them."""
    spread = (flower[0] - flower[0].min(axis=0)) / np.ptp(flower[0], axis=0)
    tables = {
        "float32": flower[0],
        "float64": flower[0].astype(np.float64) + 1e-12,
        "uint8": (spread * 255).astype(np.uint8),
        "int64": (spread * 1e9).astype(np.int64),
        "bool": np.unpackbits((spread * 255).astype(np.uint8), axis=1)[:30_000].astype(bool),
    }
    return {name: (X, DnCSC(3, **SMALL).fit(X)) for name, X in tables.items()}


@pytest.mark.parametrize(
    ("dtype", "order", "place"),
    [
        *((dtype, "C", in_scratch) for dtype in ("float32", "float64", "uint8", "int64", "bool")),
        *(("float32", "F", place) for place in (in_memory, in_scratch, without_links)),
        ("float32", "C", in_memory),
        ("float64", "C", without_links),
    ],
)
def test_rows_in_files_give_what_arrays_give(of_dtype, dtype, order, place, tmp_path, scratch):
    X, wanted = of_dtype[dtype]
    np.save(tmp_path / "rows.npy", np.asarray(X, order=order))
    rows = open_rows(tmp_path / "rows.npy")
    columns = place(rows, scratch)
    assert_same(fit_over(DnCSC(3, **SMALL), LocalEngine(rows, columns=columns)), wanted)
    if place is not in_memory:
        assert ("nearest" in columns.kept) == (place is in_scratch)


METHODS = {
    "k-means": {},
    "nystrom": {"n_landmarks": 20},
    "lsc-k": {"n_landmarks": 40},
    "lsc-r": {"n_landmarks": 40},
    "u-spec": {"n_landmarks": 40},
    "dnc-sc/nearest=exact": {"n_landmarks": 40, "bandwidth": "adaptive"},
    "lsec": {"n_landmarks": 60, "n_members": 3, "n_graphs": 2},
}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_the_same_wherever_columns_are(table, file, name, scratch):
    wanted = clusterer(name, 3, random_state=0, **METHODS[name]).fit(table)
    rows = open_rows(file)
    assert_same(clusterer(name, 3, random_state=0, **METHODS[name]).fit(rows), wanted)
    for place in (in_scratch, without_links):
        found = clusterer(name, 3, random_state=0, **METHODS[name])
        assert_same(fit_over(found, LocalEngine(rows, columns=place(rows, scratch))), wanted)


def test_weights_count_for_rows_in_files(table, file, fitted):
    weight = np.random.default_rng(0).integers(0, 3, len(table))
    wanted = DnCSC(3, **SMALL).fit(table, sample_weight=weight)
    assert_same(DnCSC(3, **SMALL).fit(open_rows(file), sample_weight=weight), wanted)
    assert not np.array_equal(wanted.landmarks_, fitted.landmarks_)
    with pytest.raises(ValueError, match="sample_weight"):
        DnCSC(3, **SMALL).fit(open_rows(file), sample_weight=weight[:-1])


@pytest.mark.parametrize("what", ["predict", "transform", "affinity"])
def test_a_model_gives_the_same_for_rows_in_files(table, file, fitted, what, tmp_path):
    wanted = getattr(fitted, what)(table)
    rows = open_rows(file)
    of_files = getattr(fitted, what)(rows)
    size = size_of(fitted, rows, row_bytes=4)
    before = fitted.get_params()
    try:
        fitted.set_params(max_memory=memory.resident() + size.working + size.columns // 2)
        from_scratch = getattr(fitted, what)(rows)
    finally:
        fitted.set_params(**before)
    for found in (of_files, from_scratch):
        assert type(found) is type(wanted) or isinstance(found, np.memmap)
        if what == "affinity":
            assert (found != wanted).nnz == 0
        else:
            np.testing.assert_array_equal(found, wanted)
    if what != "affinity":
        assert isinstance(from_scratch, np.memmap)


def test_more_neighbours_than_landmarks_need_no_more_memory(table):
    many = DnCSC(3, n_neighbors=10**9, n_candidates=10, **SMALL).fit(table[:1000])
    assert many.affinity(table[:5]).nnz == 5 * many.n_landmarks_


# Memory


def test_a_memmap_larger_than_the_memory_is_read_with_explicit_reads(tmp_path):
    n = 8_000_000
    big = np.lib.format.open_memmap(tmp_path / "rows.npy", "w+", np.float64, (n, 2))  # a file of holes
    big[-1] = 7.0, 8.0
    size = Size(n, 2, 10, n_threads=1)
    assert size.working < big.nbytes
    for room, explicit in ((size.working, True), (10 * big.nbytes, False)):
        with open_engine(np.asarray(big), None, 1, size, ResourceLimits(room, tmp_path, 10**12)) as engine:
            assert isinstance(engine._rows, RawRows) == explicit
            assert engine._rows.read(n - 1, n).tolist() == [[7.0, 8.0]]


@pytest.mark.parametrize("value", ["", "lots", "-2GB", 0, -1, True, "2XB", "5I", "nan", "0GB", [], float("inf")])
def test_a_bad_max_memory_is_refused(table, value):
    with pytest.raises(ValueError, match="max_memory must be a size such as"):
        DnCSC(3, max_memory=value, **SMALL).fit(table)


def test_too_little_memory_is_said_before_any_work(file, tmp_path):
    seen = []
    with (
        watch(lambda *event: seen.append(event)),
        pytest.raises(
            InsufficientMemoryError, match=r"of memory are needed for 3 clusters, 60 landmarks, 2 .* Raise max_memory"
        ),
    ):
        DnCSC(3, max_memory="1MB", **SMALL).fit(open_rows(file), labels_to=tmp_path / "labels.npy")
    assert not seen
    assert not list(tmp_path.iterdir())


def test_too_little_disk_is_said_before_any_work(file, scratch):
    rows = open_rows(file)
    size = size_of(DnCSC(3, **SMALL), rows)
    with pytest.raises(InsufficientMemoryError, match=r"of scratch files are needed for 70,000 rows.* scratch_dir"):
        open_engine(rows, None, None, size, ResourceLimits(size.working, scratch, size.must_keep - 1))


@pytest.mark.parametrize(("folder", "error"), [("missing", FileNotFoundError), ("rows.npy", FileNotFoundError)])
def test_a_scratch_dir_that_is_no_folder_is_refused(copy, folder, error):
    with pytest.raises(error, match="scratch_dir"):
        DnCSC(3, scratch_dir=Path(copy).parent / folder, **SMALL).fit(open_rows(copy))


def test_max_memory_does_not_count_an_array_that_was_there_before(table):
    big = np.ones((20_000_000, 2), np.float32)  # 160 MB
    big[: len(table)] = table
    some = big[: len(table)]
    size = size_of(DnCSC(3, **SMALL), big)
    room = ResourceLimits.given(memory.resident() + size.working, None, 0)
    beyond = ResourceLimits.given(memory.resident() + size.working, None, big.nbytes)
    assert beyond.memory - room.memory == pytest.approx(big.nbytes, rel=0.05)
    limit = memory.resident() - big.nbytes + size.working + 2**26
    model = DnCSC(3, max_memory=limit, **SMALL)
    with pytest.raises(InsufficientMemoryError):
        model.fit(some)
    with pytest.raises(Seen), watch(stop_at("survey")):
        model.fit(big)  # it begins


@pytest.mark.long
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="only Linux tells the peak of a process")
def test_a_fit_keeps_to_its_memory(tmp_path):
    n = 5_000_000
    random = np.random.default_rng(0)
    rows = np.lib.format.open_memmap(tmp_path / "rows.npy", "w+", np.float32, (n, 2))
    rows[:] = random.standard_normal((n, 2), np.float32) + random.integers(0, 3, (n, 1))
    rows.flush()
    assert run_in_child(fit_and_tell_peak, tmp_path / "rows.npy", tmp_path / "report") == 0
    allowed, peak, in_files = (tmp_path / "report").read_text().split()
    print(f"{int(peak) / 1e6:.0f} MB of {int(allowed) / 1e6:.0f} MB that were allowed")
    assert in_files == "True"
    assert int(peak) < int(allowed)


def test_estimates_grow_with_the_rows_and_can_be_read():
    sizes = [estimate(n, 2, n_jobs=2) for n in (10**4, 10**6, 10**8, 10**10)]
    for name in ("memory", "scratch", "seconds"):
        values = [getattr(size, name) for size in sizes]
        assert values == sorted(set(values)), name
    large = estimate(10**8, 2, n_jobs=2)
    assert 0.4e9 < large.memory < 0.8e9
    assert large.least_memory < 5e8
    assert 1 < large.seconds < 100
    assert "of memory beyond the data" in str(large)
    assert "of scratch files; 2 passes over the rows; about" in str(large)
    assert estimate(10**6, 2, dtype="float64").memory > sizes[1].memory
    assert estimate(10**6, 2, n_members=20).scratch > sizes[1].scratch


def test_counting_clusters_takes_passes_for_a_second_count():
    few, many, large = (50_000, 8), (1_000_000, 8), (300_000, 4)
    assert estimate(*few, n_clusters="auto").passes == 2 * estimate(*few).passes
    assert estimate(*large, n_clusters="auto").passes == estimate(*large).passes + 1
    assert estimate(*many, n_clusters="auto", max_clusters=200).passes == estimate(*many, n_clusters=200).passes


# Scratch files leave nothing behind


class Seen(Exception):
    """A watcher saw what it waited for."""


def stop_at(phase, error=Seen):
    def watcher(now, done, n_rows):
        if now == phase and done:
            raise error

    return watcher


def scratch_model(rows, scratch):
    model = DnCSC(3, scratch_dir=scratch, **SMALL)
    return model.set_params(max_memory=too_little_memory(model, rows))


def test_scratch_is_gone_when_a_fit_is_over(file, fitted, scratch):
    rows = open_rows(file)
    inside = []
    with watch(lambda *event: inside.extend(descriptors_in(scratch))):
        model = scratch_model(rows, scratch).fit(rows)
    assert inside  # it was used
    assert_same(model, fitted)
    assert not list(scratch.iterdir())
    assert len(descriptors_in(scratch)) == 1  # labels_
    with pytest.raises(ValueError, match="read-only"):
        model.labels_[0] = 1
    del model
    gc.collect()
    assert not descriptors_in(scratch)


@pytest.mark.parametrize(
    ("phase", "n_jobs", "error"),
    [
        ("select", 1, Seen),
        ("select", 2, KeyboardInterrupt),
        ("partition", 1, KeyboardInterrupt),
        ("partition", 2, Seen),
    ],
)
def test_scratch_is_gone_when_a_fit_fails(file, scratch, phase, error, n_jobs):
    rows = open_rows(file)
    threads = threading.active_count()
    model = scratch_model(rows, scratch).set_params(n_jobs=n_jobs)
    with watch(stop_at(phase, error)), pytest.raises(error):
        model.set_params(max_memory=too_little_memory(model, rows)).fit(rows)
    assert not list(scratch.iterdir())
    assert not descriptors_in(scratch)
    assert threading.active_count() == threads
    assert not hasattr(model, "labels_")


def test_scratch_is_gone_when_the_process_is_killed(file, scratch):
    assert run_in_child(fit_in_scratch_and_be_killed, file, scratch, "partition") == -9
    assert not list(scratch.iterdir())


def test_an_interrupt_ends_a_fit_soon(file, interruptible):
    """As Ctrl+C does: it comes to the main thread while others work."""
    started = threading.Event()

    def interrupt():
        started.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    def slow(phase, done, n_rows):
        if phase == "nearest" and done:
            started.set()
            time.sleep(0.5)

    other = threading.Thread(target=interrupt)
    other.start()
    model = DnCSC(3, n_jobs=2, **SMALL)
    with watch(slow), pytest.raises(KeyboardInterrupt):
        model.fit(open_rows(file))
    other.join()
    assert not hasattr(model, "labels_")


# Labels to a file


def test_labels_go_to_a_file(file, fitted, tmp_path):
    target = tmp_path / "läbels of rows.npy"
    model = DnCSC(3, **SMALL).fit(open_rows(file), labels_to=target)
    assert isinstance(model.labels_, np.memmap)
    assert not model.labels_.flags.writeable
    for labels in (model.labels_, np.load(target), model.predict(open_rows(file))):
        assert labels.dtype == np.int32
        np.testing.assert_array_equal(labels, fitted.labels_)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert target.stat().st_mode & 0o777 == 0o666 & ~current_umask()


def current_umask():
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def test_a_failed_fit_leaves_old_labels_as_they_were(file, tmp_path):
    target = tmp_path / "labels.npy"
    target.write_bytes(b"old")
    for error in (Seen, KeyboardInterrupt):
        with watch(stop_at("discretize", error)), pytest.raises(error):
            DnCSC(3, **SMALL).fit(open_rows(file), labels_to=target, overwrite=True)
        assert target.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [target]


def test_a_wrong_place_for_labels_is_refused_before_any_work(file, tmp_path):
    (tmp_path / "folder.npy").mkdir()
    (tmp_path / "old.npy").write_bytes(b"old")
    seen = []
    for target, error, words in [
        (tmp_path / "labels.csv", ValueError, "has to name a .npy file"),
        (tmp_path / "labels", ValueError, "has to name a .npy file"),
        (tmp_path / "missing" / "labels.npy", FileNotFoundError, "there is no folder"),
        (tmp_path / "folder.npy", IsADirectoryError, "is a folder"),
        (tmp_path / "old.npy", FileExistsError, "exists already. Name another file, or set overwrite=True"),
    ]:
        with watch(lambda *event: seen.append(event)), pytest.raises(error, match=words):
            DnCSC(3, **SMALL).fit(open_rows(file), labels_to=target)
    assert not seen
    assert (tmp_path / "old.npy").read_bytes() == b"old"


def test_labels_replace_a_file_where_that_is_asked_for(file, fitted, tmp_path):
    target = tmp_path / "labels.npy"
    target.write_bytes(b"old")
    model = DnCSC(3, **SMALL).fit(open_rows(file), labels_to=target, overwrite=True)
    for labels in (model.labels_, np.load(target)):
        np.testing.assert_array_equal(labels, fitted.labels_)
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_that_appears_during_a_fit_stays_and_labels_are_kept_beside_it(file, fitted, tmp_path):
    target = tmp_path / "labels.npy"
    model = DnCSC(3, **SMALL)

    def appear(phase, n_done, n_rows):
        target.write_bytes(b"new")

    with watch(appear), pytest.warns(UserWarning, match=r"labels.npy exists already, and stays .*labels-2.npy"):
        model.fit(open_rows(file), labels_to=target)
    assert target.read_bytes() == b"new"
    for labels in (model.labels_, np.load(tmp_path / "labels-2.npy")):
        np.testing.assert_array_equal(labels, fitted.labels_)


def test_labels_never_replace_the_rows(copy, tmp_path):
    before = Path(copy).read_bytes()
    os.symlink(copy, tmp_path / "other.npy")
    mapped = np.load(copy, mmap_mode="r")
    for rows in (open_rows(copy), mapped, mapped[:1000]):
        for target in (copy, tmp_path / "other.npy"):
            with pytest.raises(ValueError, match="a file that the rows are read from"):
                DnCSC(3, **SMALL).fit(rows, labels_to=target, overwrite=True)
    assert Path(copy).read_bytes() == before


@pytest.mark.parametrize("to_file", [True, False])
def test_a_file_that_cannot_grow_is_found_before_the_work(file, tmp_path, scratch, to_file):
    old = scratch / "labels.npy"
    old.write_bytes(b"old")
    report = tmp_path / "report"
    assert run_in_child(fit_where_files_are_small, file, scratch, 100_000, report, to_file) == 0
    what = "the labels" if to_file else "scratch files"
    assert f"no room for {what}: 280 kB are needed in {scratch}" in report.read_text()
    assert "it ran" not in report.read_text()
    assert old.read_bytes() == b"old"
    assert list(scratch.iterdir()) == [old]


ON_A_FULL_DISK = """
import sys
from pathlib import Path
import dncsc
rows, disk = sys.argv[1:]
Path(disk, "labels.npy").write_bytes(b"old")
try:
    dncsc.DnCSC(3, n_landmarks=60, verbose=1).fit(dncsc.open_rows(rows), labels_to=disk + "/labels.npy", overwrite=True)
except OSError as error:
    print(error)
assert Path(disk, "labels.npy").read_bytes() == b"old"
assert len(list(Path(disk).iterdir())) == 1
"""


def test_a_full_disk_is_found_before_the_work(file, scratch):
    mount = f"mount -t tmpfs -o size=200k none '{scratch}'"
    alone = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*alone, mount], capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    command = f'{mount} && exec "$@"'
    program = [sys.executable, "-c", ON_A_FULL_DISK, str(file), str(scratch)]
    done = subprocess.run([*alone, command, "sh", *program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[Errno 28] no room for the labels")  # and no phase before
    assert "Free some, or name another folder" in done.stdout


# Files that change during a fit


def truncate(path):
    os.truncate(path, 1000)


def replace(path):
    shutil.copy(path, f"{path}.new")
    os.replace(f"{path}.new", path)


def modify(path):
    with open(path, "r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"\0" * 8)


@pytest.mark.parametrize(
    ("harm", "words", "mapped"),
    [
        (truncate, "was truncated from 560128 to 1000 bytes", False),
        (truncate, "was truncated from 560128 to 1000 bytes", True),
        (replace, "was replaced by another file", False),
        (os.unlink, "was deleted or moved", False),
        (modify, "was modified", True),
    ],
)
def test_a_file_that_changes_during_a_fit_is_an_error(copy, harm, words, mapped, scratch, tmp_path):
    rows = open_rows(copy)
    model = DnCSC(3, **SMALL)
    done = []

    def watcher(phase, n_done, n_rows):
        if phase == "nearest" and not done:
            done.append(harm(copy))

    def fit():
        if mapped:  # a memmap that is larger than the memory is read as files are
            size = size_of(model, rows)
            source = dncsc.rows.from_memmap(np.load(copy, mmap_mode="r"))
            fit_over(model, open_engine(source, None, None, size, ResourceLimits(size.working, scratch, 10**9)))
        else:
            model.fit(rows, labels_to=tmp_path / "labels.npy")

    with watch(watcher), pytest.raises(FileReadError, match=rf"rows\.npy {words}.* row \d+") as caught:
        fit()
    assert str(copy) in str(caught.value)
    assert not hasattr(model, "labels_")
    assert not (tmp_path / "labels.npy").exists()
    assert not list(tmp_path.glob(".*"))


# Progress


@pytest.mark.parametrize("n_jobs", [1, 4])
def test_watchers_are_told_of_every_phase_and_row(file, n_jobs):
    events, inside, overlaps = [], threading.Lock(), []

    def watcher(phase, done, n_rows):
        if not inside.acquire(blocking=False):
            overlaps.append(phase)
            return
        time.sleep(0.001)
        events.append((phase, done, n_rows))
        inside.release()

    with watch(watcher):
        DnCSC(3, n_jobs=n_jobs, **SMALL).fit(open_rows(file))
    assert not overlaps
    order = list(dict.fromkeys(phase for phase, _, _ in events))
    assert order == ["survey", "select", "nearest", "partition", "discretize"]
    assert [phase for phase, _, _ in events] == sorted((phase for phase, _, _ in events), key=order.index)
    assert {n_rows for _, _, n_rows in events} == {70_000}
    for (phase, done, n_rows), (after, next_done, _) in zip(events, [*events[1:], ("end", 0, 0)], strict=True):
        if next_done == 0:
            assert done == n_rows, phase  # a pass is over when it has seen all rows
        else:
            assert after == phase
            assert next_done > done
    DnCSC(3, **SMALL).fit(open_rows(file))
    assert events[-1][0] == "discretize"  # nobody is told afterwards


# Rows that are costly to read


class Costly(Rows):
    """Rows as they would come out of a compressed file."""

    kind = "costly"
    direct = False

    def __init__(self, path: Path, seekable: bool) -> None:
        self.table = np.load(path)
        self.seekable = seekable
        self.n_reads = self.n_batches = 0
        super().__init__([FileState.of(path)], self.table.shape, self.table.dtype)

    def _read(self, start: int, stop: int) -> np.ndarray:
        self.n_reads += 1
        return self.table[start:stop].copy()

    def _batches(self, n_rows: int) -> Iterator[np.ndarray]:
        self.n_batches += 1
        for start in range(0, len(self), n_rows):
            yield self.table[start : start + n_rows]


@pytest.mark.parametrize("seekable", [False, True])
@pytest.mark.parametrize("where", ["memory", "disk"])
def test_costly_rows_are_read_once(file, fitted, scratch, seekable, where):
    rows = Costly(file, seekable)
    model = DnCSC(3, **SMALL)
    size = size_of(model, rows)
    memory = size.working + (10**9 if where == "memory" else 0)
    seen = []
    with watch(lambda phase, done, n_rows: seen.append((phase, done))):
        engine = open_engine(rows, None, None, size, ResourceLimits(memory, scratch, 10**9))
        assert_same(fit_over(model, engine), fitted)
    assert (rows.n_batches, rows.n_reads) == (1, 0)
    assert isinstance(engine._columns, InMemory if where == "memory" else InScratch)
    assert seen[0] == ("read", 0)
    assert ("read", len(rows)) in seen


@pytest.mark.parametrize("columns", ["memory", "disk"])
def test_costly_rows_are_read_again_where_no_copy_fits(file, fitted, scratch, columns):
    rows = Costly(file, seekable=True)
    model = DnCSC(3, **SMALL)
    size = size_of(model, rows)
    room = (
        ResourceLimits(size.working + size.columns, scratch, 0)
        if columns == "memory"
        else ResourceLimits(size.working, scratch, size.must_keep)
    )
    assert_same(fit_over(model, open_engine(rows, None, None, size, room)), fitted)
    assert rows.n_batches == 0
    assert rows.n_reads > 2 * Layout(*rows.shape).n_blocks


def test_costly_rows_that_can_be_read_only_once_need_room_for_a_copy(file, scratch):
    rows = Costly(file, seekable=False)
    size = size_of(DnCSC(3, **SMALL), rows)
    with pytest.raises(
        InsufficientMemoryError, match=r"can only be read from beginning to end, and a copy of 560 kB fits neither"
    ):
        open_engine(rows, None, None, size, ResourceLimits(size.working, scratch, size.must_keep))
    assert rows.n_batches == 0


def test_a_copy_that_fails_leaves_nothing(file, scratch):
    rows = Costly(file, seekable=False)
    size = size_of(DnCSC(3, **SMALL), rows)
    with watch(stop_at("read")), pytest.raises(Seen):
        open_engine(rows, None, None, size, ResourceLimits(size.working, scratch, 10**9))
    assert not descriptors_in(scratch)


def test_costly_rows_can_be_predicted(table, file, fitted):
    rows = Costly(file, seekable=False)
    np.testing.assert_array_equal(fitted.predict(rows), fitted.labels_)
    assert (rows.n_batches, rows.n_reads) == (1, 0)
