"""Files that cannot be read, or that change while they are read, end in errors that say which and why."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from dncsc.rows import FileReadError, RawRows, open_rows
from row_files import NAMED, NAMELESS, NAMES, SEEKABLE, WRITERS, numbers, table_of, text, whole, write_csv, write_table

ARROW = ["rows.parquet", "rows.arrow", "rows.arrows"]
FORMATS = ["rows.npy", "stored.npz", "packed.npz", *ARROW, "rows.csv", "rows.csv.gz"]
BINARY = [name for name in WRITERS if not name.endswith((".csv", ".tsv"))]


def written(tmp_path, name, X=None):
    WRITERS[name](numbers() if X is None else X, tmp_path / name)
    return tmp_path / name


# What is no table


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


def test_a_stream_cut_off_between_two_batches(tmp_path):
    path = written(tmp_path, "rows.arrows")
    with pa.OSFile(str(path)) as source:
        reader = pa.ipc.open_stream(source)
        reader.read_next_batch()
        border = source.tell()
    os.truncate(path, border)
    with pytest.raises(FileReadError, match=r"no end mark after its \d+ rows"):
        open_rows(path)
    written(tmp_path, "rows.arrows")
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(FileReadError, match="goes on after its stream of 1000 rows"):
        open_rows(path)


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


@pytest.mark.parametrize("name", WRITERS)
def test_bytes_that_were_changed_anywhere_do_no_worse_than_an_error(tmp_path, name):
    path = written(tmp_path, name, numbers(n=300))
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


def test_text_that_is_no_table(tmp_path):
    with pytest.raises(FileReadError, match=r"no table with commas or tabs\. Readable are \.csv"):
        open_rows(text(tmp_path, "Dear reader\nthis is prose\n", "letter.txt"))
    with pytest.raises(FileReadError, match="another encoding than UTF-8"):
        open_rows(text(tmp_path, "a,b\n1,2\n".encode("utf-16")))
    with pytest.raises(FileReadError, match="another encoding than UTF-8"):
        open_rows(text(tmp_path, "größe,b\n1,2\n".encode("latin-1") + b"1,2\n" * 2_000))
    with pytest.raises(FileReadError, match="UTF8"):
        open_rows(text(tmp_path, b"a,b\n" + b"1,2\n" * 2_000 + b"\xfc,2\n"))


def test_a_zip_of_something_else(tmp_path):
    shutil.make_archive(str(tmp_path / "book"), "zip", tmp_path)
    (tmp_path / "book.zip").rename(tmp_path / "book.xlsx")
    with pytest.raises(FileReadError, match="without arrays"):
        open_rows(tmp_path / "book.xlsx")


# Tables that are no tables of numbers


@pytest.mark.parametrize("save", [np.save, np.savez, np.savez_compressed])
@pytest.mark.parametrize(
    ("X", "error", "says"),
    [
        (np.arange(5.0), ValueError, r"one dimension and 5 values.*reshape\(-1, 1\)"),
        (np.zeros((2, 3, 4)), ValueError, r"shape \(2, 3, 4\).*reshape\(len\(X\), -1\)"),
        (np.zeros(()), ValueError, r"shape \(\)"),
        (np.array([[1, "a"]], dtype=object), TypeError, "objects, which are never unpickled"),
        (np.zeros((3, 2), complex), TypeError, "complex128"),
        (np.zeros((3, 2), "M8[s]"), TypeError, "datetime64"),
        (np.array([["a", "b"]]), TypeError, "str"),
        (np.zeros(3, [("a", float), ("b", int)]), TypeError, "fields a, b"),
        (np.zeros((0, 3)), ValueError, "no rows"),
        (np.zeros((3, 0)), ValueError, "no columns"),
    ],
)
def test_arrays_that_are_no_tables_of_numbers(tmp_path, save, X, error, says):
    name = "X.npy" if save is np.save else "X.npz"
    save(tmp_path / name, X)
    with pytest.raises(error, match=says) as caught:
        open_rows(tmp_path / name)
    assert name in str(caught.value)


def test_sparse_matrices_are_refused_with_advice(tmp_path):
    np.savez(tmp_path / "sparse.npz", indices=[0], indptr=[0, 1], data=[1.0], shape=[1, 1], format="csr")
    with pytest.raises(ValueError, match=r"sparse matrix.*toarray\(\)"):
        open_rows(tmp_path / "sparse.npz")


@pytest.mark.parametrize("name", ARROW)
def test_columns_that_are_no_numbers_are_named(tmp_path, name):
    columns = {
        "id": ["x", "y"],
        "size": [1.0, 2.0],
        "when": pa.array([0, 1], pa.timestamp("s")),
        "kind": pa.array(["u", "v"]).dictionary_encode(),
        "list": [[1], [2]],
    }
    write_table(pa.table(columns), tmp_path / name)
    words = r"columns=\['size'\].*'id' \(string\), 'when' \(timestamp\[m?s\]\), 'kind' \(dictionary.*'list' \(list"
    with pytest.raises(TypeError, match=words):
        open_rows(tmp_path / name)
    assert open_rows(tmp_path / name, columns=["size"]).shape == (2, 1)


@pytest.mark.parametrize("kind", [pa.float64(), pa.int32(), pa.bool_(), pa.decimal128(5, 1)])
@pytest.mark.parametrize("name", ARROW)
def test_missing_values_are_located(tmp_path, name, kind):
    values = pa.array([Decimal(1)] * 100).cast(kind) if kind == pa.decimal128(5, 1) else pa.array([1] * 100).cast(kind)
    holes = pa.array([row in (57, 58) for row in range(100)])
    column = pa.compute.if_else(holes, pa.scalar(None, kind), values)
    write_table(pa.table({"full": values, "holes": column}), tmp_path / name)
    rows = open_rows(tmp_path / name)
    says = r"column 'holes' has no value in row 57; [12] of the \d+ values from row \d+ on are missing"
    with pytest.raises(ValueError, match=says):
        list(rows.batches())
    if rows.seekable:
        assert rows.read(0, 10).shape == (10, 2)
        with pytest.raises(ValueError, match=says):
            rows.read(50, 60)
    assert whole(open_rows(tmp_path / name, columns=["full"])).shape == (100, 1)


def test_missing_values_behind_codes_are_located(tmp_path):
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([1.5, None]))
    write_table(pa.table({"x": coded}), tmp_path / "x.arrow")
    with pytest.raises(ValueError, match="no value in row 1"):
        list(open_rows(tmp_path / "x.arrow").batches())


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ("a,b\n1,2\n3,4,5\n", ValueError, "line 3 has 3 cells; the first has 2"),
        ("a,b\n1,2\n3\n", ValueError, "line 3 has 1 cells"),
        ("1,2\n\n3\n", ValueError, "line 3 has 1 cells"),
        ("a,b\n" + 50_000 * "123456789,123456789\n" + "1\n", ValueError, "line 50002 has 1 cells"),
        ("a,b\n1,2\n3,x\n", TypeError, r"column 'b' holds 'x' in row 1, which is no number.*columns="),
        ("1,2\n3,x\n", TypeError, "column 1 holds 'x' in row 1"),
        ("a,b\n" + 90_000 * "123456789,123456789\n" + "1,oh\n", TypeError, "'b' holds 'oh' in row 90000"),
        ("a,b\n1,2\n2024-01-05,3\n", TypeError, "'a' holds '2024-01-05' in row 1"),
        ("a\ntrue\n7\n", TypeError, "'a' holds '7' in row 1|no truth value"),
        ("a,b\n1;5,2\n", TypeError, "'1;5' in row 0"),
        ("a;b\n1,5;2\n", TypeError, "'1,5' in row 0"),
        ("a,b\n1,2\n,4\n5,\n", ValueError, "column 'a' has no value in row 1; 1 of the 3 values from row 0"),
        ("a,b\n1,NA\n1,null\n", ValueError, "column 'b' has no value in row 0; 2 of the 2"),
        ("a\n1\n\n3\n", ValueError, "column 'a' has no value in row 1"),
        ("a,b,a,b,c\n1,2,3,4,5\n", ValueError, "more than one column called 'a', 'b'"),
        (",a\n0,1.5\n1,2.5\n", ValueError, "column 0 has no name.*pandas' index.*columns="),
        ("a,b\n", ValueError, "there are columns, but no rows"),
        ("a,b", ValueError, "there are columns, but no rows"),
        ("\n\n\n", FileReadError, "no lines but empty ones"),
        ('a,b\n1,"2\n3,4\n', (ValueError, TypeError), "line|holds"),
    ],
)
@pytest.mark.parametrize("name", ["some.csv", "some.csv.gz"])
def test_text_that_is_no_table_of_numbers(tmp_path, name, content, error, says):
    with pytest.raises(error, match=says) as caught:
        open_rows(text(tmp_path, content, name))
    assert name in str(caught.value)


@pytest.mark.parametrize("name", ARROW)
def test_tables_without_rows_or_columns(tmp_path, name):
    write_table(pa.table({"a": pa.array([], pa.float64())}), tmp_path / name)
    with pytest.raises(ValueError, match="no rows"):
        open_rows(tmp_path / name)
    if name != "rows.arrow":
        write_table(pa.table({}), tmp_path / name)
        with pytest.raises(ValueError, match="no columns"):
            open_rows(tmp_path / name)


def test_names_that_occur_twice(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    write_table(table, tmp_path / "twice.arrow")
    with pytest.raises(ValueError, match="more than one column called 'a'"):
        open_rows(tmp_path / "twice.arrow")


# What is asked for


@pytest.mark.parametrize("name", NAMED)
def test_a_column_that_does_not_exist(tmp_path, name):
    path = written(tmp_path, name)
    with pytest.raises(ValueError, match=r"no column 'long_name'\. Did you mean 'long name'\? It has 'a', 'b', 'long"):
        open_rows(path, columns=["a", "long_name"])
    with pytest.raises(ValueError, match="no column 1"):
        open_rows(path, columns=[1])


@pytest.mark.parametrize("name", NAMELESS)
def test_a_column_number_that_does_not_exist(tmp_path, name):
    path = written(tmp_path, name)
    with pytest.raises(ValueError, match="has columns 0 to 4; there is no column 5"):
        open_rows(path, columns=[0, 5])
    for odd in (-1, True, 1.0, "a"):
        with pytest.raises(ValueError, match=r"columns 0 to 4|by number, 0 to 4; got"):
            open_rows(path, columns=[odd])


def test_columns_that_make_no_sense(tmp_path):
    path = written(tmp_path, "rows.csv")
    with pytest.raises(TypeError, match=r"for one column give \['a'\]"):
        open_rows(path, columns="a")
    with pytest.raises(ValueError, match="columns is empty"):
        open_rows(path, columns=[])
    with pytest.raises(ValueError, match="'a' more than once"):
        open_rows(path, columns=["a", "b", "a"])


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


def test_raw_rows_need_a_file_that_is_long_enough(tmp_path):
    (tmp_path / "raw").write_bytes(bytes(100))
    assert RawRows(tmp_path / "raw", 4, (6, 2), "float64").read(5, 6).tolist() == [[0, 0]]
    with pytest.raises(FileReadError, match="truncated: 6 rows of 2 float64 end at byte 101; it has 100 bytes"):
        RawRows(tmp_path / "raw", 5, (6, 2), "float64")


def test_pyarrow_is_asked_for_where_it_is_needed(tmp_path, monkeypatch):
    from dncsc.rows import arrow

    paths = [written(tmp_path, name) for name in FORMATS]
    arrow.arrow.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for path in paths:
        if ".np" in path.name:
            assert open_rows(path).shape == (1_000, 5)
        else:
            with pytest.raises(ImportError, match=r'pip install "dncsc\[io\]"'):
                open_rows(path)


# Files that change while they are read


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
        rows.read(110, 210)  # in the piece that was decoded before, where there are pieces
    assert str(path) in str(caught.value)
    with pytest.raises(FileReadError, match=rf"{CHANGES[change]}.*row"):
        rows.read(900, 1_000)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", WRITERS)
def test_a_change_between_two_batches(tmp_path, name, change):
    path = written(tmp_path, name, numbers(n=17_000))
    batches = open_rows(path).batches(1_000)
    next(batches)
    change(path)
    with pytest.raises(FileReadError, match=rf"{CHANGES[change]}.*Reading stood at row [1-9]"):
        list(batches)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", WRITERS)
def test_a_change_after_the_last_batch(tmp_path, name, change):
    path = written(tmp_path, name)
    batches = open_rows(path).batches(1_000)
    next(batches)
    change(path)
    with pytest.raises(FileReadError, match=rf"{CHANGES[change]}.*row 1000"):
        next(batches)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_before_the_first_batch(tmp_path, change):
    for name in WRITERS:
        path = written(tmp_path, name)
        rows = open_rows(path)
        change(path)
        with pytest.raises(FileReadError, match=CHANGES[change]):
            next(rows.batches())


# Memory

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


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files in /proc")
def test_hundreds_of_files_need_no_open_files(tmp_path):
    X = numbers(n=10)
    for number in range(300):
        np.save(tmp_path / f"{number}.npy", X)
    before = len(os.listdir("/proc/self/fd"))
    rows = open_rows(tmp_path)
    np.testing.assert_array_equal(rows.read(0, 3_000), np.tile(X, (300, 1)))
    assert len(os.listdir("/proc/self/fd")) == before


def test_gzip_of_several_members_is_read_to_the_end(tmp_path):
    path = tmp_path / "two.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"))
    assert whole(open_rows(path)).tolist() == [[1, 2], [3, 4]]
