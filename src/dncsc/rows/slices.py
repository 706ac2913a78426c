"""Files that hold their rows in slices, such as row groups, each of which is decoded as a whole."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dncsc.rows.base import FileState, StreamRows


def spans(bounds: np.ndarray, start: int, stop: int) -> Iterator[tuple[int, slice, slice]]:
    """Slices that hold rows `start` to `stop`: number, rows of the slice, and their place among all asked for.

    `bounds` are the numbers of the slices' first rows, and of the row after the last.
    """
    number = int(np.searchsorted(bounds, start, side="right")) - 1
    at = start
    while at < stop:
        first, end = int(bounds[number]), min(int(bounds[number + 1]), stop)
        if end > at:
            yield number, slice(at - first, end - first), slice(at - start, end - start)
            at = end
        number += 1


def bounds_of(lengths: Sequence[int]) -> np.ndarray:
    """Where slices of given lengths begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


class LastSlice(threading.local):
    """The slice that was decoded last, one for each thread. A copy, or a pickle, begins without one."""

    number: int | None = None
    rows: Any = None

    def get(self, number: int, decode: Callable[[int], np.ndarray]) -> np.ndarray:
        """A slice by its number."""
        if self.number != number:
            self.number = self.rows = None  # the old one goes before the new one comes
            self.rows = decode(number)
            self.number = number
        return self.rows

    def __reduce__(self) -> tuple[type[LastSlice], tuple[()]]:
        return LastSlice, ()


class SlicedRows(StreamRows):
    """Rows in slices of given lengths. A reader that resumes where it stopped decodes each slice once."""

    seekable = True

    def __init__(self, file: FileState, lengths: Sequence[int], dtype: np.dtype[Any], names: tuple[str, ...]) -> None:
        self._bounds = bounds_of(lengths)
        self._last = LastSlice()
        super().__init__([file], (int(self._bounds[-1]), len(names)), dtype, names)

    @abstractmethod
    def _decode(self, number: int) -> np.ndarray:
        """All rows of a slice."""

    def _read(self, start: int, stop: int) -> np.ndarray:
        self.check(start)
        rows = np.empty((stop - start, self.shape[1]), self.dtype)
        for number, inside, here in spans(self._bounds, start, stop):
            rows[here] = self._last.get(number, self._decode)[inside]
        return rows

    def _slices(self) -> Iterator[np.ndarray]:
        for number in range(len(self._bounds) - 1):
            yield self._decode(number)

    def close(self) -> None:
        super().close()
        self._last = LastSlice()
