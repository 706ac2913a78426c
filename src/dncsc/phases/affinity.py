"""Phase 3, affinity: from distances to the weights of the bipartite graph (equation 13 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dncsc.kernels.weights import gaussian_transition
from dncsc.phases.nearest import Links
from dncsc.phases.settings import Settings


class Affinity(Protocol):
    """How squared distances (n, K) become rows of B: shares of the row that sum to 1, times the row's degree."""

    @property
    def bandwidth(self) -> float: ...

    def weigh(self, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of ``T = D_X^-1 B`` (n, K), and the degrees ``D_X`` (n,)."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """``exp(-d^2 / 2 sigma^2)``"""

    bandwidth: float

    def weigh(self, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return gaussian_transition(squared, 0.5 / self.bandwidth**2)


def gaussian(settings: Settings, links: Links) -> Gaussian:
    """Gaussian weights with the given bandwidth, or with the mean distance to the K nearest landmarks."""
    bandwidth = settings.bandwidth if settings.bandwidth is not None else links.mean_distance
    return Gaussian(bandwidth if bandwidth > 0 else 1.0)  # 0 where every row is a landmark and K = 1
