"""Rows of float16, small integers and bool give the labels of float32, and are never widened but block by block."""

from __future__ import annotations

import tracemalloc

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
import scipy.sparse

from dncsc import DnCSC, load_model, open_rows
from dncsc.cli import main

N, D, K = 66_000, 12, 4  # two blocks
TYPES = ["float16", "int8", "uint8", "int16", "bool"]


def small(dtype, n=N, d=D):
    """Rows around K centres, all values of which the type holds."""
    random = np.random.default_rng(0)
    centres = random.permuted(np.tile(np.linspace(20, 100, K), (d, 1)), axis=1).T
    X = np.empty((n, d), dtype)
    for start in range(0, n, 4096):
        rows = centres[np.arange(start, min(start + 4096, n)) % K]
        rows += 10 * random.random(rows.shape, np.float32)
        X[start : start + 4096] = rows > 60 if dtype == "bool" else rows
    if dtype == "bool":
        X[:, : d // 2] ^= random.random((n, d // 2), np.float32) < 0.2
    return X


def model(**parameters):
    return DnCSC(K, n_landmarks=60, n_init=1, random_state=0, **parameters)


@pytest.fixture(scope="module")
def wide():
    """For each type the rows, and the model of the same values in float32."""
    made = {}

    def make(dtype):
        if dtype not in made:
            X = small(dtype)
            made[dtype] = X, model().fit(X.astype(np.float32))
        return made[dtype]

    return make


def in_file(name, write):
    def make(X, folder):
        write(X, folder / name)
        return open_rows(folder / name)

    return make


def arrow_table(X):
    return pa.table({str(i): np.ascontiguousarray(X[:, i]) for i in range(X.shape[1])})


def write_stream(X, path):
    table = arrow_table(X)
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, 5_000)


def memory_map(X, folder):
    np.save(folder / "map.npy", X)
    return np.load(folder / "map.npy", mmap_mode="r")


def columns_of(X):
    return {str(i): np.ascontiguousarray(X[:, i]) for i in range(X.shape[1])}


def mixed_columns(X):
    """The first columns in other types, so that an array of all would be float32 or wider."""
    columns = columns_of(X)
    return {**columns, "0": columns["0"].astype("float32"), "1": columns["1"].astype("int16")}


FORMS = {
    "array": lambda X, folder: X,
    "Fortran order": lambda X, folder: np.asfortranarray(X),
    "every second row and column": lambda X, folder: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "other byte order": lambda X, folder: X.astype(X.dtype.newbyteorder()),
    "memory map": memory_map,
    ".npy": in_file("rows.npy", lambda X, path: np.save(path, X)),
    "stored .npz": in_file("rows.npz", lambda X, path: np.savez(path, X=X)),
    "compressed .npz": in_file("rows.npz", lambda X, path: np.savez_compressed(path, X=X)),
    "Parquet": in_file("rows.parquet", lambda X, path: pa.parquet.write_table(arrow_table(X), path)),
    "Feather": in_file("rows.feather", lambda X, path: pa.feather.write_feather(arrow_table(X), str(path))),
    "Arrow stream": in_file("rows.arrows", write_stream),
    "pandas": lambda X, folder: pd.DataFrame(columns_of(X)),
    "pandas of several types": lambda X, folder: pd.DataFrame(mixed_columns(X)),
    "polars of several types": lambda X, folder: pl.DataFrame(mixed_columns(X)),
    "Dask": lambda X, folder: da.from_array(X, chunks=(30_000, 7)),
}
CASES = [(form, dtype) for form in FORMS for dtype in (TYPES if form == "array" else ["float16", "int8", "bool"])]


@pytest.mark.parametrize(("form", "dtype"), CASES)
def test_labels_are_those_of_the_same_values_in_float32(wide, form, dtype, tmp_path):
    X, expected = wide(dtype)
    rows = FORMS[form](X, tmp_path)
    fitted = model().fit(rows)
    assert fitted._model.frame.dtype == np.float32
    np.testing.assert_array_equal(fitted.labels_, expected.labels_)
    np.testing.assert_array_equal(fitted.predict(rows), expected.labels_)
    np.testing.assert_array_equal(fitted.transform(rows), expected.transform(X.astype(np.float32)))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "bool"])
