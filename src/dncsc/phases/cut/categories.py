"""How far a cut explains categories, or values that were filled in: the share of them that is linear in its vectors.

A feature that many landmarks have one and the same value of is a category, a value filled in, or the background of an
image; landmarks that share all such values make a cell. A cut by clusters explains values and cells as far as clusters
have their own; a cut by cells explains some of these nearly whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dncsc.phases.cut.policy import CutPolicy

SAME = 1e-5
"""of a feature's spread: values that differ by less are the same, but for rounding"""
FEATURES = 64
"""looked at together, so that memory is bounded"""


class Common(NamedTuple):
    """Which landmarks share values."""

    indicators: np.ndarray
    """float64 (p, m): 1 where a landmark has the commonest value of a feature, and then where it is in a cell"""
    n_values: int
    """how many of them are of a feature alone"""


def common_values(landmarks: np.ndarray, mass: np.ndarray, policy: CutPolicy) -> Common:
    """Values of a feature that many landmarks share, and cells of landmarks that share all of these.

    Parameters
    ----------
    landmarks : (p, d)
    mass : (p,)
        Weight of the rows of each; landmarks without rows do not count.
    policy : CutPolicy
    """
    used, share = mass > 0, mass / mass.sum()
    least = max(policy.least_common, policy.common_landmarks * np.count_nonzero(used))

    def frequent(is_common: np.ndarray) -> np.ndarray:
        """Columns that many landmarks have, and rows that are neither nearly all nor hardly any."""
        rows = share @ is_common
        return is_common[:, (is_common.sum(axis=0) >= least) & (np.minimum(rows, 1 - rows) >= policy.common_rows)]

    found = []
    for first in range(0, landmarks.shape[1], FEATURES):
        values = landmarks[:, first : first + FEATURES]
        low, high = _longest_runs(values[used])
        found.append(frequent((low <= values) & (values <= high) & used[:, None]))
    shared = np.concatenate(found, axis=1)
    indicators = np.concatenate([shared, frequent(_cells(shared, used, least))], axis=1).astype(np.float64)
    return Common(indicators, shared.shape[1])


def _cells(shared: np.ndarray, used: np.ndarray, least: float) -> np.ndarray:
    """Bool (p, n): which landmarks are in each of the cells of so many that share all values."""
    _, cell = np.unique(np.packbits(shared, axis=1), axis=0, return_inverse=True)
    cell = cell.reshape(-1)  # which numpy 2.0 leaves with two axes
    numbers = np.flatnonzero(np.bincount(cell[used]) >= least)
    return (cell[:, None] == numbers) & used[:, None]


def _longest_runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The longest run of values that are the same, in each column: its least and its largest value."""
    lines = np.sort(np.ascontiguousarray(values.T), axis=1)
    number, place = np.arange(len(lines)), np.arange(len(values), dtype=np.int32)
    is_first = np.ones(lines.shape, bool)
    is_first[:, 1:] = np.diff(lines, axis=1) > SAME * lines.std(axis=1, dtype=np.float64, keepdims=True)
    start = np.maximum.accumulate(np.where(is_first, place, np.int32(0)), axis=1)
    end = np.argmax(place - start, axis=1)
    return lines[number, start[number, end]], lines[number, end]


def share_explained(common: np.ndarray, mass: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """float64 (m,): the share of each indicator's variance that is linear in the coordinates (R squared)."""
    weight = mass / mass.sum()
    centred = common - weight @ common
    places = coordinates - weight @ coordinates
    weighted = places * weight[:, None]
    products = weighted.T @ centred
    explained = np.sum(products * (np.linalg.pinv(weighted.T @ places, hermitian=True) @ products), axis=0)
    return explained / np.maximum(weight @ centred**2, np.finfo(np.float64).tiny)
