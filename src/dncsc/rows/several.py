"""Several tables as one: the rows of the first, then those of the second, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dncsc.rows.base import Rows, regroup
from dncsc.rows.slices import bounds_of, spans


class SeveralRows(Rows):
    """The rows of several tables with the same columns, one after another."""

    kind = "several"

    def __init__(self, parts: Sequence[Rows]) -> None:
        first = parts[0]
        for part in parts:
            if (part.shape[1], part.names) != (first.shape[1], first.names):
                raise ValueError(f"{part!r} has other columns than {first!r}.")
        self._parts = tuple(parts)
        self._bounds = bounds_of([len(part) for part in parts])
        super().__init__(
            [file for part in parts for file in part.files],
            (int(self._bounds[-1]), first.shape[1]),
            np.result_type(*(part.dtype for part in parts)),
            first.names,
        )
        self.direct = all(part.direct for part in parts)
        self.seekable = all(part.seekable for part in parts)

    def _read(self, start: int, stop: int) -> np.ndarray:
        if not self.seekable:
            raise self._only_in_order()
        rows = np.empty((stop - start, self.shape[1]), self.dtype)
        for number, inside, here in spans(self._bounds, start, stop):
            rows[here] = self._parts[number].read(inside.start, inside.stop)
        return rows

    def _batches(self, n_rows: int) -> Iterator[np.ndarray]:
        batches = (batch for part in self._parts for batch in part.batches(n_rows))
        yield from regroup(batches, n_rows, self.dtype)
        self.check(len(self))

    def fingerprint(self) -> dict[str, Any]:
        parts = [part.fingerprint() for part in self._parts]
        kept = [{key: value for key, value in part.items() if key not in ("files", "columns")} for part in parts]
        return {**super().fingerprint(), "columns": parts[0]["columns"], "parts": kept}

    def close(self) -> None:
        super().close()
        for part in self._parts:
            part.close()
