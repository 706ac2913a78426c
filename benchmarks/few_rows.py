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
from sklearn.datasets import make_blobs, make_circles, make_moons

from common import machine, print_table
from dncsc import clusterer, metrics

Labelled = tuple[np.ndarray, np.ndarray]
OUTLIER = -1


def gaussians(n: int, d: int, k: int, width: float | list[float] = 0.5, box: float = 10.0, seed: int = 0) -> Labelled:
    return make_blobs(n, n_features=d, centers=k, cluster_std=width, center_box=(-box, box), random_state=seed)


def uneven(n: int, d: int) -> Labelled:
    """90, 7 and 3 rows of 100."""
    random = np.random.default_rng(0)
    label = np.repeat([0, 1, 2], [n - n // 10, n // 10 - n // 33, n // 33])
    centres, width = np.zeros((3, d)), np.array([1, 0.5, 0.5])
    centres[1, 0] = centres[2, 1] = 8
    return random.normal(centres[label], width[label][:, None]), label


def among_outliers(rows: Labelled, box: float) -> Labelled:
    """And 5 of 100 more, strewn at random."""
    X, label = rows
    strewn = np.random.default_rng(0).uniform(-box, box, (len(X) // 20, X.shape[1]))
    return np.concatenate([X, strewn]), np.append(label, np.full(len(strewn), OUTLIER))


def lines(n: int) -> Labelled:
    random = np.random.default_rng(0)
    label = random.integers(0, 3, n)
    return np.stack([20 * random.random(n), label + random.normal(0, 0.1, n)], axis=1), label


def spirals(n: int) -> Labelled:
    random = np.random.default_rng(0)
    turn, label = 0.5 + 3 * np.pi * np.sqrt(random.random(n)), random.integers(0, 2, n)
    place = np.stack([np.cos(turn + np.pi * label), np.sin(turn + np.pi * label)], axis=1) * turn[:, None]
    return place + random.normal(0, 0.3, (n, 2)), label


def linked_rings(n: int) -> Labelled:
    random = np.random.default_rng(0)
    turn, label = 2 * np.pi * random.random(n), random.integers(0, 2, n)
    first = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    second = np.stack([1 + np.cos(turn), 0 * turn, np.sin(turn)], axis=1)
    return np.where(label[:, None] == 0, first, second) + random.normal(0, 0.07, (n, 3)), label


def rounded(rows: Labelled, low: float = -np.inf, high: float = np.inf) -> Labelled:
    return np.clip(np.round(rows[0]), low, high), rows[1]


def answers(n: int) -> Labelled:
    """Of a questionnaire: six whole numbers from 1 to 5."""
    random = np.random.default_rng(0)
    label = random.integers(0, 3, n)
    centres = np.array([[1, 1, 1, 1, 1, 1], [3, 3, 3, 3, 3, 3], [5, 1, 5, 1, 5, 1]])
    return rounded((random.normal(centres[label], 0.7), label), 1, 5)


def pairs(n: int) -> Labelled:
    """Ten groups, of which each has another near by; five clusters are sought."""
    random = np.random.default_rng(0)
    group, centres = random.integers(0, 10, n), np.zeros((10, 8))
    centres[:, 0], centres[1::2, 1] = np.repeat(50.0 * np.arange(5), 2), 6
    return random.normal(centres[group], 0.5), group // 2


SETS: dict[str, Callable[[int], Labelled]] = {
    **{f"{k} Gaussians, 2-D": lambda n, k=k: gaussians(n, 2, k, box=4.5 * np.sqrt(k)) for k in (2, 3, 5, 10)},
    **{f"5 Gaussians, {d}-D": lambda n, d=d: gaussians(n, d, 5, seed=1) for d in (3, 10, 50)},
    "3 that overlap, 2-D": lambda n: gaussians(n, 2, 3, 1.0),
    "8 that overlap, 2-D": lambda n: gaussians(n, 2, 8, 1.0),
    "of different width, 2-D": lambda n: gaussians(n, 2, 3, [1, 2.5, 0.5], seed=170),
    "uneven, 2-D": lambda n: uneven(n, 2),
    "uneven, 8-D": lambda n: uneven(n, 8),
    "moons": lambda n: make_moons(n, noise=0.05, random_state=0),
    "moons, more noise": lambda n: make_moons(n, noise=0.1, random_state=0),
    "moons among outliers": lambda n: among_outliers(make_moons(n, noise=0.05, random_state=0), 3.0),
    "Gaussians among outliers, 2-D": lambda n: among_outliers(gaussians(n, 2, 4, 0.6, seed=3), 30.0),
    "Gaussians among outliers, 6-D": lambda n: among_outliers(gaussians(n, 6, 4, 0.6, seed=3), 30.0),
    "circles": lambda n: make_circles(n, factor=0.5, noise=0.05, random_state=0),
    "spirals": spirals,
    "lines": lines,
    "linked rings, 3-D": linked_rings,
    "whole numbers, 2-D": lambda n: rounded(gaussians(n, 2, 4, 1.5, box=15, seed=5)),
    "answers, 6-D": answers,
    "pairs of groups, 8-D": pairs,
}


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
    for title, make_set in SETS.items():
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
