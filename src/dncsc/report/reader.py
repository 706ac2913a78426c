"""Rows of any kind, read block by block: a sample of them, and sizes, means and deviations of their clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from dncsc.engines.frame import COSINE, EUCLIDEAN, unit_rows, working_dtype
from dncsc.engines.layout import block_rows
from dncsc.errors import visible

SAMPLED_VALUES = 2**26
"""Values of a sample at most, for any number of features: 256 MB of float32."""

StepProgress = Callable[[str, float], None]
"""Called with a step of the report and the share of it that is done."""


@dataclass(frozen=True)
class Units:
    """The units that features are shown in: ``rows * scale + centre``."""

    centre: np.ndarray
    scale: np.ndarray

    @classmethod
    def checked(cls, given: tuple[Any, Any], n_features: int) -> Units:
        """Units as `write_report` is given them."""
        centre, scale = (np.asarray(each, np.float64) for each in given)
        fits = centre.shape == scale.shape == (n_features,)
        if not fits or not np.isfinite([centre, scale]).all() or (scale <= 0).any():
            raise ValueError(f"units must be a centre and a positive scale for each of the {n_features} features.")
        return cls(centre, scale)

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Rows in these units."""
        return rows * self.scale + self.centre


class BlockReader:
    """Rows in memory or in files: their shape, names of the features, and blocks of finite numbers.

    `rows`, `progress` and `units` are those of `write_report`; `names` are those that the model knows, if any. For the
    cosine, rows have length 1, as the model sees them, and no other units.
    """

    def __init__(
        self,
        rows: Any,
        names: Any = None,
        progress: StepProgress | None = None,
        metric: str = EUCLIDEAN,
        units: tuple[Any, Any] | None = None,
    ) -> None:
        rows = rows if hasattr(rows, "shape") else np.asarray(rows)
        if len(rows.shape) != 2:
            raise ValueError(f"rows must have two dimensions, rows and features; got the shape {tuple(rows.shape)}.")
        self.shape = self.n_rows, self.n_features = int(rows.shape[0]), int(rows.shape[1])
        self.progress: StepProgress = progress or (lambda step, done: None)
        known = (names, getattr(rows, "names", None), getattr(rows, "columns", None))
        given = next((each for each in known if each is not None and len(each) == self.n_features), None)
        self.names = (
            [f"x{i}" for i in range(self.n_features)] if given is None else [visible(str(name)) for name in given]
        )
        self.container, self.metric = type(rows).__name__, metric
        checked = None if units is None else Units.checked(units, self.n_features)
        self.units = None if metric == COSINE else checked
        self._rows = rows.tocsr() if scipy.sparse.issparse(rows) else rows

    def blocks(self, step: str) -> Iterator[tuple[int, int, np.ndarray]]:
        """First row, end and values of each block, in order."""
        size = block_rows(self.n_features)
        streamed = None if getattr(self._rows, "seekable", True) else self._rows.batches(size)
        for start in range(0, self.n_rows, size):
            stop = min(start + size, self.n_rows)
            values = self._slice(start, stop) if streamed is None else next(streamed)
            if values.shape != (stop - start, self.n_features):
                raise ValueError(
                    f"rows {start} to {stop} came with the shape {values.shape}, not {(stop - start, self.n_features)}."
                )
            if values.dtype.kind != "f" or values.dtype.itemsize < 4:
                values = values.astype(np.float64)
            if not np.isfinite(values).all():
                row, column = np.argwhere(~np.isfinite(values))[0]
                raise ValueError(
                    f"row {start + row} has a value in {self.names[column]!r} that is not finite: no model can have "
                    "been fitted to it. Give the rows that the model was fitted to."
                )
            if self.metric == COSINE:
                values = unit_rows(values, np.empty(values.shape, working_dtype(values.dtype)))
            yield start, stop, values
            self.progress(step, stop / self.n_rows)

    def shown(self, rows: np.ndarray) -> np.ndarray:
        """Rows in the units that they are shown in."""
        return rows if self.units is None else self.units.of(rows)

    def _slice(self, start: int, stop: int) -> np.ndarray:
        if hasattr(self._rows, "read"):
            return np.asarray(self._rows.read(start, stop))
        some = getattr(self._rows, "iloc", self._rows)[start:stop]
        return some.toarray() if scipy.sparse.issparse(some) else np.asarray(some)


def sample_numbers(n_rows: int, n_features: int, most: int) -> np.ndarray:
    """Numbers of at most `most` rows, ascending: a random one from each of as many equal intervals."""
    n_chosen = min(n_rows, most, max(1, SAMPLED_VALUES // n_features))
    if n_chosen == n_rows:
        return np.arange(n_rows)
    place = np.arange(n_chosen) + np.random.default_rng(0).random(n_chosen)
    return np.minimum((place * (n_rows / n_chosen)).astype(np.int64), n_rows - 1)


@dataclass(frozen=True)
class Moments:
    """Statistics of k clusters in d features, and some rows. Empty clusters have a mean of 0."""

    count: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    """standard deviation within each cluster (k, d)"""
    low: np.ndarray
    high: np.ndarray
    """range of each feature (d,)"""
    sample: np.ndarray
    chosen: np.ndarray
    """numbers of the rows in the sample"""

    @cached_property
    def whole_mean(self) -> np.ndarray:
        """Mean of each feature over all rows (d,)."""
        return np.average(self.mean, axis=0, weights=self.count)

    @cached_property
    def whole_deviation(self) -> np.ndarray:
        """Standard deviation of each feature over all rows (d,)."""
        squares = self.deviation**2 + (self.mean - self.whole_mean) ** 2
        return np.sqrt(np.average(squares, axis=0, weights=self.count))

    @cached_property
    def effect(self) -> np.ndarray:
        """Difference of each cluster's mean from that of all rows, in standard deviations of all rows (k, d)."""
        # a feature may be constant but for rounding
        varies = self.whole_deviation > 1e-12 * np.maximum(np.abs(self.low), np.abs(self.high))
        difference = (self.mean - self.whole_mean) / np.where(varies, self.whole_deviation, 1.0)
        return np.where(varies & (self.count[:, None] > 0), difference, 0.0)

    def shown_in(self, units: Units | None) -> Moments:
        """The same in other units, but for the sample; None for those of the rows."""
        if units is None:
            return self
        mean = np.where(self.count[:, None] > 0, units.of(self.mean), 0.0)
        deviation, low, high = self.deviation * units.scale, units.of(self.low), units.of(self.high)
        return replace(self, mean=mean, deviation=deviation, low=low, high=high)


def gather_moments(reader: BlockReader, labels: Any, n_clusters: int, chosen: np.ndarray) -> Moments:
    """Read all rows once; noise is in no cluster. Means of blocks are merged: a large offset costs no digits."""
    shape = (n_clusters, reader.n_features)
    count, mean, squares = np.zeros(n_clusters), np.zeros(shape), np.zeros(shape)
    low, high, sample = np.full(shape[1], np.inf), np.full(shape[1], -np.inf), np.empty(0)
    for start, stop, rows in reader.blocks("profiles"):
        sample = sample if start else np.empty((len(chosen), shape[1]), rows.dtype)
        first, end = np.searchsorted(chosen, [start, stop])
        sample[first:end] = rows[chosen[first:end] - start]
        low, high = np.minimum(low, rows.min(axis=0)), np.maximum(high, rows.max(axis=0))
        label = np.asarray(labels[start:stop])
        is_clustered = label >= 0
        _merge(count, mean, squares, rows[is_clustered].astype(np.float64), label[is_clustered])
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
