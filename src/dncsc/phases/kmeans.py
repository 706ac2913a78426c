"""k-means on points that fit in memory: inside the selection of landmarks, and on a sample of the embedding.

Points may stand in groups, each with its own k-means. Small groups run together, so that two hundred of them do not
meet in the interpreter at each iteration, and a large one shares its blocks among threads.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from dncsc.engines.layout import block_rows
from dncsc.kernels.lloyd import lloyd_in_groups
from dncsc.kernels.nearest import CENTRES_ALONG, PrunedSearch, nearest_centres, pruning_helps
from dncsc.kernels.projection import Projections, directions_of, project
from dncsc.kernels.seeding import spread
from dncsc.kernels.sums import add_by_group

SEEDING_POINTS = 10
"""Points a centre that k-means++ sees; Lloyd's iterations see all of them."""


SHARES = 4
"""Into so many the points of a group that stands alone are cut, so that threads have equal shares of them."""
SMALLEST_SHARE = 1024
"""points, but for the last: less is sooner done than handed over"""


DIRECTION_POINTS = 500
"""Points that projections get their directions from."""


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
    """k-means of points in one group; see `kmeans_in_groups`."""
    first = np.array([0, len(points)])
    [found] = kmeans_in_groups(points, weight, first, [n_parts], [random], max_iter, trials, each)
    return found


def refine(
    points: np.ndarray, weight: np.ndarray, centres: np.ndarray, max_iter: int, each: Each = one_by_one
) -> KMeans:
    """Lloyd's iterations from given centres."""
    groups = _Groups.of(points, weight, np.array([0, len(points)]), [centres])
    [found] = _lloyd(groups.projected(each), centres, max_iter, each)
    return found


def kmeans_in_groups(
    points: np.ndarray,
    weight: np.ndarray,
    first: np.ndarray,
    n_parts: Sequence[int],
    random: Sequence[np.random.Generator],
    max_iter: int,
    trials: int = 1,
    each: Each = one_by_one,
) -> list[KMeans]:
    """Lloyd's iterations from a k-means++ start, in each group of points.

    Parameters
    ----------
    points : (n, d)
    weight : float64 (n,)
        Positive.
    first : int (n_groups + 1,)
        Group g is ``points[first[g]:first[g + 1]]``; none is empty.
    n_parts : sequence of int
        Parts of each group.
    random : sequence of Generator
        One a group.
    max_iter : int
        Iterations; fewer when no point changes its centre.
    trials : int
        Points tried for each starting centre.
    each : callable
        How to go through groups, and through blocks of points.

    Returns
    -------
    list of KMeans
        With fewer than `n_parts` centres where a group has fewer distinct points.
    """
    spans = list(itertools.starmap(slice, itertools.pairwise(first.tolist())))
    starts = each(
        lambda g: _start(points[spans[g]], weight[spans[g]], n_parts[g], random[g], trials), range(len(spans))
    )
    if len(spans) == 1:
        return [refine(points, weight, starts[0], max_iter, each)]

    def together(groups: slice) -> list[KMeans]:
        span = slice(first[groups.start], first[groups.stop])
        those = _Groups.of(
            points[span], weight[span], first[groups.start : groups.stop + 1] - span.start, starts[groups]
        )
        lloyd = _lloyd_by_bounds if points.shape[1] >= CENTRES_ALONG else _lloyd
        return lloyd(those, np.concatenate(starts[groups]), max_iter, one_by_one)

    # Neighbouring groups that fill a block go through all iterations together, while they are in the cache.
    ends = np.searchsorted(first, np.arange(0, first[-1], block_rows(points.shape[1])), side="left")
    bounds = np.unique([*ends.tolist(), len(spans)]).tolist()
    return [found for part in each(together, itertools.starmap(slice, itertools.pairwise(bounds))) for found in part]


def _lloyd(groups: _Groups, centres: np.ndarray, max_iter: int, each: Each) -> list[KMeans]:
    """Iterations until no point of any group changes its centre."""
    now = groups.assign(centres, each)
    n_iter = 0
    while n_iter < max_iter and now.residual.any():  # without any, each point is a centre: means would only round
        before = now
        centres = groups.means(now, centres)
        now = groups.assign(centres, each)
        n_iter += 1
        if np.array_equal(now.index, before.index):
            break
    parts = itertools.starmap(slice, itertools.pairwise(groups.first_centre.tolist()))
    return [
        KMeans(centres[part][now.mass[part] > 0], float(now.residual[part].sum()), max(n_iter, 1)) for part in parts
    ]


