"""Clusters among uniform noise: mean ARI of the clusters' own rows, by default and where the share of noise is given.

python docs/notes/uniform_noise.py [seeds] [first seed]
PYTHONPATH=other/version/src python docs/notes/uniform_noise.py    # to compare
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from dncsc import DnCSC
from dncsc.datasets import load

ROWS, SHARES = (1_000, 2_000, 5_000, 20_000, 100_000, 400_000), (0.05, 0.2, 0.3)
SETS: dict[str, Callable[[int, int], tuple[np.ndarray, np.ndarray]]] = {
    "moons": lambda n, seed: make_moons(n, noise=0.06, random_state=seed),
    "circles": lambda n, seed: make_circles(n, noise=0.05, factor=0.5, random_state=seed),
    "five blobs": lambda n, seed: make_blobs(n, 2, centers=5, cluster_std=0.7, random_state=seed)[:2],
    "flower": lambda n, seed: load("fl-20m", n=n, random_state=seed),
}


def in_noise(X: np.ndarray, y: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes, with uniform noise of class -1 in a box half as large again."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin, count = 0.25 * (high - low), round(share * len(X) / (1 - share))
    noise = np.random.default_rng(seed).uniform(low - margin, high + margin, (count, X.shape[1]))
    return np.vstack([X, noise]), np.append(y, np.full(count, -1))


def score(X: np.ndarray, y: np.ndarray, seed: int, noise: float) -> float:
    labels = DnCSC(len(np.unique(y)) - 1, noise=noise, random_state=seed).fit(X).labels_
    counts = (y >= 0) & (labels >= 0)
    return 100 * float(adjusted_rand_score(y[counts], labels[counts]))


def main(seeds: int = 6, first: int = 0) -> None:
    warnings.simplefilter("ignore")
    total = []
    for name, make in SETS.items():
        for share in SHARES:
            line = []
            for n in ROWS:
                sets = [(in_noise(*make(n, seed), share, seed), seed) for seed in range(first, first + seeds)]
                line.append([np.mean([score(*each, seed, given) for each, seed in sets]) for given in (0.0, share)])
            total.append(line)
            print(f"{name:10} {share:4.0%}  ", *(f"{a:5.0f}/{b:3.0f}" for a, b in line), flush=True)
    print("mean, by default and with noise given", np.mean(total, axis=(0, 1)).round(1))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
