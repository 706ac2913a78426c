"""Maps of the clusters: how many rows of which cluster fall into each cell of a grid."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from dncsc.report.moments import Moments, Tell
from dncsc.report.source import Source

COLUMNS, LINES = 360, 270
PRINCIPAL_ROWS = 20_000
"""Rows that the principal components are found from."""

PAIRED_FEATURES = 12
"""Up to so many features, any two can be chosen for a map."""
PAIRED_VALUES = 2**19
"""Values of a sample that are put into the page for that: a megabyte."""
OUTSIDE = 2**16 - 1

PENDING = 2**18
"""Counts that wait to be added to the others at most, or as many as there are of those."""


@dataclass(frozen=True)
class Frame:
    """The rectangle that a map shows."""

    low: np.ndarray
    high: np.ndarray

    def place(self, points: np.ndarray) -> np.ndarray:
        """Points with the frame as the unit square."""
        return (points - self.low) / (self.high - self.low)

    def code(self, points: np.ndarray) -> np.ndarray:
        """Points as 16-bit numbers; `OUTSIDE` for a coordinate outside the frame."""
        placed = self.place(points)
        inside = (placed >= 0) & (placed <= 1)
        return np.where(inside, np.rint(placed * (OUTSIDE - 1)), OUTSIDE).astype(np.uint16)


@dataclass(frozen=True)
class View:
    """One map: rows counted by cell and cluster, cells in ascending order from the lower left."""

    key: str
    title: str
    axes: tuple[str, str]
    frame: Frame
    cell: np.ndarray
    cluster: np.ndarray
    count: np.ndarray
    n_rows: int
    """rows looked at: all, or a sample"""
    landmarks: np.ndarray
    """(p, 2), coded; none where the method has none"""

    @property
    def n_outside(self) -> int:
        return self.n_rows - int(self.count.sum())


@dataclass(frozen=True)
class Pairs:
    """Values of a sample, coded, from which the page draws any two features."""

    frame: Frame
    """low and high of each feature"""
    values: np.ndarray
    """(n, d)"""
    labels: np.ndarray
    landmarks: np.ndarray


class Tally:
    """Counts of (cell, cluster), of which only those that occur are kept."""

    def __init__(self, frame: Frame, n_clusters: int) -> None:
        self._frame, self._k = frame, n_clusters
        self._keys, self._counts = np.empty(0, np.int64), np.empty(0, np.int64)
        self._pending: list[tuple[np.ndarray, np.ndarray]] = []
        self._n_pending = 0

    def add(self, points: np.ndarray, labels: np.ndarray) -> None:
        placed = self._frame.place(points)
        inside = ((placed >= 0) & (placed <= 1)).all(axis=1)
        across, up = (np.minimum(placed[inside] * (COLUMNS, LINES), (COLUMNS - 1, LINES - 1))).astype(np.int64).T
        keys, counts = np.unique((up * COLUMNS + across) * self._k + labels[inside], return_counts=True)
        self._pending.append((keys, counts))
        self._n_pending += len(keys)
        if self._n_pending > max(PENDING, len(self._keys)):
            self._settle()

    def view(self, key: str, title: str, axes: tuple[str, str], n_rows: int, landmarks: np.ndarray) -> View:
        self._settle()
        cell, cluster = np.divmod(self._keys, self._k)
        return View(key, title, axes, self._frame, cell, cluster, self._counts, n_rows, landmarks)

    def _settle(self) -> None:
        parts = [(self._keys, self._counts), *self._pending]
        keys, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
        self._keys, where = np.unique(keys, return_inverse=True)
        self._counts = np.bincount(where, counts, minlength=len(self._keys)).astype(np.int64)
        self._pending, self._n_pending = [], 0


def views(model: Any, source: Source, moments: Moments, tell: Tell) -> list[View]:
    """The map of all rows, in one pass, and that of a sample in the spectral embedding where there is one."""
    project = _Features(source) if source.n_features <= 2 else _Principal(source, moments)
    marks = np.asarray(getattr(model, "landmarks_", np.empty((0, source.n_features))))
    low, high = (moments.low, moments.high) if source.n_features == 2 else (None, None)
    frame = frame_of(project(moments.sample, 0), low, high)
    tally = Tally(frame, len(moments.count))
    for start, stop, rows in source.blocks():
        tally.add(project(rows, start), np.asarray(model.labels_[start:stop]))
        tell(stop / source.n_rows)
    shown = inside(frame.code(project(marks, 0)))
    found = [tally.view(project.key, project.title, project.axes, source.n_rows, shown)]
    return [*found, *_embedded(model, moments, marks)]


def pairs(model: Any, source: Source, moments: Moments) -> Pairs | None:
    """What any two of a few features are drawn from; None where they are two, or many."""
    if not 2 < source.n_features <= PAIRED_FEATURES:
        return None
    step = -(-moments.sample.size // PAIRED_VALUES)
    rows, numbers = moments.sample[::step], moments.chosen[::step]
    frame = frame_of(moments.sample, moments.low, moments.high, equal=False)
    marks = np.asarray(getattr(model, "landmarks_", np.empty((0, source.n_features))))
    return Pairs(frame, frame.code(rows), np.asarray(model.labels_[numbers]), frame.code(marks))


def frame_of(points: np.ndarray, low: Any = None, high: Any = None, equal: bool = True) -> Frame:
    """A frame around points, or around a known range; far outliers are left outside.

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
    scaled = side / (COLUMNS, LINES) if equal and len(side) == 2 else side
    if equal and len(side) == 2 and scaled.max() <= 3 * scaled.min():
        side = scaled.max() * np.array((COLUMNS, LINES))
    middle, half = (low + high) / 2, 0.53 * side
    return Frame(middle - half, middle + half)


