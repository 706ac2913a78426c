"""Nearest centres and nearest landmarks of a block of rows, by whichever kernel suits the number of features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dncsc.kernels.across_rows import nearest_across_rows, search_across_rows
from dncsc.kernels.along_features import (
    nearest_along_features,
    search_along_features,
    search_outlined,
    search_shortlist,
)
from dncsc.kernels.grouping import group_rows
from dncsc.kernels.outline import Outline, directions_of, outline

CENTRES_ALONG = 64
"""From this many features on, a matrix product finds the nearest of many centres sooner than lanes across rows do."""

PRODUCTS = 2**21
"""Inner products held at a time."""

FEW_CENTRES = 8
"""Up to this many, looking at each is faster than a matrix product."""

OUTLINED = 128
"""From this many features on, outlines leave out most centres before that."""

OUTLINE_PRODUCTS = 2**17
"""Inner products of outlines held at a time, and in the nearest cache."""

LANDMARKS_ALONG = 16
"""The same for landmarks, where groups are small and often leave lanes across rows idle."""


@dataclass(frozen=True)
class Outlined:
    """Points with their outlines, and the directions that these are made by."""

    points: np.ndarray
    directions: np.ndarray
    outline: Outline

    @classmethod
    def of(cls, points: np.ndarray, directions: np.ndarray | None = None) -> Outlined:
        """Outline points in given directions, or in those that suit them best."""
        chosen = directions_of(points) if directions is None else directions
        return cls(points, chosen, outline(points, chosen))

    def search(self, rows: np.ndarray, seen: Outline, nearest: np.ndarray, squared: np.ndarray) -> None:
        """Fill in the K nearest points of each row, whose outlines are `seen`, and the squared distances to them."""
        size = max(16, OUTLINE_PRODUCTS // len(self.points))
        for start in range(0, len(rows), size):
            some = slice(start, start + size)
            products = seen.numbers[some] @ self.outline.numbers.T
            lengths = seen.length[some], self.outline.length
            done = search_outlined(rows[some], self.points, products, *lengths, nearest[some], squared[some])
            if done < len(products):  # outlines are of no use here
                rest = slice(start + done, None)
                _search_in_chunks(rows[rest], self.points, nearest[rest], squared[rest])
                return

    def left(self, rows: np.ndarray, n_nearest: int) -> float:
        """How many points outlines leave to look at for the K nearest of a row, on average."""
        squares, points = np.sum(rows.astype(np.float64) ** 2, axis=1), self.outline.length**2
        least = squares[:, None] + points - 2.0 * outline(rows, self.directions).numbers @ self.outline.numbers.T
        farthest = search_all(rows, self.points, n_nearest)[1][:, -1:]
        return float(np.count_nonzero(least <= farthest) / len(rows))


def outlines_help(n_features: int, n_centres: int) -> bool:
    """Whether it is worth while to outline centres of one group."""
    return n_features >= OUTLINED and n_centres > 2 * FEW_CENTRES


def nearest_centres(
    rows: np.ndarray,
    group: np.ndarray,
    centres: np.ndarray,
    first_centre: np.ndarray,
    grouped: tuple[np.ndarray, np.ndarray] | None = None,
    outlined: Outlined | None = None,
    outline_of_rows: Outline | None = None,
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
    outlined : optional
        The centres of a single group, where they have been outlined; the result is the same.
    outline_of_rows : optional
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
    elif outlined is not None:
        seen = outline(rows, outlined.directions) if outline_of_rows is None else outline_of_rows
        outlined.search(rows, seen, index[:, None], squared[:, None])
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
    rows : (n, d)
    group : int32 (n,)
        Each row's own landmark.
    landmarks : (p, d)
    candidates : int32 (p, c)
        Landmarks by distance from each landmark, itself first.
    reach : (p, c)
        Those distances, less a margin for rounding; the search ends early where `reach` exceeds ``d(x, r) + d_K``.
    n_nearest : int
        K, at most c.

    Returns
    -------
    nearest : int32 (n, K)
    squared : (n, K)
        Squared distances, ascending; of equally near landmarks the one nearer to the row's own comes first.
    own : (n,)
        Distance to the row's own landmark.
    """
    n, d = rows.shape
    nearest = np.empty((n, n_nearest), np.int32)
    squared = np.empty((n, n_nearest), rows.dtype)
    own = np.empty(n, rows.dtype)
    if d < LANDMARKS_ALONG:
        order, first = group_rows(group, len(landmarks))
        search_across_rows(rows, order, first, landmarks, candidates, reach, nearest, squared, own)
    else:
        search_along_features(rows, group, landmarks, candidates, reach, nearest, squared, own)
    return nearest, squared, own


def search_all(
    rows: np.ndarray, points: np.ndarray, n_nearest: int, outlined: Outlined | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """K nearest of all points, exactly; of equally near ones the first comes first.

    Parameters
    ----------
    rows : (n, d)
    points : (m, d)
    n_nearest : int
        K, at most m.
    outlined : optional
        The points, where they have been outlined; the result is the same.

    Returns
    -------
    nearest : int32 (n, K)
    squared : (n, K)
    """
    nearest = np.empty((len(rows), n_nearest), np.int32)
    squared = np.empty((len(rows), n_nearest), rows.dtype)
    if outlined is None:
        _search_in_chunks(rows, points, nearest, squared)
    else:
        outlined.search(rows, outline(rows, outlined.directions), nearest, squared)
    return nearest, squared


def _search_in_chunks(rows: np.ndarray, points: np.ndarray, nearest: np.ndarray, squared: np.ndarray) -> None:
    """`search_shortlist` with some rows at a time: rows times points is more than a block may hold."""
    size = max(16, PRODUCTS // len(points))
    for start in range(0, len(rows), size):
        some = slice(start, start + size)
        search_shortlist(rows[some], points, rows[some] @ points.T, nearest[some], squared[some])
