"""Which rows one task of a Dask engine visits, and which worker works on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dncsc.engines.layout import Layout

UNITS_A_THREAD = 4
"""At least so many, where there are enough shards: threads that end sooner than others then find more to do."""
BATCH_VALUES = 2**24
"""That one task visits at most, but for one unit: some tenths of a second, beside which Dask's own time is little."""
UNEVEN = 1.25
"""How much more than its share a worker may have before rows are worked on elsewhere."""


class Segment(NamedTuple):
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


def batches_of(
    units: Sequence[WorkUnit],
    numbers: Iterable[int],
    placement: Sequence[str | None],
    threads: Mapping[str, int],
    n_features: int,
) -> list[list[int]]:
    """Numbers of units for one task each.

    As few tasks as keep all threads of a worker busy, since each costs the scheduler milliseconds; rows that no worker
    holds are read unit by unit.
    """
    of_worker: dict[str | None, list[int]] = {}
    for number in numbers:
        of_worker.setdefault(placement[number], []).append(number)
    batches = []
    for worker, there in of_worker.items():
        n_values = n_features * sum(len(units[number]) for number in there)
        count = len(there) if worker is None else max(threads[worker], -(-n_values // BATCH_VALUES))
        batches += [each.tolist() for each in np.array_split(there, min(count, len(there)))]
    return batches


def _segments_of(layout: Layout, chunks: Iterable[int]) -> Iterator[tuple[int, Segment]]:
    """The segments of all shards in order, each with the chunk that it begins in."""
    bounds = np.cumsum(list(chunks))
    for number in range(layout.n_shards):
        spans: dict[int, tuple[int, int]] = {}
        for start, stop in layout.shard(number):
            chunk = int(np.searchsorted(bounds, start, side="right"))
            spans[chunk] = spans.get(chunk, (start, stop))[0], stop
        for chunk, (start, stop) in spans.items():
            yield chunk, Segment(start, stop, is_first=chunk == min(spans), is_last=chunk == max(spans))


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


def place_parts(sizes: Sequence[int], holders: Sequence[Sequence[str]], threads: Mapping[str, int]) -> list[str | None]:
    """A worker for each part of the rows: one that holds it, unless that one holds far more than its share.

    Left to itself, Dask moves rows whenever another worker would be free a little sooner, in every pass anew. Sizes are
    in bytes; None stands where nobody holds the part.
    """
    each = sum(sizes) / max(sum(threads.values()), 1)
    most = {worker: UNEVEN * each * count + max(sizes, default=0) for worker, count in threads.items()}
    load = dict.fromkeys(threads, 0)

    def by_load(worker: str) -> float:
        return load[worker] / threads[worker]

    placement: list[str | None] = []
    for size, held_by in zip(sizes, holders, strict=True):
        chosen = min((worker for worker in held_by if worker in threads), key=by_load, default=None)
        if chosen is not None and load[chosen] + size > most[chosen]:
            chosen = min(threads, key=by_load)
        if chosen is not None:
            load[chosen] += size
        placement.append(chosen)
    return placement
