"""How an ensemble compares with its members' own choices, one a selection of landmarks.

python docs/notes/own_choice.py                 # the sets of few rows, by groups
python docs/notes/own_choice.py 30              # the same with other seeds, from 30 on
python docs/notes/own_choice.py letters usps    # data sets by name
python docs/notes/own_choice.py shuttle.csv     # tables of numbers, classes in the last column
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import few_rows
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from dncsc import LSEC
from dncsc.datasets import load

MOST_ROWS = 100_000
"""of a data set that can be made in any size"""


def sets(names: list[str], first: int) -> Iterator[tuple[str, str, int, np.ndarray, np.ndarray]]:
    """Group, name, seed, rows, and classes, -1 for rows that have none."""
    for name in names:
        if name.endswith(".csv"):
            table = pd.read_csv(name)
            X, y = table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].factorize()[0]
        else:
            X, y = load(name, MOST_ROWS) if name.split("-")[0] in ("fl", "cg", "tc", "ts", "tm") else load(name)
        for seed in (0, 1, 2):
            yield "named", name, seed, np.asarray(X, np.float32), y
    for group, makers in {} if names else few_rows.SETS.items():
        for name, make in makers.items():
            for seed in range(first, first + 3):
                X, y = make(seed)
                yield group, name, seed, np.ascontiguousarray(X, float), y


def own_choices(model: LSEC, X: np.ndarray) -> list[np.ndarray]:
    """Labels that each selection of landmarks gives by itself."""
    graph = model._model.embedding.graph
    clusters = graph.lookup(model._model.frame.transform(X))
    return [
        shared.clusterings[0].centroid_of(shared.component)[of_rows[:, 0]]
        for shared, of_rows in zip(graph.shared, clusters, strict=True)
    ]


def main() -> None:
    found: dict[str, list[tuple[float, list[float]]]] = {}
    names = [word for word in sys.argv[1:] if not word.isdigit()]
    first = next((int(word) for word in sys.argv[1:] if word.isdigit()), 10)
    for group, name, seed, X, y in sets(names, first):
        known = y >= 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LSEC(len(np.unique(y[known])), random_state=seed).fit(X)
        labels = [model.labels_, *own_choices(model, X)]
        ensemble, *own = (100 * adjusted_rand_score(y[known], each[known]) for each in labels)
        found.setdefault(group, []).append((ensemble, own))
        if ensemble < min(own) - 1:
            print(f"{name}, seed {seed}: {ensemble:.1f}, own choices {', '.join(f'{each:.1f}' for each in own)}")
    for group, draws in found.items():
        worse = sum(ensemble < min(own) - 1 for ensemble, own in draws)
        better = sum(ensemble > max(own) + 1 for ensemble, own in draws)
        means = np.mean([ensemble for ensemble, _ in draws]), np.mean([own for _, own in draws])
        print(f"{group}: ensemble {means[0]:.1f}, own choices {means[1]:.1f}; {worse} worse than all, {better} better")


if __name__ == "__main__":
    main()
