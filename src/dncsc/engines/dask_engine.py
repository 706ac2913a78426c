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
from dncsc.engines.dask_portions import Portion, portions_of
from dncsc.engines.dask_workers import ClusterTrouble, current_workers, read_here
from dncsc.engines.frame import Frame, working_dtype
from dncsc.engines.keep_memory import keep_memory
from dncsc.engines.layout import Layout
from dncsc.engines.local import MOST_VALUES
from dncsc.engines.pool import Pool, one_thread_each, thread_count
from dncsc.engines.watch import Progress


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
    """What a task leaves of a portion."""

    kept: Sequence[Any]
    """of each stripe that ends there"""
    total: Any
    """of the stripe that does not, up to there"""
    written: Mapping[str, np.ndarray]

    def __sizeof__(self) -> int:
        """What Dask weighs before it moves something: its own guess would leave out the columns."""
        return sizeof(self.kept) + sizeof(self.total) + sum(values.nbytes for values in self.written.values())


def _visit(
    portion: Portion, before: _Visited | None, rows: Any, weight: Any, *holders: _Visited, work: _Work
) -> _Visited:
    """Visit the blocks of a portion.

    Nothing that came in is changed: Dask may have to do this again.
    """
    task = work.task
    columns = {name: holder.written[name] for holder, names in zip(holders, work.taken, strict=True) for name in names}
    try:
        with one_thread_each, keep_memory:
            rows = read_here(rows)
            written = {column.name: np.empty(column.shape(len(portion)), column.dtype) for column in task.writes}
            for name in written.keys() & set(task.reads):
                written[name][:] = columns[name]
            room = np.empty((min(work.block_rows, len(portion)), rows.shape[1]), work.frame.dtype)
            ones = np.ones(len(room))
            kept = []
            for segment in portion.segments:
                total = task.begin() if segment.is_first else copy.deepcopy(before and before.total)
                for start in range(segment.start - portion.start, segment.stop - portion.start, work.block_rows):
                    span = slice(start, min(start + work.block_rows, segment.stop - portion.start))
                    values = {name: all_values[span] for name, all_values in {**columns, **written}.items()}
                    weights = ones[: span.stop - start] if weight is None else weight[span]
                    task.visit(total, _block(work, portion.start, span, rows, values, weights, room))
                if segment.is_last:
                    kept.append(task.end(total))
            return _Visited(kept, total if portion.stays_open else None, written)
    except Exception as error:
        raise ClusterTrouble(
            f"rows {portion.start} to {portion.stop} failed in phase {work.phase!r}: {type(error).__name__}: {error}"
        ) from error


def _block(
    work: _Work, first: int, span: slice, rows: Any, values: dict[str, np.ndarray], weight: np.ndarray, room: np.ndarray
) -> Block:
    def enter(chosen: np.ndarray | None) -> np.ndarray:
        some = rows[span]
        return work.frame.enter(some, room) if chosen is None else work.frame.enter(some[chosen])

    return Block(first + span.start, first + span.stop, Values(values, work.formulas), weight, enter)


def _weights_of(portion: Portion, weight: Any) -> np.ndarray:
    try:
        return np.ascontiguousarray(read_here(weight), np.float64)
    except Exception as error:
        where = f"weights of rows {portion.start} to {portion.stop}"
        raise ClusterTrouble(f"{where} could not be read: {type(error).__name__}: {error}") from error


def _total_only(visited: _Visited) -> _Visited:
    return _Visited((), visited.total, {})


def _kept_of(visited: Sequence[_Visited]) -> list[Sequence[Any]]:
    return [each.kept for each in visited]


