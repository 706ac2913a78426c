"""One pass over the rows: sizes, means and deviations of each cluster, ranges of features, and a sample."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from dncsc.report.reader import BlockReader


@dataclass(frozen=True)
class Moments:
    """Statistics of one pass. Empty clusters have a mean of 0."""

    count: np.ndarray
    """rows of each cluster (k,)"""
    mean: np.ndarray
    """(k, d)"""
    deviation: np.ndarray
    """standard deviation within each cluster (k, d)"""
    low: np.ndarray
    high: np.ndarray
    """range of each feature (d,)"""
    sample: np.ndarray
    """some rows"""
    chosen: np.ndarray
    """their numbers"""

    @cached_property
    def whole_mean(self) -> np.ndarray:
        """Mean of each feature over all rows (d,)."""
        return self._average(self.mean)

    @cached_property
    def whole_deviation(self) -> np.ndarray:
        """Standard deviation of each feature over all rows (d,)."""
        return np.sqrt(self._average(self.deviation**2 + (self.mean - self.whole_mean) ** 2))

    @cached_property
    def effect(self) -> np.ndarray:
        """Difference of each cluster's mean from that of all rows, in standard deviations of all rows (k, d)."""
        spread = self.whole_deviation
        # a feature may be constant but for rounding
        varies = spread > 1e-12 * np.maximum(np.abs(self.low), np.abs(self.high))
        difference = np.where(self.count[:, None] > 0, self.mean - self.whole_mean, 0.0)
        return np.where(varies, difference / np.where(varies, spread, 1.0), 0.0)

    def _average(self, values: np.ndarray) -> np.ndarray:
        return self.count @ values / self.count.sum()


def gather(reader: BlockReader, labels: Any, n_clusters: int, chosen: np.ndarray) -> Moments:
    """Read all rows once. Means of blocks are merged, so that a large offset costs no digits."""
    shape = (n_clusters, reader.n_features)
    count, mean, squares = np.zeros(n_clusters), np.zeros(shape), np.zeros(shape)
    low, high = np.full(reader.n_features, np.inf), np.full(reader.n_features, -np.inf)
    sample: np.ndarray | None = None
    for start, stop, rows in reader.blocks("profiles"):
        sample = np.empty((len(chosen), reader.n_features), rows.dtype) if sample is None else sample
        first, end = np.searchsorted(chosen, [start, stop])
        sample[first:end] = rows[chosen[first:end] - start]
        np.minimum(low, rows.min(axis=0), out=low)
        np.maximum(high, rows.max(axis=0), out=high)
        _merge(count, mean, squares, rows.astype(np.float64), np.asarray(labels[start:stop]))
    assert sample is not None
    deviation = np.sqrt(squares / np.maximum(count, 1)[:, None])
    return Moments(count.astype(np.int64), mean, deviation, low, high, sample, chosen)


def _merge(count: np.ndarray, mean: np.ndarray, squares: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> None:
    """Add a block to counts, means and sums of squared deviations of clusters."""
    ones, line = np.ones(len(rows)), np.arange(len(rows) + 1)
    members = scipy.sparse.csr_matrix((ones, labels, line), shape=(len(rows), len(count))).T.tocsr()
    new = np.bincount(labels, minlength=len(count)).astype(np.float64)
    new_mean = (members @ rows) / np.maximum(new, 1)[:, None]
    rows -= new_mean[labels]
    share = (new / np.maximum(count + new, 1))[:, None]
    apart = new_mean - mean
    squares += members @ rows**2 + apart**2 * share * count[:, None]
    mean += apart * share
    count += new
