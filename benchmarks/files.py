"""Rows in a file, with less memory than they need: time a row and peak memory, next to the engine in memory.

    python benchmarks/files.py [--rows 100000000] [--memory 1GB] [--folder /tmp]

Every run has its own process, so that peak memory is its own. The file is made where it is missing, and stays. Labels
are compared with those of the same rows in memory where they fit.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from common import in_own_process, machine, print_table
from dncsc import DnCSC, open_rows
from dncsc.atomic import atomic_write
from dncsc.datasets.synthetic import SYNTHETIC


def make(path: Path, n: int) -> None:
    """Rows of the flower, block by block."""
    if path.exists():
        return
    with atomic_write(path) as file:
        form = {"descr": "<f4", "fortran_order": False, "shape": (n, 2)}
        np.lib.format.write_array_header_1_0(file, form)
        for X, _ in SYNTHETIC["fl-20m"].blocks(n, "fl-20m", 0):
            file.write(X.tobytes())


def run(path: str, max_memory: str | None, n_clusters: int = 13) -> dict[str, Any]:
    """Fit a file: from the file itself with a limit, or loaded without one."""
    DnCSC(n_clusters, random_state=0).fit(np.random.default_rng(0).random((200_000, 2), np.float32))
    rows = open_rows(path) if max_memory else np.load(path)
    start = time.perf_counter()
    model = DnCSC(n_clusters, random_state=0, max_memory=max_memory).fit(rows)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    digest = hashlib.blake2b(np.ascontiguousarray(model.labels_)).hexdigest()
    return {"seconds": seconds, "peak": peak, "n": len(model.labels_), "labels": digest, "timings": model.timings_}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[20_000_000, 100_000_000])
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--loaded", type=int, default=20_000_000, help="up to so many rows are run in memory as well")
    options = parser.parse_args()
    print(machine())
    lines = []
    for n in options.rows:
        path = Path(options.folder) / f"flower-{n}.npy"
        make(path, n)
        runs = {options.memory: in_own_process("files", "run", path=str(path), max_memory=options.memory)}
        if n <= options.loaded:
            runs["(loaded)"] = in_own_process("files", "run", path=str(path), max_memory=None)
            same = len({each["labels"] for each in runs.values()}) == 1
            print(f"{n:,} rows: labels from the file and from memory are {'equal' if same else 'DIFFERENT'}")
        for memory, each in runs.items():
            phases = [f"{seconds:.1f}" for seconds in each["timings"].values()]
            row = f"{each['seconds'] / n * 1e9:.0f}"
            lines.append([f"{n:,}", memory, f"{each['seconds']:.1f}", row, f"{each['peak'] / 1e6:,.0f}", *phases])
    print_table("Rows in files", ["rows", "memory", "s", "ns a row", "peak MB", *each["timings"]], lines)


if __name__ == "__main__":
    main()
