"""Maps of the clusters: how many rows of which cluster fall into each cell of a grid."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA

from dncsc.plot import count_cells, two_coordinates
from dncsc.report.moments import Moments
from dncsc.report.reader import BlockReader

COLUMNS, LINES = 360, 270
PRINCIPAL_ROWS = 20_000
"""Rows that the principal components are found from."""
PAIRED_FEATURES = 12
"""Up to so many features, any two can be chosen for a map."""
PAIRED_VALUES = 2**19
"""Values of the sample that the page holds for that: a megabyte."""
OUTSIDE = 2**16 - 1
"""Code of a coordinate outside the viewport."""


class Viewport(NamedTuple):
    """The rectangle that a map shows."""

    low: np.ndarray
    high: np.ndarray

    def encode(self, points: np.ndarray) -> np.ndarray:
        """Points as 16-bit numbers."""
        unit = (points - self.low) / (self.high - self.low)
        return np.where((unit >= 0) & (unit <= 1), np.rint(unit * (OUTSIDE - 1)), OUTSIDE).astype(np.uint16)


class View(NamedTuple):
    """One map: rows counted by cell and cluster."""

    key: str
    title: str
    axes: tuple[str, str]
    viewport: Viewport
    counts: csr_matrix
    n_rows: int
    """all rows, or those of the sample"""
    landmarks: np.ndarray
    """(p, 2); none where the method has none"""

    def data(self) -> dict[str, Any]:
        """What the page's script draws; cells are given by the gaps between their numbers."""
        counts, marks = self.counts.tocoo(), self.viewport.encode(self.landmarks)
        return {
            "key": self.key,
            "axes": self.axes,
            **self.viewport._asdict(),
            "rows": self.n_rows,
            "outside": self.n_rows - int(counts.sum()),
            "gap": np.diff(counts.row, prepend=0),
            "cluster": counts.col,
            "count": counts.data,
            "landmarks": marks[(marks != OUTSIDE).all(axis=1)].ravel(),
        }


class Pairs(NamedTuple):
    """Values of a sample, from which the page draws any two features: encoded, feature by feature."""

    names: list[str]
    low: np.ndarray
    high: np.ndarray
    values: np.ndarray
    cluster: np.ndarray
    landmarks: np.ndarray


def views(model: Any, reader: BlockReader, moments: Moments) -> list[View]:
    """The map of all rows, in one pass, and that of a sample in the spectral embedding where there is one."""
    key, title, axes, project = _projection(reader, moments)
    low, high = (moments.low, moments.high) if reader.n_features == 2 else (None, None)
    viewport = fit_viewport(project(moments.sample, 0), low, high)
    total = csr_matrix((COLUMNS * LINES, len(moments.count)), dtype=np.int64)
    for start, stop, rows in reader.blocks("map"):
        labels = np.asarray(model.labels_[start:stop])
        total += count_cells(project(rows, start), labels, viewport, (COLUMNS, LINES), len(moments.count))
    found = View(key, title, axes, viewport, total, reader.n_rows, project(_landmarks(model), 0))
    return [found, *_embedded(model, moments)]


def pairs(model: Any, reader: BlockReader, moments: Moments) -> Pairs | None:
    """What any two of a few features are drawn from; None where they are at most two, or many."""
    if not 2 < reader.n_features <= PAIRED_FEATURES:
        return None
    step = -(-moments.sample.size // PAIRED_VALUES)
    viewport = fit_viewport(moments.sample, moments.low, moments.high, equal=False)
    values, marks = (viewport.encode(each).T.ravel() for each in (moments.sample[::step], _landmarks(model)))
    labels = np.asarray(model.labels_[moments.chosen[::step]])
    return Pairs(reader.names, viewport.low, viewport.high, values, labels, marks)


def fit_viewport(points: np.ndarray, low: Any = None, high: Any = None, equal: bool = True) -> Viewport:
    """A viewport around points, or around a known range; far outliers stay outside.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        All points or a sample.
    low, high : ndarray of shape (d,), optional
        Range of all points.
    equal : bool
        Give two axes one scale where neither is more than three times as long as the other.
    """
    low = (points.min(axis=0) if low is None else low).astype(np.float64)
    high = (points.max(axis=0) if high is None else high).astype(np.float64)
    few, most = np.quantile(points, [0.001, 0.999], axis=0)
    spread = most - few
    far = (spread > 0) & (high - low > 3 * spread)
    low = np.where(far, np.maximum(low, few - spread / 2), low)
    high = np.where(far, np.minimum(high, most + spread / 2), high)
    side = np.where(high > low, high - low, np.maximum(np.abs(low), 1.0))
    if equal and len(side) == 2:
        scaled = side / (COLUMNS, LINES)
        side = scaled.max() * np.array((COLUMNS, LINES)) if scaled.max() <= 3 * scaled.min() else side
    middle, half = (low + high) / 2, 0.53 * side
    return Viewport(middle - half, middle + half)


class Projection(NamedTuple):
    """Two coordinates of rows, and how the page calls them."""

    key: str
    title: str
    axes: tuple[str, str]
    project: Callable[[np.ndarray, int], np.ndarray]
    """of rows, and the number of the first of them"""


def _projection(reader: BlockReader, moments: Moments) -> Projection:
    """The two features themselves, or the leading principal components of more."""
    if reader.n_features == 2:
        return Projection("features", "Features", (reader.names[0], reader.names[1]), lambda rows, start: rows)
    if reader.n_features == 1:
        return Projection("features", "Features", (reader.names[0], "spread at random"), _spread)
    step = -(-len(moments.sample) // PRINCIPAL_ROWS)
    middle = moments.whole_mean
    some = moments.sample[::step].astype(np.float64) - middle
    vectors, shares = np.eye(2, reader.n_features), [0.0, 0.0]
    if some.any() and len(some) > 1:
        found = PCA(2, random_state=0).fit(some)
        vectors, shares = found.components_, found.explained_variance_ratio_
    first, second = (f"component {number} ({share:.0%} of variance)" for number, share in enumerate(shares, 1))
    return Projection(
        "principal", "Principal components", (first, second), lambda rows, start: (rows - middle) @ vectors.T
    )


def _spread(rows: np.ndarray, start: int) -> np.ndarray:
    return np.column_stack([rows[:, 0], np.random.default_rng([0, start]).random(len(rows))])


def _landmarks(model: Any) -> np.ndarray:
    return np.asarray(getattr(model, "landmarks_", np.empty((0, model.n_features_in_))))


def _embedded(model: Any, moments: Moments) -> list[View]:
    """The sample in two coordinates of the embedding; nothing where there are fewer."""
    marks = _landmarks(model)
    if not hasattr(model, "transform"):
        return []
    with warnings.catch_warnings():  # blocks are arrays, even if the model was fitted to a frame with names
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        points = np.asarray(model.transform(moments.sample))
        placed = np.asarray(model.transform(marks)) if len(marks) else points[:0]
    if points.shape[1] < 2:
        return []
    points, axes = two_coordinates(points)
    placed, _ = two_coordinates(placed)
    viewport = fit_viewport(points)
    labels = np.asarray(model.labels_[moments.chosen])
    total = count_cells(points, labels, viewport, (COLUMNS, LINES), len(moments.count))
    return [View("embedding", "Spectral embedding", axes, viewport, total, len(points), placed)]
