"""Coarser cuts, for data whose finest structure is not what is sought.

Tables with categories fall into cells of equal categories, and rows with a value filled in lie in sheets of their own.
A tenth of the landmarks does not see those, and positions alone see them least. Landmarks are taken for rows: nothing
goes over the rows again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dncsc.kernels.nearest import search_all
from dncsc.phases.cut.categories import Common, common_values, share_explained
from dncsc.phases.cut.coarse_graph import coarse_centres, coarse_graph, n_coarse
from dncsc.phases.cut.eigenpairs import Wanted
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Spectrum
from dncsc.phases.kmeans import KMeans, kmeans

STARTS, ITERATIONS = 30, 20
"""of the k-means that divides landmarks by position"""
FIRST_STARTS = 3
"""that show whether such clusters may explain nothing of shared values"""


class View(NamedTuple):
    """Coordinates of landmarks, at some resolution."""

    spectrum: Spectrum
    told: np.ndarray = np.empty(0)
    """(m,): how far they explain each of the values that landmarks share"""
    is_coarse: bool = False
    is_by_position: bool = False
    """whether clusters are cells of categories at any resolution, so that landmarks are divided by where they are"""

    @property
    def most_told(self) -> float:
        return float(self.told.max(initial=0))


def beyond_categories(
    fine: Spectrum,
    landmarks: np.ndarray,
    mass: np.ndarray,
    wanted: Wanted,
    n_neighbors: int,
    random: np.random.Generator,
) -> View:
    """The spectrum as it is, or a coarser view of the same landmarks where that explains categories far less.

    One is tried where landmarks share values, and the cut explains some of these or is one of too many parts. It is
    taken if it has no small part and shows clusters more clearly. Otherwise each step has to halve what is explained of
    these values. Where clusters are cells of categories at any resolution, positions divide. Images share the value of
    their background; all views explain it alike.
    """
    policy, views = wanted.policy, _Views(fine, landmarks, mass, wanted, n_neighbors, random)
    if n_coarse(len(landmarks), wanted.n_clusters, policy) < policy.coarser * wanted.n_clusters:
        return View(fine)
    if not views.are_parts and views.fine.most_told < policy.told:
        return views.fine
    is_believed = views.shows_clusters(views.coarse)
    taken = views.coarse if is_believed else views.halving()
    if views.is_of_values(taken) or (not is_believed and views.is_of_cells(taken)):
        return views.by_position
    return taken


@dataclass(frozen=True)
class _Views:
    """The same landmarks (p, d), each with the mass of its rows (p,), from nearby and from farther away."""

    spectrum: Spectrum
    landmarks: np.ndarray
    mass: np.ndarray
    wanted: Wanted
    n_neighbors: int
    random: np.random.Generator

    @property
    def policy(self) -> CutPolicy:
        return self.wanted.policy

    @cached_property
    def fine(self) -> View:
        return View(self.spectrum, self._told_by(self.spectrum))

    @cached_property
    def coarse(self) -> View:
        """By a graph of fewer landmarks."""
        count = n_coarse(len(self.landmarks), self.wanted.n_clusters, self.policy)
        centres = coarse_centres(self.landmarks, self.mass, count, self.random)
        graph = coarse_graph(self.landmarks, self.mass, centres, self.n_neighbors)
        spectrum = graph.spectrum(replace(self.wanted, limit=None, weighted=False))
        return View(spectrum, self._told_by(spectrum), is_coarse=True)

    @cached_property
    def by_position(self) -> View:
        """By k-means of the landmarks: the best of many starts."""
        more = [self._divided() for _ in range(STARTS - FIRST_STARTS)]
        return self._placed(min([*self._first_starts, *more], key=lambda run: run.inertia))

    @cached_property
    def _first_starts(self) -> list[KMeans]:
        return [self._divided() for _ in range(FIRST_STARTS)]

    def _divided(self) -> KMeans:
        with_rows = self.mass > 0
        points, weight = self.landmarks[with_rows], self.mass[with_rows]
        return kmeans(points, weight, self.wanted.n_clusters, self.random, ITERATIONS)

    def _placed(self, divided: KMeans) -> View:
        """Landmarks at the corners of their clusters."""
        own = search_all(self.landmarks, divided.centres, 1)[0][:, 0]
        spectrum = replace(self.spectrum, coordinates=np.eye(own.max() + 1)[own])
        return View(spectrum, self._told_by(spectrum), is_by_position=True)

    @cached_property
    def _common(self) -> Common:
        return common_values(self.landmarks, self.mass, self.policy)

    def _told_by(self, spectrum: Spectrum) -> np.ndarray:
        return share_explained(self._common.indicators, self.mass, spectrum.coordinates)

    def _is_clear(self, spectrum: Spectrum) -> bool:
        return spectrum.is_clear(self.wanted.n_clusters, self.policy)

    @property
    def _is_shattered(self) -> bool:
        return self.spectrum.is_shattered(self.wanted.n_clusters, self.policy)

    @property
    def are_parts(self) -> bool:
        """Whether values are shared, and the fine cut is one of too many parts, any of which may be a cluster."""
        has_values = len(self.fine.told) > 0
        return has_values and (self.spectrum.is_joined or self._is_shattered) and not self._is_clear(self.spectrum)

    def shows_clusters(self, view: View) -> bool:
        """Whether a view is clear, clearer than the fine one, and in one piece or in large parts."""
        is_clearer = self.are_parts or view.spectrum.clearness > self.spectrum.clearness
        return is_clearer and self._is_clear(view.spectrum) and self._has_large_parts(view)

    def _has_large_parts(self, view: View) -> bool:
        """Whether each part of a graph has much of a cluster's share of the rows, and none had to be joined."""
        least = self.policy.least_second * self.mass.sum() / self.wanted.n_clusters
        return not view.spectrum.is_joined and bool(np.bincount(view.spectrum.component, self.mass).min() >= least)

    def halving(self) -> View:
        """The last of the views, from the fine one on, that each explain half as much as the one before."""
        if not (self._tells(self.fine) and self._halves(self.fine, self.coarse)):
            return self.fine
        if not (self._tells(self.coarse) and self._halves(self.coarse, self.by_position)):
            return self.coarse
        return self.by_position

    def _tells(self, view: View) -> bool:
        return view.most_told >= self.policy.told

    def _halves(self, view: View, coarser: View) -> bool:
        return bool(view.told @ coarser.told <= self.policy.forgotten * (view.told @ view.told))

    def is_of_values(self, view: View) -> bool:
        """Whether a view explains half of some value, and positions none, as the first starts show already."""
        if view.most_told < self.policy.told_mostly or view.is_by_position:
            return False
        may_be_free = any(self._placed(run).most_told < self.policy.told for run in self._first_starts)
        return may_be_free and self.by_position.most_told < self.policy.told

    def is_of_cells(self, view: View) -> bool:
        """Whether clusters may be cells of categories after all: parts that hardly touch, and explain values in part.

        A value that clusters have as their own is explained nearly whole.
        """
        of_values = view.told[: self._common.n_values]
        tells_in_part = np.any((of_values >= self.policy.told) & (of_values < self.policy.told_whole))
        are_parts = self._is_shattered and (self.spectrum.is_joined or not self._is_clear(self.spectrum))
        return bool(tells_in_part and are_parts)