def _lloyd_by_bounds(groups: _Groups, centres: np.ndarray, max_iter: int, each: Each) -> list[KMeans]:
    """The same group by group, in one kernel."""
    mass, residual = np.empty(len(centres)), np.empty(len(centres))
    n_iter = np.empty(len(groups.first) - 1, np.int64)
    spans = groups.first, groups.first_centre
    lloyd_in_groups(groups.points, groups.weight, *spans, centres, max_iter, mass, residual, n_iter)
    parts = list(itertools.starmap(slice, itertools.pairwise(groups.first_centre.tolist())))
    return [
        KMeans(centres[part][mass[part] > 0], float(residual[part].sum()), max(int(n), 1))
        for part, n in zip(parts, n_iter, strict=True)
    ]


@dataclass(frozen=True)
class _Assigned:
    """Centre of each point and its squared distance; of each centre, the sums over its points."""

    index: np.ndarray
    squared: np.ndarray
    sums: np.ndarray
    mass: np.ndarray
    residual: np.ndarray


@dataclass(frozen=True)
class _Groups:
    points: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    first_centre: np.ndarray
    """centres of group g are those from ``first_centre[g]`` to ``first_centre[g + 1]``"""
    directions: np.ndarray | None = None
    projections: Projections | None = None
    """of the points, in these directions"""

    @classmethod
    def of(cls, points: np.ndarray, weight: np.ndarray, first: np.ndarray, starts: list[np.ndarray]) -> _Groups:
        return cls(points, weight, first, np.cumsum([0, *map(len, starts)]).astype(np.int32))

    def projected(self, each: Each) -> _Groups:
        """The same with projections, where these save time in every iteration: with many centres in one group."""
        n, d = self.points.shape
        if not pruning_helps(d, int(self.first_centre[-1])):
            return self
        directions, size = directions_of(self.points[:: max(1, n // DIRECTION_POINTS)]), block_rows(d)
        parts = each(lambda start: project(self.points[start : start + size], directions), range(0, n, size))
        return replace(
            self, directions=directions, projections=Projections(*map(np.concatenate, zip(*parts, strict=True)))
        )

    def assign(self, centres: np.ndarray, each: Each) -> _Assigned:
        """Nearest centre of each point within its group, and the totals of each centre."""
        (n, d), m = self.points.shape, len(centres)
        index, squared = np.empty(n, np.int32), np.empty(n, self.points.dtype)
        size = self._share(each)
        pruned = None if self.directions is None else PrunedSearch.of(centres, self.directions)

        def block(start: int) -> tuple[slice, list[np.ndarray]]:
            span = slice(start, min(start + size, n))
            low, high = np.searchsorted(self.first, [span.start, span.stop - 1], side="right") - 1
            inside = np.clip(self.first[low : high + 2], span.start, span.stop) - span.start
            group = np.repeat(np.arange(high + 1 - low, dtype=np.int32), np.diff(inside))
            # Only the centres of these groups: with many, totals of all would cost more than the points.
            first_centre = self.first_centre[low : high + 2]
            near = slice(int(first_centre[0]), int(first_centre[-1]))
            some, count = self.points[span], near.stop - near.start
            grouped = np.arange(len(some), dtype=np.int32), inside.astype(np.int32)
            pruning = pruned, self.projections and self.projections.part(span)
            part, squared[span] = nearest_centres(
                some, group, centres[near], first_centre - first_centre[0], grouped, *pruning
            )
            totals = [np.zeros((count, d)), np.zeros(count), np.zeros(count), np.zeros(count, np.int64)]
            add_by_group(some, self.weight[span], part, squared[span], *totals)
            index[span] = part + first_centre[0]
            return near, totals

        sums, mass, residual = np.zeros((m, d)), np.zeros(m), np.zeros(m)
        for near, totals in each(block, range(0, n, size)):
            sums[near] += totals[0]
            mass[near] += totals[1]
            residual[near] += totals[2]
        return _Assigned(index, squared, sums, mass, residual)

    def _share(self, each: Each) -> int:
        """Points that are looked at together; those of a group that stands alone are shared among threads."""
        n, d = self.points.shape
        size = block_rows(d)
        if len(self.first) > 2:
            return size
        if n <= size // 2 and each is not one_by_one:
            return max(SMALLEST_SHARE, -(-n // SHARES))
        return size // 2

    def means(self, now: _Assigned, centres: np.ndarray) -> np.ndarray:
        """Mean of each centre's points; one without points moves to the point of its group farthest from its centre."""
        means = (now.sums / np.where(now.mass > 0, now.mass, 1)[:, None]).astype(centres.dtype)
        for centre in np.flatnonzero(now.mass == 0):
            g = int(np.searchsorted(self.first_centre, centre, side="right")) - 1
            inside = now.squared[self.first[g] : self.first[g + 1]]
            farthest = int(np.argmax(inside))
            inside[farthest] = 0  # taken: the next empty one looks elsewhere
            means[centre] = self.points[self.first[g] + farthest]
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
