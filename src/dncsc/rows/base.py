"""The interface of every table in files, and the check that its files do not change while they are read."""

from __future__ import annotations

import copy
import io
import itertools
import os
import stat
import tempfile
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.atomic import NO_ROOM

BATCH_ROWS = 2**14
"""Rows that `batches` gives at a time unless told otherwise: 100 MB where a row has 784 float64."""


class FileReadError(OSError):
    """A file is missing, unreadable, damaged, or has changed since it was opened: its `path`, and the `problem`.

    The path is empty where no file was found.
    """

    def __init__(self, path: str | os.PathLike[str], problem: str) -> None:
        self.path, self.problem = path, problem
        between = " " if os.fspath(path) and not problem.startswith(":") else ""
        super().__init__(f"{path}{between}{problem}")

    def __reduce__(self) -> tuple[type[FileReadError], tuple[str | os.PathLike[str], str]]:
        return type(self), (self.path, self.problem)


@dataclass(frozen=True)
class FileState:
    """Identity of a file: what differs once it has been changed or replaced."""

    path: Path
    size: int
    mtime_ns: int
    ctime_ns: int
    """which nobody can set back"""
    inode: int

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> FileState:
        """The state of a file now; its path becomes absolute, so that a change of folder does no harm."""
        where = Path(os.path.abspath(path))
        try:
            found = os.stat(where)
        except OSError as error:
            raise FileReadError(where, f"cannot be read: {error.strerror}.") from error
        if not stat.S_ISREG(found.st_mode):
            raise FileReadError(where, "is not a file that can be read at any place; copy its content into a file.")
        return cls(where, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)

    def check(self, row: int | None = None) -> None:
        """Raise `FileReadError` if the file has changed; `row` is the row to be read next."""
        stood = "" if row is None else f" Reading stood at row {row}."
        try:
            now = os.stat(self.path)
        except OSError as error:
            raise FileReadError(self.path, f"was deleted or moved after it was opened.{stood}") from error
        if now.st_size < self.size:
            change = f"was truncated from {self.size} to {now.st_size} bytes"
        elif now.st_ino != self.inode:
            change = "was replaced by another file"
        elif (now.st_size, now.st_mtime_ns, now.st_ctime_ns) != (self.size, self.mtime_ns, self.ctime_ns):
            change = "was modified"
        else:
            return
        raise FileReadError(self.path, f"{change} after it was opened.{stood} Open it again when nobody writes to it.")


def temporary_folder() -> str:
    """The folder for temporary files, as an error names it."""
    return f"{tempfile.gettempdir()}, the folder for temporary files (TMPDIR)"


@contextmanager
def decoding(file: FileState, row: int = 0) -> Iterator[None]:
    """Turn errors of a decoder into a `FileReadError`, which says so if the file has changed."""
    try:
        yield
    except (FileReadError, ImportError):
        raise
    except MemoryError as error:
        raise MemoryError(f"{file.path}: there is too little memory to read it: {error or 'none is left'}.") from error
    except Exception as error:  # a damaged file makes decoders raise almost anything
        if isinstance(error, OSError) and error.errno in NO_ROOM:  # for a copy of it, which says nothing about the file
            error.filename = temporary_folder()
            raise
        file.check(row)
        place = f" at row {row} or after it" if row else ""
        raise FileReadError(file.path, f"is damaged or truncated{place}: {error}") from error
    file.check(row)


def decoded(file: FileState, slices: Iterator[Any], row: int = 0) -> Iterator[tuple[int, Any]]:
    """Slices with the numbers of their first rows, each decoded within `decoding`."""
    while True:
        with decoding(file, row):
            found = next(slices, None)
        if found is None:
            return
        yield row, found
        row += len(found)


