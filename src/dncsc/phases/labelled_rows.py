"""Some rows with the clusters that were found, to test what the clusters look like among the rows themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.mixture import Fit, fit_mixture

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

    def without_far_rows(self, policy: CutPolicy) -> LabelledRows:
        """Those that do not lie far from all others of their cluster, which would decide what a feature's unit is."""
        is_far = np.zeros(len(self.rows), bool)
        for number in np.unique(self.label):
            inside = self.label == number
            low, middle, high = np.quantile(self.rows[inside], [0.25, 0.5, 0.75], axis=0)
            unit = np.where(high > low, high - low, np.inf)
            is_far[inside] = np.any(np.abs(self.rows[inside] - middle) > policy.far * unit, axis=1)
        return self.some(~is_far) if np.count_nonzero(is_far) <= policy.most_far * len(is_far) else self

    def in_units(self, centre: np.ndarray, spread: np.ndarray) -> LabelledRows:
        """The same in the features that mixtures use, each from its centre, in its unit."""
        used = spread > 0
        return self._replace(rows=np.ascontiguousarray((self.rows[:, used] - centre[used]) / spread[used]))

    def centre_and_spread(self, policy: CutPolicy) -> tuple[np.ndarray, np.ndarray]:
        """Mean of each feature, and a unit for it, its standard deviation; 0 for those that mixtures leave out.

        These are features that do not vary, and categories that clusters do not explain. Where clusters explain one,
        all units are 0: a mixture does not suit such clusters.
        """
        rows, weight = self.rows.astype(np.float64), self.weight
        centre = np.average(rows, axis=0, weights=weight)
        spread = np.sqrt(np.average((rows - centre) ** 2, axis=0, weights=weight))
        spread[spread <= ROUNDING * spread.max()] = 0
        has_few_values = np.array([len(np.unique(column)) <= policy.short_scale for column in rows.T]) & (spread > 0)
        told = _told((rows - centre)[:, has_few_values], weight, self.label)
        within = np.sqrt(np.maximum(1 - _told(rows - centre, weight, self.label), 0)) * spread
        spread = np.where(within > 0, np.minimum(spread, np.sqrt(policy.most_between) * within), spread)
        spread[has_few_values | np.any(told >= policy.told)] = 0
        return centre, spread


def _told(rows: np.ndarray, weight: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Share of the variance of each feature, which are centred, that is between clusters."""
    members = np.eye(int(label.max()) + 1)[label] * weight[:, None]
    mass = np.maximum(members.sum(axis=0), np.finfo(np.float64).tiny)
    between = ((members.T @ rows) ** 2 / mass[:, None]).sum(axis=0)
    return np.asarray(between / np.maximum(weight @ rows**2, np.finfo(np.float64).tiny))
