"""Phase 3, affinity: from distances to the weights of the bipartite graph (equation 13 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
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

BANDWIDTH_ROWS = 10_000
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


def by_nearest(engine: Engine, settings: Settings, links: Links) -> Affinity | None:
    """The weights asked for; "mean" is Gaussian with the mean distance of rows to their K nearest landmarks.

    None for "auto": the cut chooses them, since it sees what becomes of the graph (`dncsc.phases.cut.weights`).
    """
    return None if settings.bandwidth == AUTO else _weights(engine, settings, links, links.mean_distance)


def by_all(engine: Engine, settings: Settings, links: Links) -> Affinity:
    """Rows of sum 1; "mean" is Gaussian with the mean distance of rows to all landmarks (LSC)."""
    mean = _mean_distance_to_all(engine, settings, links.search.landmarks) if settings.bandwidth == MEAN else 0.0
    return RowNormalised(_weights(engine, settings, links, mean))


def _weights(engine: Engine, settings: Settings, links: Links, mean_distance: float) -> Affinity:
    if settings.bandwidth == ADAPTIVE:
        return Adaptive()
    if settings.bandwidth == LOCAL:
        return SelfTuning(_landmark_scales(engine, settings, links.search.landmarks))
    return gaussian(mean_distance if isinstance(settings.bandwidth, str) else settings.bandwidth)


def gaussian(bandwidth: float, count: int | None = None) -> Gaussian:
    """Gaussian weights; of any bandwidth where it is 0, as it is where every row is a landmark and K = 1."""
    return Gaussian(bandwidth if bandwidth > 0 else 1.0, count)


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
    drawn = draw_rows(engine, stream(settings.seed, "bandwidth"), BANDWIDTH_ROWS, settings.n_counted)
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
