"""The bottom of the spectrum of a graph of landmarks, part by part, and without what sits on specks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dncsc.phases.eigen import leading_eigenpairs
from dncsc.phases.specks import Measure, Shattered, Tolerance, extent_of, join_lightest, share_lines, without_specks

MORE_EIGENVALUES = 5
"""Eigenvalues behind the first k, so that a gap can be seen; where vectors fade, theirs may count too."""

LEAST_LINK = 1e-12
"""of W_R, normalised: landmarks joined by less are not joined, as no eigenvector could tell"""

LARGEST_EIGENVALUE = 1 - 1e-15
"""of W_R, normalised, but for the one that each connected part has; what comes closer is rounding"""

LEAST_EIGENVALUE = 1e-10
"""of W_R, normalised: what is smaller is rounding, and its vector would be noise"""

LEVEL = 1 / 64
"""of the k-th eigenvalue: vectors of smaller ones count nearly alike where they fade"""
NO_GAP = 0.4
"""of the next eigenvalue, at least, that the last one has to be for vectors to fade; behind a gap, none counts"""

NEEDED = 0.75
"""of the vectors wanted for members of an ensemble have to be no specks, where graphs are cut whatever they are like"""
HOLDING, AT_LEAST_TIMES = 3.0, 4.0
"""of the largest eigenvalue of a thin vector: links must be so strong for landmarks to hold together from then on; and
so many times as strong as before, so that this comes to an end"""


@dataclass(frozen=True)
class Fading:
    """How much less vectors count the larger their eigenvalues are: by ``(LEVEL + lambda / lambda_k) ** -fall``.

    So some behind the k-th count too: none behind a gap, and nearly as much where it is by chance that the spectrum is
    cut there.
    """

    fall: float = 0.25
    """halfway between all alike (0) and distances in the time that a walk from place to place and back takes (1/2)"""
    further: float = 1.0
    """vectors behind the k-th for each before it but the constant one; `MORE_EIGENVALUES` at most"""

    def n_further(self, wanted: int) -> int:
        """How many vectors behind the first may count."""
        return min(math.ceil(self.further * (wanted - 1)), MORE_EIGENVALUES)

    def fade(self, lines: np.ndarray, eigenvalues: np.ndarray, wanted: int) -> np.ndarray:
        """The lines, each the shorter the larger its eigenvalue; where there is a gap, those before it as they are."""
        lines = lines[:, : wanted + self.n_further(wanted)]
        values = eigenvalues[: lines.shape[1]]
        if _has_gap(values, wanted):
            return lines[:, :wanted]
        last = max(values[min(wanted, len(values)) - 1], 1 - LARGEST_EIGENVALUE)
        return lines * (LEVEL + values / last) ** -self.fall


@dataclass(frozen=True)
class Wanted:
    """What is sought in a spectrum."""

    n_clusters: int
    n_vectors: int | None = None
    """how many to find, where they are more than the clusters: members of an ensemble have more clusters than are
    sought in the end"""
    with_specks: bool = True
    """Whether vectors that only point out a speck count. If not, the next ones take their place, and the landmarks of
    a speck that is not linked to anything share the places of the nearest landmark that is."""
    tolerance: Tolerance | None = None
    """of graphs whose links are too weak for clusters to hold together; None for any"""
    n_rows: int | None = None
    """of positive weight, to tell how many a speck has"""
    fading: Fading | None = None
    """None where the first vectors count alike, and no others"""

    @property
    def first(self) -> int:
        """Vectors that count whatever their eigenvalues are."""
        return self.n_vectors or self.n_clusters

    @property
    def n_further(self) -> int:
        return self.fading.n_further(self.first) if self.fading else 0


@dataclass(frozen=True)
class Spectrum:
    """The bottom of the spectrum of ``L_R v = lambda D_R v``."""

    eigenvalues: np.ndarray
    """lambda, ascending from 0; some more than k"""
    vectors: np.ndarray
    """(p, k): v / sqrt(1 - lambda), so that a row's embedding is the mean of its landmarks' lines, weighted by T; and
    further ones, faded"""
    n_components: int
    """connected parts of the landmark graph"""


class _Pair(NamedTuple):
    value: float
    members: np.ndarray
    """landmarks of the connected part that the vector belongs to"""
    vector: np.ndarray
    """v on them"""
    extent: float
    """landmarks that it extends over"""
    is_speck: bool


def bottom_of_spectrum(
    similarity: csr_array, landmarks: np.ndarray, wanted: Wanted, mass: np.ndarray | None = None, factorise: bool = True
) -> Spectrum:
    """Solve ``L_R v = lambda D_R v`` component by component.

    A graph of c parts has the eigenvalue 0 c times, and a solver returns any rotation of those vectors, or stalls.
    Taken apart, each part has it once, with a vector that is known. Where there are more parts than clusters, the
    lightest joins the part nearest to it until k are left, and each of those becomes a cluster.

    Parameters
    ----------
    similarity : csr_array (p, p)
        W_R.
    landmarks : (p, d)
        Where the landmarks are, to tell which parts are near.
    wanted : Wanted
    mass : (p,), optional
        Weight of the rows that each landmark stands for, to tell which parts are light; its degree by default.
    factorise : bool
        Whether a sparse factorisation is likely to stay sparse; see `leading_eigenpairs`.

    Raises
    ------
    Shattered
        Where the graph is, beyond the tolerance.
    """
    degree = np.asarray(similarity.sum(axis=1)).ravel()
    mass = degree if mass is None else mass
    linked = np.flatnonzero(degree > 0)  # a landmark that is no row's neighbour takes no part
    graph = _Graph(
        _normalised(similarity, degree, linked), np.sqrt(degree[linked]), landmarks[linked], mass[linked], factorise
    )
    found = _cut_graph(graph, wanted)
    lines = _lines(found.pairs[: wanted.first + wanted.n_further], linked, len(degree))
    if wanted.fading:
        lines = wanted.fading.fade(lines, _eigenvalues(found.pairs), wanted.first)
    share_lines(lines, landmarks, np.flatnonzero(mass > 0), linked[found.core])
    shown = [pair.value for pair in found.pairs] if found.n_parts <= wanted.first else [1.0] * found.n_parts
    eigenvalues = np.clip(1 - np.array(shown[: wanted.first + MORE_EIGENVALUES]), 0, 1)
    return Spectrum(eigenvalues, lines, connected_components(graph.links, directed=False)[0])


class _Graph(NamedTuple):
    """Landmarks that are linked to others."""

    links: csr_array
    """``D_R^-1/2 W_R D_R^-1/2``"""
    root: np.ndarray
    """of the degrees"""
    landmarks: np.ndarray
    mass: np.ndarray
    factorise: bool

    def components(self, weakest: float = 0.0) -> np.ndarray:
        """Component of each landmark, where weaker links do not count."""
        holding = self.links
        if weakest > 0:
            holding = csr_array(holding.multiply(holding >= weakest))
        return connected_components(holding, directed=False)[1]


class _Found(NamedTuple):
    """What a graph can be cut into."""

    pairs: list[_Pair]
    core: np.ndarray
    """landmarks that are in no speck"""
    n_parts: int
    """connected parts of these; where they are more than the clusters, there are no pairs but their joint ones"""


def _cut_graph(graph: _Graph, wanted: Wanted) -> _Found:
    """Leave out specks, and set more of them aside while the graph would count as shattered for these alone."""
    k, first, tolerance = wanted.n_clusters, wanted.first, wanted.tolerance
    measure, thick = Measure(graph.mass, first, wanted.n_rows), Measure(graph.mass, k).least_landmarks
    weakest = 0.0
    while weakest < 1:
        core, rows, of_landmarks = without_specks(graph.components(weakest), measure)
        if tolerance and (rows > tolerance.in_specks or of_landmarks > tolerance.landmarks_in_specks):
            raise Shattered
        core = np.arange(len(graph.mass)) if wanted.with_specks else core
        parts, n_parts = _parts(graph, core, first)
        if n_parts > len(parts):
            return _Found(_pairs(graph, parts, 1, measure), core, n_parts)
        more = MORE_EIGENVALUES if first == k else first  # of many vectors, as many may be specks
        count = first + more - n_parts + 1
        pairs = _pairs(graph, parts, count, measure)
        in_use = k if _has_gap(_eigenvalues(pairs), k) else k + wanted.n_further
        if tolerance is None or all(pair.extent >= thick for pair in pairs[:in_use]):
            if not wanted.with_specks:
                needed = k if tolerance else max(k, int(NEEDED * first))
                pairs = _enough_without_specks(graph, parts, pairs, count, needed, wanted.n_further, measure)
            return _Found(pairs, core, n_parts)
        if not tolerance.sets_aside:
            raise Shattered
        weakest = max(AT_LEAST_TIMES * weakest, HOLDING * max(1 - pair.value for pair in pairs if pair.extent < thick))
    raise Shattered


def _parts(graph: _Graph, core: np.ndarray, most: int) -> tuple[list[np.ndarray], int]:
    """Landmarks of each connected part of the core, the lightest joined where they are too many; and how many were."""
    n_parts, component = connected_components(graph.links[core][:, core], directed=False)
    part = join_lightest(component, graph.landmarks[core], graph.mass[core], most)
    return [core[part == i] for i in range(part.max() + 1)], n_parts


def _enough_without_specks(
    graph: _Graph,
    parts: list[np.ndarray],
    pairs: list[_Pair],
    count: int,
    needed: int,
    n_further: int,
    measure: Measure,
) -> list[_Pair]:
    """Pairs that are no specks, and further ones if there are such; all that were found where fewer are than needed."""
    most = min(max(map(len, parts)), 4 * (needed + MORE_EIGENVALUES))
    while True:
        useful = [pair for pair in pairs if not pair.is_speck]
        if len(useful) >= needed + n_further or count >= most:
            return useful if len(useful) >= needed else pairs
        count = min(2 * count, most)
        pairs = _pairs(graph, parts, count, measure)


def _normalised(similarity: csr_array, degree: np.ndarray, linked: np.ndarray) -> csr_array:
    """``D_R^-1/2 W_R D_R^-1/2`` of the landmarks that are linked."""
    inverse = scipy.sparse.diags_array(1 / np.sqrt(degree[linked]))
    normal = csr_array(inverse @ similarity[linked][:, linked] @ inverse)
    normal.data[normal.data < LEAST_LINK] = 0
    normal.eliminate_zeros()
    return normal


def _pairs(graph: _Graph, parts: list[np.ndarray], count: int, measure: Measure) -> list[_Pair]:
    """Leading eigenpairs of all parts, largest eigenvalue first; each part's own vector is never a speck."""
    pairs = []
    for members in parts:
        inside, root = graph.links[members][:, members], graph.root[members]
        values, vectors = leading_eigenpairs(inside, min(count, len(members)), root, graph.factorise)
        values[0] = 1
        values[1:] = np.minimum(values[1:], LARGEST_EIGENVALUE)  # each part's own vector comes first
        for number, (value, vector) in enumerate(zip(values.tolist(), (vectors / root[:, None]).T, strict=True)):
            extent = np.inf if number == 0 else extent_of(np.ones(len(members)), vector)
            pairs.append(_Pair(value, members, vector, extent, measure.is_speck(extent, members, vector)))
    return sorted(pairs, key=lambda pair: -pair.value)


def _lines(pairs: list[_Pair], linked: np.ndarray, p: int) -> np.ndarray:
    """Vectors over all landmarks, divided by the roots of their eigenvalues."""
    useful = [pair for pair in pairs if pair.value > LEAST_EIGENVALUE]
    lines = np.zeros((p, len(useful)))
    for column, pair in enumerate(useful):
        lines[linked[pair.members], column] = pair.vector / np.sqrt(pair.value)
    return lines


def _has_gap(eigenvalues: np.ndarray, wanted: int) -> bool:
    """Whether the first vectors end at a gap, so that none behind counts."""
    return bool(len(eigenvalues) > wanted and eigenvalues[wanted - 1] < NO_GAP * eigenvalues[wanted])


def _eigenvalues(pairs: list[_Pair]) -> np.ndarray:
    """Of ``L_R``, ascending."""
    return 1 - np.array([pair.value for pair in pairs])
