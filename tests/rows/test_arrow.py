"""Columns of Parquet, Feather and Arrow files: types, missing values, names."""

from __future__ import annotations

import os
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest

from dncsc.rows import FileReadError, open_rows
from row_files import NAMES, WRITERS, N, numbers, whole, write_table, written

ARROW = ["rows.parquet", "rows.arrow", "rows.arrows"]


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


def test_reading_a_parquet_file_never_holds_all_of_it(tmp_path):
    X = np.random.default_rng(0).integers(0, 2**16, (200_000, 32), np.uint16)
    table = pa.table({str(i): X[:, i] for i in range(X.shape[1])})
    pa.parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=8_192, use_dictionary=False)
    del table
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in open_rows(tmp_path / "rows.parquet").batches()]
    assert max(held) < X.nbytes / 2
