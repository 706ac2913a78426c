"""Rows that stand in a file as their bytes: what `.npy` files, stored members of `.npz` files and memmaps are."""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.rows.base import FileReadError, FileState, Rows, decoding

REAL = "biuf"
"""Kinds of dtypes that rows may have: bool, int and float."""


class RawRows(Rows):
    """A table `offset` bytes into a file, row after row or (`fortran`) column after column.

    `shape` is that of the whole table, `dtype` as it stands in the file, in any byte order. `columns` are the numbers
    of those to give, in this order; all by default.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | FileState,
        offset: int,
        shape: tuple[int, int],
        dtype: Any,
        fortran: bool = False,
        columns: Sequence[int] | None = None,
    ) -> None:
        file = path if isinstance(path, FileState) else FileState.of(path)
        self.offset, self.fortran = offset, fortran
        self.stored_shape, self.stored_dtype = shape, np.dtype(dtype)
        self.columns = None if columns is None else list(columns)
        n, d = shape
        super().__init__([file], (n, d if columns is None else len(columns)), self.stored_dtype)
        self.direct = fortran or 2 * self.shape[1] >= d  # else most of what is read would be thrown away
        end = offset + math.prod(shape) * self.stored_dtype.itemsize
        if file.size < end:
            needed = f"{n} rows of {d} {self.stored_dtype.name} end at byte {end}"
            raise FileReadError(file.path, f"is truncated: {needed}; it has {file.size} bytes.")

    def _read(self, start: int, stop: int) -> np.ndarray:
        (n, d), dtype = self.stored_shape, self.stored_dtype
        with decoding(self.files[0], start), open(self.paths[0], "rb", buffering=0) as stream:
            if self.fortran:
                chosen = range(d) if self.columns is None else self.columns
                columns = np.empty((len(chosen), stop - start), dtype)
                for values, column in zip(columns, chosen, strict=True):
                    _read_at(stream, values, self.offset + (column * n + start) * dtype.itemsize)
                table = columns.T
            else:
                table = np.empty((stop - start, d), dtype)
                _read_at(stream, table, self.offset + start * d * dtype.itemsize)
                table = table if self.columns is None else table[:, self.columns]
        return np.ascontiguousarray(table, dtype=self.dtype)


def _read_at(stream: Any, array: np.ndarray, offset: int) -> None:
    """Fill a C-ordered array with the bytes at an offset of an open file."""
    view = memoryview(array.reshape(-1).view(np.uint8).data)
    stream.seek(offset)
    while len(view):
        got = stream.readinto(view[: 2**30])  # one system call reads at most 2 GB
        if not got:
            raise EOFError("it ended while it was read")
        view = view[got:]


def from_memmap(X: Any) -> RawRows | None:
    """Explicit reads in place of a memory map of the same rows; None where that is not the same.

    It is for all rows of a memmap, or consecutive ones of a C-ordered memmap, and for arrays that are views of such.
    """
    owner = X
    while isinstance(owner, np.ndarray) and not isinstance(owner, np.memmap):
        owner = owner.base
    if not isinstance(owner, np.memmap) or X.ndim != 2 or not X.size or X.dtype.kind not in REAL:
        return None
    if owner.filename is None or owner.mode == "c":  # of no file, or with changes that are not in the file
        return None
    if not (X.flags.c_contiguous or X.flags.f_contiguous):
        return None
    if owner.mode in ("r+", "w+"):
        owner.flush()
    # A view keeps the attribute `offset` of what it is a view of: only addresses tell where it begins.
    whole = np.frombuffer(owner._mmap, np.uint8)  # type: ignore[attr-defined]
    within = X.ctypes.data - whole.ctypes.data
    if within < 0 or within + X.nbytes > len(whole):
        return None
    offset = owner.offset - owner.offset % mmap.ALLOCATIONGRANULARITY + within
    try:
        rows = RawRows(Path(owner.filename), offset, X.shape, X.dtype, fortran=not X.flags.c_contiguous)
        ends = np.concatenate([rows.read(0, 1), rows.read(len(X) - 1, len(X))])
    except FileReadError:
        return None
    # The name may by now be another file's.
    return rows if ends.tobytes() == X[[0, -1]].astype(rows.dtype, order="C").tobytes() else None
