"""Nearest centres and nearest landmarks of a block of rows, by whichever kernel suits the number of features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dncsc.kernels.across_rows import nearest_across_rows, search_across_rows
from dncsc.kernels.along_features import nearest_along_features, search_along_features, search_shortlist
from dncsc.kernels.grouping import group_rows
from dncsc.kernels.projection import Projections, directions_of, project
from dncsc.kernels.pruned_search import search_pruned

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
        """Project points to given directions, or in those that suit them best."""
        chosen = directions_of(points) if directions is None else directions
        return cls(points, chosen, project(points, chosen))

    def search(
        self,
        rows: np.ndarray,
        n_nearest: int,
        candidates: np.ndarray | None = None,
        seen: Projections | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """What `search_all` finds; sooner, given points near each point, and perhaps projections of the rows."""
        candidates = np.empty((0, 0), np.int32) if candidates is None else candidates
        nearest, squared = _to_fill(rows, n_nearest)
        seen = seen or project(rows, self.directions)
        size = max(16, PROJECTION_PRODUCTS // len(self.points))
        for start in range(0, len(rows), size):
            some = slice(start, start + size)
            products = seen.numbers[some] @ self.projections.numbers.T
            known = self.points, candidates, products, seen.length[some], self.projections.length
            done = search_pruned(rows[some], *known, nearest[some], squared[some])
            if done < len(products):  # projections are of no use here
                rest = slice(start + done, None)
                _search_in_chunks(rows[rest], self.points, nearest[rest], squared[rest])
                break
        return nearest, squared

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
    pruned: PrunedSearch | None = None,
    projected: Projections | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Nearest centre of each row among the centres of its group, and its squared distance, in the precision of `rows`.

    Parameters
    ----------
    rows : (n, d)
    group : int32 (n,)
    centres : (m, d)
        Those of group g are ``centres[first_centre[g]:first_centre[g + 1]]``, at least one. The first of equally near
        ones is taken.
    first_centre : int32 (n_groups + 1,)
    pruned : optional
        The centres of a single group, with their projections; the result is the same.
    projected : optional
        The rows in the same directions, where that is known.
    """
    n, d = rows.shape
    index, squared = np.empty(n, np.int32), np.empty(n, rows.dtype)
    if d < CENTRES_ALONG:
        n_groups = len(first_centre) - 1
        order, first = _one_group(n) if n_groups == 1 else group_rows(group, n_groups)
        nearest_across_rows(rows, order, first, centres, first_centre, index, squared)
    elif pruned is not None:
        nearest, least = pruned.search(rows, 1, seen=projected)
        return nearest[:, 0], least[:, 0]
    elif len(first_centre) == 2 and len(centres) > FEW_CENTRES:
        _search_in_chunks(rows, centres, index[:, None], squared[:, None])
    else:
        nearest_along_features(rows, group, centres, first_centre, index, squared)
    return index, squared


def _one_group(n: int) -> tuple[np.ndarray, np.ndarray]:
    """What `group_rows` gives where there is nothing to tell apart."""
    return np.arange(n, dtype=np.int32), np.array([0, n], np.int32)


def search_candidates(
    rows: np.ndarray,
    group: np.ndarray,
    landmarks: np.ndarray,
    candidates: np.ndarray,
    reach: np.ndarray,
    n_nearest: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """K nearest landmarks of each row among the candidates of its own landmark, and the squared distances, ascending.

    Of equally near landmarks the one nearer to the row's own comes first. Returns also the distance to that.

    Parameters
    ----------
    rows : (n, d)
    group : int32 (n,)
        Each row's own landmark.
    landmarks : (p, d)
    candidates : int32 (p, c)
        Landmarks by distance from each landmark, itself first.
    reach : (p, c)
        Those distances, less a margin for rounding: a search may end where `reach` exceeds the bound.
    n_nearest : int
        K, at most as many as there are candidates.
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
    """K nearest of all points, exactly, and their squared distances; of equally near ones the first comes first."""
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
