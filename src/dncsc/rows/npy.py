"""NumPy's `.npy` files: a header, and the array's bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from dncsc.rows.base import FileReadError, FileState
from dncsc.rows.columns import column_numbers
from dncsc.rows.raw import RawRows, is_real


@dataclass(frozen=True)
class Array:
    """An array as its header describes it."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    header_size: int


def open_npy(file: FileState, columns: Sequence[Any] | None = None) -> RawRows:
    """Rows of a `.npy` file."""
    with open(file.path, "rb") as stream:
        array = read_header(stream, str(file.path))
    shape = table_shape(array, str(file.path))
    chosen = column_numbers(columns, shape[1], str(file.path))
    return RawRows(file, array.header_size, shape, array.dtype, array.fortran, columns=chosen, kind="npy")


def read_header(stream: BinaryIO, where: str) -> Array:
    """What stands before an array's bytes; the stream is left at the first of these."""
    try:
        version = np.lib.format.read_magic(stream)
        # Version 3 differs from 2 only in the letters that field names may have, and tables with fields are refused.
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        if version not in ((1, 0), (2, 0), (3, 0)):
            raise ValueError(f"its format version is {version[0]}.{version[1]}, which is newer than this program")
        shape, fortran, dtype = read(stream)
    except Exception as error:  # whatever a damaged header makes NumPy's parser say
        raise FileReadError(f"{where} is no sound NumPy array file: {error}") from error
    return Array(shape, fortran, dtype, stream.tell())


def table_shape(array: Array, where: str) -> tuple[int, int]:
    """Rows and columns of an array, if it is a table of real numbers."""
    if array.dtype.hasobject:
        raise TypeError(f"{where} holds Python objects, which are never unpickled; save X.astype(float) instead.")
    if array.dtype.names is not None:
        raise TypeError(
            f"{where} holds records with fields {', '.join(array.dtype.names)}; save a plain table of numbers."
        )
    if not is_real(array.dtype):
        raise TypeError(f"{where} holds {array.dtype.name} values; rows must be bool, int or float.")
    if len(array.shape) == 1:
        raise ValueError(
            f"{where} holds an array of one dimension and {array.shape[0]} values; rows and columns are needed. Save "
            "x.reshape(-1, 1) for rows of one feature, or x.reshape(1, -1) for one row."
        )
    if len(array.shape) != 2:
        raise ValueError(
            f"{where} holds an array of shape {array.shape}; rows and columns are needed. Save X.reshape(len(X), -1)."
        )
    return array.shape[0], array.shape[1]
