"""The engine for a Dask cluster: stripes are tasks that run where the rows are."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed
from dask.sizeof import sizeof

from dncsc.engines.base import Block, Column, Formula, Item, Outcome, Result, Task, Total, Values
from dncsc.engines.dask_workers import ClusterTrouble, current_workers, read_here
from dncsc.engines.frame import Frame, working_dtype
from dncsc.engines.layout import Layout
from dncsc.engines.local import MOST_VALUES
from dncsc.engines.pool import Pool, one_thread_each, thread_count
from dncsc.engines.watch import Progress


@dataclass(frozen=True)
class Segment:
    """Consecutive blocks of a stripe whose first rows lie in one chunk of the input, so that one worker has them."""

    start: int
    stop: int
    is_last: bool
    """of its stripe"""


def segments_of(layout: Layout, chunks: Iterable[int]) -> list[list[Segment]]:
    """The segments of each stripe, for an input in chunks of so many rows."""
    bounds = np.cumsum(list(chunks))
    stripes = []
    for number in range(layout.n_stripes):
        spans: list[tuple[int, int]] = []
        before = -1
        for start, stop in layout.stripe(number):
            chunk = int(np.searchsorted(bounds, start, side="right"))
            begin = spans.pop()[0] if chunk == before else start
            spans.append((begin, stop))
            before = chunk
        stripes.append([Segment(*span, is_last=span is spans[-1]) for span in spans])
    return stripes


@dataclass(frozen=True)
class _Work:
    """What all tasks of a pass share: it goes to each worker once."""

    task: Task[Any, Any]
    frame: Frame
    taken: Sequence[Sequence[str]]
    """the columns that each holder is there for; it may have others, which have been written again since"""
    formulas: Mapping[str, Formula]
    """of columns that are read and not kept"""
    block_rows: int
    phase: str


@dataclass(frozen=True)
class _Visited:
    """The total of a stripe up to the end of a segment, or what is kept of it; and the columns written there."""

    total: Any
    written: dict[str, np.ndarray]

    def __sizeof__(self) -> int:
        """What Dask weighs before it moves something: its own guess would leave out the columns."""
        return sizeof(self.total) + sum(values.nbytes for values in self.written.values())


def _visit(
    segment: Segment, before: _Visited | None, rows: Any, weight: Any, *holders: _Visited, work: _Work
) -> _Visited:
    """Visit the blocks of a segment.

    Nothing that came in is changed: Dask may have to do this again.
    """
    task = work.task
    kept = {name: holder.written[name] for holder, names in zip(holders, work.taken, strict=True) for name in names}
    try:
        with one_thread_each:
            rows = read_here(rows)
            total = task.begin() if before is None else copy.deepcopy(before.total)
            count = segment.stop - segment.start
            written = {column.name: np.empty(column.shape(count), column.dtype) for column in task.writes}
            for name in written.keys() & set(task.reads):
                written[name][:] = kept[name]
            room = np.empty((min(work.block_rows, count), rows.shape[1]), work.frame.dtype)
            ones = np.ones(len(room))
            for start in range(0, count, work.block_rows):
                span = slice(start, min(start + work.block_rows, count))
                values = {name: all_values[span] for name, all_values in {**kept, **written}.items()}
                weights = ones[: span.stop - start] if weight is None else weight[span]
                task.visit(total, _block(work, segment.start, span, rows, values, weights, room))
            return _Visited(task.end(total) if segment.is_last else total, written)
    except Exception as error:
        raise ClusterTrouble(
            f"rows {segment.start} to {segment.stop} failed in phase {work.phase!r}: {type(error).__name__}: {error}"
        ) from error


def _block(
    work: _Work, first: int, span: slice, rows: Any, values: dict[str, np.ndarray], weight: np.ndarray, room: np.ndarray
) -> Block:
    def enter(chosen: np.ndarray | None) -> np.ndarray:
        some = rows[span]
        return work.frame.enter(some, room) if chosen is None else work.frame.enter(some[chosen])

    return Block(first + span.start, first + span.stop, Values(values, work.formulas), weight, enter)


def _total_only(visited: _Visited) -> _Visited:
    return _Visited(visited.total, {})


class DaskEngine:
    """Sweeps a Dask array on the workers of the current client, or on threads here where there is none.

    Rows stay where they are, but for a block that begins in one chunk and ends in another. What travels is p-sized:
    totals to the caller, landmarks and eigenvectors to the workers. Where a stripe runs over several chunks, its total
    goes from one to the next.

    Parameters
    ----------
    rows : dask.array.Array of shape (N, d)
        With known chunks.
    weight : array of shape (N,), optional
    n_jobs : int, optional
        Threads for what is done here, between passes.
    """

    def __init__(self, rows: Any, weight: np.ndarray | None = None, n_jobs: int | None = None) -> None:
        self.layout = Layout(*rows.shape)
        self.frame = Frame.raw(working_dtype(rows.dtype), rows.shape[1])
        self.phase = ""
        self.most_values = MOST_VALUES
        self._pool = Pool(thread_count(n_jobs))
        self._workers = current_workers(self._pool)
        self._chunks = rows.chunks[0]
        self._stripes = segments_of(self.layout, self._chunks)
        self._segments = [segment for stripe in self._stripes for segment in stripe]
        self._numbers = {segment: number for number, segment in enumerate(self._segments)}
        self._given_rows, self._weight = rows, weight
        self._holders: dict[str, list[Any]] = {}
        self._kept: dict[str, Column] = {}
        self._formulas: dict[str, Formula] = {}
        self._progress = Progress(rows.shape[0])
        self._name = uuid.uuid4().hex[:8]
        self._sweeps = 0

    def __enter__(self) -> DaskEngine:
        sizes = tuple(segment.stop - segment.start for segment in self._segments)
        self._rows = self._workers.hold(self._given_rows.rechunk({0: sizes, 1: -1}, method="tasks"))
        weight = self._weight
        self._weights: list[Any] = [None] * len(self._segments)
        if weight is not None:
            self._weights = [self._workers.send(weight[s.start : s.stop], self._key("weight")) for s in self._segments]
        self._pool.__enter__()  # last: what has been entered is left only where all of this has succeeded
        return self

    def __exit__(self, *error: object) -> None:
        self._holders.clear()
        self._rows.clear()
        self._pool.__exit__(*error)

    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        self._progress.begin(self.phase)
        self._sweeps += 1
        visited = self._visit_all(task)
        ends = [visited[self._numbers[stripe[-1]]] for stripe in self._stripes]
        if task.writes:
            ends = self._without_columns(ends)
        results = [end.total for end in self._workers.gather(ends, visited, self._say_where)]
        for column in task.writes:
            self._holders[column.name] = visited
            self._kept[column.name] = column
            self._formulas.pop(column.name, None)
        self.know(task.writes)
        self._progress.advance(self.layout.n_rows)
        return results

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        return self._pool.each(function, items)

    def know(self, columns: Iterable[Column]) -> None:
        self._formulas.update({column.name: column.formula for column in columns if column.formula})

    def drop(self, name: str) -> None:
        self._holders.pop(name, None)
        self._kept.pop(name, None)

    def take(self, name: str) -> Any:
        """A Dask array in the chunks of the input."""
        column, holders = self._kept.pop(name), self._holders.pop(name)
        pick = delayed(_values)
        parts = [
            da.from_delayed(pick(holder, name), column.shape(s.stop - s.start), column.dtype)
            for holder, s in zip(self._workers.as_delayed(holders), self._segments, strict=True)
        ]
        return self._workers.keep(da.concatenate(parts).rechunk({0: self._chunks}, method="tasks"))

    def _visit_all(self, task: Task[Any, Any]) -> list[Any]:
        """What will be known of each segment: first segments of all stripes, then second ones, and so on."""
        kept, formulas = self._sources(task.reads)
        holders = list({id(self._holders[name]): self._holders[name] for name in kept}.values())
        taken = [[name for name in kept if self._holders[name] is holder] for holder in holders]
        work = _Work(task, self.frame, taken, formulas, self.layout.block_rows, self.phase)
        shared = self._workers.send(work, self._key("work"))
        homes = self._rows.homes()
        rows = self._rows.again()
        visited: list[Any] = [None] * len(self._segments)
        for depth in range(max(map(len, self._stripes))):
            layer = [stripe[depth] for stripe in self._stripes if depth < len(stripe)]
            at = [self._numbers[segment] for segment in layer]
            before = [visited[number - 1] for number in at] if depth else [None] * len(at)
            if depth and task.writes:
                apart = [i for i, n in enumerate(at) if homes[n] is None or homes[n] != homes[n - 1]]
                for i, total in zip(apart, self._without_columns([before[i] for i in apart]), strict=True):
                    before[i] = total
            found = self._workers.map(
                _visit,
                layer,
                before,
                [rows[number] for number in at],
                [self._weights[number] for number in at],
                *([holder[number] for number in at] for holder in holders),
                keys=[self._key(f"{type(task).__name__.strip('_').lower()}-{number}") for number in at],
                homes=[homes[number] for number in at],
                work=shared,
            )
            for number, future in zip(at, found, strict=True):
                visited[number] = future
        return visited

    def _without_columns(self, visited: list[Any]) -> list[Any]:
        """The same with totals only: columns stay where they are."""
        keys = [self._key(f"total-{number}") for number in range(len(visited))]
        return self._workers.map(_total_only, visited, keys=keys, homes=[None] * len(visited))

    def _sources(self, names: Iterable[str]) -> tuple[set[str], dict[str, Formula]]:
        """Columns that are kept, among those and among what the others are made from; and formulas of the others."""
        kept: set[str] = set()
        formulas: dict[str, Formula] = {}
        for name in names:
            if name in self._kept:
                kept.add(name)
            else:
                formulas[name] = self._formulas[name]
                below, others = self._sources(formulas[name].reads)
                kept |= below
                formulas |= others
        return kept, formulas

    def _key(self, what: str) -> str:
        return f"dncsc.{self.phase or 'begin'}.{what}-{self._sweeps}-{uuid.uuid4().hex[:6]}-{self._name}"

    def _say_where(self, number: int, error: BaseException) -> str:
        segment = self._segments[number]
        return (
            f"rows {segment.start} to {segment.stop} could not be read in phase {self.phase!r}: "
            f"{type(error).__name__}: {error}"
        )


def _values(visited: _Visited, name: str) -> np.ndarray:
    return visited.written[name]
