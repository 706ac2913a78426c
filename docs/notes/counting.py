"""How often `n_clusters="auto"` is right, and how often it is wrong without a warning.

Counted apart: wrong only by groups of fewer rows than `diagnosis_` says a group needs; with a warning by the second
count alone.

python docs/notes/counting.py            # 884 sets of blobs, 180 of groups that lie apart, 40 tables, 48 sets of topics
python docs/notes/counting.py 900 901    # the same with other seeds of topics and of blobs
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.datasets import make_blobs

from dncsc import DnCSC, TableEncoder
from dncsc.datasets import embeddings

SEEDS = [int(word) for word in sys.argv[1:]] or (2, 3)


def topics() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Embeddings in topics, of which some ten at a time are near each other."""
    for k in (10, 20, 30, 40):
        for d in (64, 256):
            for near in (0.5, 0.8, 0.9):
                for seed in SEEDS:
                    X, y = embeddings(30_000, d, k, seed, near=near)
                    yield f"{k} topics, {d} features, near {near}", X, y


def apart() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Uneven groups at least 8 deviations apart: round, long in one direction, heavy-tailed, skewed."""
    random = np.random.default_rng(5)
    for d in (2, 3, 5, 6, 8, 12, 16, 32, 64):
        for k in (2, 3, 5, 8, 12):
            centres = random.standard_normal((k, d))
            centres *= 8 / min(np.linalg.norm(a - b) for i, a in enumerate(centres) for b in centres[:i])
            n = int(random.choice([5_000, 10_000, 40_000]))
            y = random.choice(k, n, p=random.dirichlet(np.full(k, 3)))
            place = centres[y]
            kinds = {
                "round": place + random.standard_normal((n, d)),
                "long": place + random.standard_normal((n, d)) * np.arange(1, d + 1) ** -0.7,
                "heavy-tailed": 1.5 * place + random.standard_t(5, (n, d)),
                "skewed": 2 * place + random.exponential(1, (n, d)),
            }
            for kind, X in kinds.items():
                yield f"{k} {kind} groups, {d} features, {n} rows", X.astype(np.float32), y


def overlapping() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Round groups that overlap, many of them so far that nobody could count them."""
    for width in (1.5, 2.5):
        for d in (2, 3, 4, 8):
            for n in (1_000, 3_000, 10_000):
                for k in range(2, 10):
                    for seed in SEEDS:
                        asked = {"cluster_std": width, "center_box": (-8, 8), "random_state": seed}
                        X, y, centres = make_blobs(n, d, centers=k, return_centers=True, **asked)
                        name = f"{k} groups of width {width}, {d} features, {n} rows, seed {seed}"
                        yield name, X, modes(centres / width)[y]


def drawn() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Round groups of any number, width, rows and features."""
    for seed in SEEDS:
        random = np.random.default_rng(seed)
        for number in range(250):
            k, d, n = int(random.integers(2, 11)), int(random.integers(2, 9)), int(random.choice([500, 1_000, 3_000]))
            asked = {
                "cluster_std": random.uniform(1, 2.5),
                "center_box": (-8, 8),
                "random_state": 1_000 * seed + number,
            }
            X, y, centres = make_blobs(n, d, centers=k, return_centers=True, **asked)
            name = f"{k} groups of width {asked['cluster_std']:.2f}, {d} features, {n} rows, seed {seed}, draw {number}"
            yield name, X, modes(centres / asked["cluster_std"])[y]


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Groups far apart in numbers, with categories, or values filled in; as `TableEncoder` makes features of them."""
    for n in (600, 2_000, 6_000, 20_000):
        for seed in SEEDS:
            random = np.random.default_rng([n, seed])
            y = random.integers(3, size=n)
            numbers = np.array([[0, 0, 0], [8, 0, 5], [0, 8, 8]])[y] + random.standard_normal((n, 3))
            numbers = pd.DataFrame(numbers, columns=["a", "b", "c"])
            city, own = random.choice(list("ROBP"), n), np.where(random.random(n) < 0.8, y, random.integers(3, size=n))
            kinds = {
                "a boolean": numbers.assign(member=random.random(n) < 0.5),
                "a category": numbers.assign(city=city),
                "two categories": numbers.assign(city=city, plan=random.choice(["x", "y"], n, p=[0.8, 0.2])),
                "3 % filled in": numbers.mask(random.random(numbers.shape) < 0.03),
                "a category that goes with the groups": numbers.assign(kind=own.astype(str)),
            }
            for kind, table in kinds.items():
                yield f"{n} rows with {kind}, seed {seed}", TableEncoder().fit_transform(table), y


def modes(centres: np.ndarray) -> np.ndarray:
    """Numbers of groups, the same for those at most two deviations apart: together they have one mode."""
    return fcluster(linkage(centres), 2, "distance") - 1


def main() -> None:
    for sets in (overlapping, drawn, apart, tables, topics):
        total: Counter[str] = Counter()
        for name, X, y in sets():
            model = DnCSC("auto", metric="cosine" if sets is topics else "euclidean", random_state=0)
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                model.fit(X)
            sizes = np.bincount(y)
            fewest, most = (np.count_nonzero(sizes >= least) for least in (model.diagnosis_.smallest, 1))
            warned = f"{'with' if told else 'without'} a warning"
            kind = f"{'right' if model.n_clusters_ == most else 'wrong'}, {warned}"
            total[kind] += 1
            if told and "confirm" in model.timings_:
                total[f"{kind}, by the second count alone"] += 1
            if fewest <= model.n_clusters_ < most:
                total[f"of these but for groups that are too small, {warned}"] += 1
            if kind != "right, without a warning":
                print(f"{name}: {model.n_clusters_}, {kind}; parts: {model.diagnosis_.n_parts}", flush=True)
        print(sets.__name__, dict(total))


if __name__ == "__main__":
    main()
