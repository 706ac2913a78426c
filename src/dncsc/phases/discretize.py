"""Phase 5, discretize: k-means on the places of the rows.

As light-k-means does in the selection: k-means with several starts on a sample, and every row goes to the nearest
centroid. The places of all rows are never stored; each row's is made again when it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.seeds import generator
from dncsc.phases.embedding import Embedding, Lifted
from dncsc.phases.inputs import ROWS, columns_of, some_values_of, values_of
from dncsc.phases.kmeans import Each, KMeans, kmeans, refine, spread_out
from dncsc.phases.mixture import Classifier
from dncsc.phases.noise import mark_noise
from dncsc.phases.sample import Drawn, draw_rows, rows_to_place
from dncsc.phases.search import NEAREST
from dncsc.phases.select.tree import SUBSET
from dncsc.phases.settings import Settings
from dncsc.phases.settled import Settled, settled
from dncsc.phases.shared_sample import sample_keys

LABEL = "label"
"""Column: the cluster of a row."""

TRIALS = 3
"""Points tried for each starting centroid."""
PRELIMINARY_RUNS = 5
"""Starts on few rows for each run on the sample: it is the start that decides where k-means ends."""
PRELIMINARY_ROWS, PRELIMINARY_ROWS_A_CLUSTER = 2_000, 20
SAME = 1e-4
"""Relative difference of inertias below which two runs have found the same."""
MANY_CLUSTERS = 100
"""Beyond this many only one is tried: starts then take most of the time."""


@dataclass(frozen=True)
class Centroids:
    """Centroids of the clusters (number of clusters, k), and the iterations that led to them."""

    places: np.ndarray
    n_iter: int
    mean_squared: float | None = None
    """mean squared distance to them of the sample that they were found with; None where it is taken over all rows"""


@dataclass
class Labelled:
    """Weighted sum of squared distances to the centroids, and rows of each cluster."""

    inertia: float
    count: np.ndarray


@dataclass
class _Sums:
    count: np.ndarray
    mass: float = 0.0
    squared: float = 0.0
    """of rows that were placed; the others were settled without"""


@dataclass(frozen=True)
class _Label(Pass[_Sums]):
    embedding: Embedding
    centroids: np.ndarray
    noise_threshold: float | None
    classifier: Classifier | None
    settled: Settled | None
    by_own: bool
    """whether rows near their own landmark are labelled without a look at the others"""

    @property
    def writes(self) -> Sequence[Column]:
        return (Column(LABEL, np.int32),)

    @property
    def reads(self) -> Sequence[str]:
        if self.classifier is not None and self.noise_threshold is None:
            return ()
        return [*columns_of(self.embedding.inputs), *([SUBSET] if self.by_own else [])]

    def begin(self) -> _Sums:
        return _Sums(np.zeros(len(self.centroids), np.int64))

    def visit(self, total: _Sums, block: Block) -> None:
        labels, inputs = block.columns[LABEL], self.embedding.inputs
        if self.classifier is not None:
            labels[:] = self.classifier.label(block.rows)
        elif self.settled is None:
            values = values_of(block, inputs)
            labels[:], squared = self.embedding.label(self.centroids, *values)
            total.squared += float(block.weight @ squared.astype(np.float64))
        else:
            rest, values = self._settle(self.settled, block, labels)
            labels[rest], squared = self.embedding.label(self.centroids, *values)
            total.squared += float(block.weight[rest] @ squared.astype(np.float64))
        if self.noise_threshold is not None:
            mark_noise(labels, self.embedding, self.noise_threshold, *values_of(block, inputs))
        total.mass += float(block.weight.sum())
        total.count += np.bincount(labels + 1, minlength=len(total.count) + 1)[1:]

    def _settle(self, settled: Settled, block: Block, labels: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Label rows by landmarks; the numbers of those that have to be placed, and what they are placed by."""
        inputs = self.embedding.inputs
        if not self.by_own:
            rest = settled.by_links(block.columns[NEAREST], labels)
            return rest, some_values_of(block, inputs, rest)
        far = settled.by_own(block.rows, block.columns[SUBSET], labels)
        values, of_far = some_values_of(block, inputs, far), np.empty(len(far), np.int32)
        rest = settled.by_links(values[list(inputs).index(NEAREST)], of_far)
        labels[far] = of_far
        return far[rest], [each[rest] for each in values]


