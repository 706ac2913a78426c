"""Specks: groups of landmarks too small to be clusters, what becomes of them, and when there are too many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SPECK_SHARE = 0.03
"""of the mean cluster's rows: a group of fewer is a speck, unless many landmarks stand for it"""
SPECK_ROWS, SHARE_OF_FEW = 8, 0.2
"""The same where rows are few: so many, but no more than this share of the mean cluster's."""
SHARE_OF_VECTOR = 0.01
"""of the mean cluster's rows: a vector over fewer points at a speck, however many landmarks stand for it"""
ROWS_OF_MANY_LANDMARKS = 30
"""A group of fewer is a speck even then: of rows strewn at random, some twenty hang together by chance."""
SPECK_LANDMARKS = 10
"""A group that fewer landmarks stand for is thin; or a quarter of the landmarks a cluster, where that is less."""
MOST_SPECKS = 0.1
"""of all rows: where more are in small components, these are what the data is made of, and no specks"""


@dataclass(frozen=True)
class Tolerance:
    """Which graphs do not count as shattered."""

    in_specks: float
    """share of the rows that may be in specks"""
    landmarks_in_specks: float
    """and of the landmarks"""
    sets_aside: bool
    """whether specks that barely hold to the rest count as such, and are left out, where vectors would be thin"""


class Shattered(Exception):
    """Most that a graph can be cut into is thin, or many of its rows are in specks."""


@dataclass(frozen=True)
class Measure:
    """Tells vectors that divide the landmarks from those that point at a few of them.

    A vector that is constant on a group and 0 elsewhere spreads over as much as the group has; one that is about as
    large everywhere, over everything.
    """

    mass: np.ndarray
    n_clusters: int
    n_rows: int | None = None
    """that the mass is the weight of; None where it is not known"""

    @property
    def least_landmarks(self) -> float:
        return min(SPECK_LANDMARKS, len(self.mass) / (4 * self.n_clusters))

    @property
    def least_mass(self) -> float:
        share = SPECK_SHARE
        if self.n_rows is not None:
            share = max(share, min(SPECK_ROWS * self.n_clusters / self.n_rows, SHARE_OF_FEW))
        return share * self._mean_cluster

    @property
    def least_mass_if_wide(self) -> float:
        """The same for a group that many landmarks stand for."""
        return 0.0 if self.n_rows is None else ROWS_OF_MANY_LANDMARKS * float(self.mass.sum()) / self.n_rows

    @property
    def _mean_cluster(self) -> float:
        return float(self.mass.sum()) / self.n_clusters

    def is_speck(self, extent: float, members: np.ndarray, vector: np.ndarray) -> bool:
        """Whether a vector over so many landmarks does; that of a part of the graph, an infinite number, does not."""
        mass = extent_of(self.mass[members], vector)
        is_thin = extent < self.least_landmarks and mass < self.least_mass
        return is_thin or (extent < np.inf and mass < SHARE_OF_VECTOR * self._mean_cluster)


def extent_of(mass: np.ndarray, vector: np.ndarray) -> float:
    """Mass that a vector extends over: ``(sum m v^2)^2 / sum m v^4``."""
    scaled = (vector / np.abs(vector).max(initial=np.finfo(np.float64).tiny)) ** 2
    return float((mass @ scaled) ** 2 / max(mass @ scaled**2, np.finfo(np.float64).tiny))


def without_specks(component: np.ndarray, measure: Measure) -> tuple[np.ndarray, float, float]:
    """Landmarks of components that are no specks, all where specks are most; shares of rows and landmarks in them."""
    mass, size = np.bincount(component, measure.mass), np.bincount(component)
    is_wide = (size >= measure.least_landmarks) & (mass >= measure.least_mass_if_wide)
    kept = (mass >= measure.least_mass) | is_wide
    rows, landmarks = mass[~kept].sum() / mass.sum(), size[~kept].sum() / size.sum()
    core = np.arange(len(component)) if rows > MOST_SPECKS else np.flatnonzero(kept[component])
    return core, float(rows), float(landmarks)


def share_lines(lines: np.ndarray, landmarks: np.ndarray, used: np.ndarray, core: np.ndarray) -> None:
    """Give landmarks that are used, but not in the core, the lines of the nearest one that is."""
    for speck in np.setdiff1d(used, core):
        squared = np.sum((landmarks[core] - landmarks[speck]) ** 2, axis=1, dtype=np.float64)
        lines[speck] = lines[core[np.argmin(squared)]]


def join_lightest(component: np.ndarray, landmarks: np.ndarray, degree: np.ndarray, most: int) -> np.ndarray:
    """Join the lightest component to the one nearest to it (by its nearest landmark) until at most `most` are left.

    Parameters
    ----------
    component : int (p,)
        Component of each landmark.
    landmarks : (p, d)
    degree : (p,)
        Weight of each landmark.
    most : int

    Returns
    -------
    part : int (p,)
        Numbered from 0 without gaps.
    """
    part = component.copy()
    mass = np.bincount(part, degree)
    left = len(mass)
    while left > most:
        light = int(np.argmin(mass))
        inside, outside = np.flatnonzero(part == light), np.flatnonzero(part != light)
        squared = [np.min(np.sum((landmarks[outside] - landmarks[i]) ** 2, axis=1, dtype=np.float64)) for i in inside]
        closest = inside[int(np.argmin(squared))]
        distances = np.sum((landmarks[outside] - landmarks[closest]) ** 2, axis=1, dtype=np.float64)
        heir = part[outside[int(np.argmin(distances))]]
        part[inside] = heir
        mass[heir] += mass[light]
        mass[light] = np.inf
        left -= 1
    return np.unique(part, return_inverse=True)[1]
