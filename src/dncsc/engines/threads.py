"""The engine for data in memory: stripes on a pool of threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from dncsc.engines.base import Block, Column, Item, Outcome, Result, Task, Total
from dncsc.engines.frame import Frame, working_dtype
from dncsc.engines.layout import Layout


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _OneThreadEach:
    """Holds BLAS and OpenMP to one thread from the first engine that enters to the last that leaves.

    These pools belong to the process. If every engine set and restored them for itself, two that overlap would
    restore what the other had set.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0

    def enter(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._limit = ThreadpoolController().limit(limits=1)

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


one_thread_each = _OneThreadEach()


class ThreadsEngine:
    """Sweeps an array, memmap or CSR matrix with threads; columns are arrays.

    Use as a context: BLAS and OpenMP pools are held to one thread inside, because every core already has one of ours.

    Parameters
    ----------
    rows : array of shape (N, d), of any real dtype and order, or CSR matrix
    weight : array of shape (N,), optional
    n_jobs : int, optional
        Threads; None or -1 for all cores, -2 for all but one, and so on.
    dtype : numpy.dtype, optional
        Working precision, where it is not for the rows to decide.
    """

    def __init__(
        self,
        rows: Any,
        weight: np.ndarray | None = None,
        n_jobs: int | None = None,
        dtype: np.dtype[Any] | None = None,
    ) -> None:
        self.layout = Layout(*rows.shape)
        self.frame = Frame.raw(dtype or working_dtype(rows.dtype), rows.shape[1])
        self._rows = rows
        self._weight = weight
        self._ones = np.ones(self.layout.block_rows)
        self._columns: dict[str, np.ndarray] = {}
        self._rooms = threading.local()
        cores = available_cores()
        self._n_threads = cores if n_jobs is None else n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)

    def __enter__(self) -> ThreadsEngine:
        self._pool = ThreadPoolExecutor(self._n_threads, thread_name_prefix="dncsc")
        one_thread_each.enter()
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        one_thread_each.leave()

    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        for column in task.writes:
            self._allocate(column)
        names = [*task.reads, *(column.name for column in task.writes)]

        def run(number: int) -> Outcome:
            total = task.begin()
            for start, stop in self.layout.stripe(number):
                task.visit(total, self._block(start, stop, names))
            return task.end(total)

        return self.each(run, range(self.layout.n_stripes))

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        if self._n_threads == 1:
            return [function(item) for item in items]
        return list(self._pool.map(function, items))

    def drop(self, name: str) -> None:
        del self._columns[name]

    def take(self, name: str) -> np.ndarray:
        return self._columns.pop(name)

    def _allocate(self, column: Column) -> None:
        shape = (self.layout.n_rows,) if column.width is None else (self.layout.n_rows, column.width)
        kept = self._columns.get(column.name)
        if kept is None or kept.shape != shape or kept.dtype != column.dtype:
            self._columns[column.name] = np.empty(shape, column.dtype)

    def _block(self, start: int, stop: int, names: list[str]) -> Block:
        def enter(chosen: np.ndarray | None) -> np.ndarray:
            rows = self._rows[start:stop]
            return self.frame.enter(rows, self._room()) if chosen is None else self.frame.enter(rows[chosen])

        weight = self._ones[: stop - start] if self._weight is None else self._weight[start:stop]
        columns = {name: self._columns[name][start:stop] for name in names}
        return Block(start, stop, columns, weight, enter)

    def _room(self) -> np.ndarray:
        """Room of a thread for the rows of a block: a fresh one for each block would cost more than filling it."""
        if not hasattr(self._rooms, "room"):
            self._rooms.room = np.empty((self.layout.block_rows, self.layout.n_features), self.frame.dtype)
        return self._rooms.room
