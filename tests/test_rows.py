"""Every format gives the rows that were written, whichever way they are asked for."""

from __future__ import annotations

import itertools
import json
import pickle
import zipfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dncsc.rows import RawRows, from_memmap, open_rows
from dncsc.rows.base import FileState
from dncsc.rows.dialect import read_dialect
from row_files import (
    DIRECT,
    NAMED,
    NAMELESS,
    NAMES,
    SEEKABLE,
    WRITERS,
    D,
    N,
    numbers,
    table_of,
    text,
    whole,
    write_csv,
    write_table,
)

DTYPES = ["float32", "float64", "int64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", WRITERS)
def test_what_was_written_is_read(tmp_path, name, dtype):
    X = numbers(dtype)
    WRITERS[name](X, tmp_path / name)
    with open_rows(tmp_path / name) as rows:
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
    WRITERS[name](X, tmp_path / name)
    chosen = [3, 0] if name in NAMELESS else ["ü", "a"]
    rows = open_rows(tmp_path / name, columns=chosen)
    assert rows.shape == (N, 2)
    assert rows.names == (None if name in NAMELESS else ("ü", "a"))
    assert rows.fingerprint()["columns"] == chosen
    np.testing.assert_array_equal(whole(rows), X[:, [3, 0]])
    if rows.seekable:
        np.testing.assert_array_equal(rows.read(700, 901), X[700:901, [3, 0]])


@pytest.mark.parametrize("name", WRITERS)
def test_a_pickled_copy_reads_the_same(tmp_path, name):
    X = numbers()
    WRITERS[name](X, tmp_path / name)
    rows = open_rows(tmp_path / name)
    if rows.seekable:
        rows.read(0, 10)
    np.testing.assert_array_equal(whole(pickle.loads(pickle.dumps(rows))), X)


@pytest.mark.parametrize("name", WRITERS)
def test_fingerprints_are_plain_and_tell_data_apart(tmp_path, name):
    WRITERS[name](numbers(), tmp_path / name)
    one = open_rows(tmp_path / name).fingerprint()
    assert json.loads(json.dumps(one)) == one
    assert str(tmp_path) not in json.dumps(one)
    assert one == open_rows(tmp_path / name).fingerprint()
    WRITERS[name](numbers(n=N + 1), tmp_path / name)
    assert one != open_rows(tmp_path / name).fingerprint()


@pytest.mark.parametrize("name", SEEKABLE)
def test_threads_read_at_once(tmp_path, name):
    X = numbers()
    WRITERS[name](X, tmp_path / name)
    rows = open_rows(tmp_path / name)
    starts = np.random.default_rng(1).integers(0, N - 100, 200).tolist()
    with ThreadPoolExecutor(8) as pool:
        for start, block in zip(starts, pool.map(lambda at: rows.read(at, at + 100), starts), strict=True):
            np.testing.assert_array_equal(block, X[start : start + 100])


@pytest.mark.parametrize("name", [*SEEKABLE, "several"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, N), max_size=8), n_rows=st.integers(1, 2 * N))
def test_any_split_into_reads_gives_the_whole(tmp_path, name, cuts, n_rows):
    X = numbers()
    if name == "several":
        for part, (start, stop) in enumerate([(0, 400), (400, 401), (401, N)]):
            np.save(tmp_path / f"{part}.npy", X[start:stop])
        rows = open_rows(tmp_path / "*.npy")
    else:
        WRITERS[name](X, tmp_path / name)
        rows = open_rows(tmp_path / name)
    bounds = [0, *sorted(cuts), N]
    parts = [rows.read(start, stop) for start, stop in itertools.pairwise(bounds)]
    np.testing.assert_array_equal(np.concatenate(parts), X)
    np.testing.assert_array_equal(whole(rows, n_rows), X)


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i2", "<f2", "u1", "g"])
@pytest.mark.parametrize("order", "CF")
def test_npy_of_any_real_type_and_byte_order(tmp_path, dtype, order):
    X = np.array(numbers().clip(0, 100).astype(dtype), order=order)
    np.save(tmp_path / "X.npy", X)
    rows = open_rows(tmp_path / "X.npy")
    assert rows.dtype.isnative
    assert rows.dtype == X.dtype.newbyteorder("=")
    np.testing.assert_array_equal(rows.read(10, 990), X[10:990])
    np.savez_compressed(tmp_path / "X.npz", X)
    np.testing.assert_array_equal(whole(open_rows(tmp_path / "X.npz")), X)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_npy(tmp_path, version):
    X = numbers()
    with open(tmp_path / "X.npy", "wb") as stream:
        np.lib.format.write_array(stream, X, version)
    np.testing.assert_array_equal(whole(open_rows(tmp_path / "X.npy")), X)


