"""NumPy's `.npz` files: zip archives of `.npy` files, stored as they are or compressed."""

from __future__ import annotations

import math
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from dncsc.npy_header import ArrayHeader, read_array_header
from dncsc.rows.base import BATCH_ROWS, FileReadError, FileState, Rows, StreamRows
from dncsc.rows.columns import column_numbers
from dncsc.rows.format import Format, Header
from dncsc.rows.npy import numbered, table_shape
from dncsc.rows.npz_writer import write_npz
from dncsc.rows.raw import RawRows, read_at

TABLE_NAMES = ("X", "x", "data", "rows")
"""What the table is called where there are several, in order of preference."""

LOCAL_HEADER = 30
"""Bytes of a member's header before its name."""

Members = dict[str, tuple[zipfile.ZipInfo, ArrayHeader]]


class CompressedRows(StreamRows):
    """Rows of a compressed member of a `.npz` file."""

    kind = "npz"

    def __init__(
        self, file: FileState, info: zipfile.ZipInfo, array: ArrayHeader, columns: Sequence[int] | None
    ) -> None:
        n, d = array.shape
        super().__init__([file], (n, d if columns is None else len(columns)), array.dtype)
        self._info, self._array = info, array
        self._columns = None if columns is None else list(columns)

    def _slices(self) -> Iterator[np.ndarray]:
        return self._from_columns() if self._array.fortran else self._from_rows()

    def _from_rows(self) -> Iterator[np.ndarray]:
        (n, d), dtype, file = self._array.shape, self._array.dtype, self.files[0]
        with ExitStack() as opened:
            with unzipping(file, 0):
                archive = opened.enter_context(zipfile.ZipFile(file.path))
                stream: Any = opened.enter_context(archive.open(self._info))
                stream.read(self._array.size)
            for row in range(0, n, BATCH_ROWS):
                rows = np.empty((min(BATCH_ROWS, n - row), d), dtype)
                with unzipping(file, row):
                    if stream.readinto(rows.reshape(-1).view(np.uint8).data) < rows.nbytes:
                        raise EOFError("it ends too early")
                    if row + len(rows) == n:
                        stream.read(1)  # the checksum is compared at the end
                yield rows if self._columns is None else rows[:, self._columns]

    def _from_columns(self) -> Iterator[np.ndarray]:
        """Columns follow one another: the array is unpacked into a temporary file, in which all are read together."""
        file, n, dtype = self.files[0], len(self), self._array.dtype
        columns = range(self._array.shape[1]) if self._columns is None else self._columns
        with tempfile.TemporaryFile() as unpacked:
            with unzipping(file, 0), zipfile.ZipFile(file.path) as archive, archive.open(self._info) as stream:
                shutil.copyfileobj(stream, unpacked, 2**20)
            for row in range(0, n, BATCH_ROWS):
                buffer = np.empty((len(columns), min(BATCH_ROWS, n - row)), dtype)
                with unzipping(file, row):
                    for values, column in zip(buffer, columns, strict=True):
                        at = self._array.size + (column * n + row) * dtype.itemsize
                        if not read_at(unpacked, values, at):
                            raise EOFError("it ends too early")
                yield buffer.T

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
    if info.compress_type == zipfile.ZIP_STORED:
        begin = _begin(file, info) + array.size
        return RawRows(file, begin, shape, array.dtype, array.fortran, columns=chosen, kind="npz")
    return CompressedRows(file, info, array, chosen)


@contextmanager
def unzipping(file: FileState, row: int) -> Iterator[None]:
    """Errors about a damaged archive become `FileReadError`, which says so if the file has changed."""
    try:
        yield
    except FileReadError:
        raise
    # RuntimeError: encrypted members; NotImplementedError: unusual compression
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
        file.check(row)
        raise FileReadError(file.path, f"is no sound .npz file: {error}.") from error
    file.check(row)


def arrays_in(file: FileState) -> Members:
    """Headers of all arrays by name."""
    found: Members = {}
    with unzipping(file, 0), zipfile.ZipFile(file.path) as archive:
        for info in archive.infolist():
            if info.filename.endswith(".npy"):
                with archive.open(info) as member:
                    found[info.filename.removesuffix(".npy")] = info, _member_header(member, info, file)
    if not found:
        raise FileReadError(file.path, "is a zip archive without arrays; only what numpy.savez writes is read.")
    return found


def _member_header(member: Any, info: zipfile.ZipInfo, file: FileState) -> ArrayHeader:
    try:
        return read_array_header(member)
    except ValueError as error:
        raise FileReadError(file.path, f": {info.filename} is no sound NumPy array file: {error}") from error


def _table_name(members: Members, where: str) -> str:
    tables = [name for name, (_, array) in members.items() if len(array.shape) == 2]
    for name in (*TABLE_NAMES, *(tables if len(tables) == 1 else ())):
        if name in tables:
            return name
    if len(members) == 1:
        return next(iter(members))
    there = ", ".join(f"{name} {array.shape}" for name, (_, array) in members.items())
    if {"indptr", "indices"} <= members.keys():
        raise ValueError(f"{where} holds a sparse matrix; only tables are read: save X.toarray(), or pass the matrix.")
    count = "several tables" if tables else "no table"
    raise ValueError(f"{where} holds {count}: {there}. Save the rows as an array of two dimensions called X.")


def _begin(file: FileState, info: zipfile.ZipInfo) -> int:
    """Where a member's bytes begin: after a header of its own, whose length the archive's index does not tell."""
    with open(file.path, "rb") as stream:
        stream.seek(info.header_offset)
        header = stream.read(LOCAL_HEADER)
    if len(header) < LOCAL_HEADER or not header.startswith(b"PK\x03\x04"):
        raise FileReadError(file.path, f"is no sound .npz file: there is nothing where {info.filename} should begin.")
    name, extra = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
    return info.header_offset + LOCAL_HEADER + name + extra


def _header(file: FileState) -> Header:
    return numbered(open_npz(file).shape[1], frozenset(arrays_in(file)))


def _column_type(file: FileState, name: str) -> np.dtype[Any]:
    """The dtype of a column of the table, or of an array with one value for each of its rows."""
    arrays = arrays_in(file)
    if name not in arrays:
        return open_npz(file, [int(name)]).dtype
    array, n_rows = arrays[name][1], len(open_npz(file))
    if array.shape != (n_rows,):
        raise ValueError(
            f"{file.path}: the array {name!r} has shape {array.shape}; one value for each of the {n_rows:,} rows is "
            "needed."
        )
    if array.dtype.hasobject or array.dtype.names is not None:
        raise TypeError(
            f"{file.path}: the array {name!r} holds Python objects or records, which are not read; save numbers or "
            "texts, as with astype(str)."
        )
    return array.dtype


def _read_column(file: FileState, name: str, n_rows: int) -> Iterator[np.ndarray]:
    if name not in arrays_in(file):
        yield from (block[:, 0] for block in open_npz(file, [int(name)]).batches(n_rows))
        return
    with unzipping(file, 0), np.load(file.path, allow_pickle=False) as stored:
        values = stored[name]
    for start in range(0, len(values), n_rows):
        yield values[start : start + n_rows]


NPZ = Format(
    name="npz",
    description="a zip archive (.npz)",
    suffixes=(".npz",),
    matches=lambda head: head.startswith((b"PK\x03\x04", b"PK\x05\x06")),
    open=open_npz,
    header=_header,
    read_column=_read_column,
    column_type=_column_type,
    writers={".npz": write_npz},
    holds="arrays",
)
