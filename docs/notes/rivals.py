"""Mean ARI on sets of few rows, next to Genie (where genieclust is installed), scikit-learn's methods, and the best.

python docs/notes/rivals.py [draws] [first seed]

"Best" is the best of all methods for each draw, by the true classes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import few_rows
import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from dncsc import DnCSC

METHODS: dict[str, Callable[[int, int], object]] = {
    "DnCSC": lambda k, seed: DnCSC(k, random_state=seed),
    "refine": lambda k, seed: DnCSC(k, refine=True, random_state=seed),
    "spectral": lambda k, seed: SpectralClustering(k, affinity="nearest_neighbors", random_state=seed),
    "mixture": lambda k, seed: GaussianMixture(k, n_init=3, random_state=seed),
    "KMeans": lambda k, seed: KMeans(k, n_init=10, random_state=seed),
}
try:
    from genieclust import Genie

    METHODS["Genie"] = lambda k, seed: Genie(n_clusters=k)
except ImportError:
    print("without Genie: pip install genieclust")


def scores(make: few_rows.Maker, seed: int) -> list[float]:
    X, y = make(seed)
    X, counts = np.ascontiguousarray(X, float), y >= 0
    k = len(np.unique(y[counts]))
    found = [model(k, seed).fit_predict(X) for model in METHODS.values()]
    return [100 * adjusted_rand_score(y[counts], labels[counts]) for labels in found]


def main(draws: int = 2, first: int = 5000) -> None:
    warnings.simplefilter("ignore")
    print(f"{'':8}", *(f"{name:>9}" for name in [*METHODS, "best"]))
    for group, makers in few_rows.SETS.items():
        found = np.array([scores(make, first + i) for make in makers.values() for i in range(draws)])
        print(f"{group:8}", *(f"{mean:9.1f}" for mean in [*found.mean(axis=0), found.max(axis=1).mean()]), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