def test_few_columns_of_npy_are_not_called_direct(tmp_path):
    np.save(tmp_path / "C.npy", numbers())
    np.save(tmp_path / "F.npy", np.asfortranarray(numbers()))
    assert open_rows(tmp_path / "C.npy", columns=[0, 1, 2]).direct
    assert not open_rows(tmp_path / "C.npy", columns=[0]).direct
    assert open_rows(tmp_path / "F.npy", columns=[0]).direct


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_the_table_of_an_npz_is_the_only_one_or_called_x(tmp_path, save):
    X, path = numbers(), tmp_path / "some.npz"
    save(path, anything=X, labels=np.arange(N))
    np.testing.assert_array_equal(whole(open_rows(path)), X)
    save(path, other=X + 1, data=X + 2, X=X)
    np.testing.assert_array_equal(whole(open_rows(path)), X)
    save(path, other=X + 1, rows=X)
    np.testing.assert_array_equal(whole(open_rows(path)), X)
    save(path, one=X, two=X)
    with pytest.raises(ValueError, match=r"several tables: one \(1000, 5\), two \(1000, 5\)\. Save .* called X"):
        open_rows(path)
    save(path, one=X[0], two=X[1])
    with pytest.raises(ValueError, match="no table"):
        open_rows(path)


def test_an_npz_compressed_by_lzma_is_read(tmp_path):
    X = numbers()
    np.save(tmp_path / "X.npy", X)
    with zipfile.ZipFile(tmp_path / "X.npz", "w", zipfile.ZIP_LZMA) as archive:
        archive.write(tmp_path / "X.npy", "X.npy")
    np.testing.assert_array_equal(whole(open_rows(tmp_path / "X.npz")), X)


ARROW_WRITERS = {name: WRITERS[name] for name in ("rows.parquet", "rows.feather", "rows.arrow", "rows.arrows")}


@pytest.mark.parametrize("name", ARROW_WRITERS)
def test_columns_of_different_types_become_one(tmp_path, name):
    columns = {
        "small": pa.array([1, 2, 3], pa.int8()),
        "large": pa.array([2**40, 5, 6], pa.int64()),
        "real": pa.array([0.5, float("nan"), 2.5], pa.float32()),
        "truth": pa.array([True, False, True]),
        "price": pa.array([Decimal("1.25"), Decimal("-2.50"), Decimal("0.00")], pa.decimal128(10, 2)),
        "coded": pa.array([7, 9, 7]).dictionary_encode(),
    }
    expected = [[1, 2**40, 0.5, 1, 1.25, 7], [2, 5, np.nan, 0, -2.5, 9], [3, 6, 2.5, 1, 0, 7]]
    write_table(pa.table(columns), tmp_path / name)
    rows = open_rows(tmp_path / name)
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(whole(rows), expected)
    assert open_rows(tmp_path / name, columns=["small", "truth"]).dtype == np.int8
    assert open_rows(tmp_path / name, columns=["large", "small"]).dtype == np.int64
    assert open_rows(tmp_path / name, columns=["real", "small"]).dtype == np.float32
    assert open_rows(tmp_path / name, columns=["coded"]).dtype == np.int64


def test_names_of_columns_may_hold_dots(tmp_path):
    pa.parquet.write_table(pa.table({"a.b": [1.0, 2.0], "a": [3.0, 4.0]}), tmp_path / "dots.parquet")
    assert whole(open_rows(tmp_path / "dots.parquet", columns=["a"])).tolist() == [[3], [4]]
    assert whole(open_rows(tmp_path / "dots.parquet")).tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("name", ["frame.parquet", "frame.feather"])
def test_the_index_of_a_data_frame_is_not_a_column(tmp_path, name):
    frame = pd.DataFrame(numbers(), columns=NAMES, index=pd.Index(np.arange(N) * 7, name="key"))
    if name.endswith("parquet"):
        frame.to_parquet(tmp_path / name)
    else:
        pa.feather.write_feather(pa.Table.from_pandas(frame), str(tmp_path / name))
    assert open_rows(tmp_path / name).names == tuple(NAMES)
    assert whole(open_rows(tmp_path / name, columns=["key"]))[3] == 21


