"""Phase 4, partition: cut the bipartite graph through the landmarks alone (transfer cut, equations 6 to 8)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dncsc.engines.base import Block, Column, Engine, Task
from dncsc.kernels.gram import EMPTY, add_rows_dense, add_rows_sparse, entries_of_dense, entries_of_table
from dncsc.kernels.grouping import group_rows
from dncsc.phases.affinity import Affinity
from dncsc.phases.eigen import leading_eigenpairs
from dncsc.phases.embedding import Bipartite, Embedding, Lift, Lifted, RowsAndLandmarks, values_of
from dncsc.phases.nearest import Links
from dncsc.phases.select.tree import Selection
from dncsc.phases.settings import Settings

MORE_EIGENVALUES = 5
"""Eigenvalues beyond the k that are used, so that the gap behind them can be seen."""

DENSE_LANDMARKS = 3000
"""Up to here W_R is added up in a dense array, of at most 72 MB a thread."""

ROWS_A_LANDMARK = 50
"""Beyond, rows are added up when there are so many for each landmark."""

LEAST_LINK = 1e-12
"""of W_R, normalised: landmarks joined by less are not joined, as no eigenvector could tell"""

LARGEST_EIGENVALUE = 1 - 1e-15
"""of W_R, normalised, but for the one that each connected part has; what comes closer is rounding"""

LEAST_EIGENVALUE = 1e-10
"""of W_R, normalised: what is smaller is rounding, and its vector would be noise"""


@dataclass(frozen=True)
class Spectrum:
    """The bottom of the spectrum of ``L_R v = lambda D_R v``."""

    eigenvalues: np.ndarray
    """lambda, ascending from 0; some more than k"""
    vectors: np.ndarray
    """(p, k): v / sqrt(1 - lambda), so that a row's embedding is the mean of its landmarks' lines, weighted by T"""
    n_components: int
    """connected parts of the landmark graph"""


class _Sums(Protocol):
    """Sums over pairs of landmarks."""

    def add(self, nearest: np.ndarray, shares: np.ndarray, mass: np.ndarray) -> None: ...

    def half(self) -> csr_array:
        """Half of W_R: this plus its transpose, less the diagonal."""
        ...


@dataclass(frozen=True)
class _Square:
    """Sums in a dense array."""

    sums: np.ndarray

    @classmethod
    def empty(cls, p: int) -> _Square:
        return cls(np.zeros((p, p)))

    def add(self, nearest: np.ndarray, shares: np.ndarray, mass: np.ndarray) -> None:
        add_rows_dense(nearest, shares, mass, self.sums)

    def half(self) -> csr_array:
        start, columns, values = entries_of_dense(self.sums)
        return csr_array((values, columns, start), shape=self.sums.shape)


@dataclass
class _Table:
    """Sums in lines of slots. Rows wait until there are enough of each landmark to be added up together."""

    columns: np.ndarray
    sums: np.ndarray
    used: np.ndarray
    waiting: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)

    @classmethod
    def empty(cls, p: int, width: int = 64) -> _Table:
        return cls(np.full((p, width), EMPTY, np.int32), np.zeros((p, width)), np.zeros(p, np.int32))

    def add(self, nearest: np.ndarray, shares: np.ndarray, mass: np.ndarray) -> None:
        self.waiting.append((nearest, shares, mass))
        if sum(len(each) for each, _, _ in self.waiting) >= ROWS_A_LANDMARK * len(self.used):
            self._add_waiting()

    def _add_waiting(self) -> None:
        nearest, shares, mass = (np.concatenate(each) for each in zip(*self.waiting, strict=True))
        order, first = group_rows(nearest[:, 0].copy(), len(self.used))
        table = self.columns, self.sums, self.used
        self.columns, self.sums = add_rows_sparse(nearest, shares, mass, order, first, *table)
        self.waiting.clear()

    def half(self) -> csr_array:
        if self.waiting:
            self._add_waiting()
        start, columns, values = entries_of_table(self.columns, self.sums, self.used)
        return csr_array((values, columns, start), shape=(len(self.used), len(self.used)))


class _Total(NamedTuple):
    pairs: _Sums
    mass: np.ndarray
    """weight of the rows that each landmark is the nearest of"""


class _Kept(NamedTuple):
    half: csr_array
    mass: np.ndarray


@dataclass(frozen=True)
class _AddUp(Task[_Total, _Kept]):
    graph: Bipartite

    @property
    def reads(self) -> Sequence[str]:
        return self.graph.reads

    def begin(self) -> _Total:
        p = len(self.graph.points)
        return _Total(_Square.empty(p) if p <= DENSE_LANDMARKS else _Table.empty(p), np.zeros(p))

    def visit(self, total: _Total, block: Block) -> None:
        nearest, shares, degree = self.graph.shares(*values_of(block, self.reads))
        total.pairs.add(nearest, shares, block.weight * degree)
        total.mass[:] += np.bincount(nearest[:, 0], block.weight, len(total.mass))

    def end(self, total: _Total) -> _Kept:
        return _Kept(total.pairs.half(), total.mass)


def landmark_similarity(engine: Engine, graph: Bipartite) -> tuple[csr_array, np.ndarray]:
    """``W_R = B^T D_X^-1 B``, sparse and symmetric, whose row sums are D_R; and the weight of each landmark's rows."""
    kept = engine.sweep(_AddUp(graph))
    half = functools.reduce(operator.add, [each.half for each in kept])
    return csr_array(half + half.T - scipy.sparse.diags_array(half.diagonal())), np.sum(
        [each.mass for each in kept], axis=0
    )


