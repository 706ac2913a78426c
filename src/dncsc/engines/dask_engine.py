"""The engine for a Dask cluster: shards are tasks that run where the rows are."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import dask.array as da
import numpy as np

from dncsc.engines.base import MOST_VALUES, Column, Engine, Outcome, Task, Total
from dncsc.engines.dask_tasks import Work, joined, kept_of, some_values, tail_of, totals_of, visit_batch, weights_of
from dncsc.engines.dask_units import batches_of, slices_of, work_units
from dncsc.engines.dask_workers import Function, Placement, current_workers
from dncsc.engines.frame import working_dtype

PASSES = 10
"""About so many need the weights."""


class DaskEngine(Engine):
    """Sweeps a Dask array on the workers of the current client, or on threads here where there is none.

    Rows stay where they are, but for a block that begins in one chunk and ends in another. What travels is p-sized:
    totals to the caller, landmarks and eigenvectors to the workers. Where a shard runs over several chunks, its total
    goes from one unit to the next.

    Rows are an array (N, d) with known chunks. Weights, float64 (N,), may be a Dask array, which stays on the workers
    too. `n_jobs` threads do what is done here, between passes.
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
        for held in (self._holders, self._rows, self._tails, self._weights):
            held.clear()
        self._pool.__exit__(*error)

    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        self._progress.begin(self.phase)
        self._sweeps += 1
        placement = self._placement()
        self._weights = self._weights or self._place_weights(placement)
        made = [column for column in task.keeps if column.name not in self._kept]
        visited = self._visit_all(task, made, placement)
        results = self._kept_of_all(visited, placement)
        for column in (*task.writes, *made):
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
        held, placement = [holders[each.part] for each in slices], self._placement()
        there = [placement[each.part] for each in slices]
        values = iter(self._map(some_values, "values", held, slices, placement=there, column=name))
        parts = [[next(values) for _ in each] or [np.empty(column.shape(0), column.dtype)] for each in of_chunks]
        chunks = (self._chunks,) if column.width is None else (self._chunks, (column.width,))
        whole = self._key(name)
        keys = [(whole, number, 0)[: 1 + len(chunks)] for number in range(len(parts))]
        # Not waited for: Dask keeps what they need until they are there, also when the engine is left.
        found = self._workers.map(joined, parts, keys=keys)
        return da.Array(dict(zip(keys, found, strict=True)), whole, chunks, dtype=column.dtype)

    def _forget(self, name: str) -> None:
        self._holders.pop(name, None)
        self._kept.pop(name, None)

    def _placement(self) -> Placement:
        """The worker that has the rows of each unit."""
        of_chunks = self._rows.placement()
        return [of_chunks[first.part] for first, *_ in self._slices]

    def _in_large_chunks(self, rows: Any) -> Any:
        """The array in chunks of all features and, but for the last, no fewer rows than a block has."""
        chunks = rows.chunks[0]
        if min(chunks[:-1], default=self.layout.n_rows) < self.layout.block_rows:
            chunks = tuple(map(len, work_units(self.layout, chunks, self._workers.n_threads)))
        return rows.rechunk({0: chunks, 1: -1}, method="tasks")

    def _place_weights(self, placement: Placement) -> list[Any]:
        """Weights of each unit where its rows are, or None where all count the same."""
        weight = self._given_weight
        if weight is None:
            return [None] * len(self._units)
        if isinstance(weight, da.Array):
            parts = self._workers.persist(weight.rechunk({0: tuple(map(len, self._units))}, method="tasks")).again()
            return self._map(weights_of, "weight", self._units, parts, placement=placement)
        return [self._workers.send(weight[p.start : p.stop], self._key("weight"), PASSES) for p in self._units]

    def _visit_all(self, task: Task[Any, Any], made: Sequence[Column], placement: Placement) -> list[Any]:
        """What will be known of each unit: first of those that wait for no other, then of those behind them."""
        kept, rules = self._sources(task.reads)
        holders = list({id(self._holders[name]): self._holders[name] for name in kept}.values())
        taken = [[name for name in kept if self._holders[name] is holder] for holder in holders]
        work = Work(task, made, self.frame, self.weight_scale, taken, rules, self.layout.block_rows, self.phase)
        shared = self._workers.send(work, self._key("work"), len(self._units))
        chunks = self._rows.again()
        if chunks is not self._rows or not self._tails:
            self._tails = self._cut_tails(chunks)
        first = [slices[0] for slices in self._slices]
        there = [chunks[each.part] for each in first]
        own: list[Any] = [self._units, first, there, self._tails, self._weights, *holders]
        visited: list[Any] = [None] * len(self._units)
        for at in self._layers():
            before = self._totals_before(at, visited, placement)
            batches = batches_of(self._units, at, placement, self._rows.threads, self.layout.n_features)
            found = self._map(
                visit_batch,
                task.name,
                [[(before.get(number), *(values[number] for values in own)) for number in batch] for batch in batches],
                placement=[placement[batch[0]] for batch in batches],
                work=shared,
            )
            for batch, future in zip(batches, found, strict=True):
                for place, number in enumerate(batch):
                    visited[number] = future, place
        return visited

    def _cut_tails(self, chunks: Sequence[Any]) -> list[Any]:
        """For each unit the rows that its last block has of the next chunk, which alone travel."""
        tails = {number: slices[1] for number, slices in enumerate(self._slices) if len(slices) > 1}
        units = [self._units[number] for number in tails]
        there = [chunks[tail.part] for tail in tails.values()]
        cut = self._map(tail_of, "tail", units, there, list(tails.values()), phase=self.phase)
        found = dict(zip(tails, cut, strict=True))
        return [found.get(number) for number in range(len(self._units))]

    def _layers(self) -> Iterable[list[int]]:
        """Numbers of units that wait for none, of those that wait for one of these, and so on."""
        depths: list[int] = []
        for unit in self._units:
            depths.append(depths[-1] + 1 if unit.goes_on else 0)
        for depth in range(max(depths) + 1):
            yield [number for number, each in enumerate(depths) if each == depth]

    def _totals_before(self, at: list[int], visited: list[Any], placement: Placement) -> dict[int, Any]:
        """What is known of the shards that these units go on with; nothing else of them goes to another worker."""
        before = {number: visited[number - 1] for number in at if self._units[number].goes_on}
        away: dict[int, list[int]] = {}
        for number, (future, _) in before.items():
            if placement[number] is None or placement[number] != placement[number - 1]:
                away.setdefault(id(future), []).append(number)
        totals = self._map(totals_of, "total", [[before[number] for number in each] for each in away.values()])
        for numbers, future in zip(away.values(), totals, strict=True):
            before.update((number, (future, place)) for place, number in enumerate(numbers))
        return before

    def _kept_of_all(self, visited: list[Any], placement: Placement) -> list[Any]:
        """What is kept of each shard, in order: from each worker at once, while columns stay where they are."""
        groups: dict[Any, list[int]] = {}
        for number, worker in enumerate(placement):
            groups.setdefault(number if worker is None else worker, []).append(number)
        there = [placement[numbers[0]] for numbers in groups.values()]
        parts = [[visited[number] for number in numbers] for numbers in groups.values()]
        of_groups = self._map(kept_of, "kept", parts, placement=there)
        where = [f"rows {u.start} to {u.stop} could not be read in phase {self.phase!r}" for u in self._units]
        futures = [future for future, _ in visited]
        held = [self._rows[first.part] for first, *_ in self._slices]  # tells which rows of a batch cannot be read
        held = [
            future if worker is None else part for future, part, worker in zip(futures, held, placement, strict=True)
        ]
        gathered = self._workers.gather(of_groups, held + futures, 2 * where)
        kept = {
            number: each
            for numbers, values in zip(groups.values(), gathered, strict=True)
            for number, each in zip(numbers, values, strict=True)
        }
        return [each for number in range(len(visited)) for each in kept[number]]

    def _map(
        self, function: Function, what: str, *items: Sequence[Any], placement: Placement = (), **same: Any
    ) -> list[Any]:
        """`Workers.map`, with keys that say what it is for."""
        keys = [self._key(f"{what}-{number}") for number in range(len(items[0]))]
        return self._workers.map(function, *items, keys=keys, placement=placement, **same)

    def _key(self, what: str) -> str:
        return f"dncsc.{self.phase or 'begin'}.{what}-{self._sweeps}-{uuid.uuid4().hex[:6]}-{self._name}"
