"""The engine for one machine: shards on a pool of threads, over rows in memory or in files."""

from __future__ import annotations

import threading
from typing import Any, Protocol

import numpy as np

from dncsc.engines.base import MOST_VALUES, Block, Column, Engine, Outcome, Task, Total, Values
from dncsc.engines.columns import Columns, InMemory
from dncsc.engines.frame import working_dtype
from dncsc.engines.scales import scaled


class Source(Protocol):
    """A table whose rows can be had piece by piece, from several threads at once (`dncsc.rows.Rows`)."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def dtype(self) -> np.dtype[Any]: ...

    def read(self, start: int, stop: int) -> Any: ...


class ArraySource:
    """Rows of an array, memmap or CSR matrix, of any real dtype and order."""

    def __init__(self, rows: Any) -> None:
        self.shape: tuple[int, int] = rows.shape
        self.dtype: np.dtype[Any] = rows.dtype
        self._rows = rows

    def read(self, start: int, stop: int) -> Any:
        return self._rows[start:stop]


class LocalEngine(Engine):
    """Sweeps rows with threads.

    Use as a context: BLAS and OpenMP have one thread each inside, and columns that nobody took are gone afterwards.
    `dtype` is the working precision, where it is not for the rows to decide; columns are in memory by default.
    """

    def __init__(
        self,
        rows: Source,
        weight: np.ndarray | None = None,
        n_jobs: int | None = None,
        dtype: np.dtype[Any] | None = None,
        columns: Columns | None = None,
        most_values: int = MOST_VALUES,
    ) -> None:
        super().__init__(rows.shape, dtype or working_dtype(rows.dtype), n_jobs, most_values)
        self._rows = rows
        self._weight = weight
        self._ones = np.ones(self.layout.block_rows)
        self._columns = columns or InMemory(rows.shape[0])
        self._buffers = threading.local()

    def __enter__(self) -> LocalEngine:
        self._pool.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.__exit__(*error)
        self._columns.close()

    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        for column in task.writes:
            self._allocate(column)
        made = [each for each in task.keeps if each.name not in self._kept and self._columns.keeps(each)]
        for column in made:
            self._columns.allocate(column)
        self._progress.begin(self.phase)

        def run(number: int) -> Outcome:
            total = task.begin()
            for start, stop in self.layout.shard(number):
                self._pool.check()
                block = self._block(start, stop, task)
                task.visit(total, block)
                for column in task.writes:
                    if column.name in self._kept:
                        self._columns.put(column.name, start, block.columns[column.name])
                for column in made:
                    values = self._columns.get(column.name, start, stop, filled=False)
                    values[:] = block.columns[column.name]
                    self._columns.put(column.name, start, values)
                self._progress.advance(stop - start)
            return task.end(total)

        results = self._pool.each(run, range(self.layout.n_shards))
        self._kept |= {column.name: column for column in made}
        return results

    def take(self, name: str) -> np.ndarray:
        del self._kept[name]
        return self._columns.take(name)

    def _forget(self, name: str) -> None:
        self._kept.pop(name, None)
        self._columns.drop(name)

    def _allocate(self, column: Column) -> None:
        self._set_rule(column)
        kept = self._kept.get(column.name)
        same = kept is not None and (kept.dtype, kept.width) == (column.dtype, column.width)
        if not same and (column.rule is None or self._columns.keeps(column)):
            self._columns.drop(column.name)
            self._columns.allocate(column)
            self._kept[column.name] = column

    def _block(self, start: int, stop: int, task: Task[Any, Any]) -> Block:
        def make(chosen: np.ndarray | None) -> np.ndarray:
            rows = self._rows.read(start, stop)
            return self.frame.transform(rows, self._buffer()) if chosen is None else self.frame.transform(rows[chosen])

        reads, _ = self._sources(task.reads)
        values = {name: self._columns.get(name, start, stop, filled=True) for name in reads}
        for column in task.writes:
            if column.name in self._kept and column.name not in values:
                values[column.name] = self._columns.get(column.name, start, stop, filled=False)
            elif column.name not in values:
                values[column.name] = np.empty(column.shape(stop - start), column.dtype)
        weight = self._ones if self._weight is None else scaled(self._weight[start:stop], self.weight_scale)
        return Block(start, stop, Values(values, self._rules), weight[: stop - start], make)

    def _buffer(self) -> np.ndarray:
        """A thread's buffer for the rows of a block: a fresh one for each block would cost more than filling it."""
        if not hasattr(self._buffers, "rows"):
            self._buffers.rows = np.empty((self.layout.block_rows, self.layout.n_features), self.frame.dtype)
        return self._buffers.rows
