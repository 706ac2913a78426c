"""A coarser graph of landmarks: landmarks, with the mass of their rows, are taken for rows and linked to fewer of them.

Nothing goes over the rows again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array

from dncsc.kernels.nearest import search_all
from dncsc.phases.affinity import gaussian
from dncsc.phases.cut.eigenpairs import Fragmented, Wanted
from dncsc.phases.cut.landmark_graph import LandmarkGraph
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Spectrum, bottom_of_spectrum
from dncsc.phases.kmeans import kmeans

ITERATIONS = 20
"""of the k-means that places coarse landmarks"""


def coarse_centres(landmarks: np.ndarray, mass: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """Coarse landmarks: means of landmarks (p, d), each with the weight of its rows (p,), if it has any."""
    with_rows = np.flatnonzero(mass > 0)
    return kmeans(landmarks[with_rows], mass[with_rows], count, random, ITERATIONS).centres


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