@dataclass(frozen=True)
class Partition:
    """Where rows are placed, and what is known of the spectrum behind it."""

    embedding: Embedding
    eigenvalues: np.ndarray
    n_components: int

    @property
    def columns(self) -> Sequence[Column]:
        return self.embedding.columns


def transfer_cut(
    engine: Engine, settings: Settings, selection: Selection, links: Links, affinity: Affinity
) -> Partition:
    """Eigenvectors of the bipartite graph of rows and landmarks, from the p x p problem on the landmarks."""
    return cut(engine, settings, RowsAndLandmarks(links, affinity))


def singular_vectors(
    engine: Engine, settings: Settings, selection: Selection, links: Links, affinity: Affinity
) -> Partition:
    """Left singular vectors 2 to k + 1 of the matrix of rows and landmarks (LSC).

    With rows of sum 1 they are what the transfer cut finds, but for the first, constant one.
    """
    return cut(engine, settings, RowsAndLandmarks(links, affinity), without_constant=True)


def cut(engine: Engine, settings: Settings, graph: Bipartite, without_constant: bool = False) -> Partition:
    """Cut a bipartite graph through its points; with one vector more, from which the constant direction is left out."""
    similarity, mass = landmark_similarity(engine, graph)
    spectrum = bottom_of_spectrum(similarity, graph.points, settings.n_clusters + without_constant, mass)
    vectors = spectrum.vectors
    if without_constant and vectors.shape[1] > 1:
        vectors = _without_constant(vectors, np.asarray(similarity.sum(axis=1)).ravel())
    lift = Lift(vectors.astype(engine.frame.dtype), settings.by_length)
    return Partition(Lifted(graph, lift), spectrum.eigenvalues, spectrum.n_components)


def _without_constant(vectors: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """The other directions of the space of these vectors.

    The constant vector is the first in a connected graph. In one of several parts it is a combination of the parts'
    vectors: a reflection that takes it to the first place leaves the others beside it.
    """
    share = degree @ vectors
    mirror = share / np.linalg.norm(share) - np.eye(len(share))[0]
    length = np.linalg.norm(mirror)
    if length > 1e-9:
        vectors = vectors - np.outer(vectors @ mirror, mirror) * (2 / length**2)
    return vectors[:, 1:]


def bottom_of_spectrum(
    similarity: csr_array,
    landmarks: np.ndarray,
    n_clusters: int,
    mass: np.ndarray | None = None,
    factorise: bool = True,
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
    n_clusters : int
        k.
    mass : (p,), optional
        Weight of the rows that each landmark stands for, to tell which parts are light; its degree by default.
    factorise : bool
        Whether a sparse factorisation is likely to stay sparse; see `leading_eigenpairs`.
    """
    degree = np.asarray(similarity.sum(axis=1)).ravel()
    linked = np.flatnonzero(degree > 0)  # a landmark that is no row's neighbour takes no part
    root = np.sqrt(degree[linked])
    inverse = scipy.sparse.diags_array(1 / root)
    normal = csr_array(inverse @ similarity[linked][:, linked] @ inverse)
    normal.data[normal.data < LEAST_LINK] = 0
    normal.eliminate_zeros()
    n_components, component = connected_components(normal, directed=False)
    part = join_lightest(component, landmarks[linked], degree[linked] if mass is None else mass[linked], n_clusters)
    joined = part.max() + 1 < n_components
    most = 1 if joined else n_clusters + MORE_EIGENVALUES - n_components + 1
    pairs = []
    for i in range(part.max() + 1):
        members = np.flatnonzero(part == i)
        inside = normal[members][:, members]
        values, vectors = leading_eigenpairs(inside, min(most, len(members)), root[members], factorise)
        values[0] = 1
        values[1:] = np.minimum(values[1:], LARGEST_EIGENVALUE)  # each part's own vector comes first
        pairs += [(value, members, vector) for value, vector in zip(values, vectors.T, strict=True)]
    pairs.sort(key=lambda pair: -pair[0])
    useful = [pair for pair in pairs[:n_clusters] if pair[0] > LEAST_EIGENVALUE]
    lines = np.zeros((len(degree), len(useful)))
    for column, (value, members, vector) in enumerate(useful):
        lines[linked[members], column] = vector / root[members] / np.sqrt(value)
    values = np.ones(n_components) if joined else np.array([value for value, _, _ in pairs])
    return Spectrum(np.clip(1 - values[: n_clusters + MORE_EIGENVALUES], 0, 1), lines, n_components)


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