def label_all(
    engine: Engine,
    embedding: Embedding,
    centroids: Centroids,
    noise_threshold: float | None = None,
    classifier: Classifier | None = None,
) -> Labelled:
    """Every row goes to the nearest centroid, or to what a classifier says; fills the column `LABEL`.

    Rows that are too far from landmarks go to none.
    """
    known = None if classifier is not None else settled(embedding, centroids.places)
    by_own = known is not None and known.search is not None and not engine.has(NEAREST)
    totals = engine.sweep(_Label(embedding, centroids.places, noise_threshold, classifier, known, by_own))
    inertia = sum(total.squared for total in totals)
    if centroids.mean_squared is not None:
        inertia = centroids.mean_squared * sum(total.mass for total in totals)
    return Labelled(inertia, np.sum([total.count for total in totals], axis=0))


def k_means(engine: Engine, settings: Settings, embedding: Embedding) -> Centroids:
    """The best of `n_init` runs of k-means on a sample of placed rows."""
    drawn = draw(engine, settings, embedding, rows_to_place(settings.n_clusters))
    return k_means_of(drawn, settings, embedding, engine.each)


def draw(engine: Engine, settings: Settings, embedding: Embedding, wanted: int) -> Drawn:
    """What an embedding places a sample of the rows by; known where links of a sample were measured."""
    keys, inputs = sample_keys(settings), tuple(embedding.inputs)
    known: Drawn | None = engine.samples.get((keys, inputs))
    if known is not None and len(known.keys) >= min(wanted, settings.n_counted):
        return known.fewer(wanted)
    drawn = draw_rows(engine, keys, wanted, settings.n_counted, inputs)
    if ROWS not in inputs:  # links take little memory, and are asked for again
        engine.samples[keys, inputs] = drawn
    return drawn


def share_between(engine: Engine, settings: Settings, embedding: Lifted, centroids: Centroids) -> float:
    """Share of the rows whose landmarks are not all of one cluster: next to none where gaps are wide."""
    drawn = draw(engine, settings, embedding, rows_to_place(settings.n_clusters))
    of_landmarks = embedding.label_points(centroids.places)[drawn.values[0]]
    return float(np.average((of_landmarks != of_landmarks[:, :1]).any(axis=1), weights=drawn.weight))


def k_means_of(drawn: Drawn, settings: Settings, embedding: Embedding, each: Each) -> Centroids:
    """The best of `n_init` runs of k-means on some rows."""
    points = embedding.transform(*drawn.values)
    starts = _preliminary_runs(points, drawn.weight, settings, each)
    if all(len(start.centres) == settings.n_clusters for start in starts):
        best_starts = _best_different(starts, settings.n_init)
        runs = each(lambda start: refine(points, drawn.weight, start.centres, settings.max_iter), best_starts)
    else:  # few rows have too few distinct places: there may be a cluster that none of them is in
        runs = each(lambda number: one_run(points, drawn.weight, settings, number), range(settings.n_init))
    best = min(runs, key=lambda run: run.inertia)
    return Centroids(in_order(best.centres, settings), best.n_iter, best.inertia / float(drawn.weight.sum()))


def in_order(centres: np.ndarray, settings: Settings) -> np.ndarray:
    """Centres in an order that their places alone decide: a start that finds the same ones gives the same numbers."""
    return np.asarray(centres[order_of(centres, settings)])


def order_of(centres: np.ndarray, settings: Settings) -> np.ndarray:
    """Int (k,): which centre comes first, and so on."""
    direction = generator(settings.seed, "number").standard_normal(centres.shape[1])
    return np.argsort(centres.astype(np.float64) @ direction)


def _preliminary_runs(points: np.ndarray, weight: np.ndarray, settings: Settings, each: Each) -> list[KMeans]:
    """Runs of k-means on few of the points, the same for all."""
    few = max(PRELIMINARY_ROWS, PRELIMINARY_ROWS_A_CLUSTER * settings.n_clusters)
    among = spread_out(len(points), few, generator(settings.seed, "heats"))
    points, weight = points[among], weight[among]
    return each(lambda number: one_run(points, weight, settings, number), range(PRELIMINARY_RUNS * settings.n_init))


def one_run(points: np.ndarray, weight: np.ndarray, settings: Settings, number: int = 0) -> KMeans:
    """One run of k-means, with another start for each number."""
    trials = TRIALS if settings.n_clusters <= MANY_CLUSTERS else 1
    random = generator(settings.seed, "discretize", number)
    return kmeans(points, weight, settings.n_clusters, random, settings.max_iter, trials)


def _best_different(found: list[KMeans], most: int) -> list[KMeans]:
    """Those of the smallest inertia; of those that have ended at the same centres, one."""
    best: list[KMeans] = []
    for each in sorted(found, key=lambda each: each.inertia):
        if len(best) < most and not (best and each.inertia <= best[-1].inertia * (1 + SAME)):
            best.append(each)
    return best
