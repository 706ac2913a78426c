"""The bottom of the spectrum of a landmark graph, and the coordinates that landmarks have by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dncsc.phases.cut.eigenpairs import (
    LARGEST_EIGENVALUE,
    Eigenpair,
    Fragmented,
    LinkedLandmarks,
    Wanted,
    eigenvalues_of,
    find_eigenpairs,
    has_gap,
)
from dncsc.phases.cut.landmark_graph import LandmarkGraph
from dncsc.phases.cut.outliers import adopt_nearest
from dncsc.phases.cut.policy import CutPolicy

LEAST_LINK = 1e-12
"""of W_R, normalised: landmarks joined by less are not joined, as no eigenvector could show it"""
LARGEST_COORDINATE = 1e15
"""of a landmark: squares of larger ones overflow in single precision; rows take the direction alone"""
ROUNDING = 1e-10
"""of W_R, normalised: smaller eigenvalues are rounding, and their vectors noise"""


def weigh_by_eigenvalues(
    coordinates: np.ndarray, eigenvalues: np.ndarray, n_vectors: int, policy: CutPolicy
) -> np.ndarray:
    """Weigh vectors by ``(floor + lambda / lambda_k) ** -power``; where there is a gap, the first k as they are.

    So some behind the k-th count too: none behind a gap, and nearly as much where it is by chance that the spectrum is
    cut there.
    """
    values = eigenvalues[: coordinates.shape[1]]
    if has_gap(values, n_vectors, policy):
        return coordinates[:, :n_vectors]
    last = max(values[min(n_vectors, len(values)) - 1], 1 - LARGEST_EIGENVALUE)
    return coordinates * (policy.weighting_floor + values / last) ** -policy.weighting_power


@dataclass(frozen=True)
class Spectrum:
    """The bottom of the spectrum of ``L_R v = lambda D_R v``."""

    eigenvalues: np.ndarray
    """lambda, ascending from 0; some more than k"""
    coordinates: np.ndarray
    """(p, k): v / sqrt(1 - lambda), so that a row's embedding is the mean of its landmarks' coordinates by T"""
    component: np.ndarray
    """int32 (p,): connected component of each landmark; of several that were joined, where they are too many"""
    n_components: int
    """connected components of the whole graph, outliers among them"""
    clearness: float
    """how many times larger the eigenvalue behind the k-th is; where components had to be joined, how many times
    farther the component next to the nearest was, at least"""
    is_joined: bool = False

    def is_shattered(self, k: int, policy: CutPolicy) -> bool:
        """Whether there are more than k parts that hardly touch."""
        return len(self.eigenvalues) > k and self.eigenvalues[k] < policy.shattered

    def clear_from(self, k: int, policy: CutPolicy) -> float:
        """Clearness that shows k clusters. Of parts that hardly touch, any number has a gap behind it by chance."""
        if self.is_joined:
            return 1 / policy.gap
        return policy.clear_gap_among_outliers if self.is_shattered(k, policy) else policy.clear_gap

    def is_clear(self, k: int, policy: CutPolicy) -> bool:
        return self.clearness >= self.clear_from(k, policy)


def bottom_of_spectrum(
    graph: LandmarkGraph, landmarks: np.ndarray, wanted: Wanted, factorise: bool = True
) -> Spectrum | Fragmented:
    """Solve ``L_R v = lambda D_R v`` component by component.

    A graph of c components has the eigenvalue 0 c times, and a solver returns any rotation of those vectors, or
    stalls. Taken apart, each component has it once, with a vector that is known. Where there are more components than
    clusters, the lightest joins the one nearest to it until k are left, and each of those becomes a cluster.

    Parameters
    ----------
    graph : LandmarkGraph
    landmarks : (p, d)
        Where the landmarks are, to tell which components are near.
    wanted : Wanted
    factorise : bool
        Whether a sparse factorisation is likely to stay sparse; see `leading_eigenpairs`.
    """
    degree = np.asarray(graph.similarity.sum(axis=1)).ravel()
    linked = np.flatnonzero(degree > 0)  # a landmark that is no row's neighbour takes no part
    links = _normalised(graph.similarity, degree, linked)
    inner = LinkedLandmarks(links, np.sqrt(degree[linked]), landmarks[linked], graph.mass[linked], factorise)
    found = find_eigenpairs(inner, wanted)
    if isinstance(found, Fragmented):
        return found
    coordinates = _coordinates(found.pairs[: wanted.first + wanted.n_spare], linked, len(degree))
    if wanted.weighted:
        coordinates = weigh_by_eigenvalues(coordinates, eigenvalues_of(found.pairs), wanted.first, wanted.policy)
    component = np.zeros(len(degree), np.int32)
    for number, members in enumerate(found.components):
        component[linked[members]] = number
    for values in (coordinates, component):
        adopt_nearest(values, landmarks, linked[found.core])  # also where only rows that were not added up are
    joined = found.n_components > wanted.first
    shown = [1.0] * found.n_components if joined else [pair.value for pair in found.pairs]
    eigenvalues = np.clip(1 - np.array(shown[: wanted.first + wanted.policy.spare_eigenvalues]), 0, 1)
    clearness = found.clearness if joined else _clearness(eigenvalues, wanted.n_clusters, found.seen)
    n_components = connected_components(links, directed=False)[0]
    return Spectrum(eigenvalues, coordinates, component, n_components, clearness, joined)


def _normalised(similarity: csr_array, degree: np.ndarray, linked: np.ndarray) -> csr_array:
    """``D_R^-1/2 W_R D_R^-1/2`` of the landmarks that are linked."""
    inverse = scipy.sparse.diags_array(1 / np.sqrt(degree[linked]))
    normal = csr_array(inverse @ similarity[linked][:, linked] @ inverse)
    normal.data[normal.data < LEAST_LINK] = 0
    normal.eliminate_zeros()
    return normal


def _coordinates(pairs: list[Eigenpair], linked: np.ndarray, p: int) -> np.ndarray:
    """Vectors over all landmarks, divided by the roots of their eigenvalues.

    Those of landmarks that rows are hardly linked to are huge.
    """
    useful = [pair for pair in pairs if pair.value > ROUNDING]
    coordinates = np.zeros((p, len(useful)))
    for column, pair in enumerate(useful):
        coordinates[linked[pair.members], column] = pair.vector / np.sqrt(pair.value)
    largest = np.abs(coordinates).max(axis=1, initial=0.0)
    return coordinates * (LARGEST_COORDINATE / np.maximum(largest, LARGEST_COORDINATE))[:, None]


def _clearness(eigenvalues: np.ndarray, k: int, seen: float) -> float:
    """How many times larger the eigenvalue behind the k-th is, at least.

    Where all vectors behind are localized, it is no smaller than the largest eigenvalue that was seen; where none was
    looked for, the gap is infinite.
    """
    if len(eigenvalues) < k:
        return np.inf
    behind = eigenvalues[k] if len(eigenvalues) > k else seen
    return float(behind / max(eigenvalues[k - 1], ROUNDING))
