"""NumPy's files: `.npy`, a header and the array's bytes, and `.npz`, a zip archive of such, stored or compressed."""

from __future__ import annotations

import json
import math
import shutil
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import IO, Any

import numpy as np

from dncsc.npy_header import ArrayHeader, read_array_header, write_array_header
from dncsc.rows.base import BATCH_ROWS, FileReadError, FileState, Rows, StreamRows, decoded, decoding
from dncsc.rows.columns import column_numbers
from dncsc.rows.format import Format, Header, Output
from dncsc.rows.raw import REAL, RawRows
from dncsc.rows.values import as_numbers, as_texts, no_array

TABLE_NAMES = ("X", "x", "data", "rows")
"""What the table is called where there are several, in order of preference."""

Members = dict[str, tuple[zipfile.ZipInfo, ArrayHeader]]


def open_npy(file: FileState, columns: Sequence[Any] | None = None) -> RawRows:
    """Rows of a `.npy` file."""
    with decoding(file), open(file.path, "rb") as stream:
        array = read_array_header(stream)
    shape = table_shape(array, str(file.path))
    chosen = column_numbers(columns, shape[1], str(file.path))
    return RawRows(file, array.size, shape, array.dtype, array.fortran, chosen)


def table_shape(array: ArrayHeader, where: str) -> tuple[int, int]:
    """Rows and columns of an array, if it is a table of real numbers."""
    dtype, shape = array.dtype, array.shape
    if dtype.hasobject:
        raise TypeError(f"{where} holds Python objects, which are never unpickled; save X.astype(float) instead.")
    if dtype.names is not None:
        raise TypeError(f"{where} holds records with fields {', '.join(dtype.names)}; save a plain table of numbers.")
    if dtype.kind not in REAL:
        raise TypeError(f"{where} holds {dtype.name} values; rows must be bool, int or float.")
    needed = "rows and columns are needed. Save"
    if len(shape) == 1:
        advice = "x.reshape(-1, 1) for rows of one feature, or x.reshape(1, -1) for one row"
        raise ValueError(f"{where} holds an array of one dimension and {shape[0]} values; {needed} {advice}.")
    if len(shape) != 2:
        raise ValueError(f"{where} holds an array of shape {shape}; {needed} X.reshape(len(X), -1).")
    return shape[0], shape[1]


class CompressedRows(StreamRows):
    """Rows of a compressed member of a `.npz` file."""

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
    return RawRows(file, begin + array.size, shape, array.dtype, array.fortran, chosen)


def arrays_in(file: FileState) -> Members:
    """Headers of all arrays by name."""
    found: Members = {}
    with decoding(file), zipfile.ZipFile(file.path) as archive:
        for info in archive.infolist():
            if info.filename.endswith(".npy"):
                with archive.open(info) as member:
                    found[info.filename.removesuffix(".npy")] = info, read_array_header(member)
    if not found and any(info.filename == "xl/workbook.xml" for info in archive.infolist()):
        raise FileReadError(file.path, "is an Excel workbook: save it as CSV UTF-8, or by pandas as Parquet.")
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


def numbered(d: int, arrays: frozenset[str] = frozenset()) -> Header:
    """Columns that have numbers for names."""
    numbers = [str(number) for number in range(d)]
    return Header(numbers, numbers, False, arrays)


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
        yield from (batch[:, 0] for batch in open_npz(file, [int(name)]).batches(n_rows))
        return
    with decoding(file), np.load(file.path, allow_pickle=False) as stored:
        values = stored[name]
    for start in range(0, len(values), n_rows):
        yield values[start : start + n_rows]


class NpyWriter:
    """Writes one array, whose type the first block shows."""

    def __init__(self, stream: IO[bytes], n_rows: int) -> None:
        self._stream, self._n_rows, self._started = stream, n_rows, False

    def write(self, columns: Sequence[Any]) -> None:
        (block,) = columns
        if not self._started:
            self._started = True
            write_array_header(self._stream, block.dtype, (self._n_rows, *block.shape[1:]))
        self._stream.write(np.ascontiguousarray(block).data)


