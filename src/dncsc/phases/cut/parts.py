"""Whether clusters are in one piece, and into how many parts they fall.

Groups of clusters leave gaps in a spectrum beside which those of the clusters are not seen. But a cluster tells by
itself: in one piece, nothing varies over it more slowly than position does, and the Rayleigh quotients of its principal
axes are hardly above its second eigenvalue. Where that is far below, something tells its parts apart. In two or three
dimensions that may also be a bend, as in a moon: only in more does it count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dncsc.kernels.nearest import search_all
from dncsc.phases.cut.eigen import leading_eigenpairs
from dncsc.phases.cut.outliers import participation_ratio
from dncsc.phases.cut.policy import CutPolicy

N_AXES = 3
"""principal axes that are tried: the longest are the slowest"""
N_VECTORS = 6
"""among which there is one that is not localized, or else none is looked for"""
DIMENSION_LANDMARKS, DIMENSION_NEIGHBORS = 500, 10
"""from which the intrinsic dimension is estimated"""


def count_parts(links: csr_array, cluster: np.ndarray, landmarks: np.ndarray, policy: CutPolicy) -> int:
    """How many parts in one piece the clusters have together: as many as clusters where all are whole.

    Parameters
    ----------
    links : csr_array (p, p)
        Weights between landmarks, as the rows give them.
    cluster : int (p,)
        Cluster of each landmark.
    landmarks : (p, d)
    policy : CutPolicy
    """
    members = [np.flatnonzero(cluster == number) for number in np.unique(cluster)]
    return sum(_count(_Piece(csr_array(links[each][:, each]), landmarks[each]), policy) for each in members)


class _Piece(NamedTuple):
    """Some landmarks, and the links among them."""

    links: csr_array
    landmarks: np.ndarray

    def among(self, members: np.ndarray) -> _Piece:
        return _Piece(csr_array(self.links[members][:, members]), self.landmarks[members])

    def components(self, policy: CutPolicy) -> list[_Piece]:
        """Connected components that are more than outliers: more landmarks than these have, and more links."""
        component = connected_components(self.links, directed=False)[1]
        size, weight = np.bincount(component), np.bincount(component, self.links.sum(axis=1))
        is_large = (size >= policy.component_landmarks) & (weight >= policy.outlier_share * weight.sum())
        return [self.among(np.flatnonzero(component == number)) for number in np.flatnonzero(is_large)]


def _count(cluster: _Piece, policy: CutPolicy) -> int:
    """How many parts a cluster has: divide it, and what it is divided into, until all are whole."""
    if not _may_be_divided(cluster, policy) or intrinsic_dimension(cluster.landmarks) < policy.curved_dimensions:
        return 1
    n_parts, waiting = 0, cluster.components(policy)
    while waiting:
        piece = waiting.pop()
        sides = _divide(piece, policy) if _may_be_divided(piece, policy) else None
        if sides is None:
            n_parts += 1
        else:
            waiting += [each for side in sides for each in piece.among(side).components(policy)]
    return max(n_parts, 1)


def _may_be_divided(piece: _Piece, policy: CutPolicy) -> bool:
    return len(piece.landmarks) >= 2 * policy.component_landmarks


def _divide(piece: _Piece, policy: CutPolicy) -> tuple[np.ndarray, np.ndarray] | None:
    """The two sides of a piece that is not whole, where the conductance between them is least."""
    degree = np.asarray(piece.links.sum(axis=1), np.float64).ravel()
    slowest = _slowest_vector(piece.links, degree, policy)
    if slowest is None or slowest.eigenvalue >= policy.one_piece * _slowest_axis(piece, degree):
        return None
    order = np.argsort(slowest.vector, kind="stable")
    first = _least_conductance(csr_array(piece.links[order][:, order]), degree[order], policy.component_landmarks)
    return order[:first], order[first:]


class _Slowest(NamedTuple):
    eigenvalue: float
    vector: np.ndarray


def _slowest_vector(links: csr_array, degree: np.ndarray, policy: CutPolicy) -> _Slowest | None:
    """The smallest nonzero eigenvalue of the random-walk Laplacian whose vector is not localized."""
    root = np.sqrt(degree)
    scale = scipy.sparse.diags_array(1 / root)
    values, vectors = leading_eigenpairs(csr_array(scale @ links @ scale), min(N_VECTORS, len(root)), root)
    for value, vector in zip(values[1:].tolist(), (vectors / root[:, None]).T[1:], strict=True):
        extent = participation_ratio(np.ones(len(root)), vector)
        share = participation_ratio(degree, vector) / degree.sum()
        if extent >= policy.component_landmarks and share >= policy.outlier_share:
            return _Slowest(1 - value, vector)
    return None


def _slowest_axis(piece: _Piece, degree: np.ndarray) -> float:
    """The smallest Rayleigh quotient of positions along the longest principal axes."""
    position = piece.landmarks.astype(np.float64)
    position -= degree @ position / degree.sum()
    weighted = position * np.sqrt(degree / degree.sum())[:, None]
    n, d = weighted.shape
    axes = np.linalg.eigh(weighted.T @ weighted)[1][:, ::-1].T if d <= n else np.linalg.svd(weighted, False)[2]
    along = position @ axes[:N_AXES].T
    squares = degree @ along**2
    return float(np.min(1 - np.sum(along * (piece.links @ along), axis=0) / np.maximum(squares, np.finfo(float).tiny)))


def _least_conductance(links: csr_array, degree: np.ndarray, least: int) -> int:
    """After how many landmarks, in their order, the weight that is cut is least for the smaller side's degree."""
    entries = links.tocoo()
    is_upper = entries.row < entries.col
    low, high, weight = (each[is_upper] for each in (entries.row, entries.col, entries.data))
    n = len(degree)
    cut = np.cumsum(np.bincount(low, weight, n) - np.bincount(high, weight, n))[:-1]
    volume = np.cumsum(degree)[:-1]
    conductance = cut / np.minimum(volume, degree.sum() - volume)
    return least + int(np.argmin(conductance[least - 1 : n - least]))


def intrinsic_dimension(points: np.ndarray) -> float:
    """Maximum-likelihood estimate from distances to nearest neighbours (Levina and Bickel 2004)."""
    some = points[:: -(-len(points) // DIMENSION_LANDMARKS)]
    squared = search_all(some, points, min(DIMENSION_NEIGHBORS + 1, len(points)))[1][:, 1:].astype(np.float64)
    squared = squared[squared[:, 0] > 0]
    spread = np.log(squared[:, -1:] / squared[:, :-1]).mean() if len(squared) else 0.0
    return 2 / spread if spread > 0 else 0.0
