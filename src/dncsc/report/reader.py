"""Rows of any kind, read block by block: a sample of them, and sizes, means and deviations of their clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from dncsc.engines.frame import COSINE, EUCLIDEAN, unit_rows, working_dtype
from dncsc.engines.layout import block_rows
from dncsc.errors import visible
from dncsc.rows import Rows
from dncsc.tables.encoding import CategoryColumn
from dncsc.tables.rows import EncodedRows

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

    @property
    def are_those_of_rows(self) -> bool:
        """Whether they change nothing."""
        return not self.centre.any() and bool((self.scale == 1).all())

    def of(self, rows: np.ndarray) -> np.ndarray:
        """Rows in these units."""
        return rows * self.scale + self.centre


class Block(NamedTuple):
    """Some rows in order: the number of the first, the end, and their values."""

    start: int
    stop: int
    values: np.ndarray
    filled: np.ndarray | None
    """which values were missing, and filled in for the fit; None where none were"""


class BlockReader:
    """Rows in memory or in files: their shape, names of the features, and blocks of finite numbers.

    `rows`, `progress` and `units` are those of `write_report`; `names` are those that the model knows, if any. Rows of
    a table know how its columns became features: `encoding`. For the cosine, rows have length 1, as the model sees
    them, and no other units.
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
        self.encoding = rows.encoding if isinstance(rows, EncodedRows) else None
        self.files = rows.files if isinstance(rows, Rows) else ()
        self.columns = rows.columns if isinstance(rows, Rows) else None
        if units is None and self.encoding is not None:
            units = self.encoding.units
        checked = None if units is None else Units.checked(units, self.n_features)
        self.units = None if metric == COSINE or checked is None or checked.are_those_of_rows else checked
        self._rows = rows.tocsr() if scipy.sparse.issparse(rows) else rows

    @cached_property
    def kinds(self) -> list[str]:
        """What each feature is shown as: a number, a date, true/false, or whether a row is of a category."""
        if self.encoding is None or self.metric == COSINE:
            return ["number"] * self.n_features
        return [column.kind for column in self.encoding.columns for _ in column.feature_names]

    def blocks(self, step: str) -> Iterator[Block]:
        """All rows, block by block."""
        size, rows = block_rows(self.n_features), self._rows.source if self.encoding is not None else self._rows
        streamed = None if getattr(rows, "seekable", True) else rows.batches(size)
        for start in range(0, self.n_rows, size):
            stop = min(start + size, self.n_rows)
            values, filled = self._features(_slice(rows, start, stop) if streamed is None else next(streamed))
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
            yield Block(start, stop, values, filled)
            self.progress(step, stop / self.n_rows)

    def _features(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Rows as the model saw them, and what of them was filled in."""
        if self.encoding is None:
            return values, None
        gaps, features = np.isnan(values), self.encoding.encode(values).astype(self._rows.dtype)
        return features, gaps[:, self._filled_from] & (self._filled_from >= 0) if gaps.any() else None

    @cached_property
    def _filled_from(self) -> np.ndarray:
        """The column that each feature is the number of; -1 for categories, in which a gap is a value of its own."""
        columns = enumerate(() if self.encoding is None else self.encoding.columns)
        found = [(-1 if isinstance(column, CategoryColumn) else number, column) for number, column in columns]
        return np.array([number for number, column in found for _ in column.feature_names])

    def shown(self, rows: np.ndarray) -> np.ndarray:
        """Rows in the units that they are shown in."""
        return rows if self.units is None else self.units.of(rows)


def _slice(rows: Any, start: int, stop: int) -> np.ndarray:
    if hasattr(rows, "read"):
        return np.asarray(rows.read(start, stop))
    some = getattr(rows, "iloc", rows)[start:stop]
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
    """Statistics of k clusters in d features, and some rows. What has no values has a mean of 0."""

    count: np.ndarray
    known: np.ndarray
    """values of each feature in each cluster, without those filled in (k, d): the only ones in statistics"""
    mean: np.ndarray
    deviation: np.ndarray
    """standard deviation within each cluster (k, d)"""
    low: np.ndarray
    high: np.ndarray
    """range of each feature (d,)"""
    sample: np.ndarray
    chosen: np.ndarray
    """numbers of the rows in the sample"""

    @property
    def has_filled(self) -> bool:
        """Whether there are values that were filled in."""
        return bool((self.known < self.count[:, None]).any())

    @cached_property
    def whole_mean(self) -> np.ndarray:
        """Mean of each feature over all rows (d,)."""
        return self._average(self.mean)

    @cached_property
    def whole_deviation(self) -> np.ndarray:
        """Standard deviation of each feature over all rows (d,)."""
        return np.sqrt(self._average(self.deviation**2 + (self.mean - self.whole_mean) ** 2))

    def _average(self, values: np.ndarray) -> np.ndarray:
        share = self.known / np.maximum(self.known.sum(axis=0), 1)
        return np.asarray((share * values).sum(axis=0))

    @cached_property
    def effect(self) -> np.ndarray:
        """Difference of each cluster's mean from that of all rows, in standard deviations of all rows (k, d)."""
        # a feature may be constant but for rounding
        varies = self.whole_deviation > 1e-12 * np.maximum(np.abs(self.low), np.abs(self.high))
        difference = (self.mean - self.whole_mean) / np.where(varies, self.whole_deviation, 1.0)
        return np.where(varies & (self.known > 0), difference, 0.0)

    def shown_in(self, units: Units | None) -> Moments:
        """The same in other units, but for the sample; None for those of the rows."""
        if units is None:
            return self
        mean = np.where(self.known > 0, units.of(self.mean), 0.0)
        deviation, low, high = self.deviation * units.scale, units.of(self.low), units.of(self.high)
        return replace(self, mean=mean, deviation=deviation, low=low, high=high)


def gather_moments(reader: BlockReader, labels: Any, n_clusters: int, chosen: np.ndarray) -> Moments:
    """Read all rows once; noise is in no cluster. Means of blocks are merged: a large offset costs no digits."""
    shape = (n_clusters, reader.n_features)
    count, known, mean, squares = np.zeros(n_clusters, np.int64), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    low, high, sample = np.full(shape[1], np.inf), np.full(shape[1], -np.inf), np.empty(0)
    for start, stop, rows, filled in reader.blocks("profiles"):
        sample = sample if start else np.empty((len(chosen), shape[1]), rows.dtype)
        first, end = np.searchsorted(chosen, [start, stop])
        sample[first:end] = rows[chosen[first:end] - start]
        low, high = np.minimum(low, rows.min(axis=0)), np.maximum(high, rows.max(axis=0))
        label = np.asarray(labels[start:stop])
        kept = label >= 0
        count += np.bincount(label[kept], minlength=n_clusters)
        missing = None if filled is None else filled[kept]
        _merge(known, mean, squares, rows[kept].astype(np.float64), label[kept], missing)
    deviation = np.sqrt(squares / np.maximum(known, 1))
    return Moments(count, known, mean, deviation, low, high, sample, chosen)


def _merge(
    known: np.ndarray,
    mean: np.ndarray,
    squares: np.ndarray,
    rows: np.ndarray,
    labels: np.ndarray,
    missing: np.ndarray | None,
) -> None:
    """Add a block to counts, means and sums of squared deviations of clusters; missing values are left out."""
    ones, line = np.ones(len(rows)), np.arange(len(rows) + 1)
    members = scipy.sparse.csr_matrix((ones, labels, line), shape=(len(rows), len(known))).T.tocsr()
    new = np.bincount(labels, minlength=len(known)).astype(np.float64)[:, None]
    if missing is not None:
        rows[missing] = 0
        new = new - members @ missing.astype(np.float64)
    new_mean = (members @ rows) / np.maximum(new, 1)
    rows -= new_mean[labels]
    if missing is not None:
        rows[missing] = 0
    share = new / np.maximum(known + new, 1)
    apart = new_mean - mean
    squares += members @ rows**2 + apart**2 * share * known
    mean += apart * share
    known += new
