"""Heaps without gaps, of two classes that overlap: NMI of DnCSC, LSEC and KMeans, each draw in a line.

python docs/notes/heaps.py [draws] [first draw]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.cluster import KMeans

from dncsc import LSEC, DnCSC
from dncsc.metrics import nmi


def heap(kind: str, draw: int) -> tuple[np.ndarray, np.ndarray]:
    """8,000 rows of 8 features in units of their deviation; classes differ by half a deviation, at random, in each."""
    random = np.random.default_rng(draw)
    shift, y = random.normal(0, 0.5, (2, 8)), random.integers(0, 2, 8_000)
    noise = random.standard_t(3, (8_000, 8)) if kind == "heavy-tailed" else random.standard_normal((8_000, 8))
    rows = noise + shift[y]
    rows = np.exp(rows) if kind == "skewed" else rows
    return rows / rows.std(axis=0), y


def main(draws: int = 6, first: int = 0) -> None:
    warnings.simplefilter("ignore")
    for kind in ("normal", "heavy-tailed", "skewed"):
        found = []
        for draw in range(first, first + draws):
            X, y = heap(kind, draw)
            models = DnCSC(2, random_state=draw), LSEC(2, random_state=draw), KMeans(2, n_init=3, random_state=draw)
            found.append([100 * nmi(y, model.fit_predict(X)) for model in models])
        for name, scores in zip(("DnCSC", "LSEC", "KMeans"), np.transpose(found), strict=True):
            print(f"{kind:13} {name:7} {np.mean(scores):5.1f}  ", *(f"{each:5.1f}" for each in scores), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
