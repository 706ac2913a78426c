"""The engine for a Dask cluster: shards are tasks that run where the rows are."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import dask.array as da
import numpy as np

from dncsc.engines.base import MOST_VALUES, Engine, Outcome, Task, Total
from dncsc.engines.dask_tasks import Work, joined, kept_of, some_values, tail_of, total_only, visit, weights_of
from dncsc.engines.dask_units import slices_of, work_units
from dncsc.engines.dask_workers import current_workers
from dncsc.engines.frame import working_dtype

PASSES = 10
"""About so many need the weights."""


class DaskEngine(Engine):
    """Sweeps a Dask array on the workers of the current client, or on threads here where there is none.

    Rows stay where they are, but for a block that begins in one chunk and ends in another. What travels is p-sized:
    totals to the caller, landmarks and eigenvectors to the workers. Where a shard runs over several chunks, its total
    goes from one unit to the next.

    Parameters
    ----------
    rows : dask.array.Array of shape (N, d)
        With known chunks.
    weight : array or dask.array.Array of shape (N,), optional
        float64. A Dask array stays on the workers too.
    n_jobs : int, optional
        Threads for what is done here, between passes.
    """

    def __init__(self, rows: Any, weight: Any = None, n_jobs: int | None = None) -> None:
        super().__init__(rows.shape, working_dtype(rows.dtype), n_jobs, MOST_VALUES)
        self._workers = current_workers(self._pool)
        self._chunks = rows.chunks[0]
        self._given_rows = self._in_large_chunks(rows)
        sizes = self._given_rows.chunks[0]
        self._units = work_units(self.layout, sizes, self._workers.n_threads)
        self._slices = [slices_of(unit.start, unit.stop, sizes) for unit in self._units]
        self._given_weight = weight
        self._weights: list[Any] = []
        self._tails: list[Any] = []
        self._holders: dict[str, list[Any]] = {}
        self._name = uuid.uuid4().hex[:8]
        self._sweeps = 0

    def __enter__(self) -> DaskEngine:
        self._rows = self._workers.persist(self._given_rows)
        self._pool.__enter__()  # last: what has been entered is left only where all of this has succeeded
        return self

    def __exit__(self, *error: object) -> None:
        self._holders.clear()
        self._rows.clear()
        self._tails.clear()
        self._weights.clear()
        self._pool.__exit__(*error)

    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        self._progress.begin(self.phase)
        self._sweeps += 1
        of_chunks = self._rows.placement()
        placement = [of_chunks[first.part] for first, *_ in self._slices]
        self._weights = self._weights or self._place_weights(placement)
        visited = self._visit_all(task, placement)
        results = self._kept_of_all(visited, placement)
        for column in task.writes:
            self._holders[column.name] = visited
            self._kept[column.name] = column
            self._set_rule(column)
        self._progress.advance(self.layout.n_rows)
        return results

    def take(self, name: str) -> Any:
        """A Dask array in the chunks of the input."""
        column, holders = self._kept.pop(name), self._holders.pop(name)
        sizes, ends = [len(unit) for unit in self._units], np.cumsum(self._chunks).tolist()
        of_chunks = [slices_of(end - size, end, sizes) for end, size in zip(ends, self._chunks, strict=True)]
        slices = [slice_ for each in of_chunks for slice_ in each]
        values = self._workers.map(
            some_values,
            [holders[slice_.part] for slice_ in slices],
            [name] * len(slices),
            slices,
            keys=[self._key(f"values-{number}") for number in range(len(slices))],
            placement=[None] * len(slices),
        )
        of_piece = iter(values)
        parts = [[next(of_piece) for _ in each] or [np.empty(column.shape(0), column.dtype)] for each in of_chunks]
        chunks = (self._chunks,) if column.width is None else (self._chunks, (column.width,))
        whole = self._key(name)
        keys = [(whole, number, 0)[: 1 + len(chunks)] for number in range(len(parts))]
        found = self._workers.map(joined, parts, keys=keys, placement=[None] * len(parts))
        self._workers.wait(found)  # until then they need what is let go of when the engine is left
        return da.Array(dict(zip(keys, found, strict=True)), whole, chunks, dtype=column.dtype)

    def _forget(self, name: str) -> None:
        self._holders.pop(name, None)
        self._kept.pop(name, None)

    def _in_large_chunks(self, rows: Any) -> Any:
        """The array in chunks of all features and, but for the last, no fewer rows than a block has."""
        chunks = rows.chunks[0]
        if min(chunks[:-1], default=self.layout.n_rows) < self.layout.block_rows:
            chunks = tuple(map(len, work_units(self.layout, chunks, self._workers.n_threads)))
        return rows.rechunk({0: chunks, 1: -1}, method="tasks")

    def _place_weights(self, placement: Sequence[str | None]) -> list[Any]:
        """Weights of each unit where its rows are, or None where all count the same."""
        weight = self._given_weight
        if weight is None:
            return [None] * len(self._units)
        if isinstance(weight, da.Array):
            sizes = tuple(map(len, self._units))
            parts = list(self._workers.persist(weight.rechunk({0: sizes}, method="tasks")).again())
            keys = [self._key(f"weight-{number}") for number in range(len(parts))]
            return self._workers.map(weights_of, self._units, parts, keys=keys, placement=list(placement))
        return [self._workers.send(weight[p.start : p.stop], self._key("weight"), PASSES) for p in self._units]

    def _visit_all(self, task: Task[Any, Any], placement: Sequence[str | None]) -> list[Any]:
        """What will be known of each unit: first of those that wait for no other, then of those behind them."""
        kept, rules = self._sources(task.reads)
        holders = list({id(self._holders[name]): self._holders[name] for name in kept}.values())
        taken = [[name for name in kept if self._holders[name] is holder] for holder in holders]
        work = Work(task, self.frame, self.weight_scale, taken, rules, self.layout.block_rows, self.phase)
        shared = self._workers.send(work, self._key("work"), len(self._units))
        chunks = self._rows.again()
        if chunks is not self._rows or not self._tails:
            self._tails = self._cut_tails(chunks)
        visited: list[Any] = [None] * len(self._units)
        for at in self._layers():
            found = self._workers.map(
                visit,
                [self._units[number] for number in at],
                [self._slices[number][0] for number in at],
                self._totals_before(at, visited, placement),
                [chunks[self._slices[number][0].part] for number in at],
                [self._tails[number] for number in at],
                [self._weights[number] for number in at],
                *([holder[number] for number in at] for holder in holders),
                keys=[self._key(f"{type(task).__name__.strip('_').lower()}-{number}") for number in at],
                placement=[placement[number] for number in at],
                work=shared,
            )
            for number, future in zip(at, found, strict=True):
                visited[number] = future
        return visited

    def _cut_tails(self, chunks: Sequence[Any]) -> list[Any]:
        """For each unit the rows that its last block has of the next chunk, which alone travel."""
        at = [number for number, slices in enumerate(self._slices) if len(slices) > 1]
        tails = [self._slices[number][1] for number in at]
        cut = self._workers.map(
            tail_of,
            [self._units[number] for number in at],
            [chunks[tail.part] for tail in tails],
            tails,
            keys=[self._key(f"tail-{number}") for number in at],
            placement=[None] * len(at),
            phase=self.phase,
        )
        found = dict(zip(at, cut, strict=True))
        return [found.get(number) for number in range(len(self._units))]

    def _layers(self) -> Iterable[list[int]]:
        """Numbers of units that wait for none, of those that wait for one of these, and so on."""
        depths: list[int] = []
        for unit in self._units:
            depths.append(depths[-1] + 1 if unit.goes_on else 0)
        for depth in range(max(depths) + 1):
            yield [number for number, each in enumerate(depths) if each == depth]

    def _totals_before(self, at: list[int], visited: list[Any], placement: Sequence[str | None]) -> list[Any]:
        """What is known of the shards that these units go on with; nothing else of them goes to another worker."""
        before = [visited[number - 1] if self._units[number].goes_on else None for number in at]
        away = [
            i
            for i, n in enumerate(at)
            if before[i] is not None and (placement[n] is None or placement[n] != placement[n - 1])
        ]
        keys = [self._key(f"total-{at[i]}") for i in away]
        totals = self._workers.map(total_only, [before[i] for i in away], keys=keys, placement=[None] * len(away))
        for i, total in zip(away, totals, strict=True):
            before[i] = total
        return before

    def _kept_of_all(self, visited: list[Any], placement: Sequence[str | None]) -> list[Any]:
        """What is kept of each shard, in order: from each worker at once, while columns stay where they are."""
        groups: dict[Any, list[int]] = {}
        for number, worker in enumerate(placement):
            groups.setdefault(number if worker is None else worker, []).append(number)
        there = [placement[numbers[0]] for numbers in groups.values()]
        parts = [[visited[number] for number in numbers] for numbers in groups.values()]
        keys = [self._key(f"kept-{number}") for number in range(len(groups))]
        gathered = self._workers.gather(
            self._workers.map(kept_of, parts, keys=keys, placement=there), visited, self._say_where
        )
        kept: list[Any] = [()] * len(visited)
        for numbers, values in zip(groups.values(), gathered, strict=True):
            for number, each in zip(numbers, values, strict=True):
                kept[number] = each
        return [each for of_portion in kept for each in of_portion]

    def _key(self, what: str) -> str:
        return f"dncsc.{self.phase or 'begin'}.{what}-{self._sweeps}-{uuid.uuid4().hex[:6]}-{self._name}"

    def _say_where(self, number: int, error: BaseException) -> str:
        unit = self._units[number]
        return (
            f"rows {unit.start} to {unit.stop} could not be read in phase {self.phase!r}: "
            f"{type(error).__name__}: {error}"
        )
