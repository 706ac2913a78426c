"""Some rows with the clusters that were found, by which clusters are looked at where rows are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.mixture import Fit, fit_mixture

MOST_CATEGORIES = 10
"""values of a feature that is a category, or a short scale; one of more may be that of a Gaussian"""
ROUNDING = 1e-12
"""of the largest spread: a feature with less does not vary"""


class LabelledRows(NamedTuple):
    """Rows, and the clusters that were found."""

    rows: np.ndarray
    weight: np.ndarray
    label: np.ndarray

    def fits(self, label: np.ndarray, n_components: int) -> Iterator[Fit]:
        """Mixtures of the rows, from a first component of each."""
        return fit_mixture(self.rows, self.weight, label, n_components)

    def some(self, which: np.ndarray) -> LabelledRows:
        """Those of a mask."""
        return LabelledRows(*(each[which] for each in self))

    def centre_and_spread(self, policy: CutPolicy) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each feature; a spread of 0 for those that mixtures leave out.

        These are features that do not vary, and categories that clusters say nothing about. Where clusters do say
        something of one, nothing is left: a mixture cannot tell them.
        """
        rows, weight = self.rows.astype(np.float64), self.weight
        centre = np.average(rows, axis=0, weights=weight)
        spread = np.sqrt(np.average((rows - centre) ** 2, axis=0, weights=weight))
        spread[spread <= ROUNDING * spread.max()] = 0
        has_few_values = np.array([len(np.unique(column)) <= MOST_CATEGORIES for column in rows.T]) & (spread > 0)
        told = _told((rows - centre)[:, has_few_values], weight, self.label)
        spread[has_few_values | np.any(told >= policy.told)] = 0
        return centre, spread


def _told(rows: np.ndarray, weight: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Share of the variance of each feature, which are centred, that is between clusters."""
    members = np.eye(int(label.max()) + 1)[label] * weight[:, None]
    mass = np.maximum(members.sum(axis=0), np.finfo(np.float64).tiny)
    between = ((members.T @ rows) ** 2 / mass[:, None]).sum(axis=0)
    return np.asarray(between / (weight @ rows**2))
