"""NumPy's `.npy` files: a header, and the array's bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import IO, Any

import numpy as np

from dncsc.npy_header import ArrayHeader, read_array_header, write_array_header
from dncsc.rows.base import FileState, decoding
from dncsc.rows.columns import column_numbers
from dncsc.rows.format import Format, Header
from dncsc.rows.raw import RawRows, is_real


def open_npy(file: FileState, columns: Sequence[Any] | None = None) -> RawRows:
    """Rows of a `.npy` file."""
    with decoding(file), open(file.path, "rb") as stream:
        array = read_array_header(stream)
    shape = table_shape(array, str(file.path))
    chosen = column_numbers(columns, shape[1], str(file.path))
    return RawRows(file, array.size, shape, array.dtype, array.fortran, columns=chosen, kind="npy")


def table_shape(array: ArrayHeader, where: str) -> tuple[int, int]:
    """Rows and columns of an array, if it is a table of real numbers."""
    dtype, shape = array.dtype, array.shape
    if dtype.hasobject:
        raise TypeError(f"{where} holds Python objects, which are never unpickled; save X.astype(float) instead.")
    if dtype.names is not None:
        raise TypeError(f"{where} holds records with fields {', '.join(dtype.names)}; save a plain table of numbers.")
    if not is_real(dtype):
        raise TypeError(f"{where} holds {dtype.name} values; rows must be bool, int or float.")
    if len(shape) == 1:
        raise ValueError(
            f"{where} holds an array of one dimension and {shape[0]} values; rows and columns are needed. Save "
            "x.reshape(-1, 1) for rows of one feature, or x.reshape(1, -1) for one row."
        )
    if len(shape) != 2:
        raise ValueError(
            f"{where} holds an array of shape {shape}; rows and columns are needed. Save X.reshape(len(X), -1)."
        )
    return shape[0], shape[1]


def numbered(d: int, arrays: frozenset[str] = frozenset()) -> Header:
    """Columns that have numbers for names."""
    numbers = [str(number) for number in range(d)]
    return Header(numbers, numbers, False, arrays)


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


def _read_column(file: FileState, name: str, n_rows: int) -> Iterator[np.ndarray]:
    return (block[:, 0] for block in open_npy(file, [int(name)]).batches(n_rows))


NPY = Format(
    description="a NumPy array (.npy)",
    suffixes=(".npy",),
    matches=lambda head: head.startswith(b"\x93NUMPY"),
    open=open_npy,
    header=lambda file: numbered(open_npy(file).shape[1]),
    read_column=_read_column,
    column_type=lambda file, name: open_npy(file, [int(name)]).dtype,
    writers={".npy": lambda stream, output: nullcontext(NpyWriter(stream, output.n_rows))},
    holds="one array",
)
