"""What a cluster costs: the same fit on threads of one process, and on Dask workers of this machine.

    python benchmarks/cluster.py [rows]

"read": workers read the rows from a file in every fit; "held": they have them, as threads do. Labels stay where they
are. Runs alternate, so that what else the machine does falls on all. Processor seconds say what is spent, also where
others take their share of the wall time: those of the workers beyond the threads' are messages and page faults, those
of the caller are graphs, messages and the scheduler.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed
from distributed import Client, LocalCluster, wait

from common import machine, print_table
from dncsc import DnCSC, datasets

WORKERS = 2
CHUNK_ROWS = 1_000_000
REPEATS = 5


def read(path: str, start: int, stop: int) -> np.ndarray:
    """Rows of a file, where the task runs."""
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def chunked(path: str, n_rows: int, n_features: int) -> Any:
    """A Dask array whose chunks are read by the workers."""
    bounds = [*range(0, n_rows, CHUNK_ROWS), n_rows]
    parts = [
        da.from_delayed(delayed(read)(path, start, stop), (stop - start, n_features), np.float32)
        for start, stop in pairwise(bounds)
    ]
    return da.concatenate(parts)


def fit(X: Any) -> DnCSC:
    return DnCSC(13, random_state=0, n_jobs=WORKERS).fit(X)


def spent(client: Client) -> tuple[float, float, int]:
    """Processor seconds of this process and of the workers, and tasks that the scheduler has seen."""
    workers = client.run(time.process_time)
    tasks = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)
    return time.process_time(), sum(workers.values()), tasks


def measure(client: Client, run: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    before, start = spent(client), time.perf_counter()
    result = run()
    wall = time.perf_counter() - start
    here, workers, tasks = (float(now - then) for now, then in zip(spent(client), before, strict=True))
    return {"wall": wall, "here": here, "workers": workers, "transitions": tasks}, result


def compare(path: str, client: Client) -> dict[str, list[dict[str, float]]]:
    X = np.load(path)
    held = client.persist(chunked(path, *X.shape))
    wait(held)
    inputs = {"threads": X, "read": chunked(path, *X.shape), "held": held}
    for rows in inputs.values():
        fit(rows[:400_000])
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in inputs}
    labels: dict[str, np.ndarray] = {}
    for _ in range(REPEATS):
        for name, rows in inputs.items():
            cost, model = measure(client, lambda rows=rows: fit(rows))
            seen[name].append({**cost, **model.timings_})
            labels[name] = np.asarray(model.labels_)
    np.testing.assert_array_equal(labels["threads"], labels["read"])
    np.testing.assert_array_equal(labels["threads"], labels["held"])
    return seen


def report(title: str, seen: dict[str, list[dict[str, float]]]) -> None:
    best = {name: {what: min(run[what] for run in runs) for what in runs[0]} for name, runs in seen.items()}
    lines = [[name, *(f"{value:,.2f}" for value in costs.values())] for name, costs in best.items()]
    print_table(title, ["", *best["threads"]], lines)
    threads = best["threads"]
    print()
    for name in ("read", "held"):
        cluster = best[name]
        wall, processor = cluster["wall"] / threads["wall"], (cluster["here"] + cluster["workers"]) / threads["here"]
        print(f"with rows that are {name}, {wall:.2f} times the time, {processor:.2f} times the processor")


def main() -> None:
    n_rows = int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else 10_000_000
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.npy")
        np.save(path, datasets.load("fl-20m", n=n_rows)[0].astype(np.float32))
        with (
            LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            report(f"{n_rows:,} rows, {WORKERS} cores, best of {REPEATS}", compare(path, client))


if __name__ == "__main__":
    main()
