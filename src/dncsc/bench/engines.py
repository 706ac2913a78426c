"""Where the rows of a cell are when it is fitted: in memory, in a file, or on a Dask cluster."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import dncsc
from dncsc.budget import resident

FILE_MEMORY = 2**28
"""Bytes that a fit on a file may take beyond what the process has."""
DASK_CHUNKS = 16


class UnavailableError(Exception):
    """An engine, or a set, that cannot be had here; says why."""


# Each takes the rows as the only item of a list, so that those who put them elsewhere can let them go.


@contextmanager
def in_memory(held: list[np.ndarray], model: Any, threads: int) -> Iterator[Any]:
    """The array itself."""
    yield held[0]


@contextmanager
def one_thread(held: list[np.ndarray], model: Any, threads: int) -> Iterator[Any]:
    """The array itself, for one thread."""
    model.set_params(n_jobs=1)
    yield held[0]


@contextmanager
def in_a_file(held: list[np.ndarray], model: Any, threads: int) -> Iterator[Any]:
    """A file of rows, of which only a part may be in memory."""
    open_rows = getattr(dncsc, "open_rows", None)
    if open_rows is None or "max_memory" not in model.get_params():
        raise UnavailableError("this version of dncsc cannot fit rows from files.")
    with tempfile.TemporaryDirectory(prefix="dncsc-bench-") as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, held.pop())
        model.set_params(max_memory=resident() + FILE_MEMORY)
        yield open_rows(path)


@contextmanager
def on_dask(held: list[np.ndarray], model: Any, threads: int) -> Iterator[Any]:
    """A Dask array on a cluster of one worker a thread."""
    if importlib.util.find_spec("dncsc.engines.dask") is None:
        raise UnavailableError("this version of dncsc cannot fit Dask arrays.")
    try:
        import dask.array
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise UnavailableError(f"Dask is not installed ({error}): pip install dncsc[dask]") from error
    cluster = LocalCluster(n_workers=threads, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster):
        X = held.pop()
        yield dask.array.from_array(X, chunks=(-(-len(X) // DASK_CHUNKS), X.shape[1])).persist()


ENGINES: dict[str, Callable[[list[np.ndarray], Any, int], AbstractContextManager[Any]]] = {
    "threads": in_memory,
    "one thread": one_thread,
    "files": in_a_file,
    "dask": on_dask,
}
