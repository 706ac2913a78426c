"""Phase 4, partition: cut the bipartite graph through the landmarks alone (transfer cut, equations 6 to 8)."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array

from dncsc.engines.base import Block, Column, Engine, Task
from dncsc.kernels.gram import EMPTY, add_rows_dense, add_rows_sparse, entries_of_dense, entries_of_table
from dncsc.phases.affinity import Affinity, Choice
from dncsc.phases.embedding import Bipartite, Embedding, Lift, Lifted, RowsAndLandmarks, values_of
from dncsc.phases.nearest import Links
from dncsc.phases.select.tree import Selection
from dncsc.phases.settings import Settings
from dncsc.phases.specks import Shattered, Tolerance
from dncsc.phases.spectrum import Fading, Wanted, bottom_of_spectrum

DENSE_LANDMARKS = 3000
"""Up to here W_R is added up in a dense array, of at most 72 MB a thread."""

LIGHT = 0.15
"""of the rows of the landmarks that it is linked to: a landmark of fewer takes no part where links are sharpened"""

DENSE = 10
"""times the rows of the landmarks that it is linked to: a landmark of more is a group by itself"""
FEWEST_LANDMARKS = 40
"""a cluster: where there are fewer, a landmark may be all that a cluster has"""


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

    def __reduce__(self) -> tuple[Any, ...]:
        """Few landmarks share rows: what goes to another worker is a hundredth of the array."""
        return _Square._of, (self.half(),)

    @classmethod
    def _of(cls, half: csr_array) -> _Square:
        return cls(half.toarray())


@dataclass(frozen=True)
class _Lines:
    """A line of slots for each landmark; see `dncsc.kernels.gram`."""

    columns: np.ndarray
    sums: np.ndarray
    used: np.ndarray

    @classmethod
    def empty(cls, p: int, width: int) -> _Lines:
        return cls(np.full((p, width), EMPTY, np.int32), np.zeros((p, width)), np.zeros(p, np.int32))

    def entries(self) -> csr_array:
        start, columns, values = entries_of_table(self.columns, self.sums, self.used)
        return csr_array((values, columns, start), shape=(len(self.used), len(self.used)))


class _Table:
    """Sums in lines of slots. Once a line is full, wider ones take what comes after."""

    def __init__(self, p: int, width: int = 64) -> None:
        self.lines = _Lines.empty(p, width)
        self.before: list[csr_array] = []

    def add(self, nearest: np.ndarray, shares: np.ndarray, mass: np.ndarray) -> None:
        done = 0
        while True:
            lines = self.lines
            done = add_rows_sparse(nearest, shares, mass, done, lines.columns, lines.sums, lines.used)
            if done == len(nearest):
                return
            self.before.append(lines.entries())
            p, width = lines.columns.shape
            self.lines = _Lines.empty(p, 2 * width)

    def half(self) -> csr_array:
        return functools.reduce(operator.add, [*self.before, self.lines.entries()])


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
        p = self.graph.n_points
        return _Total(_Square.empty(p) if p <= DENSE_LANDMARKS else _Table(p), np.zeros(p))

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
class Counted:
    """How many clusters there seem to be."""

    n_clusters: int
    clearness: float
    """how many times the eigenvalue behind the last cluster's is larger than that"""
    is_clear: bool
    eigenvalues: np.ndarray


@dataclass(frozen=True)
class Partition:
    """Where rows are placed, and what is known of the spectrum behind it."""

    embedding: Embedding
    eigenvalues: np.ndarray
    n_components: int
    counted: Counted | None = None
    """where the number of clusters was to be found"""

    @property
    def columns(self) -> Sequence[Column]:
        return self.embedding.columns


