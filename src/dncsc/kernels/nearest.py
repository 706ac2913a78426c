"""Nearest centres and nearest landmarks of a block of rows, by whichever kernel suits the number of features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dncsc.kernels.across_rows import nearest_across_rows, search_across_rows
from dncsc.kernels.along_features import nearest_along_features, search_along_features, search_shortlist
from dncsc.kernels.grouping import group_rows
from dncsc.kernels.projection import Projections, directions_of, project
from dncsc.kernels.pruned_search import nearest_pruned, search_pruned

CENTRES_ALONG = 64
"""From this many features on, a matrix product finds the nearest of many centres sooner than lanes across rows do."""

PRODUCTS = 2**21
"""Inner products held at a time."""

FEW_CENTRES = 8
"""Up to this many, looking at each is faster than a matrix product."""

PRUNED_FEATURES = 128
"""From this many features on, projections leave out most centres before that."""

PROJECTION_PRODUCTS = 2**17
"""Inner products of projections held at a time, and in the nearest cache."""

LANDMARKS_ALONG = 16
"""The same for landmarks, where groups are small and often leave lanes across rows idle."""


@dataclass(frozen=True)
class PrunedSearch:
    """Points with their projections, and the directions that these are made by."""

    points: np.ndarray
    directions: np.ndarray
    projections: Projections

    @classmethod
    def of(cls, points: np.ndarray, directions: np.ndarray | None = None) -> PrunedSearch:
        """Projections points in given directions, or in those that suit them best."""
        chosen = directions_of(points) if directions is None else directions
        return cls(points, chosen, project(points, chosen))

    def nearest(self, rows: np.ndarray, seen: Projections, index: np.ndarray, squared: np.ndarray) -> None:
        """Fill in the nearest point of each row, whose projections are `seen`, and its squared distance."""
        for some, products, lengths in self._products(rows, seen):
            done = nearest_pruned(rows[some], self.points, products, *lengths, index[some], squared[some])
            if done < len(products):  # projections are of no use here
                rest = slice(some.start + done, None)
                _search_in_chunks(rows[rest], self.points, index[rest, None], squared[rest, None])
                break

    def search(
        self, rows: np.ndarray, group: np.ndarray, candidates: np.ndarray, n_nearest: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """What `search_all` finds, given candidates: a row of them for each group of rows."""
        nearest, squared = _to_fill(rows, n_nearest)
        for some, products, lengths in self._products(rows, project(rows, self.directions)):
            known = group[some], self.points, candidates, products, *lengths
            done = search_pruned(rows[some], *known, nearest[some], squared[some])
            if done < len(products):
                rest = slice(some.start + done, None)
                _search_in_chunks(rows[rest], self.points, nearest[rest], squared[rest])
                break
        return nearest, squared

    def _products(
        self, rows: np.ndarray, seen: Projections
    ) -> Iterator[tuple[slice, np.ndarray, tuple[np.ndarray, np.ndarray]]]:
        """Some rows at a time, inner products of their projections with the points', and lengths of both."""
        size = max(16, PROJECTION_PRODUCTS // len(self.points))
        for start in range(0, len(rows), size):
            some = slice(start, start + size)
            yield some, seen.numbers[some] @ self.projections.numbers.T, (seen.length[some], self.projections.length)

    def left(self, rows: np.ndarray, n_nearest: int) -> float:
        """How many points projections leave to look at for the K nearest of a row, on average."""
        squares, points = np.sum(rows.astype(np.float64) ** 2, axis=1), self.projections.length**2
        least = squares[:, None] + points - 2.0 * project(rows, self.directions).numbers @ self.projections.numbers.T
        farthest = search_all(rows, self.points, n_nearest)[1][:, -1:]
        return float(np.count_nonzero(least <= farthest) / len(rows))


def pruning_helps(n_features: int, n_centres: int) -> bool:
    """Whether projections of the centres of one group save time."""
    return n_features >= PRUNED_FEATURES and n_centres > 2 * FEW_CENTRES


def nearest_centres(
    rows: np.ndarray,
    group: np.ndarray,
    centres: np.ndarray,
    first_centre: np.ndarray,
    grouped: tuple[np.ndarray, np.ndarray] | None = None,
    pruned: PrunedSearch | None = None,
    projected: Projections | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centre of each row among the centres of its group.

    Parameters
    ----------
    rows : (n, d)
    group : int32 (n,)
    centres : (m, d)
        Those of group g are ``centres[first_centre[g]:first_centre[g + 1]]``; each group has at least one.
    first_centre : int32 (n_groups + 1,)
    grouped : optional
        What `group_rows` would give, where that is known.
    pruned : optional
        The centres of a single group, with their projections; the result is the same.
    projected : optional
        In the same directions, where that is known.

    Returns
    -------
    index : int32 (n,)
        Row number in `centres`; the first of equally near ones.
    squared : (n,)
        Squared distance to it, in the precision of `rows`.
    """
    n, d = rows.shape
    index = np.empty(n, np.int32)
    squared = np.empty(n, rows.dtype)
    if d < CENTRES_ALONG:
        order, first = grouped or group_rows(group, len(first_centre) - 1)
        nearest_across_rows(rows, order, first, centres, first_centre, index, squared)
    elif pruned is not None:
        seen = project(rows, pruned.directions) if projected is None else projected
        pruned.nearest(rows, seen, index, squared)
    elif len(first_centre) == 2 and len(centres) > FEW_CENTRES:
        _search_in_chunks(rows, centres, index[:, None], squared[:, None])
    else:
        nearest_along_features(rows, group, centres, first_centre, index, squared)
    return index, squared


def search_candidates(
    rows: np.ndarray,
    group: np.ndarray,
    landmarks: np.ndarray,
    candidates: np.ndarray,
    reach: np.ndarray,
    n_nearest: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """K nearest landmarks of each row among the candidates of its own landmark.

    Parameters
    ----------
    group : int32 (n,)
        Each row's own landmark.
    rows, landmarks, candidates, reach
        As in `dncsc.kernels.across_rows.search_across_rows`.
    n_nearest : int
        K, at most as many as there are candidates.

    Returns
    -------
    nearest : int32 (n, K)
    squared : (n, K)
        Squared distances, ascending; of equally near landmarks the one nearer to the row's own comes first.
    own : (n,)
        Distance to the row's own landmark.
    """
    nearest, squared = _to_fill(rows, n_nearest)
    own = np.empty(len(rows), rows.dtype)
    if rows.shape[1] < LANDMARKS_ALONG:
        order, first = group_rows(group, len(landmarks))
        search_across_rows(rows, order, first, landmarks, candidates, reach, nearest, squared, own)
    else:
        search_along_features(rows, group, landmarks, candidates, reach, nearest, squared, own)
    return nearest, squared, own


def search_all(rows: np.ndarray, points: np.ndarray, n_nearest: int) -> tuple[np.ndarray, np.ndarray]:
    """K nearest of all points, exactly; of equally near ones the first comes first.

    Returns
    -------
    nearest : int32 (n, K)
    squared : (n, K)
    """
    nearest, squared = _to_fill(rows, n_nearest)
    _search_in_chunks(rows, points, nearest, squared)
    return nearest, squared


def search_others(points: np.ndarray, start: int, stop: int, n_nearest: int) -> tuple[np.ndarray, np.ndarray]:
    """K nearest other points of points start to stop, also where some are equal to them."""
    nearest, squared = search_all(points[start:stop], points, n_nearest + 1)
    left_out = nearest == np.arange(start, start + len(nearest))[:, None]
    left_out[~left_out.any(axis=1), -1] = True  # more are equal to this one than were looked for
    shape = len(nearest), n_nearest
    return nearest[~left_out].reshape(shape), squared[~left_out].reshape(shape)


def _to_fill(rows: np.ndarray, n_nearest: int) -> tuple[np.ndarray, np.ndarray]:
    return np.empty((len(rows), n_nearest), np.int32), np.empty((len(rows), n_nearest), rows.dtype)


def _search_in_chunks(rows: np.ndarray, points: np.ndarray, nearest: np.ndarray, squared: np.ndarray) -> None:
    """`search_shortlist` with some rows at a time: rows times points is more than a block may hold."""
    size = max(16, PRODUCTS // len(points))
    for start in range(0, len(rows), size):
        some = slice(start, start + size)
        search_shortlist(rows[some], points, rows[some] @ points.T, nearest[some], squared[some])
