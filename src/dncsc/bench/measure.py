"""Measure one cell: time, memory and scores of a fit, with the rows in memory, in a file, or on a Dask cluster."""

from __future__ import annotations

import hashlib
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numba.core.event import install_recorder
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from dncsc import memory, metrics, open_rows
from dncsc.bench import sets
from dncsc.bench.methods import make
from dncsc.bench.rivals import n_found
from dncsc.bench.shapes import OUTLIER
from dncsc.estimators.base import RecipeClusterer

ENGINES = ("threads", "one thread", "files", "dask")
FILE_MEMORY = 2**28
"""Bytes that a fit on a file may take beyond what the process has."""
DASK_CHUNKS = 16
WARM_ROWS, MANY_WARM_ROWS = 5000, 250_000
"""That kernels are warmed on; of sets with more rows the larger number, since many rows go other ways than few."""

Say = Callable[[str], None]


class UnavailableError(Exception):
    """An engine, or a set, that cannot be had here; says why."""


def outcome(cell: dict[str, Any], say: Say) -> dict[str, Any]:
    """What a cell gave, or why it gave nothing."""
    try:
        return measure(cell, say)
    except UnavailableError as error:
        return {"status": "skipped", "reason": str(error)}
    except Exception as error:
        traceback.print_exc()
        status = "memory" if isinstance(error, MemoryError) else "failed"
        # A refusal is certain to come again with the next seed; anything else might not.
        refused = isinstance(error, ValueError | TypeError | ImportError)
        return {"status": status, "reason": f"{type(error).__name__}: {error}", "refused": refused}


def measure(cell: dict[str, Any], say: Say) -> dict[str, Any]:
    """Load, warm up, fit, score; only the fit is timed."""
    say("loading")
    try:
        X, y = sets.load(cell["set"], cell["rows"])
    except (OSError, ValueError) as error:
        raise UnavailableError(str(error)) from error
    counts = y != OUTLIER
    k = len(np.unique(y[counts]))
    shape = {"n_rows": len(X), "n_features": X.shape[1], "n_classes": k}
    held = [X]
    del X
    with threadpool_limits(cell["threads"]):
        say("warming up")
        model, small = (make(cell["method"], k, cell["params"], cell["seed"], cell["threads"]) for _ in range(2))
        usual = MANY_WARM_ROWS if len(held[0]) > MANY_WARM_ROWS else WARM_ROWS
        small.fit(held[0][: max(usual, 2 * cell["params"].get("n_landmarks", 0), 2 * k)].copy())
        with _rows_on(cell["engine"], held, model, cell["threads"]) as rows:
            before = _forget_peak()
            say("fitting")
            with install_recorder("numba:compile") as compiled:
                cpu, start = _cpu_seconds(), time.perf_counter()
                labels = np.asarray(model.fit(rows).labels_)
                seconds = time.perf_counter() - start
                cpu = _cpu_seconds() - cpu
            peak = _peak()
        say("scoring")
    return {
        "status": "ok",
        **shape,
        **metrics.scores(y[counts], labels[counts]),
        "n_clusters": n_found(labels),
        "noise": float((labels < 0).mean()),
        "seconds": seconds,
        "cpu_seconds": cpu,
        "phases": getattr(model, "timings_", {}),
        "peak_bytes": peak,
        "extra_bytes": max(0, peak - before),
        "compiled": len(compiled.buffer),
        "labels": hashlib.blake2b(labels.astype(np.int32).tobytes(), digest_size=8).hexdigest(),
        "exact_fraction": getattr(model, "exact_fraction_", None),
    }


@contextmanager
def _rows_on(engine: str, held: list[np.ndarray], model: Any, threads: int) -> Iterator[Any]:
    """The rows where an engine takes them from; the only item of the list is let go where they are put elsewhere."""
    if engine in ("files", "dask") and not isinstance(model, RecipeClusterer):
        raise UnavailableError(f"{type(model).__name__} cannot fit rows from {engine}.")
    if engine == "dask":  # on one worker a thread, whose kernels are warm
        import dask.array
        from distributed import Client, LocalCluster, wait

        cluster = LocalCluster(n_workers=threads, threads_per_worker=1, dashboard_address=":0")
        with cluster, Client(cluster):
            X = held.pop()
            rows = dask.array.from_array(X, chunks=(-(-len(X) // DASK_CHUNKS), -1)).persist()
            del X
            wait(rows)
            clone(model).fit(rows)  # of fewer rows there may be too few for each worker to have some
            yield rows
    elif engine == "files":
        with tempfile.TemporaryDirectory(prefix="dncsc-bench-") as folder:
            path = Path(folder) / "rows.npy"
            np.save(path, held.pop())
            model.set_params(max_memory=memory.resident() + FILE_MEMORY)
            yield open_rows(path)
    else:
        if engine == "one thread":
            model.set_params(n_jobs=1)
        yield held[0]


def _cpu_seconds() -> float:
    """Of this process and of those that it has started, such as Dask workers."""
    me = psutil.Process()
    times = [each.cpu_times() for each in (me, *me.children(recursive=True))]
    return float(sum(each.user + each.system for each in times))


def _forget_peak() -> int:
    """Bytes that the process holds now, input included; from here on, its peak counts anew where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return memory.resident()
    except OSError:
        return memory.peak()


def _peak() -> int:
    """Unlike that of `memory.peak`, the one since it was last forgotten."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return memory.peak()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