def test_dictionaries_that_grow_from_batch_to_batch(tmp_path):
    schema = pa.schema([("x", pa.dictionary(pa.int8(), pa.float64()))])
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    path = tmp_path / "x.arrows"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, schema, options=options) as writer:
        for values in ([1.5, 2.5], [1.5, 2.5, 3.5]):
            codes = pa.array(range(len(values)), pa.int8())
            writer.write_batch(pa.record_batch([pa.DictionaryArray.from_arrays(codes, values)], schema=schema))
    assert whole(open_rows(path)).ravel().tolist() == [1.5, 2.5, 1.5, 2.5, 3.5]


# Text


HEADERS = {
    "years above whole numbers": ("name,2019,2020\nx,5,7\n", True),
    "years above values": ("name,2019,2021,2020\nx,1.5,2.5,-3.5\n", True),
    "a single year above a value": ("name,2020\nx,1.5\n", True),
    "decades": ("name,2000,2010,2020\nx,5,7,6\n", True),
    "years beside a nameless index": (",2019,2020\nx,5,7\n", True),
    "a name above a number": ("name,size,7,5\nx,3,5,7\n", True),
    "years above a gap": ("name,2019,2020\nx,,7\n", True),
    "numbers above text": ("name,1,5\nx,low,high\n", True),
    "nothing below": ("name,9,3\n", True),
    "a row": ("M,3,1,2\nF,9,5,7\n", False),
    "a row of UCI's letters": ("T,2,8,3,5,1,8\nI,5,12,3,7,2,10\n", False),
    "a row with its class last": ("3,1,2,M\n9,5,7,F\n", False),
    "a row of one number": ("M,3\nF,9\n", False),
    "an age and a height": ("anna,31,172\nbert,45,180\n", False),
    "a row above one of fewer whole numbers": ("M,3,1\nF,2.5,4\n", False),
    "a row that counts by chance": ("M,3,4\nM,9,5\n", False),
    "a row without a value": ("M,NA,3,1\nF,9,5,7\n", False),
    "a row above one without a value": ("M,4,3,1\nF,?,5,7\n", False),
    "values that are the same": ("M,2,2\nF,1.5,2.5\n", False),
    "negative numbers below": ("M,3,1\nF,-9,-5\n", False),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_first_line_like_the_second_is_a_row_and_years_are_names(tmp_path, case):
    content, headed = HEADERS[case]
    names = read_dialect(FileState.of(text(tmp_path, content)), compressed=False).names
    assert names == (tuple(content.split("\n")[0].split(",")) if headed else None)


TEXTS = {
    "a byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n", ("a", "b"), [[1, 2]], "int64"),
    "a byte order mark and no header": (b"\xef\xbb\xbf1,2\n3,4\n", None, [[1, 2], [3, 4]], "int64"),
    "Windows lines": ("a,b\r\n1,2\r\n3,4\r\n", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "old Macintosh lines": ("a,b\r1,2\r3,4", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "no last newline": ("a,b\n1,2\n3,4", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "empty lines": ("\n\na,b\n1,2\n\n3,4\n\n", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "quotes": ('"a, so","b\nbelow"\n"1",2.5\n3,"4"\n', ("a, so", "b\nbelow"), [[1, 2.5], [3, 4]], "float64"),
    "commas in quotes between semicolons": (
        '"a, cm";"b ""c;d"", kg"\n1;2\n',
        ("a, cm", 'b "c;d", kg'),
        [[1, 2]],
        "int64",
    ),
    "tabs in quotes between commas": ('"a\tb","c"\n1,2\n', ("a\tb", "c"), [[1, 2]], "int64"),
    "inches": ('a 5",b 6"\n1,2\n', ('a 5"', 'b 6"'), [[1, 2]], "int64"),
    "inches of one cell": ('a 5",b\n1,2\n3,4\n', ('a 5"', "b"), [[1, 2], [3, 4]], "int64"),
    "inches in quotes": ('"a 5"",\nlong",b\n1,2\n', ('a 5",\nlong', "b"), [[1, 2]], "int64"),
    "blanks around": ("a, b\n 1 ,2\n3, 4 \n", ("a", "b"), [[1, 2], [3, 4]], "int64"),
    "not finite": ("a,b\nnan,1\ninf,-inf\n", ("a", "b"), [[np.nan, 1], [np.inf, -np.inf]], "float64"),
    "exponents and signs": ("a,b\n1e3,+2\n-.5,3.\n", ("a", "b"), [[1000, 2], [-0.5, 3]], "float64"),
    "truth": ("a,b\ntrue,False\nFALSE,true\n", ("a", "b"), [[1, 0], [0, 1]], "bool"),
    "truth and numbers": ("a,b\ntrue,5\nfalse,6\n", ("a", "b"), [[1, 5], [0, 6]], "int64"),
    "years as names": ("city,2019,2020\n1,2,3\n", ("city", "2019", "2020"), [[1, 2, 3]], "int64"),
    "a data frame without names": ("0,1\n0.5,2.5\n1.5,3.5\n", ("0", "1"), [[0.5, 2.5], [1.5, 3.5]], "float64"),
    "rows that begin like counting": ("0,1\n2,3\n", None, [[0, 1], [2, 3]], "int64"),
    "one column": ("a\n1\n2\n", ("a",), [[1], [2]], "int64"),
    "one column without a name": ("1.5\n2\n", None, [[1.5], [2]], "float64"),
    "huge whole numbers": ("a\n1\n99999999999999999999\n", ("a",), [[1.0], [1e20]], "float64"),
}


@pytest.mark.parametrize("name", ["some.csv", "some.csv.gz"])
@pytest.mark.parametrize("case", TEXTS)
def test_text_as_programs_write_it(tmp_path, case, name):
    content, names, expected, dtype = TEXTS[case]
    rows = open_rows(text(tmp_path, content, name))
    assert rows.names == names
    assert rows.dtype == dtype
    np.testing.assert_array_equal(whole(rows), expected)


def test_a_column_of_text_that_turns_real_far_down(tmp_path):
    lines = ["a,b", *(f"{row},{row}" for row in range(300_000)), "0.5,1"]
    rows = open_rows(text(tmp_path, "\n".join(lines)))
    assert rows.dtype == np.float64
    read = whole(rows, 100_000)
    assert read[-1].tolist() == [0.5, 1]
    np.testing.assert_array_equal(read[:-1, 0], np.arange(300_000))
    assert open_rows(text(tmp_path, "\n".join(lines)), columns=["b"]).dtype == np.int64


def test_lines_longer_than_a_block(tmp_path):
    X = np.random.default_rng(0).random((3, 4_000))
    np.savetxt(tmp_path / "wide.csv", X, delimiter=",", fmt="%.300f")
    np.testing.assert_array_equal(whole(open_rows(tmp_path / "wide.csv")), X)


# Memory maps


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("offset", [0, 24, 5_000])
@pytest.mark.parametrize("mode", ["r", "r+"])
def test_a_memmap_is_read_where_it_lies(tmp_path, order, offset, mode):
    X = numbers()
    (tmp_path / "X.bin").write_bytes(bytes(offset) + X.tobytes(order))
    mapped = np.memmap(tmp_path / "X.bin", X.dtype, mode, offset, X.shape, order)
    for view in (mapped, np.asarray(mapped), mapped[:]):
        rows = from_memmap(view)
        assert isinstance(rows, RawRows)
        assert rows.direct
        np.testing.assert_array_equal(whole(rows), X)
    some = from_memmap(mapped[200:900][50:])
    if order == "F":
        assert some is None
    else:
        np.testing.assert_array_equal(whole(some), X[250:900])


def test_a_memmap_that_was_written_to_is_read_as_it_is(tmp_path):
    mapped = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", "float64", (N, D))
    mapped[:] = numbers()
    np.testing.assert_array_equal(whole(from_memmap(mapped)), numbers())


def test_what_is_not_simply_rows_of_a_file_stays_a_memmap(tmp_path):
    X = numbers()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    private = np.load(tmp_path / "X.npy", mmap_mode="c")
    private[0] = 7
    assert from_memmap(mapped) is not None
    for other in (X, private, mapped + 1, mapped.copy(), mapped[0], mapped[:0]):
        assert from_memmap(other) is None
    for other in (mapped[::2], mapped[:, :2], mapped[::-1]):
        assert from_memmap(other) is None
    assert from_memmap(mapped.view("M8[s]")) is None
    np.save(tmp_path / "new.npy", X + 1)
    (tmp_path / "new.npy").replace(tmp_path / "X.npy")
    assert from_memmap(mapped) is None
    (tmp_path / "X.npy").unlink()
    assert from_memmap(mapped) is None


# Several files


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


@pytest.mark.parametrize("name", ["rows.npy", "stored.npz", "rows.parquet", "rows.arrow", "rows.arrows", "rows.csv"])
def test_a_file_without_a_suffix_is_known_by_its_content(tmp_path, name):
    WRITERS[name](numbers(), tmp_path / name)
    (tmp_path / name).rename(tmp_path / "nameless")
    np.testing.assert_array_equal(whole(open_rows(tmp_path / "nameless")), numbers())


def test_relative_paths_survive_a_change_of_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("X.npy", numbers())
    rows = open_rows("X.npy")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    np.testing.assert_array_equal(whole(rows), numbers())
