"""Clusters that are Gaussian: rows go to the most probable of as many Gaussians.

A graph shows clusters of any shape, but draws the borders of those that touch only roughly. Where clusters are
Gaussian, a mixture of as many Gaussians finds these borders best. Three times as many Gaussians can follow any shape.
So the mixture is taken only where these describe the rows no better, for their number of parameters, and where one
Gaussian for each cluster of the cut is no more likely than the mixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import generator
from dncsc.phases.by_position import is_uneven
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids, one_run, order_of
from dncsc.phases.kmeans import kmeans, refine, spread_out
from dncsc.phases.labelled_rows import LabelledRows
from dncsc.phases.mixture import SETTLED, Centres, Fit, Mixture
from dncsc.phases.noise import NoiseLimit, is_noise
from dncsc.phases.own_choice import agreement
from dncsc.phases.second_look import Clusters
from dncsc.phases.settings import Settings
from dncsc.phases.shared_sample import few_rows, few_rows_tell

STARTS, START_ROWS = 10, 1000
"""of the k-means that a mixture starts from, and rows that it sees"""
SPLIT_ITERATIONS = 10
"""of the k-means that divides a cluster into these parts"""


@dataclass(frozen=True)
class GaussianClusters:
    """A mixture by which rows are labelled, and where its components are in the embedding."""

    mixture: Mixture
    centroids: Centroids


def find_gaussians(
    engine: Engine, settings: Settings, found: Clusters, limit: NoiseLimit | None = None
) -> GaussianClusters | None:
    """A mixture that separates clusters better than the cut; None where none does.

    Rows beyond the limit, if there is one, are noise and left out.
    """
    if not few_rows_tell(engine, settings) or not _may_touch(found.partition, settings):
        return None
    all_rows, sample = _draw(engine, settings, found, limit)
    if len(sample.rows) < 2 * settings.n_clusters:
        return None
    centre, spread = sample.centre_and_spread(settings.policy)
    if not _are_enough(len(all_rows.rows), int(np.count_nonzero(spread)), settings):
        return None
    mixture = _mixture(sample.in_units(centre, spread), engine, settings)
    return None if mixture is None else _placed(_of_rows(mixture, centre, spread), found, sample, settings)


def _may_touch(partition: Partition, settings: Settings) -> bool:
    """Whether clusters touch, so that their borders are in doubt, and were not drawn by position.

    With few rows a landmark parts of the graph may be apart by chance.
    """
    policy, last = settings.policy, partition.eigenvalues[settings.n_clusters - 1 : settings.n_clusters]
    are_few_rows = settings.n_counted < policy.few_rows_a_landmark * settings.n_landmarks
    may_touch = bool(np.any(last > (-1 if are_few_rows else policy.touching)))
    return settings.n_clusters > 1 and partition.is_as_cut and may_touch


def _are_enough(n_rows: int, n_features: int, settings: Settings) -> bool:
    """Whether rows are enough for Gaussians in so many features, by which other rows are labelled as well."""
    k, policy = settings.n_clusters, settings.policy
    are_all = n_rows == settings.n_counted
    a_parameter = n_rows / (k * Mixture.n_parameters_of(n_features))
    return 0 < n_features <= policy.mixture_features and (are_all or a_parameter >= policy.rows_a_parameter)


def _draw(
    engine: Engine, settings: Settings, found: Clusters, limit: NoiseLimit | None
) -> tuple[LabelledRows, LabelledRows]:
    """Some rows at random, with their clusters, and those of them that are neither noise nor far away."""
    drawn, embedding = few_rows(engine, settings), found.partition.embedding
    rows, values = drawn.values[0], embedding.lookup(drawn.values[0])
    weight = drawn.weight / drawn.weight.max()
    sample = LabelledRows(rows, weight, embedding.label(found.centroids.places, *values)[0])
    without_noise = sample if limit is None else sample.some(~is_noise(embedding, limit.threshold, *values))
    return sample, without_noise.without_far_rows(settings.policy)


def _mixture(sample: LabelledRows, engine: Engine, settings: Settings) -> Mixture | None:
    """The mixture of as many Gaussians as clusters; None where it is no better, or clusters are no Gaussians.

    It starts from k-means: from the rows of the clusters found it would keep what is wrong with them.
    """
    k, policy = settings.n_clusters, settings.policy
    if np.bincount(sample.label, minlength=k).min() < 2:
        return None
    own = next(sample.fits(sample.label, k))
    finer = sample.fits(*_split(sample, own.mixture, settings))
    to_surpass = next(finer)
    if to_surpass.score - own.score > policy.far_better:
        return None
    centres = _start(sample, own.mixture.means, engine, settings)
    if len(centres) < k:
        return None
    fit = _last(sample.fits(Centres(centres).label(sample.rows), k), to_surpass, policy)
    if not _shows_clusters(fit, own, sample, settings):
        return None
    return fit.mixture if fit.score >= max(to_surpass.score, _last(finer, fit, policy).score) else None


def _shows_clusters(fit: Fit, own: Fit, sample: LabelledRows, settings: Settings) -> bool:
    """Whether a mixture is better than one Gaussian, no worse than the cut's own clusters, and something like these."""
    k, policy, label = settings.n_clusters, settings.policy, fit.mixture.label(sample.rows)
    *_, one = sample.fits(np.zeros(len(label), np.int64), 1)
    if fit.score <= one.score or fit.likelihood < own.likelihood - SETTLED:
        return False
    sizes, of_fit = (np.bincount(each, sample.weight, k) for each in (sample.label, label))
    if of_fit.min() < min(policy.tiny * of_fit.mean(), sizes.min() / 2):  # outliers took its place
        return False
    return agreement(sample.label, label, sample.weight) >= policy.least_likeness or is_uneven(sizes, settings)