def transfer_cut(
    engine: Engine, settings: Settings, selection: Selection, links: Links, affinity: Affinity
) -> Partition:
    """Eigenvectors of the bipartite graph of rows and landmarks, from the p x p problem on the landmarks.

    Where there is a choice of weights, the first that do not shatter the graph are taken; if all do, the last.
    """
    choice = affinity if isinstance(affinity, Choice) else Choice((affinity,), None)
    *first, last = choice.options
    tries = [(weights, choice.tolerance) for weights in first]
    if choice.last_tolerance:
        tries.append((last, choice.last_tolerance))
    use = Cut(with_specks=False, sharp=choice.sharp, fading=Fading() if choice.faded else None)
    for weights, tolerance in tries:
        with suppress(Shattered):
            return cut(engine, settings, RowsAndLandmarks(links, weights), replace(use, tolerance=tolerance))
    return cut(engine, settings, RowsAndLandmarks(links, last), use)


def singular_vectors(
    engine: Engine, settings: Settings, selection: Selection, links: Links, affinity: Affinity
) -> Partition:
    """Left singular vectors 2 to k + 1 of the matrix of rows and landmarks (LSC).

    With rows of sum 1 they are what the transfer cut finds, but for the first, constant one.
    """
    return cut(engine, settings, RowsAndLandmarks(links, affinity), Cut(with_constant=False))


@dataclass(frozen=True)
class Cut:
    """What a cut may use."""

    with_constant: bool = True
    """else the constant direction is left out, and one vector more taken instead"""
    with_specks: bool = True
    """vectors that only point out a speck"""
    tolerance: Tolerance | None = None
    """beyond which a graph is not cut; None for any graph"""
    sharp: bool = False
    """squares of the links between points, so that thin ones between clusters hold little; see `_sharpened`"""
    fading: Fading | None = None
    """of vectors, by their eigenvalues"""


def cut(engine: Engine, settings: Settings, graph: Bipartite, use: Cut) -> Partition:
    """Cut a bipartite graph through its points; raises `Shattered` where the graph is, beyond what may be."""
    similarity, mass = landmark_similarity(engine, graph)
    if use.sharp:
        similarity = _sharpened(similarity, mass, settings.n_clusters)
    k = settings.n_clusters + (not use.with_constant)
    wanted = Wanted(k, settings.n_vectors, use.with_specks, use.tolerance, settings.n_counted, use.fading)
    spectrum = bottom_of_spectrum(similarity, graph.points, wanted, mass)
    vectors = spectrum.vectors
    if not use.with_constant and vectors.shape[1] > 1:
        vectors = _without_constant(vectors, np.asarray(similarity.sum(axis=1)).ravel())
    lift = Lift(vectors.astype(engine.frame.dtype), settings.by_length)
    return Partition(Lifted(graph, lift), spectrum.eigenvalues, spectrum.n_components)


def _sharpened(similarity: csr_array, mass: np.ndarray, n_clusters: int) -> csr_array:
    """Squares of the links between points, without points that are light and without most links to themselves.

    Two landmarks of one cluster share many rows, and two of different ones a few: squared, few are next to nothing.
    The links of a landmark with a row or two beside heavy ones are all thin; it would come off, and have a vector to
    itself. Beside others that are as light it is part of a sparse cluster, and stays.

    What a landmark shares with itself says nothing about clusters, and squared it would outweigh all else. It counts
    where the landmark may be a cluster: it is dense, or has no other link, or landmarks are few.
    """
    own = similarity.diagonal()
    others = csr_array(similarity - scipy.sparse.diags_array(own))
    around = (others @ mass) / np.maximum(others.sum(axis=1), np.finfo(np.float64).tiny)
    heavy = mass >= LIGHT * around
    stays = scipy.sparse.diags_array(heavy.astype(np.float64))
    others = csr_array(stays @ others @ stays)
    is_alone = np.asarray(others.sum(axis=1)).ravel() == 0
    may_be_cluster = (mass >= DENSE * around) | is_alone | (heavy.sum() < FEWEST_LANDMARKS * n_clusters)
    links = csr_array(others + scipy.sparse.diags_array(own * (may_be_cluster & heavy)))
    links.data = (links.data / similarity.data.mean()) ** 2
    links.eliminate_zeros()
    return links


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
