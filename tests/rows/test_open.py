"""Every format gives the rows that were written, whichever way they are asked for."""

from __future__ import annotations

import itertools
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dncsc.rows import FileReadError, open_rows
from dncsc.rows.format import CellReaders
from row_files import (
    DIRECT,
    KINDS,
    NAMED,
    NAMELESS,
    NAMES,
    SEEKABLE,
    WRITERS,
    D,
    N,
    numbers,
    table_of,
    whole,
    write_csv,
    write_table,
    written,
)

DTYPES = ["float32", "float64", "int64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", WRITERS)
def test_what_was_written_is_read(tmp_path, name, dtype):
    X = numbers(dtype)
    with open_rows(written(tmp_path, name, dtype=dtype)) as rows:
        assert (rows.shape, rows.ndim, len(rows)) == (X.shape, 2, N)
        text = ".csv" in name or ".tsv" in name
        assert rows.dtype == (np.float64 if text and dtype == "float32" else X.dtype)
        assert rows.names == (tuple(NAMES) if name in NAMED else None)
        assert rows.paths == (tmp_path / name,)
        assert (rows.direct, rows.seekable) == (name in DIRECT, name in SEEKABLE)
        np.testing.assert_array_equal(whole(rows).astype(X.dtype), X)
        np.testing.assert_array_equal(whole(rows, 10 * N).astype(X.dtype), X)
        if rows.seekable:
            np.testing.assert_array_equal(rows.read(123, 789), X[123:789])
            assert rows.read(7, 7).shape == (0, D)
            assert rows.read(0, N).flags.c_contiguous


@pytest.mark.parametrize("name", WRITERS)
def test_columns_come_in_the_order_asked_for(tmp_path, name):
    X = numbers()
    chosen = [3, 0] if name in NAMELESS else ["ü", "a"]
    rows = open_rows(written(tmp_path, name), columns=chosen)
    assert rows.shape == (N, 2)
    assert rows.names == (None if name in NAMELESS else ("ü", "a"))
    np.testing.assert_array_equal(whole(rows), X[:, [3, 0]])
    if rows.seekable:
        np.testing.assert_array_equal(rows.read(700, 901), X[700:901, [3, 0]])


@pytest.mark.parametrize("name", KINDS)
def test_a_pickled_copy_reads_the_same(tmp_path, name):
    X = numbers()
    rows = open_rows(written(tmp_path, name))
    if rows.seekable:
        rows.read(0, 10)
    np.testing.assert_array_equal(whole(pickle.loads(pickle.dumps(rows))), X)


@pytest.mark.parametrize("name", SEEKABLE)
def test_threads_read_at_once(tmp_path, name):
    X = numbers()
    rows = open_rows(written(tmp_path, name))
    starts = np.random.default_rng(1).integers(0, N - 100, 200).tolist()
    with ThreadPoolExecutor(8) as pool:
        for start, block in zip(starts, pool.map(lambda at: rows.read(at, at + 100), starts), strict=True):
            np.testing.assert_array_equal(block, X[start : start + 100])


@pytest.mark.parametrize("name", [*SEEKABLE, "several"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, N), max_size=8), n_rows=st.integers(1, 2 * N))
def test_any_split_into_reads_gives_the_whole(tmp_path, name, cuts, n_rows):
    X = numbers()
    if name == "several":
        for part, (start, stop) in enumerate([(0, 400), (400, 401), (401, N)]):
            np.save(tmp_path / f"{part}.npy", X[start:stop])
        rows = open_rows(tmp_path / "*.npy")
    else:
        rows = open_rows(written(tmp_path, name))
    bounds = [0, *sorted(cuts), N]
    parts = [rows.read(start, stop) for start, stop in itertools.pairwise(bounds)]
    np.testing.assert_array_equal(np.concatenate(parts), X)
    np.testing.assert_array_equal(whole(rows, n_rows), X)


