"""Whether a cut tells categories apart, or values that were filled in: the share of them that its vectors explain.

A feature that many landmarks have one and the same value of is a category, a value filled in, or the background of an
image. A cut by clusters tells such values as far as clusters have their own; a cut by cells of equal categories tells
them nearly whole.
"""

from __future__ import annotations

import numpy as np

from dncsc.phases.cut.policy import CutPolicy

SAME = 1e-5
"""of a feature's spread: values that differ by less are the same, but for rounding"""
FEATURES = 64
"""looked at together, so that memory is bounded"""


def common_values(landmarks: np.ndarray, mass: np.ndarray, policy: CutPolicy) -> np.ndarray:
    """float64 (p, m): 1 where a landmark has the commonest value of a feature, for the m features that have one.

    Parameters
    ----------
    landmarks : (p, d)
    mass : (p,)
        Weight of the rows of each; landmarks without rows do not count.
    policy : CutPolicy
    """
    used, share = mass > 0, mass / mass.sum()
    least = max(policy.component_landmarks, policy.common_landmarks * np.count_nonzero(used))
    found = []
    for first in range(0, landmarks.shape[1], FEATURES):
        values = landmarks[:, first : first + FEATURES]
        low, high, count = _longest_runs(values[used])
        is_common = (low <= values) & (values <= high) & used[:, None]
        rows = share @ is_common
        found.append(is_common[:, (count >= least) & (np.minimum(rows, 1 - rows) >= policy.common_rows)])
    return np.concatenate(found, axis=1).astype(np.float64)


def _longest_runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The longest run of values that are the same, in each column: its least and its largest value, and its length."""
    values, columns = np.sort(values, axis=0), np.arange(values.shape[1])
    place = np.arange(len(values))[:, None]
    is_first = np.ones(values.shape, bool)
    is_first[1:] = np.diff(values, axis=0) > SAME * values.std(axis=0, dtype=np.float64)
    start = np.maximum.accumulate(np.where(is_first, place, 0), axis=0)
    end = np.argmax(place - start, axis=0)
    begin = start[end, columns]
    return values[begin, columns], values[end, columns], end + 1 - begin


def share_explained(common: np.ndarray, mass: np.ndarray, coordinates: np.ndarray) -> np.ndarray:
    """float64 (m,): the share of each indicator's variance that is linear in the coordinates (R squared)."""
    weight = mass / mass.sum()
    centred = common - weight @ common
    places = coordinates - weight @ coordinates
    weighted = places * weight[:, None]
    products = weighted.T @ centred
    explained = np.sum(products * (np.linalg.pinv(weighted.T @ places, hermitian=True) @ products), axis=0)
    return explained / np.maximum(weight @ centred**2, np.finfo(np.float64).tiny)
