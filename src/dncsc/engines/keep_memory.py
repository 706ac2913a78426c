"""Memory that a worker of Dask frees and needs again at once."""

from __future__ import annotations

import ctypes
import os
import sys
import threading

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Numbers of mallopt's parameters (glibc's malloc.h)."""
USUAL_MMAP_THRESHOLD = 2**17
KEPT_MMAP_THRESHOLD, KEPT_TRIM_THRESHOLD = 2**25, 2**26
"""Arrays of a block are smaller than the first; all that are in use at a time, than the second."""


class _KeepMemory:
    """Has malloc keep what is freed inside, from the first thread that enters to the last that leaves.

    Dask's nanny tells the malloc of its workers to give freed memory back at once (``MALLOC_TRIM_THRESHOLD_``). Each
    temporary array of a block is then made of fresh pages, which takes as long as filling it does. Where nobody told
    malloc so, it learns by itself, and nothing is done here.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._libc = ctypes.CDLL(None) if "MALLOC_TRIM_THRESHOLD_" in os.environ and sys.platform == "linux" else None
        if not hasattr(self._libc, "mallopt"):
            self._libc = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._set(KEPT_MMAP_THRESHOLD, KEPT_TRIM_THRESHOLD)

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                mapped = os.environ.get("MALLOC_MMAP_THRESHOLD_", str(USUAL_MMAP_THRESHOLD))
                self._set(int(mapped), int(os.environ.get("MALLOC_TRIM_THRESHOLD_", "0")))

    def _set(self, mmap_threshold: int, trim_threshold: int) -> None:
        if self._libc is not None:
            self._libc.mallopt(MMAP_THRESHOLD, mmap_threshold)
            self._libc.mallopt(TRIM_THRESHOLD, trim_threshold)


keep_memory = _KeepMemory()