def test_files_of_a_folder_stand_in_natural_order(tmp_path):
    X = numbers(n=1_200)
    for number in range(12):
        part = table_of(X[100 * number : 100 * (number + 1)])
        pa.parquet.write_table(part, tmp_path / f"part-{number}.parquet", row_group_size=30)
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".hidden").write_text("nothing")
    (tmp_path / "part-1.parquet.crc").write_text("nothing")
    for rows in (open_rows(tmp_path), open_rows(f"{tmp_path}/part-*.parquet"), open_rows([tmp_path])):
        np.testing.assert_array_equal(whole(rows, 250), X)
        np.testing.assert_array_equal(rows.read(150, 1_050), X[150:1_050])
        assert [path.stem for path in rows.paths] == [f"part-{number}" for number in range(12)]


def test_files_of_a_list_stand_as_listed(tmp_path):
    X = numbers()
    np.save(tmp_path / "a.npy", X[600:].astype("float32"))
    np.save(tmp_path / "b.npy", X[:600])
    rows = open_rows([tmp_path / "b.npy", str(tmp_path / "a.npy")])
    assert (rows.direct, rows.seekable, rows.dtype) == (True, True, np.float64)
    np.testing.assert_array_equal(rows.read(590, 610)[10:], X[600:610].astype("float32"))


def test_several_are_only_as_able_as_the_least(tmp_path):
    X = numbers()
    np.save(tmp_path / "a.npy", X)
    np.savez_compressed(tmp_path / "b.npz", X)
    rows = open_rows(tmp_path)
    assert (rows.direct, rows.seekable) == (False, False)
    np.testing.assert_array_equal(whole(rows), np.concatenate([X, X]))
    with pytest.raises(OSError, match="only be read from beginning to end"):
        rows.read(0, 10)


def test_columns_in_another_order_are_matched_by_name(tmp_path):
    X = numbers()
    pa.parquet.write_table(table_of(X), tmp_path / "1.parquet")
    pa.parquet.write_table(table_of(X).select(NAMES[::-1]), tmp_path / "2.parquet")
    write_csv(X, tmp_path / "3.csv")
    np.testing.assert_array_equal(whole(open_rows(tmp_path)), np.concatenate([X, X, X]))


def test_a_part_without_rows_is_no_trouble(tmp_path):
    X = numbers()
    pa.parquet.write_table(table_of(X[:0]), tmp_path / "0.parquet")
    pa.parquet.write_table(table_of(X), tmp_path / "1.parquet")
    pa.parquet.write_table(table_of(X[:0]), tmp_path / "2.parquet")
    rows = open_rows(tmp_path)
    np.testing.assert_array_equal(whole(rows), X)
    np.testing.assert_array_equal(rows.read(0, N), X)


@pytest.mark.parametrize("name", ["with blanks ünd größe.npy", "brackets[1].npy", "star*.npy", "UPPER.NPY"])
def test_any_file_name_will_do(tmp_path, name):
    np.save(tmp_path / "plain.npy", numbers())
    (tmp_path / "plain.npy").rename(tmp_path / name)
    np.testing.assert_array_equal(whole(open_rows(tmp_path / name)), numbers())


def test_relative_paths_survive_a_change_of_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("X.npy", numbers())
    rows = open_rows("X.npy")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    np.testing.assert_array_equal(whole(rows), numbers())


def test_paths_that_name_nothing(tmp_path):
    with pytest.raises(FileReadError, match=r"no file fits the pattern .*\*\.csv"):
        open_rows(tmp_path / "*.csv")
    with pytest.raises(ValueError, match="no file was named"):
        open_rows([])
    with pytest.raises(TypeError, match="got int"):
        open_rows([7])
    (tmp_path / "_SUCCESS").touch()
    with pytest.raises(FileReadError, match="holds no data files"):
        open_rows(tmp_path)
    (tmp_path / "year=2024").mkdir()
    pa.parquet.write_table(table_of(numbers()), tmp_path / "year=2024" / "part.parquet")
    with pytest.raises(FileReadError, match=r"folders.*\*\*"):
        open_rows(tmp_path)
    assert open_rows(f"{tmp_path}/**/*.parquet").shape == (1_000, 5)


def test_something_else_among_the_files_of_a_folder(tmp_path):
    written(tmp_path, "rows.csv")
    (tmp_path / "README.md").write_text("About these rows")
    with pytest.raises(FileReadError, match=r"README\.md"):
        open_rows(tmp_path)