def _start(sample: LabelledRows, found: np.ndarray, engine: Engine, settings: Settings) -> np.ndarray:
    """Centres of the best of several runs of k-means on few rows, one of them from the means that were found."""
    some = spread_out(len(sample.rows), START_ROWS, generator(settings.seed, "mixture"))
    rows, weight = sample.rows[some], sample.weight[some]
    runs = engine.each(lambda number: one_run(rows, weight, settings, number), range(STARTS))
    runs.append(refine(rows, weight, found, settings.max_iter))
    return min(runs, key=lambda run: run.inertia).centres


def _split(sample: LabelledRows, own: Mixture, settings: Settings) -> tuple[np.ndarray, int]:
    """Up to three parts of each cluster, by k-means in the coordinates in which it is round; and how many in all."""
    part, n_parts, random = np.empty(len(sample.label), np.int64), 0, generator(settings.seed, "finer mixture")
    least = settings.policy.rows_a_dimension * (sample.rows.shape[1] + 1)
    for number in range(settings.n_clusters):
        inside = np.flatnonzero(sample.label == number)
        places = (sample.rows[inside] - own.means[number]) @ own.factors[number].T
        count = max(1, min(settings.policy.finer_mixture, len(inside) // least))
        centres = kmeans(places, sample.weight[inside], count, random, SPLIT_ITERATIONS).centres
        part[inside] = n_parts + Centres(centres).label(places)
        n_parts += len(centres)
    return part, n_parts


def _last(fits: Iterator[Fit], to_surpass: Fit, policy: CutPolicy) -> Fit:
    """The last of several fits, each better than the one before, or the first that is too slow to surpass another."""
    before = -np.inf
    for fit in fits:
        if (fit.score - before) * policy.patience < to_surpass.score - fit.score:
            break
        before = fit.score
    return fit


def _of_rows(mixture: Mixture, centre: np.ndarray, spread: np.ndarray) -> Mixture:
    """The same for rows as they are, with features that say nothing."""
    used, k, d = spread > 0, len(mixture.means), len(centre)
    means, factors = np.repeat(centre[None], k, axis=0), np.zeros((k, d, d))
    means[:, used] += mixture.means * spread[used]
    factors[np.ix_(np.arange(k), used, used)] = mixture.factors / spread[used]
    return Mixture(means, factors, mixture.constants)


def _placed(mixture: Mixture, found: Clusters, sample: LabelledRows, settings: Settings) -> GaussianClusters:
    """Components in the order of their centroids, which are the mean places of their rows."""
    embedding = found.partition.embedding
    places, label = embedding.transform(*embedding.lookup(sample.rows)), mixture.label(sample.rows)
    members = np.eye(len(mixture.means))[label] * sample.weight[:, None]
    centroids = (members.T @ places) / members.sum(axis=0)[:, None]
    squared = np.average(np.sum((places - centroids[label]) ** 2, axis=1), weights=sample.weight)
    order = order_of(centroids, settings)
    centroids = centroids[order].astype(embedding.dtype)
    return GaussianClusters(mixture.some(order), Centroids(centroids, found.centroids.n_iter, float(squared)))
