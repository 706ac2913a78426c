"""Tables in files of every format, for the tests of `dncsc.rows`."""

from __future__ import annotations

import gzip
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

N, D = 1_000, 5
NAMES = ["a", "b", "long name", "ü", "e"]


def numbers(dtype="float64", n=N, d=D, seed=0):
    random = np.random.default_rng(seed)
    if dtype == "bool":
        return random.random((n, d)) < 0.5
    return (100 * random.standard_normal((n, d))).astype(dtype)


def table_of(X, names=NAMES):
    return pa.table({name: X[:, number] for number, name in enumerate(names)})


def write_ipc(make, table, path):
    with pa.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=max(1, len(table) // 7)):
            writer.write_batch(batch)


def write_csv(X, path, delimiter=",", header=True):
    pd.DataFrame(X, columns=NAMES[: X.shape[1]]).to_csv(path, index=False, sep=delimiter, header=header)


WRITERS = {
    "rows.npy": lambda X, path: np.save(path, X),
    "fortran.npy": lambda X, path: np.save(path, np.asfortranarray(X)),
    "stored.npz": lambda X, path: np.savez(path, X=X, y=np.zeros(len(X))),
    "stored fortran.npz": lambda X, path: np.savez(path, X=np.asfortranarray(X)),
    "packed.npz": lambda X, path: np.savez_compressed(path, y=np.zeros(len(X)), X=X),
    "packed fortran.npz": lambda X, path: np.savez_compressed(path, X=np.asfortranarray(X)),
    "rows.parquet": lambda X, path: pa.parquet.write_table(table_of(X), path, row_group_size=130),
    "rows.feather": lambda X, path: pa.feather.write_feather(table_of(X), str(path), chunksize=170),
    "rows.arrow": lambda X, path: write_ipc(pa.ipc.new_file, table_of(X), path),
    "rows.arrows": lambda X, path: write_ipc(pa.ipc.new_stream, table_of(X), path),
    "stream.arrow": lambda X, path: write_ipc(pa.ipc.new_stream, table_of(X), path),
    "rows.csv": write_csv,
    "no header.csv": lambda X, path: write_csv(X, path, header=False),
    "rows.tsv": lambda X, path: write_csv(X, path, "\t"),
    "semicolons.csv": lambda X, path: write_csv(X, path, ";"),
    "rows.csv.gz": write_csv,
}
KINDS = [
    name
    for name in WRITERS
    if name not in ("rows.feather", "stream.arrow", "no header.csv", "semicolons.csv", "rows.tsv")
]
"""Files of which no two are read by the same code."""
NAMED = [name for name in WRITERS if not name.endswith((".npy", ".npz")) and "no header" not in name]
NAMELESS = [name for name in WRITERS if name not in NAMED]
DIRECT = [name for name in WRITERS if name.endswith(".npy") or name.startswith("stored")]
SEEKABLE = [*DIRECT, "rows.parquet", "rows.feather", "rows.arrow"]


@cache
def _content(name, n, dtype):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        WRITERS[name](numbers(dtype, n), path)
        return path.read_bytes()


def written(folder, name, n=N, dtype="float64"):
    """The path of a new file that holds `numbers`; what is written into it is made once."""
    path = folder / name
    path.write_bytes(_content(name, n, dtype))
    return path


def whole(rows, n_rows=300):
    batches = list(rows.batches(n_rows))
    assert [len(batch) for batch in batches[:-1]] == [n_rows] * (len(batches) - 1)
    assert all(batch.dtype == rows.dtype for batch in batches)
    return np.concatenate(batches)


def write_table(table, path):
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=2)
    else:
        write_ipc(pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file, table, path)


def text(tmp_path, content, name="some.csv"):
    path = tmp_path / name
    content = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def npy_claiming(text, data=b""):
    """An array file whose header says what it likes."""
    head = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data
