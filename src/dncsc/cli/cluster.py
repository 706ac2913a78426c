"""A fit on the workers of a Dask cluster, which read the file themselves."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from dncsc.cli.errors import ClusterUnavailableError
from dncsc.errors import InputError

if TYPE_CHECKING:
    from dncsc.rows import Rows
    from dncsc.rows.base import FileState

CHUNK_BYTES = 2**26
TIMEOUT = 10
"""Seconds that a scheduler may take to answer."""


def fit_on_cluster(estimator: Any, rows: Rows, address: str, name: str) -> None:
    """Fit an estimator on a cluster; what it found of each row is held here afterwards."""
    from dncsc.estimators import checks

    if not rows.seekable:
        raise InputError(
            f"--cluster: workers read parts of a file, and {name} can only be read from its beginning to its end. "
            "Convert it to Parquet."
        )
    with _scheduler_restored(), _connected(address) as client:
        for worker, unseen in client.run(_unseen, list(rows.files)).items():
            if unseen:
                problem = f"worker {worker} cannot read what is read here: {unseen} Use a shared disk."
                raise ClusterUnavailableError(f"--cluster: {problem}")
        estimator.fit(_as_dask(rows))
        for found in ("labels_", "confidence_"):
            if hasattr(estimator, found):
                setattr(estimator, found, getattr(estimator, found).compute())
    checks.features(estimator, rows.shape[1], None if rows.names is None else list(rows.names), reset=True)


@contextmanager
def _scheduler_restored() -> Iterator[None]:
    """A client that finds no scheduler leaves itself in Dask's settings, for all that this process does later."""
    try:
        import dask
        import distributed  # noqa: F401
    except ImportError as error:
        raise ImportError('--cluster needs Dask: pip install "dncsc[dask]"') from error
    with dask.config.set(scheduler=None):
        yield


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client; what fails between it and the cluster is an error of the cluster."""
    from dncsc.engines.dask_workers import ClusterError

    for name in ("distributed", "distributed.client"):  # what is wrong is said in one line below
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = _client(address)
    except (OSError, ValueError, TypeError, AssertionError) as error:
        raise ClusterUnavailableError(
            f"--cluster: no Dask scheduler answers at {address} ({type(error).__name__}). Start one: dask scheduler"
        ) from error
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise ClusterUnavailableError(
                f"--cluster: the scheduler at {address} has no workers. Start some with: dask worker {address}"
            )
        try:
            yield client
        except Exception as error:
            if isinstance(error, ClusterError) or type(error).__module__.split(".")[0] == "distributed":
                raise ClusterUnavailableError(f"--cluster: {error}") from error
            raise


def _client(address: str) -> Any:
    """A client of the scheduler there.

    The client asserts that the scheduler's first message comes alone. On a busy machine another may come with it, which
    says nothing of the cluster: a second try mends that.
    """
    from distributed import Client

    with suppress(AssertionError):
        return Client(address, timeout=TIMEOUT)
    return Client(address, timeout=TIMEOUT)


def _unseen(files: Sequence[FileState]) -> str:
    """On a worker: what is wrong with the first file that is not what it should be; nothing if all are."""
    try:
        for file in files:
            file.check()
    except OSError as error:
        return str(error)
    return ""


def _as_dask(rows: Rows) -> Any:
    """A Dask array whose chunks are read by the workers."""
    import dask.array as da
    import numpy as np

    n, d = rows.shape
    step = max(1, CHUNK_BYTES // (d * rows.dtype.itemsize))
    starts = np.arange(0, n, step)
    sizes = tuple(np.minimum(step, n - starts).tolist())
    about = {"chunks": (sizes, (d,)), "new_axis": 1, "dtype": rows.dtype, "meta": np.empty((0, 0), rows.dtype)}
    return da.from_array(starts, chunks=1).map_blocks(_read, rows, step, **about)


def _read(start: Any, rows: Rows, step: int) -> Any:
    first = int(start[0])
    return rows.read(first, min(first + step, rows.shape[0]))
