"""Where the columns of a local engine are kept: in memory, or in scratch files."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from pathlib import Path

import numpy as np

from dncsc.engines.base import Column
from dncsc.memory import format_bytes


class InMemory:
    """Columns are arrays."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._arrays: dict[str, np.ndarray] = {}

    def keeps(self, column: Column) -> bool:
        """Whether a column that can be recomputed fits."""
        return True

    def allocate(self, column: Column) -> None:
        self._arrays[column.name] = np.empty(column.shape(self._n_rows), column.dtype)

    def get(self, name: str, start: int, stop: int, filled: bool) -> np.ndarray:
        """Values of some rows, or a buffer for them; valid until the calling thread asks for others."""
        return self._arrays[name][start:stop]

    def put(self, name: str, start: int, values: np.ndarray) -> None:
        """Keep the values of a buffer; here it is a view, which has them already."""

    def drop(self, name: str) -> None:
        self._arrays.pop(name, None)

    def take(self, name: str) -> np.ndarray:
        return self._arrays.pop(name)

    def close(self) -> None:
        self._arrays.clear()


class InScratch:
    """Columns are files without names in a folder, with the methods of `InMemory`.

    Parameters
    ----------
    n_rows : int
    folder : str or Path, optional
        The system's folder for temporary files by default.
    budget : int, optional
        Bytes of all files at most; columns that can be recomputed are not kept beyond that.
    """

    def __init__(self, n_rows: int, folder: str | os.PathLike[str] | None = None, budget: int | None = None) -> None:
        self._n_rows = n_rows
        self._folder = Path(folder or tempfile.gettempdir())
        self._left = budget if budget is not None else shutil.disk_usage(self._folder).free * 9 // 10
        self._files: dict[str, tuple[_ScratchFile, Column]] = {}
        self._buffers = threading.local()

    def keeps(self, column: Column) -> bool:
        return column.row_bytes * self._n_rows <= self._left

    def allocate(self, column: Column) -> None:
        size = column.row_bytes * self._n_rows
        file = _ScratchFile(self._folder)
        self._files[column.name] = file, column
        self._left -= size
        reserve(file.file.fileno(), size, "scratch files", self._folder)

    def get(self, name: str, start: int, stop: int, filled: bool) -> np.ndarray:
        file, column = self._files[name]
        buffer = self._buffer(column, stop - start)
        if filled:
            file.read(buffer, start * column.row_bytes)
        return buffer

    def put(self, name: str, start: int, values: np.ndarray) -> None:
        file, column = self._files[name]
        file.write(values, start * column.row_bytes)

    def drop(self, name: str) -> None:
        if name in self._files:
            file, column = self._files.pop(name)
            file.file.close()
            self._left += column.row_bytes * self._n_rows

    def take(self, name: str) -> np.ndarray:
        scratch, column = self._files.pop(name)
        with scratch.file as file:
            return np.memmap(file, column.dtype, "r", shape=column.shape(self._n_rows))

    def close(self) -> None:
        for name in list(self._files):
            self.drop(name)

    def _buffer(self, column: Column, n_rows: int) -> np.ndarray:
        buffers: dict[str, np.ndarray] = self._buffers.__dict__
        known = buffers.get(column.name)
        if (
            known is None
            or len(known) < n_rows
            or (known.dtype, known.shape[1:]) != (column.dtype, column.shape(0)[1:])
        ):
            known = buffers[column.name] = np.empty(column.shape(n_rows), column.dtype)
        return known[:n_rows]


Columns = InMemory | InScratch


class _ScratchFile:
    """A file that has no name and is gone when it is closed, or its process ends; threads may share it."""

    def __init__(self, folder: Path) -> None:
        self.file = tempfile.TemporaryFile(prefix="dncsc-", suffix=".scratch", dir=folder, buffering=0)  # noqa: SIM115
        self._lock = threading.Lock()

    def read(self, into: np.ndarray, offset: int) -> None:
        left = into.data.cast("B")
        while left:
            count = self._read_some(left, offset)
            if count == 0:
                raise OSError(errno.EIO, "a scratch file is shorter than what was written to it")
            left, offset = left[count:], offset + count

    def write(self, values: np.ndarray, offset: int) -> None:
        left = np.ascontiguousarray(values).data.cast("B")
        while left:
            count = self._write_some(left, offset)
            left, offset = left[count:], offset + count

    def _read_some(self, into: memoryview, offset: int) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self.file.fileno(), [into], offset)
        with self._lock:  # position and reading go together
            self.file.seek(offset)
            return self.file.readinto(into) or 0

    def _write_some(self, values: memoryview, offset: int) -> int:
        if hasattr(os, "pwrite"):
            return os.pwrite(self.file.fileno(), values, offset)
        with self._lock:
            self.file.seek(offset)
            return self.file.write(values) or 0


def reserve(descriptor: int, size: int, what: str, folder: Path) -> None:
    """Give a file its size on the disk now, so that a full disk is found before the work and not after it."""
    free = shutil.disk_usage(folder).free
    try:
        if hasattr(os, "posix_fallocate") and size > 0:
            os.posix_fallocate(descriptor, 0, size)
        elif size <= free:
            os.ftruncate(descriptor, size)
        else:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
        raise OSError(
            error.errno,
            f"no room for {what}: {format_bytes(size)} are needed in {folder}, {format_bytes(free)} are free. "
            "Free some, or name another folder",
        ) from error
