"""ARI on sets of a few hundred to a few thousand rows, next to scikit-learn: mean and least over seeds.

    python benchmarks/few_rows.py [--methods dnc-sc,lsec] [--seeds 3] [--rows 300,1000,3000]

Shapes and groups of every kind, in a plane and in up to 50 dimensions: uneven, of different width, among outliers, of
whole numbers. Outliers do not count; clusters are as many as the groups are, or fewer where pairs of groups are sought.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering

from common import machine, print_table
from dncsc import clusterer, metrics
from dncsc.bench.shapes import OUTLIER, SHAPES

def score(make: Callable[[int, int], object], X: np.ndarray, y: np.ndarray, seeds: int) -> list[float]:
    k, counts = len(np.unique(y[y != OUTLIER])), y != OUTLIER
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [make(k, seed).fit_predict(X) for seed in range(seeds)]  # type: ignore[attr-defined]
    return [100 * metrics.ari(y[counts], labels[counts]) for labels in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="dnc-sc,lsec")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", default="300,1000,3000")
    options = parser.parse_args()
    methods: dict[str, Callable[[int, int], object]] = {
        name: lambda k, seed, name=name: clusterer(name, k, random_state=seed) for name in options.methods.split(",")
    }
    methods["SpectralClustering"] = lambda k, seed: SpectralClustering(
        k, affinity="nearest_neighbors", random_state=seed
    )
    methods["KMeans"] = lambda k, seed: KMeans(k, n_init=10, random_state=seed)
    print(machine())
    table, all_scores = [], {name: [] for name in methods}
    for title, make_set in SHAPES.items():
        line = [title]
        for name, make in methods.items():
            scores = [score(make, *make_set(int(n)), options.seeds) for n in options.rows.split(",")]
            all_scores[name] += scores
            line.append(" ".join(f"{np.mean(each):.0f}" for each in scores))
        table.append(line)
        print(*line, sep="  ", flush=True)
    table.append(["mean", *(f"{np.mean(each):.1f}" for each in all_scores.values())])
    table.append(["mean of the worst seed", *(f"{np.min(each, axis=1).mean():.1f}" for each in all_scores.values())])
    print_table(f"ARI with {options.rows} rows, {options.seeds} seeds", ["set", *methods], table)


if __name__ == "__main__":
    main()
