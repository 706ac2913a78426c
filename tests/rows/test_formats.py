"""Formats are recognised by content and suffix; files of other content are refused."""

from __future__ import annotations

import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from dncsc.rows import FileReadError, open_rows
from row_files import KINDS, numbers, table_of, whole, written

ARROW = ["rows.parquet", "rows.arrow", "rows.arrows"]
FORMATS = [
    "rows.npy",
    "stored.npz",
    "packed.npz",
    "rows.parquet",
    "rows.arrow",
    "rows.arrows",
    "rows.csv",
    "rows.csv.gz",
]


BINARY = [name for name in KINDS if not name.endswith((".csv", ".tsv"))]


@pytest.mark.parametrize("name", ["rows.npy", "stored.npz", "rows.parquet", "rows.arrow", "rows.arrows", "rows.csv"])
def test_a_file_without_a_suffix_is_known_by_its_content(tmp_path, name):
    written(tmp_path, name).rename(tmp_path / "nameless")
    np.testing.assert_array_equal(whole(open_rows(tmp_path / "nameless")), numbers())


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_file(tmp_path, name):
    with pytest.raises(FileReadError, match=rf"{name} cannot be read: No such file"):
        open_rows(tmp_path / name)


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_file(tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(FileReadError, match=rf"{name} is empty"):
        open_rows(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", FORMATS)
def test_an_unreadable_file(tmp_path, name):
    path = written(tmp_path, name)
    path.chmod(0)
    with pytest.raises(FileReadError, match="Permission denied"):
        open_rows(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileReadError, match="not a file that can be read at any place"):
        open_rows(tmp_path / "pipe.csv")


@pytest.mark.parametrize("name", [*FORMATS, "nameless", "table.xlsx"])
def test_junk(tmp_path, name):
    (tmp_path / name).write_bytes(np.random.default_rng(0).bytes(10_000))
    with pytest.raises(FileReadError, match=name):
        open_rows(tmp_path / name)


MAGIC = {"npy": b"\x93NUMPY\1\0", "npz": b"PK\3\4", "parquet": b"PAR1", "arrow": b"ARROW1\0\0", "arrows": b"\xff" * 4}


@pytest.mark.parametrize("suffix", [*MAGIC, "csv.gz"])
def test_junk_that_begins_well(tmp_path, suffix):
    magic = MAGIC.get(suffix, b"\x1f\x8b\x08\0")
    for seed in range(20):
        path = tmp_path / f"some.{suffix}"
        path.write_bytes(magic + np.random.default_rng(seed).bytes(100 * seed))
        with pytest.raises(FileReadError, match="some"):
            open_rows(path)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("left", [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, -8, -1])
def test_a_truncated_file(tmp_path, name, left):
    path = written(tmp_path, name)
    size = path.stat().st_size
    os.truncate(path, max(9, int(size * left)) if left > 0 else size + left)
    with pytest.raises(FileReadError, match=r"rows|fortran|packed|stored|stream") as caught:
        open_rows(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["packed.npz", "packed fortran.npz", "rows.parquet", "rows.csv.gz"])
def test_bits_that_were_turned_are_noticed(tmp_path, name):
    if name == "rows.parquet":
        path = tmp_path / name
        pa.parquet.write_table(table_of(numbers()), path, write_page_checksum=True)
    else:
        path = written(tmp_path, name)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(FileReadError, match=str(path)):
        whole(open_rows(path))


@pytest.mark.parametrize("name", KINDS)
def test_bytes_that_were_changed_anywhere_do_no_worse_than_an_error(tmp_path, name):
    path = written(tmp_path, name, n=300)
    good, random = path.read_bytes(), np.random.default_rng(0)
    outcomes = []
    for _ in range(30):
        content = bytearray(good)
        for place in (random.integers(200), -1 - random.integers(600), random.integers(len(good))):
            content[place] = random.integers(256)
        path.write_bytes(content)
        try:
            outcomes.append(str(whole(open_rows(path)).shape))
        except (FileReadError, ValueError, TypeError) as error:
            outcomes.append(str(error))
    assert any(str(path) in outcome for outcome in outcomes)


@pytest.mark.parametrize(
    ("name", "inside", "says"),
    [
        ("rows.npy", "rows.parquet", r"suffix \.npy claims a NumPy array \(\.npy\), but the content is a Parquet file"),
        ("rows.parquet", "rows.csv", "claims a Parquet file, but the content is text"),
        ("rows.csv", "rows.parquet", "claims text, but the content is a Parquet file"),
        ("rows.csv", "rows.csv.gz", "claims text, but the content is compressed by gzip"),
        ("rows.csv.gz", "rows.tsv", r"suffix \.csv\.gz claims compressed by gzip, but the content is text"),
        ("rows.npz", "rows.npy", "claims a zip archive .* but the content is a NumPy array"),
        ("rows.feather", "rows.arrows", "claims an Arrow or Feather file, but the content is a stream of Arrow"),
        ("rows.arrow", "stored.npz", "content is a zip archive"),
    ],
)
def test_a_suffix_that_claims_something_else(tmp_path, name, inside, says):
    path = written(tmp_path, inside)
    shutil.copy(path, tmp_path / "copy")
    path.unlink()
    (tmp_path / "copy").rename(tmp_path / name)
    with pytest.raises(FileReadError, match=says):
        open_rows(tmp_path / name)


def test_old_feather_files_are_refused_with_advice(tmp_path):
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(100) + b"FEA1")
    with pytest.raises(FileReadError, match=r"old version 1.*write_feather"):
        open_rows(tmp_path / "old.feather")


def test_pyarrow_is_asked_for_where_it_is_needed(tmp_path, monkeypatch):
    from dncsc.rows.values import arrow

    paths = [written(tmp_path, name) for name in FORMATS]
    arrow.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for path in paths:
        if ".np" in path.name:
            assert open_rows(path).shape == (1_000, 5)
        else:
            with pytest.raises(ImportError, match=r'pip install "dncsc\[io\]"'):
                open_rows(path)
