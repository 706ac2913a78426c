"""Threads of this process, and what is set for the process while they work."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import TypeVar

import threadpoolctl

Item = TypeVar("Item")
Answer = TypeVar("Answer")

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of mallopt's parameters (glibc's malloc.h)."""
USUAL_MMAP_THRESHOLD = 2**17
KEPT_MMAP_THRESHOLD, KEPT_TRIM_THRESHOLD = 2**25, 2**26
"""Arrays of a block are smaller than the first; all that are in use at a time, than the second."""
TOLD = "MALLOC_TRIM_THRESHOLD_" in os.environ and sys.platform == "linux"


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_jobs: int | None) -> int:
    """Threads for n_jobs as scikit-learn has it: None or -1 for all cores, -2 for all but one, and so on."""
    cores = available_cores()
    return cores if n_jobs is None else n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


class Shared:
    """A context of the whole process, from the first thread that enters to the last that leaves.

    Two users that overlap would otherwise each restore what the other had set.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[None]]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._inside = 0

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._context = self._make()
                self._context.__enter__()

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._context.__exit__(None, None, None)


@lru_cache(maxsize=1)
def _pools(n_modules: int) -> threadpoolctl.ThreadpoolController:
    """Pools of the modules that are loaded: looking for them takes milliseconds, and few modules bring any."""
    return threadpoolctl.ThreadpoolController()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    _let_any_thread_set_pools()
    limit = _pools(len(sys.modules)).limit(limits=1)
    yield
    _let_any_thread_set_pools()
    limit.restore_original_limits()
    _let_any_thread_set_pools()


def _let_any_thread_set_pools() -> None:
    """Since 3.8, threadpoolctl silently ignores all threads but the first that sets a pool, until told otherwise."""
    if hasattr(threadpoolctl.OpenBLASController, "clear_controlling_thread"):
        threadpoolctl.OpenBLASController.clear_controlling_thread(force=True)


one_thread_each = Shared(_one_thread_each)
"""Holds BLAS and OpenMP to one thread."""


@contextmanager
def _keep_memory() -> Iterator[None]:
    """Have malloc keep what is freed inside.

    Dask's nanny tells the malloc of its workers to give freed memory back at once (``MALLOC_TRIM_THRESHOLD_``). Each
    temporary array of a block is then made of fresh pages, which takes as long as filling it does. Where nobody told
    malloc so, it learns by itself, and nothing is done here.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if TOLD else None
    if set_option is None:
        yield
        return
    set_option(MMAP_THRESHOLD, KEPT_MMAP_THRESHOLD)
    set_option(TRIM_THRESHOLD, KEPT_TRIM_THRESHOLD)
    yield
    set_option(MMAP_THRESHOLD, int(os.environ.get("MALLOC_MMAP_THRESHOLD_", USUAL_MMAP_THRESHOLD)))
    set_option(TRIM_THRESHOLD, int(os.environ["MALLOC_TRIM_THRESHOLD_"]))


keep_memory = Shared(_keep_memory)


class Stopped(Exception):
    """Work given up because other work of the same engine failed or was interrupted."""


class Pool:
    """Threads for independent items; when one fails or is interrupted, `check` ends the others."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self._stopping = threading.Event()

    def __enter__(self) -> Pool:
        self._threads = ThreadPoolExecutor(max(self.n_threads - 1, 1), thread_name_prefix="dncsc")
        one_thread_each.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        self._threads.shutdown(cancel_futures=True)
        one_thread_each.__exit__(*error)

    def each(self, function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
        """Results in order; the first error in order of the items, not of time. This thread works, too."""
        waiting = list(items)
        if self.n_threads == 1:
            return [function(item) for item in waiting]
        answers: dict[int, Answer] = {}
        errors: dict[int, BaseException] = {}
        numbers, lock = iter(range(len(waiting))), threading.Lock()

        def work() -> None:
            while not errors:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                try:
                    answers[number] = function(waiting[number])
                except BaseException as error:
                    errors[number] = error
                    if not isinstance(error, Exception):  # an interrupt: the others need not end what they do
                        self._stopping.set()

        try:
            helpers = [self._threads.submit(work) for _ in range(min(self.n_threads, len(waiting)) - 1)]
            work()
            for helper in helpers:
                if not helper.cancel():
                    helper.result()
        except BaseException:  # an interrupt while this thread waits
            self._stopping.set()
            raise
        if errors:
            self._stopping.set()
            told = [number for number, error in errors.items() if not isinstance(error, Stopped)]
            raise errors[min(told or errors)]
        return [answers[number] for number in range(len(waiting))]

    def check(self) -> None:
        """Give up where others have failed."""
        if self._stopping.is_set():
            raise Stopped
