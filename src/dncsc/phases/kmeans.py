"""k-means on points that fit in memory: inside the selection of landmarks, and on a sample of the embedding.

A run that stands alone shares its blocks of points among threads. One of several is a single call of a kernel, so that
threads do not meet in the interpreter at each iteration.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from dncsc.engines.layout import block_rows
from dncsc.kernels.lloyd import lloyd_by_bounds, lloyd_by_distances
from dncsc.kernels.nearest import CENTRES_ALONG, PrunedSearch, nearest_centres, pruning_helps
from dncsc.kernels.projection import Projections, directions_of, project
from dncsc.kernels.seeding import spread
from dncsc.kernels.sums import add_by_group

SEEDING_POINTS = 10
"""Points a centre that k-means++ sees; Lloyd's iterations see all of them."""

SHARES = 4
"""Into so many the points of a run that stands alone are cut, so that threads have equal shares of them."""
SMALLEST_SHARE = 1024
"""points, but for the last: less is sooner done than handed over"""

LEAST_SHARED = 2**16
"""points times centres times features of a group, on average: threads that share smaller ones wait for each other"""

DIRECTION_POINTS = 500
"""Points that projections get their directions from."""

BOUNDED_FEATURES, BOUNDED_FEATURES_OF_LONG_RUNS = 32, 8
"""From here on bounds save more than they take; in the first iterations, which move centres most, they tell little."""
FEW_ITERATIONS = 10
MOST_BOUNDS = 2**21
"""Points times centres: more would take memory that grows with the clusters."""


class KMeans(NamedTuple):
    """Centres that have points, the weighted sum of squared distances to them, and iterations (1 where none moved)."""

    centres: np.ndarray
    inertia: float
    n_iter: int


Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Each(Protocol):
    """`map` to a list, perhaps with threads behind it: `dncsc.engines.base.Engine.each`."""

    def __call__(self, function: Callable[[Item], Answer], items: Iterable[Item], /) -> list[Answer]: ...


