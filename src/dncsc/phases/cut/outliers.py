"""Outliers: components of a graph that are too small for clusters, and eigenvectors that are localized on few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dncsc.kernels.nearest import search_all
from dncsc.phases.cut.policy import CutPolicy

TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class OutlierTest:
    """Tells clusters from outlier components, and vectors that divide the landmarks from localized ones."""

    policy: CutPolicy
    mass: np.ndarray
    """(p,): weight of the rows of each landmark"""
    n_clusters: int
    n_rows: int | None = None
    """that the mass is the weight of; None where it is not known"""

    @property
    def least_landmarks(self) -> float:
        """What covers fewer landmarks is thin."""
        return min(self.policy.component_landmarks, len(self.mass) / (4 * self.n_clusters))

    @property
    def least_mass(self) -> float:
        """What is thin and has less is an outlier."""
        share = self.policy.outlier_share
        if self.n_rows is not None:
            few = self.policy.outlier_rows * self.n_clusters / self.n_rows
            share = max(share, min(few, self.policy.max_outlier_share))
        return share * float(self.mass.sum()) / self.n_clusters

    @property
    def least_mass_if_wide(self) -> float:
        """The same for a component of many landmarks."""
        return 0.0 if self.n_rows is None else self.policy.component_rows * float(self.mass.sum()) / self.n_rows

    def are_localized(self, extent: np.ndarray, members: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Whether vectors that extend over so many landmarks are localized."""
        mass = participation_ratio(self.mass[members], vectors)
        return (extent < self.least_landmarks) & (mass < self.least_mass)


def participation_ratio(mass: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Mass that a vector extends over, ``(sum m v^2)^2 / sum m v^4``: that of a group, if it is constant there.

    Of one vector (n,), or of each column of several (n, m).
    """
    scaled = (vectors / np.abs(vectors).max(axis=0, initial=TINY)) ** 2
    return np.asarray((mass @ scaled) ** 2 / np.maximum(mass @ scaled**2, TINY))


class OutlierLimit(NamedTuple):
    """Shares of the rows and of the landmarks in outlier components beyond which a graph is fragmented."""

    rows: float
    landmarks: float

    @classmethod
    def strict(cls, policy: CutPolicy) -> OutlierLimit:
        """Outliers are few: nothing is lost without them."""
        return cls(policy.max_outlier_rows, policy.max_outlier_landmarks)

    @classmethod
    def lenient(cls, policy: CutPolicy) -> OutlierLimit:
        """Most rows are in clusters."""
        return cls(policy.max_outliers, 1.0)


class Core(NamedTuple):
    """Landmarks without outlier components, and what share of the rows and of the landmarks these have."""

    landmarks: np.ndarray
    outlier_rows: float
    outlier_landmarks: float


def without_outliers(component: np.ndarray, test: OutlierTest) -> Core:
    """Leave out components that are no clusters; none where these are what the data is made of."""
    mass, size = np.bincount(component, test.mass), np.bincount(component)
    is_wide = (size >= test.least_landmarks) & (mass >= test.least_mass_if_wide)
    kept = (mass >= test.least_mass) | is_wide
    rows = float(mass[~kept].sum() / mass.sum())
    core = np.arange(len(component)) if rows > test.policy.max_outliers else np.flatnonzero(kept[component])
    return Core(core, rows, float(size[~kept].sum() / len(component)))


def adopt_nearest(values: np.ndarray, landmarks: np.ndarray, core: np.ndarray) -> None:
    """Give landmarks that are not in the core the values of the nearest one that is."""
    outside = np.setdiff1d(np.arange(len(landmarks)), core)
    if len(outside):
        nearest = search_all(landmarks[outside], landmarks[core], 1)[0][:, 0]
        values[outside] = values[core[nearest]]


class Joined(NamedTuple):
    """Components of which some were joined."""

    component: np.ndarray
    """int (p,): numbered from 0 without gaps"""
    clearness: float
    """how many times farther the component next to the nearest was, at least; infinite where none was joined"""


def join_lightest(component: np.ndarray, landmarks: np.ndarray, mass: np.ndarray, most: int) -> Joined:
    """Join the lightest component to the one nearest to it (by its nearest landmark) until at most `most` are left.

    Parameters
    ----------
    component : int (p,)
        Component of each landmark.
    landmarks : (p, d)
    mass : (p,)
        Weight of each landmark.
    most : int
    """
    joined, clearness = component.copy(), np.inf
    left = np.bincount(joined, mass)
    for _ in range(len(left) - most):
        light = int(np.argmin(left))
        inside, outside = np.flatnonzero(joined == light), np.flatnonzero(joined != light)
        squared = [np.min(np.sum((landmarks[outside] - landmarks[i]) ** 2, axis=1, dtype=np.float64)) for i in inside]
        closest = inside[int(np.argmin(squared))]
        distances = np.asarray(np.sum((landmarks[outside] - landmarks[closest]) ** 2, axis=1, dtype=np.float64))
        nearest = joined[outside[int(np.argmin(distances))]]
        others, closest_squared = distances[joined[outside] != nearest], distances.min()
        if len(others) and closest_squared > 0:
            clearness = min(clearness, float(np.sqrt(others.min()) / np.sqrt(closest_squared)))
        joined[inside] = nearest
        left[nearest] += left[light]
        left[light] = np.inf
    return Joined(np.unique(joined, return_inverse=True)[1], clearness)
