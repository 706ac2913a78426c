"""Tables of any kind, as `TableEncoder` makes features of them: mean ARI, and those on which k-means is better.

python docs/notes/random_tables.py [tables] [first]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from dncsc import DnCSC, TableEncoder


def table(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Two to four groups in up to five numbers of any scale; noise, categories and booleans that say nothing; gaps."""
    r = np.random.default_rng(seed)
    n, k = int(r.choice([100, 400, 1_500, 6_000])), int(r.integers(2, 5))
    share = r.random(k) + 0.2
    y = r.choice(k, n, p=share / share.sum())
    columns: dict[str, np.ndarray] = {}
    for number in range(r.integers(2, 6)):
        values = (r.permutation(k) * r.uniform(4, 8))[y] + r.standard_normal(n)
        columns[f"number {number}"] = (np.round(values) if r.random() < 0.3 else values) * 10 ** r.uniform(-3, 5)
    for number in range(r.integers(0, 3)):
        columns[f"noise {number}"] = r.standard_normal(n) if r.random() < 0.5 else r.integers(0, 10, n)
    for number in range(r.integers(0, 4)):
        columns[f"category {number}"] = r.choice(list("abcdefgh")[: r.integers(2, 9)], n)
    for number in range(r.integers(0, 2)):
        columns[f"boolean {number}"] = r.random(n) < 0.5
    made = pd.DataFrame(columns)
    return made.mask(r.random(made.shape) < 0.02) if r.random() < 0.3 else made, y


def main(tables: int = 200, first: int = 0) -> None:
    warnings.simplefilter("ignore")
    found = []
    for seed in range(first, first + tables):
        frame, y = table(seed)
        X, k = TableEncoder().fit_transform(frame), int(y.max()) + 1
        model = DnCSC(k, random_state=0).fit(X)
        labels = model.labels_, *(KMeans(k, n_init=starts, random_state=0).fit_predict(X) for starts in (1, 10))
        found.append([100 * adjusted_rand_score(y, each) for each in labels])
        if found[-1][0] < found[-1][2] - 10:
            print(f"table {seed}, {X.shape}, {k} groups:", np.round(found[-1]), model.diagnosis_, flush=True)
    scores = np.array(found)
    print("mean of DnCSC, and KMeans with one and ten starts", scores.mean(axis=0).round(1))
    print("more than ten points worse than ten starts", np.count_nonzero(scores[:, 0] < scores[:, 2] - 10), end="; ")
    print("better", np.count_nonzero(scores[:, 0] > scores[:, 2] + 10))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
