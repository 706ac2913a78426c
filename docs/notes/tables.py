"""Tables with categories and gaps, prepared as everybody does (mean-impute, standardise, one-hot), against k-means.

python docs/notes/tables.py [tables a line] [seeds] [first draw]
python docs/notes/tables.py scaled [tables a line] [seeds] [first draw]     # one-hot features are standardised, too
python docs/notes/tables.py weights [tables] [first draw]                   # of one-hot features
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from dncsc import DnCSC


class Line(NamedTuple):
    """A kind of table: groups of Gaussians, and columns that say nothing about them."""

    n_rows: int
    categories: Sequence[int] = ()
    """how many values each categorical column has"""
    missing: float = 0.0
    """share of the numbers that are missing, and filled in by the column's mean"""


LINES = {
    "numbers": Line(30_000),
    "categories of 4 and 5 values": Line(30_000, (4, 5)),
    "3 % filled in": Line(30_000, missing=0.03),
    "categories of 12 and 20, 1 % filled in": Line(20_000, (12, 20), 0.01),
    "2,000 rows, categories of 3 and 4, 5 % filled in": Line(2_000, (3, 4), 0.05),
}


WEIGHTS = (0, 0.35, 0.5, 0.71, 1, 1.4)


def table(
    line: Line, n_groups: int, random: np.random.Generator, weight: float = 1, telling: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Groups at least 4 deviations apart in 4 to 8 numbers of different units, and one feature for each category.

    Where categories are `telling`, each group has its own shares of them.
    """
    d = int(random.integers(4, 9))
    centres = random.standard_normal((n_groups, d))
    centres *= 4 / min(np.linalg.norm(a - b) for i, a in enumerate(centres) for b in centres[:i])
    y = random.choice(n_groups, line.n_rows, p=random.dirichlet(np.full(n_groups, 5)))
    numbers = (centres[y] + random.standard_normal((line.n_rows, d))) * 10 ** random.uniform(-2, 3, d)
    numbers[random.random(numbers.shape) < line.missing] = np.nan
    numbers = np.where(np.isnan(numbers), np.nanmean(numbers, axis=0), numbers)
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    one_hot = []
    for n in line.categories:
        shares = random.dirichlet(np.full(n, 0.5 if telling else 5), n_groups if telling else None)
        which = (
            [random.choice(n, p=shares[group]) for group in y] if telling else random.choice(n, line.n_rows, p=shares)
        )
        one_hot.append(weight * np.eye(n)[which])
    return np.hstack([numbers, *one_hot]).astype(np.float32), y


def compare_weights(n_tables: int = 24, first: int = 0) -> None:
    """DnCSC and KMeans on tables of 5,000 rows, 3 to 9 groups, two or three categories of 3 to 12 values."""
    for telling in (False, True):
        print("each group has its own categories" if telling else "categories say nothing")
        for weight in WEIGHTS:
            scores = []
            for draw in range(first, first + n_tables):
                random = np.random.default_rng([telling, draw])
                k, n_columns = int(random.integers(3, 10)), int(random.integers(2, 4))
                line = Line(5000, random.integers(3, 13, n_columns).tolist(), 0.02)
                X, y = table(line, k, random, weight, telling)
                both = (DnCSC(k, random_state=0), KMeans(k, random_state=0))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    scores.append([100 * adjusted_rand_score(y, each.fit_predict(X)) for each in both])
            print(f"  {weight:<5} {np.mean(scores, axis=0)[0]:5.1f} {np.mean(scores, axis=0)[1]:5.1f}", flush=True)


def main(n_tables: int = 10, n_seeds: int = 1, first: int = 0, scaled: bool = False) -> None:
    lines = {name: line for name, line in LINES.items() if line.categories or not scaled}
    for title, fewest, most in (("3 to 6 groups", 3, 6), ("7 to 9 groups", 7, 9)):
        print(f"{title}: mean ARI of {n_tables} tables and {n_seeds} seeds, DnCSC and KMeans; warnings")
        means = []
        for number, (name, line) in enumerate(lines.items()):
            scores, n_told = [], 0
            for draw in range(first, first + n_tables):
                random = np.random.default_rng([fewest, number, draw])
                k = int(random.integers(fewest, most + 1))
                X, y = table(line, k, random)
                X = X / X.std(axis=0) if scaled else X
                for seed in range(n_seeds):
                    with warnings.catch_warnings(record=True) as told:
                        warnings.simplefilter("always")
                        ours = DnCSC(k, random_state=seed).fit_predict(X)
                    n_told += len(told)
                    theirs = KMeans(k, random_state=seed).fit_predict(X)
                    scores.append([100 * adjusted_rand_score(y, labels) for labels in (ours, theirs)])
            means.append(np.mean(scores, axis=0))
            print(f"  {name:50} {means[-1][0]:5.1f} {means[-1][1]:5.1f}   {n_told}", flush=True)
        print(f"  {'mean':50} {np.mean(means, axis=0)[0]:5.1f} {np.mean(means, axis=0)[1]:5.1f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["weights"]:
        compare_weights(*map(int, sys.argv[2:]))
    elif sys.argv[1:2] == ["scaled"]:
        main(*map(int, sys.argv[2:]), scaled=True)
    else:
        main(*map(int, sys.argv[1:]))
