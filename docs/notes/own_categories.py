"""Tables with a category that goes with the groups, one that does not, and values filled in: mean ARI, worst, warnings.

python docs/notes/own_categories.py [tables] [first]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from dncsc import DnCSC

PLACES = np.array([[0, 0, 0, 0, 0], [2, 3, 7, 5, 5], [8, 6, 14, 10, 10]])
WIDTHS = np.array([[0.4, 0.7, 1, 1, 1], [1, 1, 1, 1, 1], [3, 1.5, 1, 1, 1]])


def table(seed: int, n: int, filled: float) -> tuple[np.ndarray, np.ndarray]:
    """Features as `TableEncoder` makes them, and groups."""
    random = np.random.default_rng([seed, n])
    y = random.integers(3, size=n)
    numbers = PLACES[y] + random.standard_normal((n, 5)) * WIDTHS[y]
    numbers = np.where(random.random(numbers.shape) < filled, np.median(numbers, axis=0), numbers)
    city = np.where(random.random(n) < 0.8, y, random.integers(4, size=n))
    categories = np.hstack([np.eye(4)[city], np.eye(2)[random.integers(2, size=n)]])
    return np.hstack([numbers / numbers.std(axis=0), 0.5 * categories]), y


def main(n_tables: int = 20, first: int = 0) -> None:
    means = []
    for n in (600, 2_000, 6_000, 20_000):
        for filled in (0.0, 0.03, 0.05):
            scores, n_told = [], 0
            for seed in range(first, first + n_tables):
                X, y = table(seed, n, filled)
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    labels = DnCSC(3, random_state=seed).fit_predict(X)
                by_k_means = KMeans(3, n_init=10, random_state=seed).fit_predict(X)
                scores.append([100 * adjusted_rand_score(y, each) for each in (labels, by_k_means)])
                n_told += bool(told)
            (ours, theirs), worst = np.mean(scores, axis=0), np.min(scores, axis=0)[0]
            means.append([ours, theirs])
            line = f"{n:6} rows, {filled:4.0%} filled in: {ours:5.1f}, worst {worst:5.1f}; KMeans {theirs:5.1f}"
            print(f"{line}; {n_told} warned", flush=True)
    print("mean", np.mean(means, axis=0).round(1))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
