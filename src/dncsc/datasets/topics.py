"""Embeddings as language models make them of texts: unit vectors in topics, made block by block.

A block is made from (seed, shape, block number) alone: the first rows of a large set are the rows of a small one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dncsc.engines.seeds import generator

BLOCK = 2**14
DIRECTIONS = 12
"""That a topic extends in, and as many that it bends in."""
GROUP = 10
"""Topics that are near each other."""
EVENNESS = 2.0
"""Of the Dirichlet distribution of the topics' shares; the largest of 50 topics is some ten times a small one."""


class Topics(NamedTuple):
    """What all blocks of a set share."""

    ends: np.ndarray
    """of the shares of topics, one after another; shape (k,)"""
    centres: np.ndarray
    """shape (k, d)"""
    widths: np.ndarray
    """shape (k,)"""
    directions: np.ndarray
    """along, then those of the bends; shape (k, 2 * DIRECTIONS, d)"""

    @classmethod
    def draw(cls, d: int, k: int, seed: int, width: float, near: float) -> Topics:
        """Topics of a seed."""
        random = generator(seed, "topics", d, k)
        shares = random.dirichlet(np.full(k, EVENNESS))
        widths = width * random.uniform(0.5, 1.5, k) / np.sqrt(DIRECTIONS)
        n_groups = max(2, k // GROUP)
        shared = _directions(random, n_groups, d)[random.integers(0, n_groups, k)]
        centres = np.sqrt(1 - near**2) * _directions(random, k, d) + near * shared
        directions = _directions(random, k, 2 * DIRECTIONS, d)
        return cls(np.cumsum(shares), centres.astype(np.float32), widths.astype(np.float32), directions)

    def fill(self, X: np.ndarray, random: np.random.Generator, bend: float, noise: float) -> np.ndarray:
        """Overwrite all rows of a block; gives their topics."""
        y = np.minimum(np.searchsorted(self.ends, random.random(len(X))), len(self.ends) - 1)
        z = random.standard_normal((len(X), DIRECTIONS), dtype=np.float32)
        places = np.hstack([z, np.float32(bend) * (z * z - 1)]) * self.widths[y, None]
        random.standard_normal(out=X, dtype=np.float32)
        X *= np.float32(noise / np.sqrt(X.shape[1]))
        order = np.argsort(y, kind="stable")
        topics, starts = np.unique(y[order], return_index=True)
        for topic, rows in zip(topics, np.split(order, starts[1:]), strict=True):
            X[rows] += places[rows] @ self.directions[topic] + self.centres[topic]
        X /= np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
        return y.astype(np.int32)


def embeddings(
    n: int,
    n_features: int = 256,
    n_clusters: int = 50,
    random_state: int = 0,
    *,
    width: float = 1.4,
    bend: float = 0.5,
    noise: float = 1.0,
    near: float = 0.8,
) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors in topics, as embeddings of texts are: many features, many clusters of uneven size and shape.

    Shares of the topics are drawn from a Dirichlet distribution (2, 2, ...). The centre of a topic is a random
    direction; topics are in groups of about ten, which share a part of theirs. A topic extends in 12 directions of its
    own, and bends into 12 others: with standard normal `z`, a row is ``centre + w * (z @ B + bend * (z * z - 1) @ C)``,
    where `w` is between half and one and a half of the common width. Normal noise in all features comes on top. Rows
    are then given length 1.

    Rows are made block by block: the first rows of a large set are those of a small one with the same other parameters.
    Beyond the rows, memory is needed for 24 directions a topic.

    Parameters
    ----------
    n : int
        Number of rows.
    n_features : int, default=256
    n_clusters : int, default=50
        Number of topics. With few rows, small topics may have none.
    random_state : int, default=0
        Seed.
    width : float, default=1.4
        Of topics; typical distance of a row from its centre, whose length is about 1. In fact topics have 0.5 to 1.5
        times this width.
    bend : float, default=0.5
        How far topics bend; 0 for ellipsoids.
    noise : float, default=1.0
        Length of the noise.
    near : float, default=0.8
        Part that centres of a group have in common, as a cosine is: its square is the typical cosine between them.

    Returns
    -------
    X : ndarray of float32 of shape (n, n_features)
    y : ndarray of int32 of shape (n,)
        Topics, from 0.

    Examples
    --------
    >>> X, y = embeddings(1000, n_features=64, n_clusters=20)
    >>> X.shape, X.dtype.name, len(np.unique(y))
    ((1000, 64), 'float32', 20)
    """
    _check({"n": n, "n_features": n_features, "n_clusters": n_clusters}, 1)
    _check({"random_state": random_state, "width": width, "bend": bend, "noise": noise, "near": near}, 0)
    if near > 1:
        raise ValueError(f"near must be at most 1; got {near}.")
    topics = Topics.draw(n_features, n_clusters, random_state, width, near)
    X, y = np.empty((n, n_features), np.float32), np.empty(n, np.int32)
    for number, start in enumerate(range(0, n, BLOCK)):
        random = generator(random_state, "embeddings", n_features, n_clusters, number)
        rows, classes = X[start : start + BLOCK], y[start : start + BLOCK]
        # A matrix product may round a row differently among fewer rows, so that the last block is made whole.
        whole = rows if len(rows) == BLOCK else np.empty((BLOCK, n_features), np.float32)
        classes[:] = topics.fill(whole, random, bend, noise)[: len(rows)]
        if whole is not rows:
            rows[:] = whole[: len(rows)]
    return X, y


def _directions(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Of length about 1."""
    return random.standard_normal(shape, dtype=np.float32) / np.float32(np.sqrt(shape[-1]))


def _check(values: Mapping[str, float], least: int) -> None:
    for name, value in values.items():
        if not least <= value < np.inf:
            raise ValueError(f"{name} must be a number of at least {least}; got {value}.")
