"""The paper's data sets by name, five real ones and synthetic ones of any size; and made-up embeddings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dncsc.datasets.real import REAL, read
from dncsc.datasets.synthetic import BLOCK, SYNTHETIC
from dncsc.datasets.topics import embeddings
from dncsc.suggest import did_you_mean

__all__ = ["blocks", "embeddings", "load", "names"]


def names() -> list[str]:
    """Names of all sets."""
    return [*REAL, *SYNTHETIC]


def load(name: str, n: int | None = None, random_state: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes of a set of the paper.

    Parameters
    ----------
    name : str
        One of `names()`. PenDigits and Letters come with the library; other real sets are read from the folder that the
        environment variable `DNCSC_DATA` names (`NAME.npz` with arrays `X` and `y`), or downloaded from OpenML.
    n : int, optional
        How many rows; as many as in the paper by default. Synthetic sets can be made to any size; of a real set, `n`
        rows are drawn at random.
    random_state : int, default=0
        Seed of a synthetic set, or of the draw.

    Returns
    -------
    X : ndarray of shape (n, d)
    y : ndarray of int of shape (n,)

    Examples
    --------
    >>> X, y = load("fl-20m", n=1000)
    >>> X.shape, X.dtype.name
    ((1000, 2), 'float32')
    """
    _check(name, n)
    if name in SYNTHETIC:
        n = n or SYNTHETIC[name].n
        X, y = np.empty((n, 2), np.float32), np.empty(n, np.int32)
        for start, (some, classes) in zip(range(0, n, BLOCK), blocks(name, n, random_state), strict=True):
            X[start : start + BLOCK], y[start : start + BLOCK] = some, classes
        return X, y
    X, y = read(name)
    if n is not None and n > len(X):
        raise ValueError(f"data set {name!r} has {len(X)} rows; {n} were asked for.")
    if n is None or n == len(X):
        return X, y
    chosen = np.sort(np.random.default_rng(random_state).choice(len(X), n, replace=False))
    return X[chosen], y[chosen]


def blocks(name: str, n: int | None = None, random_state: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The rows that `load` gives, some thousands at a time, so that synthetic sets of any size fit in memory."""
    _check(name, n)
    if name in SYNTHETIC:
        return SYNTHETIC[name].blocks(n or SYNTHETIC[name].n, name, random_state)
    return iter([load(name, n, random_state)])


def _check(name: str, n: int | None) -> None:
    if name not in names():
        hint = did_you_mean(name, names())
        raise ValueError(f"there is no data set {name!r}.{hint} There are: {', '.join(names())}.")
    if n is not None and n < 1:
        raise ValueError(f"n must be at least 1; got {n}.")
