"""The graph of the landmarks: ``W_R = B^T D_X^-1 B``, added up over all rows, or over some; and its inflation."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array

from dncsc.engines.base import Block, Column, Engine, Task
from dncsc.kernels.gram import EMPTY, add_rows_dense, add_rows_sparse, entries_of_dense, entries_of_table
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.embedding import Bipartite, RowsAndLandmarks
from dncsc.phases.inputs import values_of
from dncsc.phases.nearest import sample_of_links
from dncsc.phases.sample import Drawn
from dncsc.phases.settings import Settings

DENSE_LANDMARKS = 3000
"""Up to here W_R is added up in a dense array, of at most 72 MB a thread."""
FEW_ROWS = 30
"""a landmark: up to here it takes longer to look through that array than to add rows to a table"""
SAMPLE_SHARDS = 2
"""that a sample of the rows is added up in: whatever the threads, so that sums are the same"""


class LandmarkGraph(NamedTuple):
    """Landmarks and how strongly they are linked through the rows that they share."""

    similarity: csr_array
    """W_R, symmetric; its row sums are D_R"""
    mass: np.ndarray
    """weight of the rows that each landmark is the nearest of"""
    n_rows: int
    """of positive weight, that these were added up over"""


class _Sums(Protocol):
    """Sums over pairs of landmarks."""

    def add(self, nearest: np.ndarray, shares: np.ndarray, mass: np.ndarray) -> None: ...

    def half(self) -> csr_array:
        """Half of W_R: this plus its transpose, less the diagonal."""
        ...


@dataclass(frozen=True)
class _DenseSums:
    sums: np.ndarray

    def add(self, nearest: np.ndarray, shares: np.ndarray, mass: np.ndarray) -> None:
        add_rows_dense(nearest, shares, mass, self.sums)

    def half(self) -> csr_array:
        start, columns, values = entries_of_dense(self.sums)
        return csr_array((values, columns, start), shape=self.sums.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        """Few landmarks share rows: what goes to another worker is a hundredth of the array."""
        return _DenseSums._from_half, (self.half(),)

    @classmethod
    def _from_half(cls, half: csr_array) -> _DenseSums:
        return cls(half.toarray())


@dataclass(frozen=True)
class _Slots:
    """Slots for the neighbours of each landmark; see `dncsc.kernels.gram`."""

    columns: np.ndarray
    sums: np.ndarray
    used: np.ndarray

    @classmethod
    def empty(cls, p: int, width: int) -> _Slots:
        return cls(np.full((p, width), EMPTY, np.int32), np.zeros((p, width)), np.zeros(p, np.int32))

    def entries(self) -> csr_array:
        start, columns, values = entries_of_table(self.columns, self.sums, self.used)
        return csr_array((values, columns, start), shape=(len(self.used), len(self.used)))


class _SparseSums:
    """Once the slots of a landmark are full, a table of twice as many takes what comes after."""

    def __init__(self, p: int, width: int = 64) -> None:
        self.slots = _Slots.empty(p, width)
        self.full: list[csr_array] = []

    def add(self, nearest: np.ndarray, shares: np.ndarray, mass: np.ndarray) -> None:
        done = 0
        while True:
            slots = self.slots
            done = add_rows_sparse(nearest, shares, mass, done, slots.columns, slots.sums, slots.used)
            if done == len(nearest):
                return
            self.full.append(slots.entries())
            p, width = slots.columns.shape
            self.slots = _Slots.empty(p, 2 * width)

    def half(self) -> csr_array:
        return functools.reduce(operator.add, [*self.full, self.slots.entries()])


class _Total(NamedTuple):
    pairs: _Sums
    mass: np.ndarray


class _Half(NamedTuple):
    pairs: csr_array
    mass: np.ndarray


@dataclass(frozen=True)
class _AddPairs(Task[_Total, _Half]):
    graph: Bipartite
    n_rows: int
    within: float
    """mean distance to its landmarks beyond which a row does not count"""

    @property
    def reads(self) -> Sequence[str]:
        return self.graph.reads

    @property
    def keeps(self) -> Sequence[Column]:
        return self.graph.kept_columns

    def begin(self) -> _Total:
        p = self.graph.n_points
        is_dense = p <= DENSE_LANDMARKS and self.n_rows > FEW_ROWS * p
        return _Total(_DenseSums(np.zeros((p, p))) if is_dense else _SparseSums(p), np.zeros(p))

    def visit(self, total: _Total, block: Block) -> None:
        self.add(total, values_of(block, self.reads), block.weight)

    def add(self, total: _Total, values: Sequence[np.ndarray], weight: np.ndarray) -> None:
        if self.within < np.inf:
            assert isinstance(self.graph, RowsAndLandmarks)
            counts = self.graph.mean_distance(*values) <= self.within
            values, weight = [each[counts] for each in values], weight[counts]
        nearest, shares, degree = self.graph.shares(*values)
        total.pairs.add(nearest, shares, weight * degree)
        total.mass[:] += np.bincount(nearest[:, 0], weight, len(total.mass))

    def end(self, total: _Total) -> _Half:
        return _Half(total.pairs.half(), total.mass)


def landmark_graph(engine: Engine, settings: Settings, graph: Bipartite, within: float = np.inf) -> LandmarkGraph:
    """Add up the links of all rows (equation 7), or of as many as tell what all would.

    Rows that are farther than `within` from their landmarks, on average, do not count.
    """
    sample = sample_of_links(engine, settings, graph.links) if isinstance(graph, RowsAndLandmarks) else None
    if sample is not None:
        n_rows = len(sample.weight)
        return _graph_of(_add_sample(engine, _AddPairs(graph, n_rows, within), sample), n_rows)
    shards = engine.sweep(_AddPairs(graph, settings.n_counted, within))
    for name in {name for column in graph.kept_columns if column.rule for name in column.rule.reads}:
        engine.drop(name)  # what they were made from
    return _graph_of(shards, settings.n_counted)


def _add_sample(engine: Engine, task: _AddPairs, sample: Drawn) -> list[_Half]:
    """The same for some rows, which are at hand."""
    n = len(sample.weight)
    ends = [n * number // SAMPLE_SHARDS for number in range(SAMPLE_SHARDS + 1)]

    def run(number: int) -> _Half:
        total, some = task.begin(), slice(ends[number], ends[number + 1])
        task.add(total, [each[some] for each in sample.values], sample.weight[some])
        return task.end(total)

    return engine.each(run, range(SAMPLE_SHARDS))


def _graph_of(shards: Sequence[_Half], n_rows: int) -> LandmarkGraph:
    """The whole of W_R, from halves of it, in order."""
    half = functools.reduce(operator.add, [shard.pairs for shard in shards])
    similarity = csr_array(half + half.T - scipy.sparse.diags_array(half.diagonal()))
    return LandmarkGraph(similarity, np.sum([shard.mass for shard in shards], axis=0), n_rows)


def inflate(graph: LandmarkGraph, n_clusters: int, policy: CutPolicy) -> LandmarkGraph:
    """Square the links, without most links of landmarks to themselves.

    Two landmarks of one cluster share many rows, and two of different ones a few: squared, few are next to nothing.
    What a landmark shares with itself says nothing about clusters, and squared it would outweigh all else. It counts
    where the landmark may be a cluster: it is dense, or has no other link, or landmarks are few.
    """
    similarity, mass, _ = graph
    own = similarity.diagonal()
    others = without_self_links(similarity)
    around = (others @ mass) / np.maximum(others.sum(axis=1), np.finfo(np.float64).tiny)
    is_alone = np.asarray(others.sum(axis=1)).ravel() == 0
    are_few = len(mass) < policy.few_landmarks * n_clusters
    may_be_cluster = (mass >= policy.dense * around) | is_alone | are_few
    links = csr_array(others + scipy.sparse.diags_array(own * may_be_cluster))
    links.data = (links.data / similarity.data.mean()) ** 2
    links.eliminate_zeros()
    return graph._replace(similarity=links)


def without_self_links(similarity: csr_array) -> csr_array:
    """Links to others."""
    others = csr_array(similarity - scipy.sparse.diags_array(similarity.diagonal()))
    others.eliminate_zeros()
    return others


def aggregate(links: csr_array, group: np.ndarray, n_groups: int) -> csr_array:
    """Links between groups of nodes, and on the diagonal within them."""
    n = len(group)
    member = csr_array((np.ones(n), (np.arange(n), group)), shape=(n, n_groups))
    return csr_array(member.T @ links @ member)
