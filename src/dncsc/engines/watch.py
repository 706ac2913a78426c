"""Who wants to know how far a run has come."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar

Watcher = Callable[[str, int, int], None]
"""Told the phase, the rows that its present pass has seen, and the rows there are."""

_watcher: ContextVar[Watcher | None] = ContextVar("dncsc_watcher", default=None)


@contextlib.contextmanager
def watch(watcher: Watcher) -> Iterator[None]:
    """Have a function told of the progress of whatever runs inside.

    Parameters
    ----------
    watcher : callable
        Called with the phase, the rows that the present pass has seen, and the rows there are; from several threads,
        though not at the same time. A phase has several passes, and each begins at 0. Those of a fit are "survey",
        "select", "nearest", "affinity", "count", "partition", "discretize", "refine", "confidence" and "confirm", as
        far as a method has them and they look at rows; `predict`, `transform` and `affinity` have "label", "place" and
        "weigh". Files that are costly to read are read once before, in "read".

    Examples
    --------
    >>> import numpy as np
    >>> from dncsc import DnCSC, watch
    >>> seen = []
    >>> with watch(lambda phase, done, n_rows: seen.append(phase)):
    ...     model = DnCSC(2, n_landmarks=20, random_state=0).fit(np.random.default_rng(0).random((500, 2)))
    >>> "nearest" in seen
    True
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


class Progress:
    """Counts the rows of a pass for the watcher, if there is one."""

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._watcher = _watcher.get()
        self._lock = threading.Lock()
        self._done = 0

    def begin(self, phase: str) -> None:
        self._phase, self._done = phase, 0
        self.advance(0)

    def advance(self, n_rows: int) -> None:
        if self._watcher is not None:
            with self._lock:
                self._done += n_rows
                self._watcher(self._phase, self._done, self._n_rows)