def test_sparse_rows_get_the_labels_of_the_same_values_in_float32(dtype):
    X = np.where(np.random.default_rng(1).random((N, D)) < 0.9, small(dtype), np.dtype(dtype).type(0))
    rows = scipy.sparse.csr_matrix(X)
    assert rows.dtype == dtype
    fitted, expected = model().fit(rows), model().fit(rows.astype(np.float32))
    np.testing.assert_array_equal(fitted.labels_, expected.labels_)
    np.testing.assert_array_equal(fitted.predict(rows), expected.labels_)


def test_sparse_rows_of_float16_are_refused_with_advice(wide):
    X, expected = wide("float16")
    rows = scipy.sparse.csr_matrix(X.astype(np.float32))
    rows.data = rows.data.astype(np.float16)  # SciPy refuses to make one
    for method in (model().fit, expected.predict):
        with pytest.raises(ValueError, match=r"sparse matrix of float16, .* Give X\.astype\(np\.float32\)"):
            method(rows)
    np.testing.assert_array_equal(expected.predict(rows.astype(np.float32)), expected.labels_)


@pytest.mark.parametrize("dtype", ["float16", "int8", "bool"])
def test_saved_models_label_small_numbers_as_they_did(wide, dtype, tmp_path):
    X, expected = wide(dtype)
    model().fit(X).save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load_model(tmp_path / "model.npz").predict(X), expected.labels_)


@pytest.mark.parametrize("name", ["rows.npy", "rows.parquet"])
def test_commands_take_small_numbers(wide, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, _ = wide("float16")
    np.save(name, X) if name.endswith("npy") else pa.parquet.write_table(arrow_table(X), name)
    expected = DnCSC(K, n_landmarks=60, random_state=0).fit(X.astype(np.float32)).labels_
    options = ["-k", str(K), "--landmarks", "60", "--seed", "0", "--quiet"]
    assert main(["fit", name, *options, "-o", "labels.npy", "--model", "model.npz"]) == 0
    np.testing.assert_array_equal(np.load("labels.npy"), expected)
    assert main(["predict", "model.npz", name, "-o", "again.npy", "--quiet"]) == 0
    np.testing.assert_array_equal(np.load("again.npy"), expected)


def test_sums_of_float16_do_not_overflow():
    X = small("float16", d=4) * np.float16(550)  # up to 60,500; a sum of two is beyond float16
    fitted, expected = model().fit(X), model().fit(X.astype(np.float32))
    np.testing.assert_array_equal(fitted.labels_, expected.labels_)
    np.testing.assert_array_equal(fitted.landmarks_, expected.landmarks_)
    assert np.isfinite(fitted.landmarks_).all()


def peak_beyond(work, rows):
    """The most bytes that Python and NumPy held during some work, beyond those before."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        work(rows)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


BYTES = [
    ("array", "float16", 0),
    ("array", "float32", 0),
    ("Fortran order", "float16", 0),
    ("every second row and column", "float32", 0),
    ("memory map", "float16", 0),
    (".npy", "float16", 0),
    ("pandas of several types", "float16", 0),
    ("compressed .npz", "int8", 1),
    ("Parquet", "float16", 1),
]


@pytest.mark.parametrize(("form", "dtype", "copies"), BYTES)
def test_rows_are_never_copied_in_a_wider_type(form, dtype, copies, tmp_path):
    """Files that are costly to read are copied once, as they are."""
    X = small(dtype, n=60_000, d=256)
    rows, nbytes, float32_copy = FORMS[form](X, tmp_path), X.nbytes, 4 * X.size
    del X
    fitted = model(n_jobs=1)
    fitted.fit_predict(small(dtype, n=500, d=256))  # kernels compiled or read
    for work in (fitted.fit, fitted.predict):
        beyond = peak_beyond(work, rows) - copies * nbytes
        assert beyond < 0.45 * float32_copy
