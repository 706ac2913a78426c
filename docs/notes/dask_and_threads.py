"""Fits on Dask with two worker processes beside fits on threads, one after another: shortest seconds of each.

python docs/notes/dask_and_threads.py [rows] [repeats]
"""

from __future__ import annotations

import sys
import time

import dask.array as da
from dask.distributed import Client, LocalCluster, wait

from dncsc import DnCSC
from dncsc.datasets import load


def main(n: int = 10_000_000, repeats: int = 6) -> None:
    X, _ = load("fl-20m", n)
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        rows = client.persist(da.from_array(X, chunks=(n // 16 + 1, 2)))
        wait(rows)
        taken: dict[str, list[float]] = {"threads": [], "Dask": [], "Dask, labels there": []}
        for _ in range(repeats + 1):  # the first fits compile
            start = time.perf_counter()
            DnCSC(13, random_state=0).fit(X)
            taken["threads"].append(time.perf_counter() - start)
            start = time.perf_counter()
            labels = DnCSC(13, random_state=0).fit(rows).labels_
            taken["Dask"].append(time.perf_counter() - start)
            wait(client.persist(labels))
            taken["Dask, labels there"].append(time.perf_counter() - start)
    for name, seconds in taken.items():
        print(f"{name:20} {min(seconds[1:]):.2f} s, {min(seconds[1:]) / min(taken['threads'][1:]):.2f} of threads")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
