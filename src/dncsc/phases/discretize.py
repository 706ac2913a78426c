"""Phase 5, discretize: k-means on the spectral embedding of the rows.

As light-k-means does in the selection: k-means with several starts on a sample, and every row goes to the nearest
centroid. The embedding of all rows is never stored; each row's is made from its K landmarks when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dncsc.engines.base import Block, Column, Engine
from dncsc.engines.seeds import generator, stream
from dncsc.kernels.spectrum import embed_rows, label_rows
from dncsc.phases.affinity import Affinity
from dncsc.phases.kmeans import KMeans, kmeans
from dncsc.phases.nearest import NEAREST, SQUARED
from dncsc.phases.partition import Spectrum
from dncsc.phases.sample import draw
from dncsc.phases.settings import Settings

LABEL = "label"
"""Column: the cluster of a row."""

SAMPLE_ROWS = 20_000
SAMPLE_ROWS_A_CLUSTER = 200
TRIALS = 3
"""Points tried for each starting centroid."""


@dataclass(frozen=True)
class Lift:
    """From a row's nearest landmarks to its place in the embedding."""

    vectors: np.ndarray
    """(p, k), in working precision"""
    by_length: bool

    def embed(self, nearest: np.ndarray, transition: np.ndarray) -> np.ndarray:
        """Embedding of rows (n, k), each of norm 1."""
        embedding = np.empty((len(nearest), self.vectors.shape[1]), self.vectors.dtype)
        embed_rows(nearest, transition, self.vectors, self.by_length, embedding)
        return embedding


@dataclass(frozen=True)
class Clusters:
    """Centroids in the embedding, and how rows find the nearest."""

    lift: Lift
    centroids: np.ndarray
    """(number of clusters, k)"""

    def label(self, nearest: np.ndarray, transition: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest centroid of each row, and its squared distance."""
        vectors, centroids = self.lift.vectors, self.centroids.astype(self.lift.vectors.dtype)
        table = np.concatenate([vectors, vectors @ centroids.T], axis=1)
        labels = np.empty(len(nearest), np.int32)
        squared = np.empty(len(nearest), vectors.dtype)
        label_rows(nearest, transition, table, (centroids**2).sum(axis=1) / 2, self.lift.by_length, labels, squared)
        return labels, squared


@dataclass
class _Labelled:
    inertia: float
    count: np.ndarray


@dataclass(frozen=True)
class _Label:
    clusters: Clusters
    affinity: Affinity
    reads: Sequence[str] = (NEAREST, SQUARED)
    writes: Sequence[Column] = (Column(LABEL, np.int32),)

    def begin(self) -> _Labelled:
        return _Labelled(0.0, np.zeros(len(self.clusters.centroids), np.int64))

    def visit(self, total: _Labelled, block: Block) -> None:
        transition, _ = self.affinity.weigh(block.columns[SQUARED])
        labels, squared = self.clusters.label(block.columns[NEAREST], transition)
        block.columns[LABEL][:] = labels
        total.inertia += float(block.weight @ squared.astype(np.float64))
        total.count += np.bincount(labels, minlength=len(total.count))


@dataclass(frozen=True)
class Discretized:
    """Clusters of the rows."""

    clusters: Clusters
    inertia: float
    """weighted sum of squared distances to the centroids"""
    count: np.ndarray
    """rows of each cluster"""
    n_iter: int
    """iterations of the best start"""


def k_means(engine: Engine, settings: Settings, n_counted: int, spectrum: Spectrum, affinity: Affinity) -> Discretized:
    """Cluster the embedded rows; fills the column `LABEL`.

    Parameters
    ----------
    engine : Engine
    settings : Settings
    n_counted : int
        Rows of positive weight.
    spectrum : Spectrum
    affinity : Affinity
    """
    lift = Lift(spectrum.vectors.astype(engine.frame.dtype), settings.by_length)
    wanted = max(SAMPLE_ROWS, SAMPLE_ROWS_A_CLUSTER * settings.n_clusters)
    wanted_of, rows_of = np.array([wanted]), np.array([n_counted])
    [drawn] = draw(engine, stream(settings.seed, "discretize"), wanted_of, rows_of, columns=(NEAREST, SQUARED))
    nearest, squared = drawn.values
    points = lift.embed(nearest, affinity.weigh(squared)[0])

    def start(i: int) -> KMeans:
        random = generator(settings.seed, "discretize", i)
        return kmeans(points, drawn.weight, settings.n_clusters, random, settings.max_iter, trials=TRIALS)

    best = min(engine.each(start, range(settings.n_init)), key=lambda found: found.inertia)
    clusters = Clusters(lift, best.centres)
    totals = engine.sweep(_Label(clusters, affinity))
    count = np.sum([total.count for total in totals], axis=0)
    return Discretized(clusters, sum(total.inertia for total in totals), count, best.n_iter)
