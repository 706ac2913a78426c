"""The same shapes at a million rows: ``python docs/measure/million.py docs/images/million.png``, some minutes.

Each cell runs in a process of its own, which may take a minute and 12 GB. Times are of the fit alone; compiled kernels
are in the cache. What was too much for one shape is not tried on the others.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from shapes import ALGORITHMS, SHAPES, Cell, draw, labels_of, make, n_clusters

from dncsc.metrics import ari

ROWS, LIMIT, MEMORY = 1_000_000, 60, 12 * 2**30


def fit(shape: str, name: str, to: str) -> None:
    """One cell, in the process that was started for it."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    X, y = make(shape, ROWS)
    if name in ("DnCSC", "LSEC"):
        labels_of(name, X[:20_000], n_clusters(y))  # kernels are loaded, threads started
    start = time.perf_counter()
    labels = labels_of(name, X, n_clusters(y))
    np.savez(to, labels=labels, seconds=time.perf_counter() - start)


def cell(shape: str, name: str) -> Cell:
    """What a process gives, or why it gives nothing."""
    with tempfile.TemporaryDirectory() as folder:
        to = str(Path(folder, "cell.npz"))
        command = [sys.executable, __file__, "cell", shape, name, to]
        try:
            ran = subprocess.run(command, timeout=LIMIT + 20, capture_output=True, text=True, check=False)
        except subprocess.TimeoutExpired:
            return f"> {LIMIT} s"
        if ran.returncode:
            return "memory" if "MemoryError" in ran.stderr or ran.returncode < 0 else f"fails:\n{ran.stderr[-200:]}"
        with np.load(to) as stored:
            return stored["labels"], float(stored["seconds"])


def main(target: Path) -> None:
    """Run all cells, print them, and draw the picture."""
    lines, lost = [], {name: [] for name in ALGORITHMS}
    for shape in SHAPES:
        X, y = make(shape, ROWS)
        cells = []
        for name in ALGORITHMS:
            found = lost[name][-1] if lost[name] else cell(shape, name)
            cells.append(found)
            if isinstance(found, str):
                lost[name].append(found)
                print(shape, name.replace("\n", " "), found, flush=True)
            else:
                score = "" if y is None else f"ARI {ari(y, found[0]):.3f}"
                print(shape, name.replace("\n", " "), f"{found[1]:.2f} s", score, flush=True)
        lines.append((shape, X, cells))
    draw(lines, list(ALGORITHMS)).savefig(target, dpi=110)


if __name__ == "__main__":
    fit(*sys.argv[2:]) if sys.argv[1] == "cell" else main(Path(sys.argv[1]))
