"""How many rows a landmark tell all but the labels: ARI on made-up sets of 600,000 rows with few features.

python docs/notes/sampled_rows.py
"""

from __future__ import annotations

import warnings
from unittest.mock import patch

import numpy as np

from dncsc import DnCSC
from dncsc.bench.shapes import SHAPES, LabelledRows
from dncsc.metrics import ari
from dncsc.phases.cut.policy import CutPolicy

N_ROWS, SEEDS = 600_000, 3
ROWS_A_LANDMARK = (100, 150, 200, 500, N_ROWS)


def _tiny(n: int) -> LabelledRows:
    """One group, and two of 500 and 1,000 rows."""
    random, y = np.random.default_rng(1), np.repeat([0, 1, 2], [n - 1500, 500, 1000])
    centres, width = np.array([[0, 0], [9, 0], [0, 9]]), np.array([1, 0.3, 1])
    return random.normal(centres[y], width[y, None]), y


def _thirty(n: int) -> LabelledRows:
    """Thirty groups of different width in ten features."""
    random = np.random.default_rng(2)
    y = random.integers(0, 30, n)
    return random.normal(random.uniform(-20, 20, (30, 10))[y], random.uniform(0.3, 2, (30, 1))[y]), y


def _densities(n: int) -> LabelledRows:
    """90, 5, 4 and 1 rows of 100."""
    random = np.random.default_rng(3)
    y = random.choice(4, n, p=[0.9, 0.05, 0.04, 0.01])
    centres, width = np.array([[0, 0], [8, 0], [0, 10], [12, 12]]), np.array([0.3, 1.5, 2, 1])
    return random.normal(centres[y], width[y, None]), y


def main() -> None:
    sets = {**SHAPES, "tiny": _tiny, "30-gaussians-10d": _thirty, "densities": _densities}
    table = []
    for name, make in sets.items():
        X, y = make(N_ROWS)
        if X.shape[1] >= CutPolicy.few_features:
            continue
        X, counted, line = X.astype(np.float32), y >= 0, []
        for rows in ROWS_A_LANDMARK:
            with (
                patch.object(CutPolicy, "sampled_rows", lambda policy, p, rows=rows: rows * p),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                models = [DnCSC(len(set(y[counted])), random_state=seed).fit(X) for seed in range(SEEDS)]
            line.append(100 * np.mean([ari(y[counted], model.labels_[counted]) for model in models]))
        table.append(line)
        print(name, *(f"{each:.2f}" for each in line), flush=True)
    print("mean", *(f"{each:.2f}" for each in np.mean(table, axis=0)))


if __name__ == "__main__":
    main()
