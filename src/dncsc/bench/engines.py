"""Where the rows of a cell are when it is fitted: in memory, in a file, or on a Dask cluster."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from dncsc import open_rows
from dncsc.estimators.base import RecipeClusterer
from dncsc.memory import resident

FILE_MEMORY = 2**28
"""Bytes that a fit on a file may take beyond what the process has."""
DASK_CHUNKS = 16
WARM_ROWS = 5000
"""That kernels are warmed on."""


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
    _check(model, "files")
    with tempfile.TemporaryDirectory(prefix="dncsc-bench-") as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, held.pop())
        model.set_params(max_memory=resident() + FILE_MEMORY)
        yield open_rows(path)


@contextmanager
def on_dask(held: list[np.ndarray], model: Any, threads: int) -> Iterator[Any]:
    """A Dask array on a cluster of one worker a thread, whose kernels are warm."""
    _check(model, "Dask")
    try:
        import dask.array
        from distributed import Client, LocalCluster, wait
    except ImportError as error:
        raise UnavailableError(f"Dask is not installed ({error}): pip install dncsc[dask]") from error
    cluster = LocalCluster(n_workers=threads, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster):
        X = held.pop()
        clone(model).fit(dask.array.from_array(X[:WARM_ROWS], chunks=(WARM_ROWS // DASK_CHUNKS, -1)))
        rows = dask.array.from_array(X, chunks=(-(-len(X) // DASK_CHUNKS), -1)).persist()
        del X
        wait(rows)
        yield rows


def _check(model: Any, what: str) -> None:
    if not isinstance(model, RecipeClusterer):
        raise UnavailableError(f"{type(model).__name__} cannot fit rows from {what}.")


ENGINES: dict[str, Callable[[list[np.ndarray], Any, int], AbstractContextManager[Any]]] = {
    "threads": in_memory,
    "one thread": one_thread,
    "files": in_a_file,
    "dask": on_dask,
}