def test_files_with_different_columns(tmp_path):
    X = numbers()
    write_csv(X, tmp_path / "1.csv")
    pa.parquet.write_table(table_of(X, [*NAMES[:4], "other"]), tmp_path / "2.parquet")
    with pytest.raises(
        ValueError, match=r"2\.parquet has other columns than .*1\.csv: it lacks 'e' and it has 'other' too"
    ):
        open_rows(tmp_path)
    assert open_rows(tmp_path, columns=["b", "a"]).shape == (2_000, 2)
    np.save(tmp_path / "1.npy", X)
    np.save(tmp_path / "2.npy", X[:, :3])
    with pytest.raises(ValueError, match=r"2\.npy has other columns than .*1\.npy: 3 without names instead of 5"):
        open_rows(tmp_path / "*.npy")


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files in /proc")
def test_hundreds_of_files_need_no_open_files(tmp_path):
    X = numbers(n=10)
    for number in range(300):
        np.save(tmp_path / f"{number}.npy", X)
    before = len(os.listdir("/proc/self/fd"))
    rows = open_rows(tmp_path)
    np.testing.assert_array_equal(rows.read(0, 3_000), np.tile(X, (300, 1)))
    assert len(os.listdir("/proc/self/fd")) == before


MEASURED = """
import sys
from pathlib import Path
import numpy as np
import pyarrow.parquet
from dncsc.rows import open_rows

def peak():
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024

def grown_by(work):
    Path("/proc/self/clear_refs").write_text("5")  # the peak is forgotten
    before = peak()
    work()
    return peak() - before

def read(path):
    rows = open_rows(path)
    assert sum(len(batch) for batch in rows.batches()) == len(rows) >= 600_000

for path in sys.argv[1:]:
    print(grown_by(lambda: read(path)))
print(grown_by(lambda: np.load(sys.argv[1])))
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured in /proc")
def test_reading_200_mb_by_batches_does_not_hold_them(tmp_path, run_python):
    X = np.zeros((1_250_000, 20))
    assert X.nbytes == 200_000_000
    some = X[:600_000]
    names = ["rows.npy", "fortran.npy", "packed.npz", "packed fortran.npz", "rows.parquet"]
    for name in names[:4]:
        WRITERS[name](X if name == "rows.npy" else some, tmp_path / name)
    # One row group, as pandas would write it.
    pa.parquet.write_table(table_of(X, [str(column) for column in range(20)]), tmp_path / names[4])
    result = run_python(MEASURED, *(tmp_path / name for name in names))
    assert result.returncode == 0, result.stderr
    *by_batches, as_a_whole = map(float, result.stdout.split())
    assert as_a_whole > 180
    assert max(by_batches[:4]) < 60, dict(zip(names, by_batches, strict=True))
    assert by_batches[4] < 130, dict(zip(names, by_batches, strict=True))


def lengths_of(cells):
    """How many letters a text has; NaN for none."""
    return pa.compute.utf8_length(cells.cast(pa.string())).cast(pa.float64()).to_numpy(zero_copy_only=False)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow", "t.arrows"])
def test_cells_of_any_kind_are_read_by_what_is_given_for_them(tmp_path, name):
    table = pa.table({"word": ["a", None, "ccc", "dd"] * 50, "count": [1, 22, None, 333] * 50, "other": [None] * 200})
    path = tmp_path / name
    if name == "t.csv":
        pa.csv.write_csv(table, path)
    else:
        write_table(table, path)
    counted = {path: 200} if name == "t.csv" else {}
    for n_rows in ({}, counted):
        rows = open_rows(path, columns=["count", "word"], cells=CellReaders((lengths_of, lengths_of), n_rows))
        assert (rows.shape, rows.names, rows.dtype) == ((200, 2), ("count", "word"), np.float64)
        wanted = [[1, 1], [2, np.nan], [np.nan, 3], [3, 2]] * 50
        np.testing.assert_array_equal(whole(pickle.loads(pickle.dumps(rows)), 7), wanted)
        if rows.seekable:
            np.testing.assert_array_equal(rows.read(3, 90), wanted[3:90])
