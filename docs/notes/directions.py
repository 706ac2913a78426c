"""Rows divided by few directions or by all features: how much directions show of near rows, quality and seconds.

DNCSC_DATA=folder python docs/notes/directions.py [SEEDS] [SET ...]

Sets are the paper's, or embeddings: TOPICS-topics-FEATURES-ROWS.
"""

from __future__ import annotations

import sys
import time
import warnings
from functools import partial
from unittest import mock

import numpy as np

from dncsc import DnCSC
from dncsc.datasets import embeddings, load
from dncsc.metrics import scores
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.select import few_directions
from dncsc.phases.select.few_directions import TRIED_ROWS, directions_that_tell

SETS = ["mnist", "covertype", "10-topics-64-30000", "20-topics-96-50000", "30-topics-128-50000"]
CHOICES = {"all features": 2.0, "as chosen": CutPolicy.projected_share, "directions": -1.0}


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    if "-topics-" not in name:
        X, y = load(name)
        return np.asarray(X, np.float32), y
    n_clusters, _, n_features, n = name.split("-")
    return embeddings(int(n), int(n_features), int(n_clusters))


def share(X: np.ndarray) -> float:
    """What directions hold of the squared differences of near rows, beyond what as many at random do."""
    some = X[np.random.default_rng(0).choice(len(X), TRIED_ROWS, replace=False)]
    some = some - some.mean(axis=0)
    held = (step / 100 for step in range(101) if directions_that_tell(some, step / 100) is not None)
    return max(held, default=0.0)


def _by(least: float, rows: np.ndarray, usual: float) -> np.ndarray | None:
    """`directions_that_tell` with another limit than the usual one."""
    return directions_that_tell(rows, least)


def main(seeds: int, sets: list[str]) -> None:
    warnings.simplefilter("ignore")
    print(f"| set | share | {' | '.join(CHOICES)} |\n|---|---|{'---|' * len(CHOICES)}")
    for name in sets:
        X, y = rows_of(name)
        cells = []
        for least in CHOICES.values():
            lines = []
            for seed in range(seeds):
                with mock.patch.object(few_directions, "directions_that_tell", partial(_by, least)):
                    start = time.perf_counter()
                    labels = DnCSC(len(np.unique(y)), random_state=seed).fit(X).labels_
                    seconds = time.perf_counter() - start
                score = scores(y, labels)
                lines.append([100 * score["acc"], 100 * score["nmi"], seconds])
            acc, nmi, _ = np.mean(lines, axis=0)
            cells.append(f"{acc:.1f} / {nmi:.1f}, {min(line[2] for line in lines):.2f} s")
        print(f"| {name} | {share(X):.2f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 5, given[1:] or SETS)
