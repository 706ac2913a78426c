"""Milliseconds of fits of few rows, the shortest of nine each.

DNCSC_DATA=folder python docs/notes/small_fits.py
PYTHONPATH=other/version/src python docs/notes/small_fits.py    # to compare; alternate the two
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_blobs, make_moons

from dncsc import DnCSC
from dncsc.datasets import load


def sets() -> Iterator[tuple[str, np.ndarray, int]]:
    """Two moons, Gaussians, and the real sets of up to 20,000 rows."""
    yield "1,000 rows of two moons", make_moons(1000, noise=0.06, random_state=0)[0], 2
    for n in (3000, 10_000):
        yield f"{n:,} rows of 5 Gaussians, 4-D", make_blobs(n, 4, centers=5, random_state=0)[0], 5
    yield "10,000 rows of 10, 16-D", make_blobs(10_000, 16, centers=10, cluster_std=3, random_state=0)[0], 10
    yield "30,000 rows of 12, 10-D", make_blobs(30_000, 10, centers=12, cluster_std=3, random_state=0)[0], 12
    for name in ("usps", "letters", "pendigits"):
        X, y = load(name)
        yield name, np.asarray(X), len(np.unique(y))


def main(n_fits: int = 9) -> None:
    warnings.simplefilter("ignore")
    for name, X, k in sets():
        rows, taken = X.astype(np.float32), []
        for _ in range(n_fits):
            start = time.perf_counter()
            DnCSC(k, random_state=0).fit(rows)
            taken.append(1000 * (time.perf_counter() - start))
        print(f"{name:32} {min(taken):5.0f}", flush=True)


if __name__ == "__main__":
    main()
