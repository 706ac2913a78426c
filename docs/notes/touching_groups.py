"""Groups that touch: Gaussian ones, others, and shapes among features that say nothing; mean ARI.

python docs/notes/touching_groups.py [seeds] [first seed]
PYTHONPATH=other/version/src python docs/notes/touching_groups.py    # to compare
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons, make_swiss_roll
from sklearn.metrics import adjusted_rand_score

from dncsc import DnCSC

Set = tuple[np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator, np.ndarray, int, int], np.ndarray]


def in_balls(r: np.random.Generator, n: int, d: int) -> np.ndarray:
    way = r.standard_normal((n, d))
    return way / np.linalg.norm(way, axis=1, keepdims=True) * r.random((n, 1)) ** (1 / d) * np.sqrt(d + 2)


def elongated(r: np.random.Generator, y: np.ndarray, n: int, d: int) -> np.ndarray:
    """Each group has axes of its own, the longest some six times the shortest."""
    turns = [np.linalg.qr(r.standard_normal((d, d)))[0] * np.exp(r.uniform(-0.9, 0.9, d)) for _ in range(y.max() + 1)]
    return np.einsum("nij,nj->ni", np.array(turns)[y], r.standard_normal((n, d)))


AROUND: dict[str, Draw] = {
    "Gaussian": lambda r, y, n, d: r.standard_normal((n, d)),
    "elongated": elongated,
    "heavy tails": lambda r, y, n, d: r.standard_t(4, (n, d)),
    "boxes": lambda r, y, n, d: r.uniform(-1.7, 1.7, (n, d)),
    "skewed": lambda r, y, n, d: r.exponential(1, (n, d)) - 1,
    "pointed": lambda r, y, n, d: r.laplace(0, 0.7, (n, d)),
    "balls": lambda r, y, n, d: in_balls(r, n, d),
}


def groups(seed: int, kind: str, n: int, d: int) -> Set:
    """Two to eight, the nearest 2.5 to 5 deviations apart."""
    r = np.random.default_rng([seed, d, n, *kind.encode()])
    k, apart = int(r.integers(2, 9)), r.uniform(2.5, 5)
    centres = r.standard_normal((k, d))
    centres *= apart / min(np.linalg.norm(a - b) for i, a in enumerate(centres) for b in centres[:i])
    y = r.choice(k, n, p=r.dirichlet(np.full(k, 5)))
    return centres[y] + AROUND[kind](r, y, n, d), y


def among_others(seed: int, make: Callable[[int, int], Set], n: int, d: int) -> Set:
    """A shape in the plane, and d features that say nothing."""
    X, y = make(n, seed)
    return np.hstack([X, np.random.default_rng([seed, d, n]).normal(0, 0.3 * X.std(), (n, d))]), y


def shells(seed: int, d: int, n: int = 2000) -> Set:
    r = np.random.default_rng([seed, d])
    way, y = r.standard_normal((n, d)), r.integers(0, 2, n)
    return way / np.linalg.norm(way, axis=1, keepdims=True) * (1 + 1.5 * y + r.normal(0, 0.25, n))[:, None], y


def bent(seed: int, d: int, n: int = 1200) -> Set:
    r = np.random.default_rng([seed, d])
    y, rows = r.integers(0, 3, n), r.standard_normal((n, d))
    rows[:, 1] += 0.5 * rows[:, 0] ** 2
    return rows + np.array([[0] * d, [4] + [1] * (d - 1), [0, -5] + [1] * (d - 2)])[y], y


def roll(seed: int, n: int = 1500) -> Set:
    X, along = make_swiss_roll(n, noise=0.4, random_state=seed)
    return X, np.digitize(along, np.quantile(along, [0.33, 0.67]))


SHAPES: dict[str, Callable[[int, int], Set]] = {
    "moons": lambda n, seed: make_moons(n, noise=0.12, random_state=seed),
    "fuzzy moons": lambda n, seed: make_moons(n, noise=0.22, random_state=seed),
    "rings": lambda n, seed: make_circles(n, noise=0.08, factor=0.45, random_state=seed),
    "fuzzy rings": lambda n, seed: make_circles(n, noise=0.14, factor=0.4, random_state=seed),
}


def sets() -> Iterator[tuple[str, list[Callable[[int], Set]]]]:
    for kind in AROUND:
        for d in (2, 5, 12, 24):
            yield f"{kind}, {d} features", [partial(groups, kind=kind, n=n, d=d) for n in (300, 1500, 5000)]
    for name, make in SHAPES.items():
        for d in (0, 1, 3, 8):
            yield f"{name} and {d} others", [partial(among_others, make=make, n=n, d=d) for n in (500, 3000)]
    yield "shells", [partial(shells, d=d) for d in (2, 3, 5, 8)]
    yield "bent", [partial(bent, d=d) for d in (4, 8)]
    yield "roll", [roll]


def main(seeds: int = 3, first: int = 0) -> None:
    warnings.simplefilter("ignore")
    all_scores = []
    for name, makers in sets():
        scores, n_mixtures = [], 0
        for make in makers:
            for seed in range(first, first + seeds):
                X, y = make(seed)
                k = len(np.unique(y))
                model = DnCSC(k, random_state=seed, n_jobs=1).fit(X)
                n_mixtures += getattr(model.diagnosis_, "is_gaussian", False)
                by_k_means = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
                scores.append([100 * adjusted_rand_score(y, each) for each in (model.labels_, by_k_means)])
        all_scores += scores
        ours, theirs = np.mean(scores, axis=0)
        print(f"{name:26} {ours:5.1f}  KMeans {theirs:5.1f}   mixtures {n_mixtures} of {len(scores)}", flush=True)
    print("mean", np.mean(all_scores, axis=0).round(1))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
