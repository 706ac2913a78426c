"""The sets that suites run on, by name: those of `dncsc.datasets`, shapes of few rows, and embeddings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dncsc import datasets
from dncsc.bench.shapes import SHAPES
from dncsc.datasets.synthetic import SYNTHETIC
from dncsc.suggest import did_you_mean


class Topics(NamedTuple):
    """Shape of a set of embeddings."""

    n_features: int
    n_clusters: int


TOPICS = {f"{k}-topics-{d}d": Topics(d, k) for d in (64, 256, 768) for k in (10, 50, 100, 500, 1000, 3000)}
ROWS = {**dict.fromkeys(SHAPES, 1000), **dict.fromkeys(TOPICS, 100_000)}
"""Of sets that have no size of their own, where no number is asked for."""
WHOLE = {name: each.n for name, each in SYNTHETIC.items()}
"""Rows in the paper of sets that can be made smaller."""


def check(name: str) -> None:
    """Refuse a set that there is not."""
    known = [*datasets.names(), *SHAPES, *TOPICS]
    if name not in known:
        hint = did_you_mean(name, known)
        raise ValueError(f"there is no data set {name!r}.{hint} There are: {', '.join(known)}.")


def load(name: str, rows: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes; None for as many rows as in the paper."""
    if name in SHAPES:
        return SHAPES[name](rows or ROWS[name])
    if name in TOPICS:
        return datasets.embeddings(rows or ROWS[name], *TOPICS[name])
    X, y = datasets.load(name, n=rows)
    return np.ascontiguousarray(X, np.float32), y
