"""Arrays in .npy and .npz files."""

from __future__ import annotations

import errno
import shutil
import zipfile

import numpy as np
import pytest

from dncsc.rows import FileReadError, open_rows
from dncsc.rows.base import FileState, decoding
from row_files import N, numbers, whole, written


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


def test_a_zip_of_something_else(tmp_path):
    shutil.make_archive(str(tmp_path / "book"), "zip", tmp_path)
    (tmp_path / "book.zip").rename(tmp_path / "book.xlsx")
    with pytest.raises(FileReadError, match="without arrays"):
        open_rows(tmp_path / "book.xlsx")


def test_a_full_disk_is_not_called_a_damaged_archive(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    rows = open_rows(written(tmp_path, "packed fortran.npz"))
    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(OSError, match="No space left") as caught:
        next(rows.batches())
    assert not isinstance(caught.value, FileReadError)
    assert caught.value.filename.endswith("the folder for temporary files (TMPDIR)")


def test_too_little_memory_is_not_called_a_damaged_file(tmp_path):
    path = written(tmp_path, "rows.npy")
    said = r"rows\.npy: there is too little memory to read it: 8 TB\."
    with pytest.raises(MemoryError, match=said), decoding(FileState.of(path)):
        raise MemoryError("8 TB")
