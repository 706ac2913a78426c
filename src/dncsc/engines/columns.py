"""Where the columns of a local engine are kept: in memory, or in scratch files."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Protocol

import numpy as np

from dncsc.engines.base import Column


class Columns(Protocol):
    """Keeps values for each row."""

    def keeps(self, column: Column) -> bool:
        """Whether there is room for a column that could be made again instead."""
        ...

    def allocate(self, column: Column) -> None: ...

    def get(self, name: str, start: int, stop: int, filled: bool) -> np.ndarray:
        """Values of some rows, or room for them; the calling thread's until it asks for others."""
        ...

    def put(self, name: str, start: int, values: np.ndarray) -> None:
        """Keep what was filled into the room."""
        ...

    def drop(self, name: str) -> None: ...

    def take(self, name: str) -> np.ndarray: ...

    def close(self) -> None: ...


class InMemory:
    """Columns are arrays."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._arrays: dict[str, np.ndarray] = {}

    def keeps(self, column: Column) -> bool:
        return True

    def allocate(self, column: Column) -> None:
        self._arrays[column.name] = np.empty(column.shape(self._n_rows), column.dtype)

    def get(self, name: str, start: int, stop: int, filled: bool) -> np.ndarray:
        return self._arrays[name][start:stop]

    def put(self, name: str, start: int, values: np.ndarray) -> None:
        """Values are views: they are there already."""

    def drop(self, name: str) -> None:
        self._arrays.pop(name, None)

    def take(self, name: str) -> np.ndarray:
        return self._arrays.pop(name)

    def close(self) -> None:
        self._arrays.clear()


def temporary_file(folder: str | os.PathLike[str] | None) -> int:
    """Descriptor of an empty file without a name, which is gone when the last one closes it, whatever happens."""
    descriptor, path = tempfile.mkstemp(prefix="dncsc-", suffix=".scratch", dir=folder)
    try:
        os.unlink(path)
    except OSError:  # Windows: cannot remove what is open
        os.close(descriptor)
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_TEMPORARY", 0))
    return descriptor


def reserve(descriptor: int, size: int, what: str, folder: Path) -> None:
    """Give a file its size on the disk now, so that a full disk is found before the work and not after it."""
    try:
        if hasattr(os, "posix_fallocate") and size > 0:
            os.posix_fallocate(descriptor, 0, size)
        else:
            os.ftruncate(descriptor, size)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        free = shutil.disk_usage(folder).free
        raise OSError(
            error.errno,
            f"no room for {what}: {size / 1e9:.2f} GB are needed in {folder}, {free / 1e9:.2f} GB are free. "
            "Free some, or name another folder",
        ) from error


class InScratch:
    """Columns are files without names in a folder, read and written piece by piece.

    Parameters
    ----------
    n_rows : int
    folder : str or Path, optional
        The system's folder for temporary files by default.
    budget : int, optional
        Bytes that files may take in all; columns that can be made again are not kept beyond that.
    """

    def __init__(self, n_rows: int, folder: str | os.PathLike[str] | None = None, budget: int | None = None) -> None:
        self._n_rows = n_rows
        self._folder = Path(folder or tempfile.gettempdir())
        self._left = budget if budget is not None else shutil.disk_usage(self._folder).free * 9 // 10
        self._files: dict[str, tuple[int, Column]] = {}
        self._rooms = threading.local()

    def keeps(self, column: Column) -> bool:
        return column.row_bytes * self._n_rows <= self._left

    def allocate(self, column: Column) -> None:
        size = column.row_bytes * self._n_rows
        descriptor = temporary_file(self._folder)
        self._files[column.name] = descriptor, column
        self._left -= size
        reserve(descriptor, size, "scratch files", self._folder)

    def get(self, name: str, start: int, stop: int, filled: bool) -> np.ndarray:
        descriptor, column = self._files[name]
        room = self._room(column, stop - start)
        if filled:
            read_fully(descriptor, room, start * column.row_bytes)
        return room

    def put(self, name: str, start: int, values: np.ndarray) -> None:
        descriptor, column = self._files[name]
        write_fully(descriptor, values, start * column.row_bytes)

    def drop(self, name: str) -> None:
        if name in self._files:
            descriptor, column = self._files.pop(name)
            os.close(descriptor)
            self._left += column.row_bytes * self._n_rows

    def take(self, name: str) -> np.ndarray:
        descriptor, column = self._files.pop(name)
        with os.fdopen(descriptor, "r+b") as file:
            return np.memmap(file, column.dtype, "r", shape=column.shape(self._n_rows))

    def close(self) -> None:
        for name in list(self._files):
            self.drop(name)

    def _room(self, column: Column, n_rows: int) -> np.ndarray:
        rooms: dict[str, np.ndarray] = self._rooms.__dict__
        room = rooms.get(column.name)
        if room is None or len(room) < n_rows or room.dtype != column.dtype or room.shape[1:] != column.shape(0)[1:]:
            room = rooms[column.name] = np.empty(column.shape(n_rows), column.dtype)
        return room[:n_rows]


def read_fully(descriptor: int, into: np.ndarray, offset: int) -> None:
    """Fill an array from a file."""
    left = into.data.cast("B")
    while left:
        count = os.preadv(descriptor, [left], offset)
        if count == 0:
            raise OSError(errno.EIO, "a scratch file is shorter than what was written to it")
        left, offset = left[count:], offset + count


def write_fully(descriptor: int, values: np.ndarray, offset: int) -> None:
    """Write an array to a file."""
    left = np.ascontiguousarray(values).data.cast("B")
    while left:
        count = os.pwrite(descriptor, left, offset)
        left, offset = left[count:], offset + count
