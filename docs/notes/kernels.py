"""Processor nanoseconds a row of each kernel in a fit of the flower on one thread, and what this core can do.

python docs/notes/kernels.py [rows]
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import time

import numpy as np

from dncsc import DnCSC
from dncsc.datasets import load

SHOWN = 16


def best_of(function, repeats: int = 5) -> float:
    """Shortest processor time, in seconds."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def main(n: int = 10_000_000) -> None:
    a, long = np.ones((2_000, 2_000), np.float32), np.ones(40_000_000, np.float32)
    print(
        f"products of matrices {2 * 2_000**3 / best_of(lambda: a @ a) / 1e9:.0f} GFLOP/s (float32, BLAS on one thread)"
    )
    print(f"sums of a long array {long.nbytes / best_of(long.sum) / 1e9:.0f} GB/s")
    X, _ = load("fl-20m", n)
    model = DnCSC(13, random_state=0, n_jobs=1)
    model.fit(X)
    profile = cProfile.Profile()
    seconds = best_of(lambda: profile.runcall(model.fit, X), 1)
    print(f"{1e9 * seconds / n:.1f} ns a row in all")
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    by_own = sorted(((line[2], name[2]) for name, line in stats.items()), reverse=True)
    for own, name in by_own[:SHOWN]:
        print(f"{name:40} {1e9 * own / n:6.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
