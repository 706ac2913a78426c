"""What tasks of a Dask engine do, on the workers that have the rows."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from dask.array.dispatch import concatenate_lookup
from dask.sizeof import sizeof

from dncsc.engines.base import Block, RecomputeRule, Task, Values
from dncsc.engines.dask_units import PartSlice, WorkUnit
from dncsc.engines.dask_workers import ClusterError, read_here
from dncsc.engines.frame import Frame
from dncsc.engines.keep_memory import keep_memory
from dncsc.engines.pool import one_thread_each
from dncsc.engines.scales import scaled


@dataclass(frozen=True)
class Work:
    """What all tasks of a pass share: it goes to each worker once."""

    task: Task[Any, Any]
    frame: Frame
    weight_scale: float
    taken: Sequence[Sequence[str]]
    """the columns that each holder is there for; it may have others, which have been written again since"""
    rules: Mapping[str, RecomputeRule]
    """of columns that are read and not kept"""
    block_rows: int
    phase: str


@dataclass(frozen=True)
class Visited:
    """What a task leaves of a unit."""

    kept: Sequence[Any]
    """of each shard that ends there"""
    total: Any
    """of the shard that does not, up to there"""
    written: Mapping[str, np.ndarray]

    def __sizeof__(self) -> int:
        """What Dask weighs before it moves something: its own guess would leave out the columns."""
        return sizeof(self.kept) + sizeof(self.total) + sum(values.nbytes for values in self.written.values())


@dataclass(frozen=True)
class _Rows:
    """Rows of a unit, as a worker has them."""

    chunk: Any
    first: int
    """row of the chunk that the unit begins with"""
    tail: Any
    """rows of the next chunk that belong to the last block; None where it ends with the chunk or before"""

    def read(self, start: int, stop: int) -> Any:
        here = self.chunk[self.first + start : self.first + stop]
        return here if here.shape[0] == stop - start else joined([here, self.tail])


def visit(
    unit: WorkUnit,
    slice_: PartSlice,
    before: Visited | None,
    chunk: Any,
    tail: Any,
    weight: Any,
    *holders: Visited,
    work: Work,
) -> Visited:
    """Visit the blocks of a unit.

    Nothing that came in is changed: Dask may have to do this again.
    """
    task = work.task
    columns = {name: holder.written[name] for holder, names in zip(holders, work.taken, strict=True) for name in names}
    try:
        with one_thread_each, keep_memory:
            rows = _Rows(read_here(chunk), slice_.start, tail)
            written = {column.name: np.empty(column.shape(len(unit)), column.dtype) for column in task.writes}
            for name in written.keys() & set(task.reads):
                written[name][:] = columns[name]
            buffer = np.empty((min(work.block_rows, len(unit)), rows.chunk.shape[1]), work.frame.dtype)
            ones = np.ones(len(buffer))
            kept = []
            for segment in unit.segments:
                total = task.begin() if segment.is_first else copy.deepcopy(before and before.total)
                for start in range(segment.start - unit.start, segment.stop - unit.start, work.block_rows):
                    span = slice(start, min(start + work.block_rows, segment.stop - unit.start))
                    values = {name: all_values[span] for name, all_values in {**columns, **written}.items()}
                    weights = ones if weight is None else scaled(weight[span], work.weight_scale)
                    weights = weights[: span.stop - start]
                    task.visit(total, _block(work, unit.start, span, rows, values, weights, buffer))
                if segment.is_last:
                    kept.append(task.end(total))
            return Visited(kept, total if unit.stays_open else None, written)
    except Exception as error:
        raise ClusterError(
            f"rows {unit.start} to {unit.stop} failed in phase {work.phase!r}: {type(error).__name__}: {error}"
        ) from error


def _block(
    work: Work,
    begin: int,
    span: slice,
    rows: _Rows,
    values: dict[str, np.ndarray],
    weight: np.ndarray,
    buffer: np.ndarray,
) -> Block:
    def make(chosen: np.ndarray | None) -> np.ndarray:
        some = rows.read(span.start, span.stop)
        return work.frame.transform(some, buffer) if chosen is None else work.frame.transform(some[chosen])

    return Block(begin + span.start, begin + span.stop, Values(values, work.rules), weight, make)


def weights_of(unit: WorkUnit, weight: Any) -> np.ndarray:
    """Weights of the rows of a unit."""
    try:
        return np.ascontiguousarray(read_here(weight), np.float64)
    except Exception as error:
        where = f"weights of rows {unit.start} to {unit.stop}"
        raise ClusterError(f"{where} could not be read: {type(error).__name__}: {error}") from error


def total_only(visited: Visited) -> Visited:
    """What the next unit needs of this one."""
    return Visited((), visited.total, {})


def kept_of(visited: Sequence[Visited]) -> list[Sequence[Any]]:
    """What the caller needs of some units."""
    return [each.kept for each in visited]


def tail_of(unit: WorkUnit, chunk: Any, slice_: PartSlice, phase: str) -> Any:
    """The slice of the next chunk that belongs to a unit, alone: a view would keep the whole."""
    try:
        return read_here(chunk)[slice_.start : slice_.stop].copy()
    except Exception as error:
        where = f"rows {unit.stop - slice_.stop + slice_.start} to {unit.stop}"
        raise ClusterError(f"{where} failed in phase {phase!r}: {type(error).__name__}: {error}") from error


def some_values(visited: Visited, name: str, slice_: PartSlice) -> np.ndarray:
    """A slice of a column."""
    values = visited.written[name]
    return values if len(values) == slice_.stop - slice_.start else values[slice_.start : slice_.stop].copy()


def joined(parts: Sequence[Any]) -> Any:
    """Arrays of any kind that Dask knows, one after another."""
    first, *rest = parts
    return concatenate_lookup.dispatch(type(first))(parts, axis=0) if rest else first