class DaskEngine:
    """Sweeps a Dask array on the workers of the current client, or on threads here where there is none.

    Rows stay where they are, but for a block that begins in one chunk and ends in another. What travels is p-sized:
    totals to the caller, landmarks and eigenvectors to the workers. Where a stripe runs over several chunks, its total
    goes from one portion to the next.

    Parameters
    ----------
    rows : dask.array.Array of shape (N, d)
        With known chunks.
    weight : array or dask.array.Array of shape (N,), optional
        float64. A Dask array stays on the workers too, beside the rows.
    n_jobs : int, optional
        Threads for what is done here, between passes.
    """

    def __init__(self, rows: Any, weight: Any = None, n_jobs: int | None = None) -> None:
        self.layout = Layout(*rows.shape)
        self.frame = Frame.raw(working_dtype(rows.dtype), rows.shape[1])
        self.phase = ""
        self.most_values = MOST_VALUES
        self._pool = Pool(thread_count(n_jobs))
        self._workers = current_workers(self._pool)
        self._chunks = rows.chunks[0]
        self._portions = portions_of(self.layout, self._chunks, self._workers.n_threads)
        self._given_rows, self._given_weight = rows, weight
        self._weights: list[Any] = []
        self._holders: dict[str, list[Any]] = {}
        self._kept: dict[str, Column] = {}
        self._formulas: dict[str, Formula] = {}
        self._progress = Progress(rows.shape[0])
        self._name = uuid.uuid4().hex[:8]
        self._sweeps = 0

    def __enter__(self) -> DaskEngine:
        sizes = tuple(map(len, self._portions))
        self._rows = self._workers.hold(self._given_rows.rechunk({0: sizes, 1: -1}, method="tasks"))
        self._pool.__enter__()  # last: what has been entered is left only where all of this has succeeded
        return self

    def __exit__(self, *error: object) -> None:
        self._holders.clear()
        self._rows.clear()
        self._weights.clear()
        self._pool.__exit__(*error)

    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        self._progress.begin(self.phase)
        self._sweeps += 1
        homes = self._rows.homes()
        self._weights = self._weights or self._place_weights(homes)
        visited = self._visit_all(task, homes)
        results = self._kept_of_all(visited, homes)
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
            da.from_delayed(pick(holder, name), column.shape(len(portion)), column.dtype)
            for holder, portion in zip(self._workers.as_delayed(holders), self._portions, strict=True)
        ]
        return self._workers.keep(da.concatenate(parts).rechunk({0: self._chunks}, method="tasks"))

    def _place_weights(self, homes: Sequence[str | None]) -> list[Any]:
        """Weights of each portion where its rows are, or None where all count the same."""
        weight = self._given_weight
        if weight is None:
            return [None] * len(self._portions)
        if isinstance(weight, da.Array):
            sizes = tuple(map(len, self._portions))
            parts = list(self._workers.hold(weight.rechunk({0: sizes}, method="tasks")).again())
            keys = [self._key(f"weight-{number}") for number in range(len(parts))]
            return self._workers.map(_weights_of, self._portions, parts, keys=keys, homes=list(homes))
        return [self._workers.send(weight[p.start : p.stop], self._key("weight")) for p in self._portions]

    def _visit_all(self, task: Task[Any, Any], homes: Sequence[str | None]) -> list[Any]:
        """What will be known of each portion: first of those that wait for no other, then of those behind them."""
        kept, formulas = self._sources(task.reads)
        holders = list({id(self._holders[name]): self._holders[name] for name in kept}.values())
        taken = [[name for name in kept if self._holders[name] is holder] for holder in holders]
        work = _Work(task, self.frame, taken, formulas, self.layout.block_rows, self.phase)
        shared = self._workers.send(work, self._key("work"))
        rows = self._rows.again()
        visited: list[Any] = [None] * len(self._portions)
        for at in self._layers():
            found = self._workers.map(
                _visit,
                [self._portions[number] for number in at],
                self._totals_before(at, visited, homes),
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

    def _layers(self) -> Iterable[list[int]]:
        """Numbers of portions that wait for none, of those that wait for one of these, and so on."""
        depths: list[int] = []
        for portion in self._portions:
            depths.append(depths[-1] + 1 if portion.goes_on else 0)
        for depth in range(max(depths) + 1):
            yield [number for number, each in enumerate(depths) if each == depth]

    def _totals_before(self, at: list[int], visited: list[Any], homes: Sequence[str | None]) -> list[Any]:
        """What is known of the stripes that these portions go on with; nothing else of them goes to another worker."""
        before = [visited[number - 1] if self._portions[number].goes_on else None for number in at]
        away = [i for i, n in enumerate(at) if before[i] is not None and (homes[n] is None or homes[n] != homes[n - 1])]
        keys = [self._key(f"total-{at[i]}") for i in away]
        totals = self._workers.map(_total_only, [before[i] for i in away], keys=keys, homes=[None] * len(away))
        for i, total in zip(away, totals, strict=True):
            before[i] = total
        return before

    def _kept_of_all(self, visited: list[Any], homes: Sequence[str | None]) -> list[Any]:
        """What is kept of each stripe, in order: from each worker at once, while columns stay where they are."""
        groups: dict[Any, list[int]] = {}
        for number, home in enumerate(homes):
            groups.setdefault(number if home is None else home, []).append(number)
        there = [homes[numbers[0]] for numbers in groups.values()]
        parts = [[visited[number] for number in numbers] for numbers in groups.values()]
        keys = [self._key(f"kept-{number}") for number in range(len(groups))]
        gathered = self._workers.gather(
            self._workers.map(_kept_of, parts, keys=keys, homes=there), visited, self._say_where
        )
        kept: list[Any] = [()] * len(visited)
        for numbers, values in zip(groups.values(), gathered, strict=True):
            for number, each in zip(numbers, values, strict=True):
                kept[number] = each
        return [each for of_portion in kept for each in of_portion]

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
        portion = self._portions[number]
        return (
            f"rows {portion.start} to {portion.stop} could not be read in phase {self.phase!r}: "
            f"{type(error).__name__}: {error}"
        )


def _values(visited: _Visited, name: str) -> np.ndarray:
    return visited.written[name]
