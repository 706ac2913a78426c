"""Coarser cuts, for data whose finest structure is not what is sought.

Tables with categories fall into cells of equal categories, and rows with a value filled in lie in sheets of their own.
A tenth of the landmarks does not see those, and positions alone see them least. Nothing goes over the rows again:
landmarks, with the mass of their rows, are taken for rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array

from dncsc.kernels.nearest import search_all
from dncsc.phases.affinity import gaussian
from dncsc.phases.cut.categories import common_values, share_explained
from dncsc.phases.cut.eigenpairs import Fragmented, Wanted
from dncsc.phases.cut.landmark_graph import LandmarkGraph
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Spectrum, bottom_of_spectrum
from dncsc.phases.kmeans import kmeans

ITERATIONS = 20
"""of k-means, which places coarse landmarks, and divides landmarks by position"""
STARTS = 30
"""of the latter"""


class View(NamedTuple):
    """Coordinates of landmarks, at some resolution."""

    spectrum: Spectrum
    is_coarse: bool = False
    is_by_position: bool = False
    is_torn: bool = False
    """whether graphs of any resolution tell categories apart"""


def beyond_categories(
    fine: Spectrum,
    landmarks: np.ndarray,
    mass: np.ndarray,
    wanted: Wanted,
    n_neighbors: int,
    random: np.random.Generator,
) -> View:
    """The spectrum as it is, or a coarser view of the same landmarks where that tells far less of categories.

    Where values are shared, and the cut explains some of them or is one of too many parts, a coarser view is taken that
    has no small part and shows clusters more clearly. Else each step has to halve what is explained of these values.
    Images share the value of their background; all views explain it alike.
    """
    policy = wanted.policy
    count = n_coarse(len(landmarks), wanted.n_clusters, policy)
    taken, with_rows = View(fine), np.flatnonzero(mass > 0)
    if count < policy.coarser * wanted.n_clusters:
        return taken
    points = landmarks[with_rows], mass[with_rows]

    def coarse() -> View:
        centres = kmeans(*points, count, random, ITERATIONS).centres
        unlimited = replace(wanted, limit=None, weighted=False)
        return View(coarse_graph(landmarks, mass, centres, n_neighbors).spectrum(unlimited), is_coarse=True)

    def by_position() -> View:
        runs = [kmeans(*points, wanted.n_clusters, random, ITERATIONS) for _ in range(STARTS)]
        own = search_all(landmarks, min(runs, key=lambda run: run.inertia).centres, 1)[0][:, 0]
        return View(replace(fine, coordinates=np.eye(own.max() + 1)[own]), is_by_position=True)

    common, n_values = common_values(landmarks, mass, policy)

    def told_by(view: View) -> np.ndarray:
        return share_explained(common, mass, view.spectrum.coordinates)

    told = told_by(taken)
    is_clear, is_shattered = (has(wanted.n_clusters, policy) for has in (fine.is_clear, fine.is_shattered))
    are_parts = len(told) > 0 and (fine.is_joined or is_shattered) and not is_clear  # any of them may be a cluster
    if not are_parts and told.max(initial=0) < policy.told:
        return taken
    view = coarse()
    is_clearer = are_parts or view.spectrum.clearness > fine.clearness
    has_gap = view.spectrum.is_clear(wanted.n_clusters, policy)
    is_believed = is_clearer and has_gap and _has_large_parts(view.spectrum, mass, wanted)
    if is_believed:
        taken, told = view, told_by(view)
    else:
        taken, told = _halving(taken, told, [lambda: view, by_position], told_by, policy)
    if told.max(initial=0) >= policy.told_mostly and not taken.is_by_position:
        instead = (
            by_position()
        )  # of cells of equal values it tells nothing; of clusters with values of their own, as much
        if told_by(instead).max() < policy.told:
            return instead._replace(is_torn=True)
    if is_believed:
        return view
    if told.max() < policy.told and not taken.is_by_position:
        return taken
    of_values = told[:n_values]  # one that clusters have as their own is told nearly whole
    tells_in_part = bool(np.any((of_values >= policy.told) & (of_values < policy.told_whole)))
    is_torn = taken.is_by_position or (tells_in_part and is_shattered and (fine.is_joined or not is_clear))
    return taken._replace(is_torn=is_torn)


def _has_large_parts(spectrum: Spectrum, mass: np.ndarray, wanted: Wanted) -> bool:
    """Whether a graph is in one piece, or in parts of which each has much of a cluster's share of the rows."""
    of_parts = np.bincount(spectrum.component, mass)
    return not spectrum.is_joined and of_parts.min() >= wanted.policy.least_second * mass.sum() / wanted.n_clusters


def _halving(
    taken: View,
    told: np.ndarray,
    coarser: Sequence[Callable[[], View]],
    told_by: Callable[[View], np.ndarray],
    policy: CutPolicy,
) -> tuple[View, np.ndarray]:
    """The last of several views that each explain half as much as the one before, and what it explains."""
    for make in coarser:
        if told.max() < policy.told:
            break
        view = make()
        now = told_by(view)
        if told @ now > policy.forgotten * (told @ told):
            break
        taken, told = view, now
    return taken, told


def n_coarse(p: int, n_clusters: int, policy: CutPolicy) -> int:
    """How many coarse landmarks there are."""
    return min(max(policy.coarse_landmarks, policy.coarser * n_clusters), p // policy.coarser)


@dataclass(frozen=True)
class CoarseGraph:
    """Landmarks that are linked through fewer of them."""

    graph: LandmarkGraph
    centres: np.ndarray
    """(n_coarse, d)"""
    transition: csr_array
    """(p, n_coarse): share of each link of a landmark"""
    nearest: np.ndarray
    """(p,): nearest coarse landmark of each"""

    def spectrum(self, wanted: Wanted) -> Spectrum:
        """Its bottom, with coordinates on all landmarks."""
        found = bottom_of_spectrum(self.graph, self.centres, wanted)
        assert not isinstance(found, Fragmented)  # without a limit any graph is cut
        return replace(found, coordinates=self.transition @ found.coordinates, component=found.component[self.nearest])


def coarse_graph(landmarks: np.ndarray, mass: np.ndarray, centres: np.ndarray, n_neighbors: int) -> CoarseGraph:
    """Link landmarks (p, d), with the weight of the rows of each (p,), to so many of the coarse ones (n_coarse, d)."""
    nearest, squared = search_all(landmarks, centres, min(n_neighbors, len(centres)))
    bandwidth = np.average(np.sqrt(squared.astype(np.float64)).mean(axis=1), weights=mass)
    shares, degree = gaussian(float(bandwidth)).weigh(nearest, squared)
    p, count = nearest.shape
    start = np.arange(0, p * count + 1, count)
    transition = csr_array((shares.ravel().astype(np.float64), nearest.ravel(), start), shape=(p, len(centres)))
    similarity = csr_array(transition.T @ scipy.sparse.diags_array(mass * degree) @ transition)
    graph = LandmarkGraph(similarity, np.bincount(nearest[:, 0], mass, len(centres)), p)
    return CoarseGraph(graph, centres, transition, nearest[:, 0])