def inside(coded: np.ndarray) -> np.ndarray:
    """Coded points without those outside the frame."""
    return coded[(coded != OUTSIDE).all(axis=1)]


class _Features:
    """The two features themselves; a single one is spread at random across the other axis."""

    key, title = "features", "Features"

    def __init__(self, source: Source) -> None:
        self._alone = source.n_features == 1
        first, *others = source.names
        self.axes = (first, others[0] if others else "spread at random")

    def __call__(self, rows: np.ndarray, start: int) -> np.ndarray:
        if not self._alone:
            return rows
        return np.column_stack([rows[:, 0], np.random.default_rng([0, start]).random(len(rows))])


class _Principal:
    """The two leading principal components, found from a sample."""

    key, title = "principal", "Principal components"

    def __init__(self, source: Source, moments: Moments) -> None:
        step = -(-len(moments.sample) // PRINCIPAL_ROWS)
        self._middle = moments.whole_mean
        some = moments.sample[::step].astype(np.float64) - self._middle
        self._vectors, shares = np.eye(2, source.n_features), [0.0, 0.0]
        if some.any() and len(some) > 1:
            found = PCA(2, random_state=0).fit(some)
            self._vectors, shares = found.components_, found.explained_variance_ratio_
        first, second = (f"component {number} ({share:.0%} of variance)" for number, share in enumerate(shares, 1))
        self.axes = (first, second)

    def __call__(self, rows: np.ndarray, start: int) -> np.ndarray:
        return (rows - self._middle) @ self._vectors.T


def _embedded(model: Any, moments: Moments, marks: np.ndarray) -> Iterable[View]:
    """The sample in two coordinates of the embedding.

    The first eigenvector is nearly the same for all rows and tells nothing: the next two are taken where there are
    three.
    """
    if not hasattr(model, "transform"):
        return
    with warnings.catch_warnings():  # blocks are arrays, whatever had names when it was fitted
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        points = np.asarray(model.transform(moments.sample))
        placed = np.asarray(model.transform(marks)) if len(marks) else points[:0]
    if points.shape[1] < 2:
        return
    first = min(1, points.shape[1] - 2)
    points, placed = points[:, first : first + 2], placed[:, first : first + 2]
    frame = frame_of(points)
    tally = Tally(frame, len(moments.count))
    tally.add(points, np.asarray(model.labels_[moments.chosen]))
    axes = (f"embedding {first}", f"embedding {first + 1}")
    yield tally.view("embedding", "Spectral embedding", axes, len(points), inside(frame.code(placed)))
