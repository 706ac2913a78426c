"""Tables with categories and gaps, prepared as everybody does (mean-impute, standardise, one-hot), against k-means.

python docs/notes/tables.py [tables a line] [seeds] [first draw]
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


def table(line: Line, n_groups: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Groups at least 4 deviations apart in 4 to 8 numbers of different units, and one feature for each category."""
    d = int(random.integers(4, 9))
    centres = random.standard_normal((n_groups, d))
    centres *= 4 / min(np.linalg.norm(a - b) for i, a in enumerate(centres) for b in centres[:i])
    y = random.choice(n_groups, line.n_rows, p=random.dirichlet(np.full(n_groups, 5)))
    numbers = (centres[y] + random.standard_normal((line.n_rows, d))) * 10 ** random.uniform(-2, 3, d)
    numbers[random.random(numbers.shape) < line.missing] = np.nan
    numbers = np.where(np.isnan(numbers), np.nanmean(numbers, axis=0), numbers)
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    one_hot = [np.eye(n)[random.choice(n, line.n_rows, p=random.dirichlet(np.full(n, 5)))] for n in line.categories]
    return np.hstack([numbers, *one_hot]).astype(np.float32), y


def main(n_tables: int = 10, n_seeds: int = 1, first: int = 0) -> None:
    for title, fewest, most in (("3 to 6 groups", 3, 6), ("7 to 9 groups", 7, 9)):
        print(f"{title}: mean ARI of {n_tables} tables and {n_seeds} seeds, DnCSC and KMeans; warnings")
        means = []
        for number, (name, line) in enumerate(LINES.items()):
            scores, n_told = [], 0
            for draw in range(first, first + n_tables):
                random = np.random.default_rng([fewest, number, draw])
                k = int(random.integers(fewest, most + 1))
                X, y = table(line, k, random)
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
    main(*map(int, sys.argv[1:]))
