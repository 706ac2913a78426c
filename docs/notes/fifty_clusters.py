"""What fifty clusters cost beside ten: seconds of fits of blobs in two dimensions, alternating, best of each.

python docs/notes/fifty_clusters.py [rows] [repeats]
"""

from __future__ import annotations

import sys
import time

import numpy as np

from dncsc import DnCSC


def blobs(n: int, k: int) -> np.ndarray:
    """Round groups of deviation 0.15 in a square of 20."""
    random = np.random.default_rng(0)
    centres = random.uniform(0, 20, (k, 2))
    return (centres[random.integers(k, size=n)] + random.normal(0, 0.15, (n, 2))).astype(np.float32)


def main(n: int = 10_000_000, repeats: int = 4) -> None:
    sets, taken = {k: blobs(n, k) for k in (10, 50)}, dict[int, list[float]]()
    for _ in range(repeats + 1):  # the first fits compile
        for k, X in sets.items():
            start = time.perf_counter()
            DnCSC(k, random_state=0).fit(X)
            taken.setdefault(k, []).append(time.perf_counter() - start)
    few, many = (min(taken[k][1:]) for k in sets)
    print(f"k = 10: {few:.2f} s, k = 50: {many:.2f} s, ratio {many / few:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
