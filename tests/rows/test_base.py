"""Rows that do not exist, and files that change while they are read, end in errors that say which and why."""

from __future__ import annotations

import io
import os
import pickle
import shutil
import time

import pytest

from dncsc.rows import FileReadError, open_rows
from row_files import KINDS, SEEKABLE, WRITERS, written


def test_rows_that_do_not_exist(tmp_path):
    rows = open_rows(written(tmp_path, "rows.npy"))
    for start, stop in ((0, 1_001), (-1, 5), (7, 6)):
        with pytest.raises(IndexError, match="there are rows 0 to 1000"):
            rows.read(start, stop)
    with pytest.raises(ValueError, match="n_rows must be at least 1"):
        rows.batches(0)
    rows.close()
    with pytest.raises(ValueError, match="closed"):
        rows.read(0, 1)
    with pytest.raises(ValueError, match="closed"):
        rows.batches()


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in SEEKABLE])
def test_what_can_only_be_read_in_order_says_so(tmp_path, name):
    with pytest.raises(io.UnsupportedOperation, match="use batches"):
        open_rows(written(tmp_path, name)).read(0, 1)


def truncate(path):
    os.truncate(path, path.stat().st_size // 2)


def replace(path):
    shutil.copy2(path, path.with_name("new"))
    path.with_name("new").replace(path)


def modify(path):
    content = path.read_bytes()
    with open(path, "r+b") as stream:
        stream.write(content)
    os.utime(path, ns=(0, 1))


def append(path):
    with open(path, "ab") as stream:
        stream.write(b"more")


CHANGES = {
    truncate: r"was truncated from \d+ to \d+ bytes",
    replace: "was replaced by another file",
    modify: "was modified",
    append: "was modified",
    os.unlink: "was deleted or moved",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", SEEKABLE)
def test_a_change_between_two_reads(tmp_path, name, change):
    path = written(tmp_path, name)
    rows = open_rows(path)
    rows.read(100, 200)
    change(path)
    with pytest.raises(FileReadError, match=rf"{CHANGES[change]}.*row 110\b") as caught:
        rows.read(110, 210)  # in the slice that was decoded before, where there are slices
    assert str(path) in str(caught.value)
    with pytest.raises(FileReadError, match=rf"{CHANGES[change]}.*row"):
        rows.read(900, 1_000)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", KINDS)
def test_a_change_between_two_batches(tmp_path, name, change):
    path = written(tmp_path, name, n=17_000)
    batches = open_rows(path).batches(1_000)
    next(batches)
    change(path)
    with pytest.raises(FileReadError, match=rf"{CHANGES[change]}.*Reading stood at row [1-9]"):
        list(batches)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", KINDS)
def test_a_change_after_the_last_batch(tmp_path, name, change):
    path = written(tmp_path, name)
    batches = open_rows(path).batches(1_000)
    next(batches)
    change(path)
    with pytest.raises(FileReadError, match=rf"{CHANGES[change]}.*row 1000"):
        next(batches)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_before_the_first_batch(tmp_path, change):
    for name in KINDS:
        path = written(tmp_path, name)
        rows = open_rows(path)
        change(path)
        with pytest.raises(FileReadError, match=CHANGES[change]):
            next(rows.batches())


@pytest.mark.skipif(os.name != "posix", reason="no time of the last change here")
def test_a_change_shows_even_where_the_time_of_the_file_was_set_back(tmp_path):
    for name in KINDS:
        path = written(tmp_path, name)
        before = path.stat()
        rows = open_rows(path)
        time.sleep(0.02)  # clocks of file systems are coarse
        modify(path)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert path.stat().st_mtime_ns == before.st_mtime_ns
        with pytest.raises(FileReadError, match="was modified after it was opened"):
            next(rows.batches())


def test_the_error_about_a_file_keeps_its_path_when_it_comes_from_a_worker():
    error = pickle.loads(pickle.dumps(FileReadError("x.csv", "is empty.")))
    assert (error.path, error.problem, str(error)) == ("x.csv", "is empty.", "x.csv is empty.")