class Rows(AbstractContextManager["Rows"]):
    """A table of numbers in files, read slice by slice.

    Reads are explicit: truncating a file that is memory-mapped ends the process, a read ends in an error. No file
    stays open between reads; objects can be pickled and read from several threads at once.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    dtype : numpy.dtype
        Of all columns: bool, int or float, in this machine's byte order.
    names : tuple of str, or None
        Names of the columns, where the files have them.
    columns : list of int, or None
        Where they have none, numbers of the columns that were chosen; None for all.
    direct : bool
        Whether `read` costs little more than its bytes. What is read more than once should be copied into such a form.
    seekable : bool
        Whether there is `read`; else there is only `batches`.
    """

    ndim = 2
    columns: list[int] | None = None
    direct: bool = False
    seekable: bool = True

    def __init__(
        self,
        files: Sequence[FileState],
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        names: tuple[str, ...] | None = None,
    ) -> None:
        self.files = tuple(files)
        self.shape = (int(shape[0]), int(shape[1]))
        self.dtype = dtype.newbyteorder("=")
        self.names = names
        self._closed = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, absolute."""
        return tuple(file.path for file in self.files)

    def read(self, start: int, stop: int) -> np.ndarray:
        """Rows `start` to `stop`, C-ordered; a fresh array."""
        if not 0 <= start <= stop <= len(self):
            raise IndexError(f"rows {start} to {stop} were asked for; there are rows 0 to {len(self)}.")
        if not self.seekable:
            raise io.UnsupportedOperation(f"{self!r} can only be read from beginning to end: use batches().")
        self._refuse_if_closed()
        return self._read(start, stop)

    def _read(self, start: int, stop: int) -> np.ndarray:
        """`read` of rows that exist, and a `check` of the files; for `seekable` rows."""
        raise NotImplementedError

    def batches(self, n_rows: int = BATCH_ROWS) -> Iterator[np.ndarray]:
        """All rows once, in order, `n_rows` at a time; the last batch may have fewer."""
        if n_rows < 1:
            raise ValueError(f"n_rows must be at least 1; got {n_rows}.")
        self._refuse_if_closed()
        return self._batches(n_rows)

    def _batches(self, n_rows: int) -> Iterator[np.ndarray]:
        for start in range(0, len(self), n_rows):
            yield self.read(start, min(start + n_rows, len(self)))
        self.check(len(self))

    def check(self, row: int | None = None) -> None:
        """Raise `FileReadError` unless all files are as they were at opening."""
        for file in self.files:
            file.check(row)

    def close(self) -> None:
        """Nothing can be read afterwards."""
        self._closed = True

    @property
    def stored(self) -> Rows:
        """The rows that these are computed from, by `computed`; these themselves where nothing is."""
        return self

    def computed(self, stored: np.ndarray) -> np.ndarray:
        """These rows from the same ones of `stored`."""
        return stored

    def renamed(self, names: Sequence[str]) -> Rows:
        """The same rows, with other names of the columns."""
        twin = copy.copy(self)
        twin.names = tuple(names)
        return twin

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise ValueError(f"{self!r} is closed.")

    def __exit__(self, *error: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        n, d = self.shape
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"<{n:,} rows x {d:,} columns of {self.dtype.name} in {self.files[0].path.name}{more}>"


class StreamRows(Rows):
    """Rows that come in slices, and unless `seekable` only from the first to the last."""

    seekable = False

    def _batches(self, n_rows: int) -> Iterator[np.ndarray]:
        waiting: list[np.ndarray] = []
        row, missing = 0, n_rows
        for rows in self._slices():
            start, row = 0, row + len(rows)
            while start < len(rows):
                waiting.append(rows[start : start + missing])
                start += len(waiting[-1])
                missing -= len(waiting[-1])
                if not missing:
                    yield self._joined(waiting)
                    waiting, missing = [], n_rows
        if waiting:
            yield self._joined(waiting)
        self.check(row)
        if row != len(self):
            raise FileReadError(self.paths[0], f"is damaged: it ended after {row} of {len(self)} rows.")

    def _joined(self, parts: list[np.ndarray]) -> np.ndarray:
        return np.ascontiguousarray(np.concatenate(parts, dtype=self.dtype))

    @abstractmethod
    def _slices(self) -> Iterator[np.ndarray]:
        """All rows, as they come."""


class SlicedRows(StreamRows):
    """Rows in slices of given lengths, each of which can be read by itself."""

    seekable = True

    def __init__(self, files: Sequence[FileState], lengths: Sequence[int], d: int, dtype: Any, names: Any) -> None:
        self._bounds = [0, *itertools.accumulate(lengths)]
        super().__init__(files, (self._bounds[-1], d), dtype, names)

    @abstractmethod
    def _part(self, number: int, start: int, stop: int) -> np.ndarray:
        """Rows `start` to `stop` of one slice."""

    def _read(self, start: int, stop: int) -> np.ndarray:
        rows = np.empty((stop - start, self.shape[1]), self.dtype)
        for number in range(bisect_right(self._bounds, start) - 1, bisect_left(self._bounds, stop)):
            first = self._bounds[number]
            at, end = max(first, start), min(self._bounds[number + 1], stop)
            if at < end:
                rows[at - start : end - start] = self._part(number, at - first, end - first)
        return rows
