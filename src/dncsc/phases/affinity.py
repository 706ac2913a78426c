"""Phase 3, affinity: from distances to the weights of the bipartite graph (equation 13 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.layout import block_rows
from dncsc.engines.seeds import stream
from dncsc.kernels.nearest import search_all
from dncsc.kernels.weights import adaptive_transition, gaussian_transition, local_transition
from dncsc.phases.nearest import Links
from dncsc.phases.sample import draw_rows
from dncsc.phases.settings import ADAPTIVE, AUTO, LOCAL, MEAN, Settings
from dncsc.phases.specks import MOST_SPECKS, Tolerance

SAMPLE_ROWS = 10_000
"""Rows that the mean distance to all landmarks is taken over; N x p distances would cost more than all else."""


class Affinity(Protocol):
    """How a row's nearest landmarks (n, K) and squared distances to them (n, K) become its row of B."""

    @property
    def bandwidth(self) -> float | None:
        """sigma, where there is one for all."""
        ...

    def weigh(self, nearest: np.ndarray, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of ``T = D_X^-1 B`` (n, K), which sum to 1, and the degrees ``D_X`` (n,)."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """``exp(-d^2 / 2 sigma^2)``"""

    bandwidth: float
    count: int | None = None
    """how many of the nearest landmarks have weight; all by default"""

    def weigh(self, nearest: np.ndarray, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return gaussian_transition(squared, 0.5 / self.bandwidth / self.bandwidth, self.count)


@dataclass(frozen=True)
class SelfTuning:
    """``exp(-d^2 / sigma_i sigma_j)``: mean distances of row i, and of landmark j, to their K nearest landmarks."""

    scales: np.ndarray
    """sigma_j of each landmark"""
    bandwidth: None = None

    def weigh(self, nearest: np.ndarray, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return local_transition(nearest, squared, self.scales)


@dataclass(frozen=True)
class Adaptive:
    """``d_{K+1}^2 - d_j^2``, scaled to sum 1 in a row: no bandwidth at all (Nie et al. 2016).

    The last of the landmarks searched, K + 1 or under "auto" K, sets the level and has weight 0.
    """

    bandwidth: None = None

    def weigh(self, nearest: np.ndarray, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return adaptive_transition(squared)


@dataclass(frozen=True)
class RowNormalised:
    """Weights whose rows are scaled to sum 1, so that a row far from its landmarks counts as much as any (LSC)."""

    weights: Affinity

    @property
    def bandwidth(self) -> float | None:
        return self.weights.bandwidth

    def weigh(self, nearest: np.ndarray, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        transition, degree = self.weights.weigh(nearest, squared)
        return transition, np.ones_like(degree)


@dataclass(frozen=True)
class _Several:
    """Several ways to weights; by itself, the first."""

    options: tuple[Affinity, ...]

    @property
    def bandwidth(self) -> float | None:
        return None

    def weigh(self, nearest: np.ndarray, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.options[0].weigh(nearest, squared)


@dataclass(frozen=True)
class Choice(_Several):
    """To be tried in this order by whoever sees what becomes of the graph."""

    tolerance: Tolerance | None
    """beyond which a graph counts as shattered, and the next weights are tried"""
    last_tolerance: Tolerance | None = None
    """of the last weights, whose graph is cut as it is where it is beyond that as well"""
    sharp: bool = False
    """whether links between landmarks are sharpened, as suits rows of many features"""
    faded: bool = False
    """whether eigenvectors count by their eigenvalues, as suits them too"""


@dataclass(frozen=True)
class Mixture(_Several):
    """Each for some members of an ensemble."""

    find_clusters: bool = False
    """whether graphs of such weights are worth cutting into the clusters sought as well, for a member each"""
    faded: bool = False
    """whether eigenvectors count by their eigenvalues where the clusters sought are looked for"""


TIGHT = 0.35
"""of the mean distance to the K nearest landmarks: a bandwidth that leaves gaps between clusters open"""
TIGHT_WHERE_FLAT = 0.2, 0.35, 0.5
"""The same in a plane, where clusters hold together by links that are shorter than most; to be tried in this order."""


FLATTEST, FLAT = 1e-6, 0.44
"""Rows whose `Links.nearness` is between lie in a plane, or nearly: it is about 0.3 in a plane, 0.43 in space, and at
least 0.51 on the five of ten sets that have more features.
Where it is less, rows are their own landmarks, and it says nothing."""
TOLERANCE = Tolerance(in_specks=0.01, landmarks_in_specks=0.05, sets_aside=False)
TOLERANCE_WHERE_FLAT = replace(TOLERANCE, sets_aside=True)
"""In a plane thin vectors are outliers; elsewhere they are the first of many."""
TOLERANCE_WITH_MANY_ROWS = replace(TOLERANCE_WHERE_FLAT, in_specks=MOST_SPECKS, landmarks_in_specks=1.0)
MANY_ROWS = 10
"""a landmark: with fewer, it may be chance that some are not linked"""


def by_nearest(engine: Engine, settings: Settings, links: Links) -> Affinity:
    """The weights asked for; "mean" is Gaussian with the mean distance of rows to their K nearest landmarks.

    "auto" is Gaussian with a third of that, or, where such weights shatter the graph, adaptive. In a plane it is
    Gaussian with a fifth, or with as much more as keeps the graph whole.
    """
    return _weights(engine, settings, links, links.mean_distance)


def by_all(engine: Engine, settings: Settings, links: Links) -> Affinity:
    """Rows of sum 1; "mean" is Gaussian with the mean distance of rows to all landmarks (LSC)."""
    mean = _mean_distance_to_all(engine, settings, links.search.landmarks) if settings.bandwidth == MEAN else 0.0
    return RowNormalised(_weights(engine, settings, links, mean))


def _weights(engine: Engine, settings: Settings, links: Links, mean_distance: float) -> Affinity:
    if settings.bandwidth == ADAPTIVE:
        return Adaptive()
    if settings.mixed:
        return _mixture(links, settings)
    if settings.bandwidth == AUTO:
        if is_flat(links):
            return _where_flat(settings, links, mean_distance)
        if links.search.n_neighbors == 1:
            return tight(mean_distance)  # the only link of a row has weight 1, whatever its length
        return Choice((tight(mean_distance), Adaptive()), TOLERANCE, sharp=True, faded=True)
    if settings.bandwidth == LOCAL:
        return SelfTuning(_landmark_scales(engine, settings, links.search.landmarks))
    bandwidth = mean_distance if isinstance(settings.bandwidth, str) else settings.bandwidth
    return _gaussian(bandwidth)


def _where_flat(settings: Settings, links: Links, mean_distance: float, count: int | None = None) -> Choice:
    """The tightest weights that do not shatter the graph."""
    shares = (*TIGHT_WHERE_FLAT, 1.0)
    options = tuple(_gaussian(share * mean_distance, count) for share in shares)
    return Choice(options, tolerance_of(settings, links), TOLERANCE_WITH_MANY_ROWS)


def tightest(links: Links) -> Gaussian:
    """The first weights that "auto" tries."""
    return _gaussian((TIGHT_WHERE_FLAT[0] if is_flat(links) else TIGHT) * links.mean_distance)


def tolerance_of(settings: Settings, links: Links) -> Tolerance:
    """Of graphs of such weights."""
    if not is_flat(links):
        return TOLERANCE
    few_rows = settings.n_counted < MANY_ROWS * len(links.search.landmarks)
    return TOLERANCE_WHERE_FLAT if few_rows else TOLERANCE_WITH_MANY_ROWS


def is_flat(links: Links) -> bool:
    """Whether rows lie in a plane, or nearly."""
    return FLATTEST < links.nearness < FLAT


def _mixture(links: Links, settings: Settings) -> Mixture:
    """Kinds of weights that err in different ways, so that a consensus of clusterings by all is better than by any.

    Adaptive ones of all, whose links are sharpened, and tight ones of the nearest landmarks (3 for K = 5). In a plane,
    where adaptive ones close gaps, tight ones of all and of few, as tight as leaves the graph whole.
    """
    few, most = _few(settings, links), min(settings.n_neighbors, links.search.n_neighbors)
    if not is_flat(links):
        of_all = Choice((Adaptive(),), None, sharp=True)
        of_few = tight(links.mean_distance_to(few), few)
        return Mixture((of_all, of_few), faded=True)
    options = tuple(_where_flat(settings, links, links.mean_distance_to(count), count) for count in (most, few))
    return Mixture(options, find_clusters=True)


def _few(settings: Settings, links: Links) -> int:
    """More than half of the K nearest: 3 for K = 5."""
    return min(settings.n_neighbors // 2 + 1, links.search.n_neighbors)


def tight(mean_distance: float, count: int | None = None) -> Gaussian:
    """Weights that leave gaps between clusters open."""
    return _gaussian(TIGHT * mean_distance, count)


def _gaussian(bandwidth: float, count: int | None = None) -> Gaussian:
    return Gaussian(bandwidth if bandwidth > 0 else 1.0, count)  # 0 where every row is a landmark and K = 1


def _landmark_scales(engine: Engine, settings: Settings, landmarks: np.ndarray) -> np.ndarray:
    """Mean distance of each landmark to the K landmarks nearest to it."""
    p = len(landmarks)
    if p == 1:
        return np.ones(1, landmarks.dtype)
    count, size = min(settings.n_neighbors + 1, p), block_rows(p)
    parts = engine.each(lambda start: search_all(landmarks[start : start + size], landmarks, count), range(0, p, size))
    distance = np.sqrt(np.concatenate([squared for _, squared in parts]))
    scales = distance[:, 1:].mean(axis=1)
    return np.where(scales > 0, scales, scales.max() or 1).astype(landmarks.dtype)


def _mean_distance_to_all(engine: Engine, settings: Settings, landmarks: np.ndarray) -> float:
    drawn = draw_rows(engine, stream(settings.seed, "bandwidth"), SAMPLE_ROWS, settings.n_counted)
    return mean_distance(engine, drawn.values[0], drawn.weight, landmarks)


def mean_distance(engine: Engine, rows: np.ndarray, weight: np.ndarray, landmarks: np.ndarray) -> float:
    """Weighted mean distance of some rows to all landmarks."""
    wide, squares = landmarks.astype(np.float64), np.sum(landmarks.astype(np.float64) ** 2, axis=1)
    size = block_rows(len(landmarks))

    def part(start: int) -> float:
        some = rows[start : start + size].astype(np.float64)
        squared = np.sum(some**2, axis=1)[:, None] + squares - 2 * some @ wide.T
        return float(weight[start : start + size] @ np.sqrt(np.maximum(squared, 0)).mean(axis=1))

    return sum(engine.each(part, range(0, len(rows), size))) / float(weight.sum())