class NpzWriter(AbstractContextManager["NpzWriter"]):
    """Writes one array for each name, when the types of all blocks are known.

    Members of a zip file cannot grow together: numbers wait in temporary files, each block in the type that it came
    with, as input files may differ in that. Texts wait in memory: the longest decides how wide their array is.
    """

    def __init__(self, stream: IO[bytes], output: Output) -> None:
        self._stream, self._output, self._scratch = stream, output, ExitStack()
        self._texts: dict[str, list[str]] = {}
        self._numbers: dict[str, tuple[IO[bytes], list[np.dtype[Any]]]] = {}

    def write(self, columns: Sequence[Any]) -> None:
        for name, column in zip(self._output.names, columns, strict=True):
            values = as_numbers(name, column)
            if values is None:
                texts = ("" if value is None else str(value) for value in as_texts(column))
                self._texts.setdefault(name, []).extend(texts)
            else:
                if name not in self._numbers:
                    waiting = tempfile.TemporaryFile(dir=self._output.scratch)  # noqa: SIM115
                    self._numbers[name] = self._scratch.enter_context(waiting), []
                stream, types = self._numbers[name]
                types.append(values.dtype)
                np.lib.format.write_array(stream, values)
            if name in self._texts and name in self._numbers:
                raise no_array(name, "holds texts and numbers")

    def __exit__(self, kind: object, *error: object) -> None:
        with self._scratch:
            if kind is None:
                with zipfile.ZipFile(self._stream, "w") as archive:
                    for name in self._output.names:
                        with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                            self._pack(name, member)

    def _pack(self, name: str, member: IO[bytes]) -> None:
        """Write the array of a name, in the narrowest type for all blocks; refuse values that it would change."""
        if name in self._texts:
            np.lib.format.write_array(member, np.array(self._texts[name], dtype=str))
            return
        stream, types = self._numbers[name]
        stream.seek(0)
        common, writer = np.result_type(*set(types)), NpyWriter(member, self._output.n_rows)
        for dtype in types:
            block = np.lib.format.read_array(stream)
            wide = block.astype(common)
            with np.errstate(invalid="ignore"):  # 2**63 - 1 becomes 2**63, and the cast back overflows
                if common.kind != dtype.kind and not np.array_equal(wide.astype(dtype), block):
                    raise no_array(name, f"holds values of {dtype} that change in an array of {common}")
            writer.write([wide])


NPY = Format(
    description="a NumPy array (.npy)",
    suffixes=(".npy",),
    matches=lambda head: head.startswith(b"\x93NUMPY"),
    open=open_npy,
    header=lambda file: numbered(open_npy(file).shape[1]),
    read_columns=lambda file, names, n_rows: (
        list(batch.T) for batch in open_npy(file, [int(name) for name in names]).batches(n_rows)
    ),
    column_type=lambda file, name: open_npy(file, [int(name)]).dtype,
    writers={".npy": lambda stream, output: nullcontext(NpyWriter(stream, output.n_rows))},
    holds="one array",
)
NPZ = Format(
    description="a zip archive (.npz)",
    suffixes=(".npz",),
    matches=lambda head: head.startswith((b"PK\x03\x04", b"PK\x05\x06")),
    open=open_npz,
    header=lambda file: numbered(open_npz(file).shape[1], frozenset(arrays_in(file))),
    read_columns=lambda file, names, n_rows: zip(*(_read_column(file, name, n_rows) for name in names), strict=True),
    column_type=_column_type,
    writers={".npz": NpzWriter},
    holds="arrays",
    in_python=lambda file, name: f"numpy.load({name})[{json.dumps(_table_name(arrays_in(file), str(file.path)))}]",
)
