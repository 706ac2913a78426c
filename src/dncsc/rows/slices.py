"""Tables in slices: row groups of one file, each decoded as a whole, or several tables one after another."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dncsc.rows.base import FileState, Rows, StreamRows


def spans(bounds: np.ndarray, start: int, stop: int) -> Iterator[tuple[int, slice, slice]]:
    """Slices that hold rows `start` to `stop`: number, rows of the slice, and their place among all asked for.

    `bounds` are the numbers of the slices' first rows, and of the row after the last.
    """
    begin, end = np.searchsorted(bounds, start, side="right") - 1, np.searchsorted(bounds, stop)
    for number in range(int(begin), int(end)):
        first = int(bounds[number])
        at, after = max(first, start), min(int(bounds[number + 1]), stop)
        if at < after:
            yield number, slice(at - first, after - first), slice(at - start, after - start)


def bounds_of(lengths: Sequence[int]) -> np.ndarray:
    """Where slices of given lengths begin, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


class LastSlice(threading.local):
    """The slice that was decoded last, one for each thread. A copy, or a pickle, begins without one."""

    number: int | None = None
    rows: Any = None

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
        last = self._last
        for number, inside, here in spans(self._bounds, start, stop):
            if last.number != number:
                last.number = last.rows = None  # the old one goes before the new one comes
                last.rows = self._decode(number)
                last.number = number
            rows[here] = last.rows[inside]
        return rows

    def close(self) -> None:
        super().close()
        self._last = LastSlice()


class SeveralRows(StreamRows):
    """The rows of several tables with the same columns, one after another."""

    kind = "several"

    def __init__(self, parts: Sequence[Rows]) -> None:
        self._parts = tuple(parts)
        self._bounds = bounds_of([len(part) for part in parts])
        super().__init__(
            [file for part in parts for file in part.files],
            (int(self._bounds[-1]), parts[0].shape[1]),
            np.result_type(*(part.dtype for part in parts)),
            parts[0].names,
        )
        self.direct = all(part.direct for part in parts)
        self.seekable = all(part.seekable for part in parts)

    def _read(self, start: int, stop: int) -> np.ndarray:
        rows = np.empty((stop - start, self.shape[1]), self.dtype)
        for number, inside, here in spans(self._bounds, start, stop):
            rows[here] = self._parts[number].read(inside.start, inside.stop)
        return rows

    def _slices(self) -> Iterator[np.ndarray]:
        return (batch for part in self._parts for batch in part.batches())

    def fingerprint(self) -> dict[str, Any]:
        parts = [part.fingerprint() for part in self._parts]
        kept = [{key: value for key, value in part.items() if key not in ("files", "columns")} for part in parts]
        return {**super().fingerprint(), "columns": parts[0]["columns"], "parts": kept}

    def close(self) -> None:
        super().close()
        for part in self._parts:
            part.close()
