"""Counted clusters that are two: found among rows, as a graph of landmarks does not separate groups near each other.

A cluster is taken for two if two Gaussians describe it clearly better than one, lie far enough apart to have two modes,
and one of them at least is hardly better divided again. Heavy-tailed clusters are described better by two as well, but
these lie in each other; very skewed, bent and angular ones, such as rings and squares, by ever more.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import generator, stream
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.embedding import Embedding
from dncsc.phases.kmeans import kmeans
from dncsc.phases.labelled_rows import LabelledRows
from dncsc.phases.mixture import Centres, Fit, Mixture
from dncsc.phases.sample import SAMPLE_ROWS, draw_rows
from dncsc.phases.settings import Settings
from dncsc.phases.shared_sample import few_rows_tell

SPLIT_ITERATIONS = 10
"""of the k-means that divides a cluster"""
ROUND_STARTS, PARTS = 4, 4
"""Divisions of a cluster where it is round, all of whose directions are alike at first; and parts, each of which may be
the one that lies apart from the others."""
FIRST_ITERATIONS = 5
"""by which the best of these shows"""


def count_modes(
    engine: Engine, settings: Settings, partition: Partition, embedding: Embedding, places: np.ndarray
) -> int | None:
    """How many clusters there are if some of those that were counted are two; None where none is.

    Clusters that do not even touch a little are not looked at, unless their graph has a gap behind another number, too,
    or rows are so few that parts of them lie apart.
    """
    counted, policy = partition.counted, settings.policy
    assert counted is not None
    last = counted.eigenvalues[counted.n_clusters - 1 : counted.n_clusters]
    are_few_rows = settings.n_counted < policy.few_rows_a_landmark * settings.n_landmarks
    may_touch = np.any(last > policy.shattered) or (are_few_rows and partition.n_components > counted.n_clusters)
    has_other_gap = np.any(counted.others[:, 1] * policy.gap >= 1)
    if not (may_touch or has_other_gap) or not few_rows_tell(engine, settings):
        return None
    drawn = draw_rows(engine, stream(settings.seed, "modes"), SAMPLE_ROWS, settings.n_counted)
    label = embedding.label(places, *embedding.lookup(drawn.values[0]))[0]
    sample = LabelledRows(drawn.values[0], drawn.weight / drawn.weight.max(), label).without_far_rows(policy)
    centre, spread = sample.centre_and_spread(policy)
    if not 0 < np.count_nonzero(spread) <= policy.mixture_features:
        return None
    sample = sample.in_units(centre, spread)
    clusters = [sample.some(sample.label == number) for number in range(counted.n_clusters)]
    n_two = sum(_are_two(each, settings) for each in clusters)
    return counted.n_clusters + n_two if n_two else None


def _are_two(cluster: LabelledRows, settings: Settings) -> bool:
    """Whether two Gaussians that lie apart describe the rows of a cluster clearly better than one does."""
    n, random = len(cluster.rows), generator(settings.seed, "modes")
    n_parameters = Mixture.n_parameters_of(cluster.rows.shape[1])
    if n < 2 * settings.policy.rows_a_parameter * n_parameters:
        return False
    all_rows = np.zeros(n, np.int64)
    *_, one = cluster.fits(all_rows, 1)
    two = _split(cluster, all_rows, one, 0, random)
    gain = _gain(two, one, n)
    if gain <= settings.policy.two_better or _apart(two) <= settings.policy.modes_apart:
        return False
    label = two.mixture.label(cluster.rows)
    if np.bincount(label, minlength=2).min() < n_parameters:  # so few are like each other in some direction
        return False
    finer = min(_gain(_split(cluster, label, two, number, random), two, n) for number in (0, 1))
    return finer <= max(settings.policy.two_better, settings.policy.finer_gain * gain)


def _gain(finer: Fit, fit: Fit, n_rows: int) -> float:
    """Twice the logarithm of the likelihood that one Gaussian more adds, for each of its parameters."""
    n_parameters = finer.mixture.n_parameters - fit.mixture.n_parameters
    return 2 * n_rows * (finer.likelihood - fit.likelihood) / max(n_parameters, 1)


def _split(cluster: LabelledRows, label: np.ndarray, fit: Fit, number: int, random: np.random.Generator) -> Fit:
    """The best mixture with one component divided; the same mixture where its rows are all alike."""
    part, n_components = cluster.some(label == number), len(fit.mixture.means)
    round_ = (part.rows - fit.mixture.means[number]) @ fit.mixture.factors[number].T
    begun = []
    for side in _divisions(part, round_, random):
        divided = label.copy()
        divided[label == number] = np.where(side, n_components, number)
        fits = cluster.fits(divided, n_components + 1)
        begun.append((fits, list(islice(fits, FIRST_ITERATIONS))[-1]))
    if not begun:
        return fit
    fits, first = max(begun, key=lambda pair: pair[1].likelihood)
    *_, best = [first, *fits]
    return best


def _divisions(part: LabelledRows, round_: np.ndarray, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Rows of one side, by k-means: of two among the rows and where they are round, and each of several parts there."""

    def parts(places: np.ndarray, count: int) -> np.ndarray:
        return Centres(kmeans(places, part.weight, count, random, SPLIT_ITERATIONS).centres).label(places)

    if len(part.rows) > 1:
        halves = [parts(places, 2) > 0 for places in (part.rows, *[round_] * ROUND_STARTS)]
        several = parts(round_, PARTS)
        sides = [*halves, *(several == number for number in range(PARTS))]
        yield from (side for side in sides if side.any() and not side.all())


def _apart(fit: Fit) -> float:
    """How many deviations two components lie apart, by the mean of their covariances."""
    roots = np.linalg.inv(fit.mixture.factors)
    covariance = np.mean(roots @ roots.transpose(0, 2, 1), axis=0)
    first, second = fit.mixture.means
    along = np.linalg.solve(covariance, second - first)
    return float(np.sqrt(along @ (second - first)))
