"""k-means on points that fit in memory: inside the selection of landmarks, and on a sample of the embedding."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from dncsc.engines.base import Item, Result
from dncsc.engines.layout import block_rows
from dncsc.kernels.across_rows import lloyd_across_rows
from dncsc.kernels.nearest import CENTRES_ALONG, nearest_centres
from dncsc.kernels.seeding import spread
from dncsc.kernels.sums import add_by_group

SEEDING_POINTS = 20
"""Points a centre that k-means++ sees; Lloyd's iterations see all of them."""


class KMeans(NamedTuple):
    """Centres that have points, the weighted sum of squared distances to them, and iterations (1 where none moved)."""

    centres: np.ndarray
    inertia: float
    n_iter: int


class Each(Protocol):
    """`map` to a list, perhaps with threads behind it: `dncsc.engines.base.Engine.each`."""

    def __call__(self, function: Callable[[Item], Result], items: Iterable[Item], /) -> list[Result]: ...


def one_by_one(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The `Each` without threads."""
    return [function(item) for item in items]


def added(parts: Iterable[np.ndarray]) -> np.ndarray:
    """Sum of arrays, in order."""
    first, *rest = parts
    return functools.reduce(np.add, rest, first)


def kmeans(
    points: np.ndarray,
    weight: np.ndarray,
    n_parts: int,
    random: np.random.Generator,
    max_iter: int,
    trials: int = 1,
    each: Each = one_by_one,
) -> KMeans:
    """Lloyd's iterations from a k-means++ start.

    Parameters
    ----------
    points : (n, d)
        In random order.
    weight : float64 (n,)
        Positive.
    n_parts : int
    random : Generator
    max_iter : int
        Iterations; fewer when no point changes its centre.
    trials : int
        Points tried for each starting centre.
    each : callable
        How to go through blocks of points.

    Returns
    -------
    KMeans
        With fewer than `n_parts` centres where there are fewer distinct points.
    """
    centres = _start(points, weight, n_parts, random, trials)
    if points.shape[1] < CENTRES_ALONG:
        mass = np.empty(len(centres))
        inertia, n_iter = lloyd_across_rows(points, weight, centres, max_iter, mass)
        return KMeans(centres[mass > 0], inertia, max(n_iter, 1))
    now = _assign(points, weight, centres, each)
    n_iter = 0
    while n_iter < max_iter and now.inertia > 0:  # at 0 each point is a centre: a mean would only add rounding
        before = now
        centres = _means(points, now)
        now = _assign(points, weight, centres, each)
        n_iter += 1
        if np.array_equal(now.index, before.index):
            break
    return KMeans(centres[now.mass > 0], now.inertia, max(n_iter, 1))


@dataclass(frozen=True)
class _Assigned:
    index: np.ndarray
    squared: np.ndarray
    sums: np.ndarray
    mass: np.ndarray
    inertia: float


def _assign(points: np.ndarray, weight: np.ndarray, centres: np.ndarray, each: Each) -> _Assigned:
    """Nearest centre of each point, and the totals of each part."""
    m, d = centres.shape
    first = np.array([0, m], np.int32)
    size = block_rows(d)

    def chunk(start: int) -> tuple[np.ndarray, ...]:
        some, heavy = points[start : start + size], weight[start : start + size]
        index, squared = nearest_centres(some, np.zeros(len(some), np.int32), centres, first)
        sums, mass, residual, count = np.zeros((m, d)), np.zeros(m), np.zeros(m), np.zeros(m, np.int64)
        add_by_group(some, heavy, index, squared, sums, mass, residual, count)
        return index, squared, sums, mass, residual

    index, squared, sums, mass, residual = zip(*each(chunk, range(0, len(points), size)), strict=True)
    return _Assigned(np.concatenate(index), np.concatenate(squared), added(sums), added(mass), float(np.sum(residual)))


def _means(points: np.ndarray, now: _Assigned) -> np.ndarray:
    """Centre of each part; a part without points moves to the point farthest from its centre."""
    empty = np.flatnonzero(now.mass == 0)
    centres = (now.sums / np.where(now.mass > 0, now.mass, 1)[:, None]).astype(points.dtype)
    if len(empty):
        centres[empty] = points[np.argsort(-now.squared, kind="stable")[: len(empty)]]
    return centres


def _start(
    points: np.ndarray, weight: np.ndarray, n_parts: int, random: np.random.Generator, trials: int
) -> np.ndarray:
    """k-means++ on some of the points, or on all where those have too few distinct values."""
    uniforms = random.random((min(n_parts, len(points)), trials))
    direction = random.standard_normal(points.shape[1])
    some = max(SEEDING_POINTS * n_parts, 500)
    while True:
        # Sorted, so that the choice depends on the values alone: a point of weight 2 counts as two points would.
        order = np.argsort(points[:some].astype(np.float64) @ direction, kind="stable")
        chosen = np.empty(len(uniforms), np.int64)
        count = spread(points[order], weight[order], uniforms, chosen)
        if count == len(uniforms) or some >= len(points):
            return points[order[chosen[:count]]]
        some = len(points)
