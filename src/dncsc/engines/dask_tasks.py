"""What tasks of a Dask engine do, on the workers that have the rows."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from dask.array.dispatch import concatenate_lookup
from dask.sizeof import sizeof

from dncsc.engines.base import Block, Column, RecomputeRule, Task, Values
from dncsc.engines.dask_units import PartSlice, WorkUnit
from dncsc.engines.dask_workers import naming, read_here
from dncsc.engines.frame import Frame
from dncsc.engines.pool import keep_memory, one_thread_each
from dncsc.engines.scales import scaled


@dataclass(frozen=True)
class Work:
    """What all tasks of a pass share: it goes to each worker once."""

    task: Task[Any, Any]
    made: Sequence[Column]
    """columns that follow by rules in this pass, to be kept from then on"""
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
    frame: Frame
    buffer: np.ndarray

    def make(self, start: int, stop: int, chosen: np.ndarray | None) -> np.ndarray:
        """Rows of a block in the frame: all of them, in the buffer, or some."""
        some = self.chunk[self.first + start : self.first + stop]
        if some.shape[0] < stop - start:
            some = joined([some, self.tail])
        return self.frame.transform(some, self.buffer) if chosen is None else self.frame.transform(some[chosen])


Held = tuple[Sequence[Visited], int]
"""What a task left of the units that it visited, and the place of one of them."""


def visit_batch(batch: Sequence[Sequence[Any]], work: Work) -> list[Visited]:
    """Visit units one after another: a task each would cost more than the visits to few rows."""
    return [_visit(*arguments, work=work) for arguments in batch]


def _visit(
    before: Held | None,
    unit: WorkUnit,
    slice_: PartSlice,
    chunk: Any,
    tail: Any,
    weight: Any,
    *holders: Held,
    work: Work,
) -> Visited:
    """Visit the blocks of a unit. Nothing that came in is changed: Dask may have to do this again."""
    task, frame, so_far = work.task, work.frame, before and _of(before).total
    columns = {
        name: _of(holder).written[name] for holder, names in zip(holders, work.taken, strict=True) for name in names
    }
    where = f"rows {unit.start} to {unit.stop} failed in phase {work.phase!r}"
    with naming(where), one_thread_each, keep_memory:
        chunk = read_here(chunk)
        buffer = np.empty((min(work.block_rows, len(unit)), chunk.shape[1]), frame.dtype)
        rows, ones = _Rows(chunk, slice_.start, tail, frame, buffer), np.ones(len(buffer))
        written = {column.name: np.empty(column.shape(len(unit)), column.dtype) for column in task.writes}
        for name in written.keys() & set(task.reads):
            written[name][:] = columns[name]
        made = {column.name: np.empty(column.shape(len(unit)), column.dtype) for column in work.made}
        kept = []
        for segment in unit.segments:
            total = task.begin() if segment.is_first else copy.deepcopy(so_far)
            end = segment.stop - unit.start
            for start in range(segment.start - unit.start, end, work.block_rows):
                stop = min(start + work.block_rows, end)
                values = {name: values[start:stop] for name, values in {**columns, **written}.items()}
                weights = ones[: stop - start] if weight is None else scaled(weight[start:stop], work.weight_scale)
                span = unit.start + start, unit.start + stop
                block = Block(*span, Values(values, work.rules), weights, partial(rows.make, start, stop))
                task.visit(total, block)
                for name, whole in made.items():
                    whole[start:stop] = block.columns[name]
            if segment.is_last:
                kept.append(task.end(total))
        return Visited(kept, total if unit.stays_open else None, written | made)


def weights_of(unit: WorkUnit, weight: Any) -> np.ndarray:
    """Weights of the rows of a unit."""
    with naming(f"weights of rows {unit.start} to {unit.stop} could not be read"):
        return np.ascontiguousarray(read_here(weight), np.float64)


def _of(held: Held) -> Visited:
    visited, place = held
    return visited[place]


def totals_of(held: Sequence[Held]) -> list[Visited]:
    """What the next units need of these."""
    return [Visited((), _of(each).total, {}) for each in held]


def kept_of(held: Sequence[Held]) -> list[Sequence[Any]]:
    """What the caller needs of some units."""
    return [_of(each).kept for each in held]


def tail_of(unit: WorkUnit, chunk: Any, slice_: PartSlice, phase: str) -> Any:
    """The slice of the next chunk that belongs to a unit, alone: a view would keep the whole."""
    with naming(f"rows {unit.stop - slice_.stop + slice_.start} to {unit.stop} failed in phase {phase!r}"):
        return read_here(chunk)[slice_.start : slice_.stop].copy()


def some_values(held: Held, slice_: PartSlice, column: str) -> np.ndarray:
    """A slice of a column."""
    values = _of(held).written[column]
    return values if len(values) == slice_.stop - slice_.start else values[slice_.start : slice_.stop].copy()


def joined(parts: Sequence[Any]) -> Any:
    """Arrays of any kind that Dask knows, one after another."""
    first, *rest = parts
    return concatenate_lookup.dispatch(type(first))(parts, axis=0) if rest else first
