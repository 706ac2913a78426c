"""Which rows one task of a Dask engine visits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dncsc.engines.layout import Layout

UNITS_A_THREAD = 4
"""At least so many, where there are enough shards: threads that end sooner than others then find more to do."""


@dataclass(frozen=True)
class Segment:
    """Consecutive blocks of one shard that begin in one chunk of the input, so that one worker has them."""

    start: int
    stop: int
    is_first: bool
    is_last: bool
    """of its shard"""


@dataclass(frozen=True)
class WorkUnit:
    """Segments of one chunk that one task visits.

    Either the segment that goes on with a shard of the chunk before, alone, since it has to wait for that; or
    segments that begin shards, the last of which may go on in the next unit.
    """

    segments: tuple[Segment, ...]

    @property
    def start(self) -> int:
        return self.segments[0].start

    @property
    def stop(self) -> int:
        return self.segments[-1].stop

    @property
    def goes_on(self) -> bool:
        """With the shard that the unit before could not end"""
        return not self.segments[0].is_first

    @property
    def stays_open(self) -> bool:
        """The last shard does not end here."""
        return not self.segments[-1].is_last

    def __len__(self) -> int:
        return self.stop - self.start


def work_units(layout: Layout, chunks: Iterable[int], n_threads: int) -> list[WorkUnit]:
    """All rows in units, in order, for an input in chunks of so many rows and so many threads to work on it."""
    most_rows = layout.n_rows // (UNITS_A_THREAD * n_threads)
    units: list[WorkUnit] = []
    before = -1
    for chunk, segment in _segments_of(layout, chunks):
        last = units[-1] if chunk == before else None
        if last and segment.is_first and not last.goes_on and segment.stop - last.start <= most_rows:
            units[-1] = WorkUnit((*last.segments, segment))
        else:
            units.append(WorkUnit((segment,)))
        before = chunk
    return units


def _segments_of(layout: Layout, chunks: Iterable[int]) -> Iterator[tuple[int, Segment]]:
    """The segments of all shards in order, each with the chunk that it begins in."""
    bounds = np.cumsum(list(chunks))
    for number in range(layout.n_shards):
        spans: list[tuple[int, int, int]] = []
        for start, stop in layout.shard(number):
            chunk = int(np.searchsorted(bounds, start, side="right"))
            begin = spans.pop()[1] if spans and chunk == spans[-1][0] else start
            spans.append((chunk, begin, stop))
        for chunk, start, stop in spans:
            yield chunk, Segment(start, stop, is_first=start == spans[0][1], is_last=stop == spans[-1][2])


class PartSlice(NamedTuple):
    """Some rows of one of several parts, counted within it."""

    part: int
    start: int
    stop: int


def slices_of(start: int, stop: int, sizes: Sequence[int]) -> list[PartSlice]:
    """Slices of consecutive parts of these sizes that together are rows start to stop, in order."""
    ends = np.cumsum(sizes)
    slices = []
    for part in range(int(np.searchsorted(ends, start, side="right")), len(sizes)):
        first = int(ends[part]) - sizes[part]
        if first >= stop:
            break
        if sizes[part]:
            slices.append(PartSlice(part, max(start - first, 0), min(stop - first, sizes[part])))
    return slices
