"""Synthetic sets, made block by block: two-dimensional float32 rows and their classes.

A block is made from (seed, set, block number) alone: a billion rows need no more memory than one block, and the first
rows of a large set are the rows of a small one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dncsc.engines.seeds import generator

BLOCK = 2**16

Random = np.random.Generator


@dataclass(frozen=True)
class Synthetic:
    """A generator of rows: `place` puts rows of given classes somewhere."""

    n: int
    """rows in the paper"""
    n_classes: int
    shares: np.ndarray | None
    """of the classes; None for equal ones"""
    place: Callable[[np.ndarray, Random], np.ndarray]

    def blocks(self, n: int, name: str, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """X and y, `BLOCK` rows at a time."""
        for number, start in enumerate(range(0, n, BLOCK)):
            random = generator(seed, name, number)
            y = random.choice(self.n_classes, BLOCK, p=self.shares)
            X = self.place(y, random).astype(np.float32)
            yield X[: n - start], y[: n - start].astype(np.int32)


def _polar(radius: Any, angle: Any) -> np.ndarray:
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _spirals(y: np.ndarray, random: Random) -> np.ndarray:
    turns = 0.25 + 0.84 * random.random(len(y)) ** 0.42
    rows = _polar(turns / 1.09, 2 * np.pi * (turns + y / 3))
    return rows + random.normal(scale=0.03, size=rows.shape)


def _moons(y: np.ndarray, random: Random) -> np.ndarray:
    arc = _polar(1.0, np.pi * random.random(len(y)))
    rows = np.where(y[:, None] == 0, arc, [1.0, 0.5] - arc)
    return rows + random.normal(scale=0.1, size=rows.shape)


def _circles(y: np.ndarray, random: Random) -> np.ndarray:
    return _polar(1 + y + random.normal(scale=0.1, size=len(y)), 2 * np.pi * random.random(len(y)))


def _circles_and_gaussians(y: np.ndarray, random: Random) -> np.ndarray:
    ring = np.array([1.2, 0.4])[np.minimum(y, 1)] + random.normal(scale=0.03, size=len(y))
    rings = _polar(ring, 2 * np.pi * random.random(len(y)))
    centres = np.concatenate([np.zeros((3, 2)), _polar(0.8, np.deg2rad(45.0 * np.arange(8)))])
    gaussians = centres[y] + random.normal(scale=0.12, size=rings.shape)
    return np.where(y[:, None] < 2, rings, gaussians)


def _flower(y: np.ndarray, random: Random) -> np.ndarray:
    n = len(y)
    gap = 29.1  # degrees of a petal's ring left out on either side, facing the origin
    angle = np.deg2rad(180 + random.uniform(gap, 360 - gap, n) + random.normal(scale=9.2, size=n))
    petal = np.array([1.0, 0.0]) + _polar(0.4 + random.normal(scale=0.042, size=n), angle)
    along = random.uniform(0.195, 1.0, n) + random.normal(scale=0.055, size=n)
    stem = np.stack([along, random.normal(scale=0.036, size=n)], axis=1)
    ahead = np.where(y[:, None] < 6, petal, stem)
    turn = np.deg2rad(60.0 * (y % 6))
    cos, sin = np.cos(turn), np.sin(turn)
    turned = np.stack([ahead[:, 0] * cos - ahead[:, 1] * sin, ahead[:, 0] * sin + ahead[:, 1] * cos], axis=1)
    return np.where(y[:, None] == 12, random.normal(scale=0.035, size=(n, 2)), turned)


def _blobs(n_blobs: int) -> Callable[[np.ndarray, Random], np.ndarray]:
    centres = generator(0, f"blobs-{n_blobs}").uniform(-1, 1, (n_blobs, 2)) * np.sqrt(n_blobs)
    return lambda y, random: centres[y] + random.normal(scale=0.15, size=(len(y), 2))


_FLOWER = np.array([*[0.1183] * 6, *[0.0452] * 6, 0.019])

SYNTHETIC = {
    "ts-60k": Synthetic(600_000, 3, None, _spirals),
    "tm-1m": Synthetic(1_000_000, 2, None, _moons),
    "tc-6m": Synthetic(6_000_000, 3, None, _circles),
    "cg-10m": Synthetic(10_000_000, 11, np.array([0.30, 0.10, *[0.6 / 9] * 9]), _circles_and_gaussians),
    "fl-20m": Synthetic(20_000_000, 13, _FLOWER / _FLOWER.sum(), _flower),
    **{f"blobs-{m}": Synthetic(100_000, m, None, _blobs(m)) for m in (500, 1000, 1500, 2000)},
}
