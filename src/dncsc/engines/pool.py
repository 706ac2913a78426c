"""Threads of this process; BLAS and OpenMP have one thread each inside them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import threadpoolctl

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_jobs: int | None) -> int:
    """Threads for n_jobs as scikit-learn has it: None or -1 for all cores, -2 for all but one, and so on."""
    cores = available_cores()
    return cores if n_jobs is None else n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


class _OneThreadEach:
    """Holds BLAS and OpenMP to one thread while anyone is inside.

    These pools belong to the process: two users that overlap would each restore what the other had set.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._modules = 0

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                if len(sys.modules) != self._modules:  # looking for pools takes milliseconds, and few modules bring any
                    self._pools, self._modules = threadpoolctl.ThreadpoolController(), len(sys.modules)
                _let_any_thread_set_pools()
                self._limit = self._pools.limit(limits=1)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                _let_any_thread_set_pools()
                self._limit.restore_original_limits()
                _let_any_thread_set_pools()


def _let_any_thread_set_pools() -> None:
    """Since 3.8, threadpoolctl silently ignores all threads but the first that sets a pool, until told otherwise."""
    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


one_thread_each = _OneThreadEach()


class Stopped(Exception):
    """Work given up because other work of the same engine failed or was interrupted."""


class Pool:
    """Threads for independent items; when one fails or is interrupted, `check` ends the others."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._stopping = threading.Event()

    def __enter__(self) -> Pool:
        self._threads = ThreadPoolExecutor(self.n_threads, thread_name_prefix="dncsc")
        one_thread_each.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        self._threads.shutdown(cancel_futures=True)
        one_thread_each.__exit__(*error)

    def each(self, function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
        """Results in order; the first error in order of the items, not of time."""
        if self.n_threads == 1:
            return [function(item) for item in items]
        try:
            return list(self._threads.map(function, items))
        except BaseException:
            self._stopping.set()
            raise

    def check(self) -> None:
        """Give up where others have failed."""
        if self._stopping.is_set():
            raise Stopped