def one_by_one(function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
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
    return refine(points, weight, _start(points, weight, n_parts, random, trials), max_iter, each)


def kmeans_in_groups(
    points: np.ndarray,
    weight: np.ndarray,
    first: np.ndarray,
    n_parts: Sequence[int],
    random: Sequence[np.random.Generator],
    max_iter: int,
    each: Each = one_by_one,
) -> list[KMeans]:
    """k-means in each group of points by itself: group g is ``points[first[g]:first[g + 1]]``, and none is empty."""

    def run(g: int, each: Each = one_by_one) -> KMeans:
        span = slice(first[g], first[g + 1])
        return kmeans(points[span], weight[span], n_parts[g], random[g], max_iter, each=each)

    n_groups = len(random)
    if n_groups == 1:
        return [run(0, each)]
    share = each if np.diff(first) @ n_parts * points.shape[1] >= LEAST_SHARED * n_groups else one_by_one
    return share(run, range(n_groups))


def refine(
    points: np.ndarray, weight: np.ndarray, centres: np.ndarray, max_iter: int, each: Each = one_by_one
) -> KMeans:
    """Lloyd's iterations from given centres."""
    (n, d), k = points.shape, len(centres)
    if each is one_by_one and (n * k <= MOST_BOUNDS or d < CENTRES_ALONG):
        return _lloyd_in_kernel(points, weight, centres, max_iter)
    return _lloyd(_Points(points, weight).projected(k, each), centres, max_iter, each)


def _lloyd_in_kernel(points: np.ndarray, weight: np.ndarray, centres: np.ndarray, max_iter: int) -> KMeans:
    """Iterations until no point changes its centre, in one call."""
    (n, d), k = points.shape, len(centres)
    least = BOUNDED_FEATURES if max_iter <= FEW_ITERATIONS else BOUNDED_FEATURES_OF_LONG_RUNS
    lloyd: Any = lloyd_by_bounds if d >= least and n * k <= MOST_BOUNDS else lloyd_by_distances
    centres, mass, residual = centres.copy(), np.empty(k), np.empty(k)
    n_iter = lloyd(points, weight, centres, max_iter, mass, residual)
    return KMeans(centres[mass > 0], float(residual.sum()), max(n_iter, 1))


def _lloyd(points: _Points, centres: np.ndarray, max_iter: int, each: Each) -> KMeans:
    """The same, with blocks of the points shared among threads in each iteration."""
    now = points.assign(centres, each)
    n_iter = 0
    while n_iter < max_iter and now.residual.any():  # without any, each point is a centre: means would only round
        before = now
        centres = points.means(now, centres)
        now = points.assign(centres, each)
        n_iter += 1
        if np.array_equal(now.index, before.index):
            break
    return KMeans(centres[now.mass > 0], float(now.residual.sum()), max(n_iter, 1))


@dataclass(frozen=True)
class _Assigned:
    """Centre of each point and its squared distance; of each centre, the sums over its points."""

    index: np.ndarray
    squared: np.ndarray
    sums: np.ndarray
    mass: np.ndarray
    residual: np.ndarray


@dataclass(frozen=True)
class _Points:
    points: np.ndarray
    weight: np.ndarray
    directions: np.ndarray | None = None
    projections: Projections | None = None
    """of the points, in these directions"""

    def projected(self, n_centres: int, each: Each) -> _Points:
        """The same with projections, where these save time in every iteration."""
        n, d = self.points.shape
        if not pruning_helps(d, n_centres):
            return self
        directions, size = directions_of(self.points[:: max(1, n // DIRECTION_POINTS)]), block_rows(d)
        parts = each(lambda start: project(self.points[start : start + size], directions), range(0, n, size))
        return replace(
            self, directions=directions, projections=Projections(*map(np.concatenate, zip(*parts, strict=True)))
        )

    def assign(self, centres: np.ndarray, each: Each) -> _Assigned:
        """Nearest centre of each point, and the totals of each centre."""
        n, (k, d) = len(self.points), centres.shape
        index, squared = np.empty(n, np.int32), np.empty(n, self.points.dtype)
        size, all_centres = self._share(each), np.array([0, k], np.int32)
        pruned = None if self.directions is None else PrunedSearch.of(centres, self.directions)

        def block(start: int) -> list[np.ndarray]:
            span = slice(start, min(start + size, n))
            some, m = self.points[span], span.stop - start
            pruning = pruned, self.projections and self.projections.part(span)
            index[span], squared[span] = nearest_centres(some, np.zeros(m, np.int32), centres, all_centres, *pruning)
            totals = [np.zeros((k, d)), np.zeros(k), np.zeros(k), np.zeros(k, np.int64)]
            add_by_group(some, self.weight[span], index[span], squared[span], *totals)
            return totals[:3]

        return _Assigned(index, squared, *map(added, zip(*each(block, range(0, n, size)), strict=True)))

    def _share(self, each: Each) -> int:
        """Points that are looked at together; few are shared among threads."""
        n, d = self.points.shape
        size = block_rows(d)
        if n <= size // 2 and each is not one_by_one:
            return max(SMALLEST_SHARE, -(-n // SHARES))
        return size // 2

    def means(self, now: _Assigned, centres: np.ndarray) -> np.ndarray:
        """Mean of each centre's points; one without points moves to the point farthest from its centre."""
        means = (now.sums / np.where(now.mass > 0, now.mass, 1)[:, None]).astype(centres.dtype)
        for centre in np.flatnonzero(now.mass == 0):
            farthest = int(np.argmax(now.squared))
            now.squared[farthest] = 0  # taken: the next empty one looks elsewhere
            means[centre] = self.points[farthest]
        return means


def spread_out(n: int, count: int, random: np.random.Generator) -> np.ndarray | slice:
    """Some of n points, one from each of as many equal stretches; every tenth, say, could all be of one kind."""
    if count >= n:
        return slice(None)
    return ((np.arange(count) + random.random(count)) * (n / count)).astype(np.int64).clip(max=n - 1)


def _start(
    points: np.ndarray, weight: np.ndarray, n_parts: int, random: np.random.Generator, trials: int
) -> np.ndarray:
    """k-means++ on some of the points, or on all where those have too few distinct values."""
    n = len(points)
    uniforms = random.random((min(n_parts, n), trials))
    direction = random.standard_normal(points.shape[1])
    some = max(SEEDING_POINTS * n_parts, 500)
    while True:
        among = spread_out(n, some, random)
        seen, heavy = points[among], weight[among]
        # Sorted, so that the choice depends on the values alone: a point of weight 2 counts as two points would.
        order = np.argsort(seen.astype(np.float64) @ direction, kind="stable")
        chosen = np.empty(len(uniforms), np.int64)
        count = spread(seen[order], heavy[order], uniforms, chosen)
        if count == len(uniforms) or len(seen) == n:
            return seen[order[chosen[:count]]]
        some = n
