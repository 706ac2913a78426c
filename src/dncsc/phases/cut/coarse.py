"""A coarser cut, for data whose finest structure is not what is sought.

Tables with categories fall into cells of equal categories, and rows with a value filled in lie in sheets of their own.
A tenth of the landmarks does not see those. Nothing goes over the rows again: landmarks, with the mass of their rows,
are taken for rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array

from dncsc.kernels.nearest import search_all
from dncsc.phases.affinity import gaussian
from dncsc.phases.cut.landmark_graph import LandmarkGraph
from dncsc.phases.cut.spectrum import Fragmented, Spectrum, Wanted, bottom_of_spectrum
from dncsc.phases.kmeans import kmeans

ITERATIONS = 10
"""of the k-means that places coarse landmarks"""


def clearer(
    fine: Spectrum,
    landmarks: np.ndarray,
    mass: np.ndarray,
    wanted: Wanted,
    n_neighbors: int,
    random: np.random.Generator,
) -> Spectrum:
    """The spectrum as it is, or that of a coarser graph of the same landmarks where that shows the clusters better.

    Where the fine graph shows them clearly, no other is made. One that falls into more parts than clusters, which
    hardly touch, has no say in which of them belong together: there the coarser one decides.
    """
    policy, k = wanted.policy, wanted.n_clusters
    n_coarse = max(policy.coarse_landmarks, policy.coarser * k)
    if fine.is_clear(k, policy) or len(landmarks) < policy.coarser * n_coarse:
        return fine
    unlimited = replace(wanted, limit=None, weighted=False)
    coarse = coarse_spectrum(landmarks, mass, unlimited, n_coarse, n_neighbors, random)
    is_clearer = policy.clearer * fine.clearness <= coarse.clearness < np.inf
    return coarse if is_clearer or fine.is_shattered(k, policy) else fine


def is_left_torn(fine: Spectrum, taken: Spectrum, wanted: Wanted) -> bool:
    """Whether a graph falls into more parts than clusters, and the coarser one in its place shows no clusters."""
    is_torn = taken is not fine and fine.is_shattered(wanted.n_clusters, wanted.policy)
    return is_torn and taken.clearness < wanted.policy.clearer


def coarse_spectrum(
    landmarks: np.ndarray,
    mass: np.ndarray,
    wanted: Wanted,
    n_coarse: int,
    n_neighbors: int,
    random: np.random.Generator,
) -> Spectrum:
    """Bottom of the spectrum of landmarks that are linked through fewer of them, with its coordinates on all.

    Parameters
    ----------
    landmarks : (p, d)
    mass : (p,)
        Weight of the rows of each.
    wanted : Wanted
    n_coarse : int
        How many coarse landmarks there are.
    n_neighbors : int
        To how many of them each landmark is linked.
    random : Generator
        Starts the k-means that places them.
    """
    used = np.flatnonzero(mass > 0)
    centres = kmeans(landmarks[used], mass[used], n_coarse, random, ITERATIONS).centres
    nearest, squared = search_all(landmarks, centres, min(n_neighbors, len(centres)))
    bandwidth = np.average(np.sqrt(squared.astype(np.float64)).mean(axis=1), weights=mass)
    shares, degree = gaussian(float(bandwidth)).weigh(nearest, squared)
    p, count = nearest.shape
    start = np.arange(0, p * count + 1, count)
    transition = csr_array((shares.ravel().astype(np.float64), nearest.ravel(), start), shape=(p, len(centres)))
    similarity = csr_array(transition.T @ scipy.sparse.diags_array(mass * degree) @ transition)
    coarse = LandmarkGraph(similarity, np.bincount(nearest[:, 0], mass, len(centres)))
    found = bottom_of_spectrum(coarse, centres, wanted)
    assert not isinstance(found, Fragmented)  # which there is a limit for
    return replace(found, coordinates=transition @ found.coordinates, component=found.component[nearest[:, 0]])
