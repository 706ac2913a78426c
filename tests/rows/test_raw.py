"""Rows that stand in a file as their bytes, and memory maps of them."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.rows import FileReadError, RawRows, from_memmap
from row_files import D, N, numbers, whole


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


def test_raw_rows_need_a_file_that_is_long_enough(tmp_path):
    (tmp_path / "raw").write_bytes(bytes(100))
    assert RawRows(tmp_path / "raw", 4, (6, 2), "float64").read(5, 6).tolist() == [[0, 0]]
    with pytest.raises(FileReadError, match="truncated: 6 rows of 2 float64 end at byte 101; it has 100 bytes"):
        RawRows(tmp_path / "raw", 5, (6, 2), "float64")
