"""What labels rows by their own values, and not by an embedding: mixtures of Gaussians, and centres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dncsc.kernels.gaussians import add_scatter, densest, log_densities
from dncsc.phases.embedding import nearest_centroids

FLOOR = 1e-3
"""of the unit of a feature, squared, added to each component's variance: none shrinks to a point or a plane"""
ITERATIONS, SETTLED = 100, 1e-3
"""of expectation and maximisation; they end where a row's log-likelihood gains less"""


@dataclass(frozen=True)
class Mixture:
    """Gaussian components; a row belongs to the one that is densest there."""

    means: np.ndarray
    """float64 (k, d)"""
    factors: np.ndarray
    """float64 (k, d, d), lower triangles: ``factor (x - mean)`` has unit covariance in the component"""
    constants: np.ndarray
    """float64 (k,): logarithm of the density at the mean, times the component's share of the rows"""

    def label(self, rows: np.ndarray) -> np.ndarray:
        """int32 (n,): each row by itself, so that it is the same in any block."""
        labels = np.empty(len(rows), np.int32)
        densest(rows, self.means, self.factors, self.constants, labels)
        return labels

    def some(self, order: np.ndarray) -> Mixture:
        """Components by their numbers."""
        return Mixture(self.means[order], self.factors[order], self.constants[order])

    @property
    def middles(self) -> np.ndarray:
        """Of its clusters (k, d)."""
        return self.means

    @property
    def n_parameters(self) -> int:
        k, d = self.means.shape
        return k * self.n_parameters_of(d) - 1

    @staticmethod
    def n_parameters_of(n_features: int) -> int:
        """Of one component: its share, its mean and its covariance."""
        return 1 + n_features + n_features * (n_features + 1) // 2


@dataclass(frozen=True)
class Centres:
    """Centres of clusters; a row belongs to the nearest."""

    places: np.ndarray
    """(k, d)"""

    def label(self, rows: np.ndarray) -> np.ndarray:
        """int32 (n,): each row by itself, so that it is the same in any block."""
        return nearest_centroids(rows, self.places)[0]

    @property
    def middles(self) -> np.ndarray:
        """Of its clusters (k, d)."""
        return self.places


Classifier = Mixture | Centres
"""What labels rows by their own values."""


class Fit(NamedTuple):
    """A mixture, and how well it describes the rows that it was fitted to."""

    mixture: Mixture
    likelihood: float
    """mean logarithm of the density of a row, up to a constant"""
    score: float
    """the same less the number of parameters a row (Akaike's criterion): what to expect of new rows"""


def fit_mixture(rows: np.ndarray, weight: np.ndarray, label: np.ndarray, n_components: int) -> Iterator[Fit]:
    """Better and better mixtures, by expectation and maximisation from a first component of each row.

    Parameters
    ----------
    rows : float64 (n, d)
        Features of mean 0 and variance 1.
    weight : (n,)
    label : int (n,)
    n_components : int
    """
    shares, before = np.eye(n_components)[label], -np.inf
    for _ in range(ITERATIONS):
        mixture = _likeliest(rows, weight, shares)
        densities = np.empty((len(rows), n_components))
        log_densities(rows, mixture.means, mixture.factors, mixture.constants, densities)
        largest = densities.max(axis=1, keepdims=True)
        shares = np.exp(densities - largest)
        total = shares.sum(axis=1, keepdims=True)
        likelihood = float(np.average((np.log(total) + largest)[:, 0], weights=weight))
        yield Fit(mixture, likelihood, likelihood - mixture.n_parameters / len(rows))
        if likelihood - before < SETTLED:
            return
        shares, before = shares / total, likelihood


def _likeliest(rows: np.ndarray, weight: np.ndarray, shares: np.ndarray) -> Mixture:
    """The mixture of components that rows have these shares in (n, k)."""
    shares = shares * weight[:, None]
    mass = np.maximum(shares.sum(axis=0), np.finfo(np.float64).tiny)
    means = (shares.T @ rows) / mass[:, None]
    scatter = np.zeros((*means.shape, means.shape[1]))
    add_scatter(rows, shares, means, scatter)
    covariance = scatter / mass[:, None, None] + FLOOR * np.eye(means.shape[1])
    factors = np.tril(np.linalg.inv(np.linalg.cholesky(covariance)))  # of which the lower triangle is read
    log_size = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    return Mixture(means, factors, np.log(mass / mass.sum()) + log_size)
