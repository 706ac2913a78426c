"""Maps of the clusters: how many rows of which cluster fall into each cell of a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.decomposition import PCA

from dncsc.plot import count_cells
from dncsc.plot.coordinates import embedding_points, has_embedding
from dncsc.report.reader import BlockReader, Moments

COLUMNS, LINES = 360, 270
PRINCIPAL_ROWS = 20_000
"""Rows that the principal components are found from."""
PAIRED_FEATURES = 12
"""Up to so many features, any two can be chosen for a map."""
PAIRED_VALUES = 2**19
"""Values of the sample that the page holds for that: a megabyte."""
OUTSIDE = 2**16 - 1
"""Code of a coordinate outside the viewport."""

View = dict[str, Any]
"""What the page's script draws a map from."""


class Viewport(NamedTuple):
    """The rectangle that a map shows."""

    low: np.ndarray
    high: np.ndarray

    def encode(self, points: np.ndarray) -> np.ndarray:
        """Points as 16-bit numbers."""
        unit = (points - self.low) / (self.high - self.low)
        return np.where((unit >= 0) & (unit <= 1), np.rint(unit * (OUTSIDE - 1)), OUTSIDE).astype(np.uint16)

    def cells(self, points: np.ndarray, labels: Any, n_clusters: int) -> csr_matrix:
        """Rows by cell and cluster."""
        return count_cells(points, np.asarray(labels), self, (COLUMNS, LINES), n_clusters)

    def view(self, key: str, axes: tuple[str, str], total: csr_matrix, n_rows: int, marks: np.ndarray) -> View:
        """A map of rows counted by cell and cluster; cells are given by the gaps between their numbers."""
        counts, places = total.tocoo(), self.encode(marks)
        return {
            "key": key,
            "axes": axes,
            "dates": [False, False],
            **self._asdict(),
            "rows": n_rows,
            "outside": n_rows - int(counts.sum()),
            "gap": np.diff(counts.row, prepend=0),
            "cluster": counts.col,
            "count": counts.data,
            "landmarks": places[(places != OUTSIDE).all(axis=1)].ravel(),
        }


def views(model: Any, reader: BlockReader, moments: Moments) -> list[View]:
    """The map of all rows, in one pass, and that of a sample in the spectral embedding where there is one."""
    key, axes, project = _projection(reader, moments)
    k, marks, ends = len(moments.count), _landmarks(model), moments.shown_in(reader.units)
    known = (ends.low, ends.high) if reader.n_features == 2 else None
    viewport = fit_viewport(project(moments.sample), known)
    total = csr_matrix((COLUMNS * LINES, k), dtype=np.int64)
    for start, stop, rows, _ in reader.blocks("map"):
        label = np.asarray(model.labels_[start:stop])
        total += viewport.cells(project(rows[label >= 0]), label[label >= 0], k)
    found = [viewport.view(key, axes, total, int(moments.count.sum()), project(marks))]
    if key == "features":
        found[0]["dates"] = [*_are_dates(reader), False][:2]
    if not has_embedding(model):
        return found
    points, axes = embedding_points(model, moments.sample)
    if points.shape[1] == 2:
        viewport = fit_viewport(points)
        total = viewport.cells(points, model.labels_[moments.chosen], k)
        placed = embedding_points(model, marks)[0] if len(marks) else points[:0]
        found.append(viewport.view("embedding", axes, total, len(points), placed))
    return found


def pairs(model: Any, reader: BlockReader, moments: Moments) -> View | None:
    """What any two of a few features are drawn from, feature by feature; None where they are at most two, or many."""
    if not 2 < reader.n_features <= PAIRED_FEATURES:
        return None
    step = -(-moments.sample.size // PAIRED_VALUES)
    ends, sample = moments.shown_in(reader.units), reader.shown(moments.sample)
    viewport = fit_viewport(sample, (ends.low, ends.high))
    return {
        "names": reader.names,
        "dates": _are_dates(reader),
        **viewport._asdict(),
        "values": viewport.encode(sample[::step]).T.ravel(),
        "cluster": np.asarray(model.labels_[moments.chosen[::step]]),
        "landmarks": viewport.encode(reader.shown(_landmarks(model))).T.ravel(),
    }


def fit_viewport(points: np.ndarray, known: tuple[np.ndarray, np.ndarray] | None = None) -> Viewport:
    """A viewport around points, or around a known range; far outliers stay outside.

    Two axes have one scale where neither is more than three times as long as the other.
    """
    low, high = (each.astype(np.float64) for each in known or (points.min(axis=0), points.max(axis=0)))
    few, most = np.quantile(points, [0.001, 0.999], axis=0)
    spread = most - few
    far = (spread > 0) & (high - low > 3 * spread)
    low = np.where(far, np.maximum(low, few - spread / 2), low)
    high = np.where(far, np.minimum(high, most + spread / 2), high)
    side = np.where(high > low, high - low, np.maximum(np.abs(low), 1.0))
    if len(side) == 2:
        scaled = side / (COLUMNS, LINES)
        side = scaled.max() * np.array((COLUMNS, LINES)) if scaled.max() <= 3 * scaled.min() else side
    middle, half = (low + high) / 2, 0.53 * side
    return Viewport(middle - half, middle + half)


def _projection(
    reader: BlockReader, moments: Moments
) -> tuple[str, tuple[str, str], Callable[[np.ndarray], np.ndarray]]:
    """Key of the map, names of its axes, and how rows are placed: by their features, or by principal components."""
    if reader.n_features == 2:
        return "features", (reader.names[0], reader.names[1]), reader.shown
    if reader.n_features == 1:
        return "features", (reader.names[0], "spread at random"), lambda rows: _spread(reader.shown(rows))
    middle = moments.whole_mean
    some = moments.sample[:: -(-len(moments.sample) // PRINCIPAL_ROWS)].astype(np.float64) - middle
    vectors, shares = np.eye(2, reader.n_features), [0.0, 0.0]
    if some.any() and len(some) > 1:
        found = PCA(2, random_state=0).fit(some)
        vectors, shares = found.components_, found.explained_variance_ratio_
    first, second = (f"component {number} ({share:.0%} of variance)" for number, share in enumerate(shares, 1))
    return "principal", (first, second), lambda rows: (rows - middle) @ vectors.T


def _are_dates(reader: BlockReader) -> list[bool]:
    return [kind == "date" for kind in reader.kinds]


def _spread(rows: np.ndarray) -> np.ndarray:
    return np.column_stack([rows[:, 0], np.random.default_rng(0).random(len(rows))])


def _landmarks(model: Any) -> np.ndarray:
    return np.asarray(getattr(model, "landmarks_", np.empty((0, model.n_features_in_))))
