"""Whether clusters are in one piece, and into how many parts they fall.

Groups of clusters leave gaps in a spectrum beside which those of the clusters are not seen. But a cluster tells by
itself: in one piece, nothing varies over it more slowly than position does, and the Rayleigh quotients of its principal
axes are hardly above its second eigenvalue. Where that is far below, something tells its parts apart. In two or three
dimensions that may also be a bend, as in a moon, and with few rows a landmark chance: only elsewhere does it count.
Anywhere, the slowest vector changes from end to end of a piece, and is nearly constant on each of two parts: few rows
are in the middle of it.
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
N_VECTORS, N_SLOWEST = 16, 6
"""Among the slowest there is one that is not localized, or else none is looked for; small parts, for which single
outliers take the first places, are looked for among all."""
END = 0.02
"""Share of the rows at each end of a vector that its range leaves out."""
DIMENSION_LANDMARKS, DIMENSION_NEIGHBORS = 500, 10
"""from which the intrinsic dimension is estimated"""


def count_parts(links: csr_array, cluster: np.ndarray, landmarks: np.ndarray, policy: CutPolicy) -> int:
    """How many parts in one piece the clusters have together: as many as clusters where all are whole.

    Parameters
    ----------
    links : csr_array (p, p)
        Weights between landmarks, in rows: they add up to as many as gave them.
    cluster : int (p,)
        Cluster of each landmark.
    landmarks : (p, d)
    policy : CutPolicy
    """
    are_few_rows = links.sum() < policy.few_rows_a_landmark * len(landmarks)
    whole = _Piece(links, landmarks)
    members = [np.flatnonzero(cluster == number) for number in np.unique(cluster)]
    return sum(_count(whole.among(each), policy, are_few_rows) for each in members)


class _Vector(NamedTuple):
    """One that varies slowly over a piece."""

    eigenvalue: float
    values: np.ndarray
    n_landmarks: float
    """that it extends over"""
    n_rows: float
    """whose links are there"""
    share: float
    """of all links, which these are"""
    middle: float
    """share of the rows whose values are in the middle half of its range"""
    side: float
    """the smaller share of the rows beyond it, on one side"""


class _Piece(NamedTuple):
    """Some landmarks, and the links among them."""

    links: csr_array
    landmarks: np.ndarray

    @property
    def degree(self) -> np.ndarray:
        return np.asarray(self.links.sum(axis=1), np.float64).ravel()

    def among(self, members: np.ndarray) -> _Piece:
        return _Piece(csr_array(self.links[members][:, members]), self.landmarks[members])


def _can_divide(piece: _Piece, policy: CutPolicy) -> bool:
    return len(piece.landmarks) >= 2 * policy.component_landmarks


def _components(piece: _Piece, policy: CutPolicy) -> list[_Piece]:
    """Connected components that are more than outliers: more landmarks than these have, and more links."""
    component = connected_components(piece.links, directed=False)[1]
    size, weight = np.bincount(component), np.bincount(component, piece.degree)
    is_large = (size >= policy.component_landmarks) & (weight >= policy.outlier_share * weight.sum())
    return [piece.among(np.flatnonzero(component == number)) for number in np.flatnonzero(is_large)]


def _tells_parts(vector: _Vector, slowest_axis: float, policy: CutPolicy) -> bool:
    """Whether it varies far more slowly than position does, or in steps, and over more than outliers."""
    is_wide = vector.n_landmarks >= policy.component_landmarks and vector.share >= policy.outlier_share
    are_enough = len(vector.values) >= policy.few_landmarks
    has_steps = are_enough and vector.middle < policy.thin_middle and vector.side >= policy.least_side
    return is_wide and (has_steps or vector.eigenvalue < policy.one_piece * slowest_axis)


def _tells_small_part(vector: _Vector, slowest_axis: float, policy: CutPolicy) -> bool:
    """Whether it is one of few landmarks, yet of more rows than outliers have, and still slower."""
    return vector.n_rows >= policy.small_part_rows and vector.eigenvalue < policy.small_part * slowest_axis


def _count(cluster: _Piece, policy: CutPolicy, are_few_rows: bool) -> int:
    """How many parts a cluster has: divide it, and what it is divided into, until all are whole."""
    if not _can_divide(cluster, policy):
        return 1
    by_steps_alone = are_few_rows or intrinsic_dimension(cluster.landmarks) < policy.curved_dimensions
    n_parts, waiting = 0, _components(cluster, policy)
    while waiting:
        piece = waiting.pop()
        if not _can_divide(piece, policy):
            n_parts += 1
            continue
        vectors, axis = _slow_vectors(piece), 0.0 if by_steps_alone else _slowest_axis(piece)
        slowest = next((each for each in vectors[:N_SLOWEST] if _tells_parts(each, axis, policy)), None)
        if slowest is None:
            n_parts += 1 + sum(_tells_small_part(each, axis, policy) for each in vectors)
        else:
            sides = _divide(piece, slowest, policy.component_landmarks)
            waiting += [each for side in sides for each in _components(piece.among(side), policy)]
    return max(n_parts, 1)


def _divide(piece: _Piece, slowest: _Vector, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Two sides, along a vector, where the conductance between them is least."""
    order = np.argsort(slowest.values, kind="stable")
    first = _least_conductance(csr_array(piece.links[order][:, order]), piece.degree[order], least)
    return order[:first], order[first:]


def _slow_vectors(piece: _Piece) -> list[_Vector]:
    """Those of the smallest nonzero eigenvalues of the random-walk Laplacian, slowest first."""
    degree = piece.degree
    root = np.sqrt(degree)
    scale = scipy.sparse.diags_array(1 / root)
    values, vectors = leading_eigenpairs(csr_array(scale @ piece.links @ scale), min(N_VECTORS, len(root)), root)
    found = []
    for value, vector in zip(values[1:].tolist(), (vectors / root[:, None]).T[1:], strict=True):
        n_landmarks, n_rows = (float(participation_ratio(mass, vector)) for mass in (np.ones(len(root)), degree))
        sides = _middle_and_side(vector, degree)
        found.append(_Vector(1 - value, vector, n_landmarks, n_rows, n_rows / degree.sum(), *sides))
    return found


def _middle_and_side(vector: np.ndarray, degree: np.ndarray) -> tuple[float, float]:
    """Shares of the rows in the middle half of a vector's range, and on the smaller side of it.

    A few rows at either end, which may be outliers, have no say in the range.
    """
    order = np.argsort(vector, kind="stable")
    below = np.cumsum(degree[order]) / degree.sum()
    first, last = (vector[order[np.searchsorted(below, share)]] for share in (END, 1 - END))
    quarter = (last - first) / 4
    low, high = (
        float(degree @ is_there / degree.sum()) for is_there in (vector <= first + quarter, vector >= last - quarter)
    )
    return 1 - low - high, min(low, high)


def _slowest_axis(piece: _Piece) -> float:
    """The smallest Rayleigh quotient of positions along the longest principal axes."""
    degree = piece.degree
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
