"""NumPy's `.npz` files: zip archives of `.npy` files, stored as they are or compressed."""

from __future__ import annotations

import math
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dncsc.npy_header import ArrayHeader, read_array_header
from dncsc.rows.base import BATCH_ROWS, FileReadError, FileState, Rows, StreamRows, decoded, decoding
from dncsc.rows.columns import column_numbers
from dncsc.rows.format import Format
from dncsc.rows.npy import numbered, table_shape
from dncsc.rows.npz_writer import write_npz
from dncsc.rows.raw import RawRows

TABLE_NAMES = ("X", "x", "data", "rows")
"""What the table is called where there are several, in order of preference."""

Members = dict[str, tuple[zipfile.ZipInfo, ArrayHeader]]


class CompressedRows(StreamRows):
    """Rows of a compressed member of a `.npz` file."""

    kind = "npz"

    def __init__(self, file: FileState, info: zipfile.ZipInfo, array: ArrayHeader, columns: list[int] | None) -> None:
        n, d = array.shape
        super().__init__([file], (n, d if columns is None else len(columns)), array.dtype)
        self._info, self._array, self._columns = info, array, columns

    def _slices(self) -> Iterator[np.ndarray]:
        slices = self._from_columns() if self._array.fortran else self._from_rows()
        for _, rows in decoded(self.files[0], slices):
            yield rows if self._columns is None else rows[:, self._columns]

    def _from_rows(self) -> Iterator[np.ndarray]:
        (n, d), dtype = self._array.shape, self._array.dtype
        with zipfile.ZipFile(self.paths[0]) as archive, archive.open(self._info) as stream:
            stream.read(self._array.size)
            for row in range(0, n, BATCH_ROWS):
                count = min(BATCH_ROWS, n - row)
                content = stream.read(count * d * dtype.itemsize)
                if row + count == n:
                    stream.read(1)  # the checksum is compared at the end
                yield np.frombuffer(content, dtype).reshape(count, d)

    def _from_columns(self) -> Iterator[np.ndarray]:
        """Columns follow one another: the array is unpacked into a temporary file, in which all are read together."""
        array = self._array
        with tempfile.TemporaryFile() as unpacked:
            with zipfile.ZipFile(self.paths[0]) as archive, archive.open(self._info) as stream:
                shutil.copyfileobj(stream, unpacked, 2**20)
            for row in range(0, len(self), BATCH_ROWS):
                # Mapped anew each time, as pages of a map that stays would stay in memory.
                mapped = np.memmap(unpacked, array.dtype, "r", array.size, array.shape, "F")
                yield np.array(mapped[row : row + BATCH_ROWS])

    def fingerprint(self) -> dict[str, Any]:
        return {**super().fingerprint(), "member": self._info.filename, "columns": self._columns}


def open_npz(file: FileState, columns: Sequence[Any] | None = None) -> Rows:
    """Rows of the table in a `.npz` file: its only one, or the one called X, x, data or rows."""
    members = arrays_in(file)
    name = _table_name(members, str(file.path))
    info, array = members[name]
    where = f"{name!r} in {file.path}"
    shape = table_shape(array, where)
    chosen = column_numbers(columns, shape[1], where)
    if info.file_size < array.size + math.prod(shape) * array.dtype.itemsize:
        raise FileReadError(file.path, f": {name!r} is truncated: {shape[0]} rows of {shape[1]} columns are more.")
    if info.compress_type != zipfile.ZIP_STORED:
        return CompressedRows(file, info, array, chosen)
    with decoding(file), open(file.path, "rb") as stream:
        stream.seek(info.header_offset + 26)  # the lengths of two fields between the member's own header and its bytes
        begin = info.header_offset + 30 + sum(struct.unpack("<HH", stream.read(4)))
    return RawRows(file, begin + array.size, shape, array.dtype, array.fortran, columns=chosen, kind="npz")


def arrays_in(file: FileState) -> Members:
    """Headers of all arrays by name."""
    found: Members = {}
    with decoding(file), zipfile.ZipFile(file.path) as archive:
        for info in archive.infolist():
            if info.filename.endswith(".npy"):
                with archive.open(info) as member:
                    found[info.filename.removesuffix(".npy")] = info, read_array_header(member)
    if not found:
        raise FileReadError(file.path, "is a zip archive without arrays; only what numpy.savez writes is read.")
    return found


def _table_name(members: Members, where: str) -> str:
    tables = [name for name, (_, array) in members.items() if len(array.shape) == 2]
    for name in (*TABLE_NAMES, *(tables if len(tables) == 1 else ())):
        if name in tables:
            return name
    if len(members) == 1:
        return next(iter(members))
    if {"indptr", "indices"} <= members.keys():
        raise ValueError(f"{where} holds a sparse matrix; only tables are read: save X.toarray(), or pass the matrix.")
    there = ", ".join(f"{name} {array.shape}" for name, (_, array) in members.items())
    count = "several tables" if tables else "no table"
    raise ValueError(f"{where} holds {count}: {there}. Save the rows as an array of two dimensions called X.")


def _column_type(file: FileState, name: str) -> np.dtype[Any]:
    """The dtype of a column of the table, or of an array with one value for each of its rows."""
    arrays = arrays_in(file)
    if name not in arrays:
        return open_npz(file, [int(name)]).dtype
    where, array, n_rows = f"{file.path}: the array {name!r}", arrays[name][1], len(open_npz(file))
    if array.shape != (n_rows,):
        raise ValueError(f"{where} has shape {array.shape}; one value for each of the {n_rows:,} rows is needed.")
    if array.dtype.hasobject or array.dtype.names is not None:
        raise TypeError(
            f"{where} holds Python objects or records, which are not read; save numbers or texts, as with astype(str)."
        )
    return array.dtype


def _read_column(file: FileState, name: str, n_rows: int) -> Iterator[np.ndarray]:
    if name not in arrays_in(file):
        yield from (block[:, 0] for block in open_npz(file, [int(name)]).batches(n_rows))
        return
    with decoding(file), np.load(file.path, allow_pickle=False) as stored:
        values = stored[name]
    for start in range(0, len(values), n_rows):
        yield values[start : start + n_rows]


NPZ = Format(
    description="a zip archive (.npz)",
    suffixes=(".npz",),
    matches=lambda head: head.startswith((b"PK\x03\x04", b"PK\x05\x06")),
    open=open_npz,
    header=lambda file: numbered(open_npz(file).shape[1], frozenset(arrays_in(file))),
    read_column=_read_column,
    column_type=_column_type,
    writers={".npz": write_npz},
    holds="arrays",
)
