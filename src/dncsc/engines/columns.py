"""Where the columns of a local engine are kept: in memory, or in scratch files."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

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
    """Columns are files without names in a folder, by default the system's, with the methods of `InMemory`.

    Beyond `budget` bytes of all files, columns that can be recomputed are not kept.
    """

    def __init__(self, n_rows: int, folder: str | os.PathLike[str] | None = None, budget: int | None = None) -> None:
        self._n_rows = n_rows
        self._folder = Path(folder or tempfile.gettempdir())
        self._left = budget if budget is not None else shutil.disk_usage(self._folder).free * 9 // 10
        self._files: dict[str, tuple[IO[bytes], Column]] = {}
        self._lock = threading.Lock()
        self._buffers = threading.local()

    def keeps(self, column: Column) -> bool:
        return column.row_bytes * self._n_rows <= self._left

    def allocate(self, column: Column) -> None:
        size = column.row_bytes * self._n_rows
        # without a name, and gone when it is closed, or the process ends
        file = tempfile.TemporaryFile(prefix="dncsc-", suffix=".scratch", dir=self._folder, buffering=0)  # noqa: SIM115
        self._files[column.name] = file, column
        self._left -= size
        reserve(file.fileno(), size, "scratch files", self._folder)

    def get(self, name: str, start: int, stop: int, filled: bool) -> np.ndarray:
        file, column = self._files[name]
        buffer = self._buffer(column, stop - start)
        left, offset = buffer.data.cast("B"), start * column.row_bytes
        while filled and left:
            count = self._read_some(file, left, offset)
            if count == 0:
                raise OSError(errno.EIO, "a scratch file is shorter than what was written to it")
            left, offset = left[count:], offset + count
        return buffer

    def put(self, name: str, start: int, values: np.ndarray) -> None:
        file, column = self._files[name]
        left, offset = np.ascontiguousarray(values).data.cast("B"), start * column.row_bytes
        while left:
            count = self._write_some(file, left, offset)
            left, offset = left[count:], offset + count

    def drop(self, name: str) -> None:
        if name in self._files:
            file, column = self._files.pop(name)
            file.close()
            self._left += column.row_bytes * self._n_rows

    def take(self, name: str) -> np.ndarray:
        file, column = self._files.pop(name)
        with file:
            return np.memmap(file, column.dtype, "r", shape=column.shape(self._n_rows))

    def close(self) -> None:
        for name in list(self._files):
            self.drop(name)

    def _buffer(self, column: Column, n_rows: int) -> np.ndarray:
        buffers: dict[str, np.ndarray] = self._buffers.__dict__
        known = buffers.get(column.name, np.empty(0))
        if len(known) < n_rows or (known.dtype, known.shape[1:]) != (column.dtype, column.shape(0)[1:]):
            known = buffers[column.name] = np.empty(column.shape(n_rows), column.dtype)
        return known[:n_rows]

    def _read_some(self, file: Any, into: memoryview, offset: int) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(file.fileno(), [into], offset)
        with self._lock:  # position and reading go together
            file.seek(offset)
            return file.readinto(into) or 0

    def _write_some(self, file: Any, values: memoryview, offset: int) -> int:
        if hasattr(os, "pwrite"):
            return os.pwrite(file.fileno(), values, offset)
        with self._lock:
            file.seek(offset)
            return file.write(values) or 0


Columns = InMemory | InScratch


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
