"""Figures of a fitted model, drawn on matplotlib axes: clusters, landmarks, eigenvalues, phase times.

Functions draw on the axes given, or on pyplot's current ones, and return them.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from dncsc.plot.coordinates import BLOCK, locate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["clusters", "eigenvalues", "landmarks", "palette", "phases"]

DENSITY_ROWS = 10_000
"""From here on rows are drawn as an image of their density rather than as a marker each."""

PALE, GREY, INK = "#c4cad3", "#6b7280", "#1f2937"

# Twelve colours chosen so that any two are far apart in CIELAB as seen with normal vision and with simulated
# protanopia, deuteranopia and tritanopia, each dark enough for white paper; any first few are farther apart still.
TWELVE = "0086f2 f2ae43 365128 aed7a1 f2aeff 7979ae 1b790d 28bcae 94005e f2795e 513694 ae6b6b"


def clusters(model: Any, X: Any, *, features: Sequence[int | str] | str = (0, 1), ax: Axes | None = None) -> Axes:
    """Draw rows in the colours of their clusters, and noise in grey.

    Rows of a model with ``metric="cosine"`` have length 1.
    Up to some thousand rows are drawn as markers. More are binned on a grid: a cell has the mean colour of its rows
    and an opacity that grows with the logarithm of their number, so that millions take a second and one image.

    Parameters
    ----------
    model : DnCSC
        Fitted; or any clusterer of scikit-learn that has `labels_` and `predict`.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        As many rows as were fitted are taken to be those, and have their `labels_`; others are predicted.
    features : pair of int or str, or "embedding", default=(0, 1)
        Which two features to draw, by number or name, or two coordinates of the spectral embedding.
    ax : matplotlib Axes, optional
        Where to draw; the current axes by default.

    Returns
    -------
    matplotlib Axes
        Call `legend()` on them to tell which colour is which cluster.

    Examples
    --------
    >>> from dncsc import DnCSC, datasets, plot
    >>> from matplotlib.figure import Figure
    >>> X, y = datasets.load("tm-1m", n=20_000)
    >>> model = DnCSC(n_clusters=2, n_landmarks=200, random_state=0).fit(X)
    >>> ax = plot.clusters(model, X, ax=Figure().subplots())
    >>> len(ax.images), len(ax.collections)
    (1, 0)
    """
    check_is_fitted(model)
    points, names = locate(model, X, features)
    labels = np.asarray(getattr(model, "labels_", ()))  # which files of models leave out
    if len(labels) != len(points):
        labels = np.asarray(model.predict(X))
    colours = palette(max(int(labels.max()) + 1, _number(model)))
    ax = _axes(ax, *names)
    _draw(points, np.where(labels < 0, len(colours), labels), np.vstack([colours, _rgb([PALE])]), ax)
    for cluster, colour in enumerate(colours):
        ax.plot([], [], "o", color=colour, label=f"cluster {cluster}")
    if labels.min() < 0:
        ax.plot([], [], "o", color=PALE, label="noise")
    return ax


def landmarks(
    model: Any, X: Any = None, *, features: Sequence[int | str] | str = (0, 1), ax: Axes | None = None
) -> Axes:
    """Draw the landmarks as small points, over the rows in grey where these are given.

    Parameters
    ----------
    model : DnCSC
        Fitted.
    X : array-like or sparse matrix of shape (n_samples, n_features), optional
        Rows to draw beneath. Leave out to draw over what `clusters` has drawn.
    features : pair of int or str, or "embedding", default=(0, 1)
        Which two features to draw, by number or name, or two coordinates of the spectral embedding.
    ax : matplotlib Axes, optional
        Where to draw; the current axes by default.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model)
    points, names = locate(model, model.landmarks_, features)
    beneath = np.empty((0, 2)) if X is None else locate(model, X, features)[0]
    ax = _axes(ax, *names)
    if len(beneath):
        _draw(beneath, np.zeros(len(beneath), np.int32), _rgb([PALE]), ax)
    x, y = points.T
    ax.scatter(x, y, s=6, color=INK, edgecolors="white", linewidths=0.3, zorder=3, label="landmarks")
    return ax


def eigenvalues(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the smallest eigenvalues of the graph, and mark the gap after the last one used.

    A wide gap after the k-th eigenvalue suggests k clusters; a wider one elsewhere suggests another number.

    Parameters
    ----------
    model : DnCSC
        Fitted.
    ax : matplotlib Axes, optional
        Where to draw; the current axes by default.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model)
    values, k = np.asarray(model.eigenvalues_), _number(model)
    if not len(values):
        raise ValueError(
            "the model has no eigenvalues to draw: k-means uses none, and for many clusters the graph is cut without."
        )
    ax = _axes(ax, "number", "eigenvalue")
    ax.spines[["top", "right"]].set_visible(False)
    number = np.arange(1, len(values) + 1)
    ax.plot(number, values, color=PALE, linewidth=1.2, zorder=1)
    ax.scatter(number[k:], values[k:], s=26, facecolors="white", edgecolors=GREY, linewidths=1.2, zorder=2)
    ax.scatter(number[:k], values[:k], s=26, color=palette(1), zorder=2)
    if len(values) > k:
        last, next_ = values[k - 1 : k + 1]
        ax.axhspan(last, next_, color=palette(2)[1], alpha=0.35, linewidth=0, zorder=0)
        gap = f"gap after k = {k}: {next_ - last:.2g}"
        ax.annotate(gap, (1, next_), (0, 4), textcoords="offset points", color=INK)
    ax.locator_params(axis="x", integer=True)
    return ax


def phases(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a bar for each phase of the fit: seconds, and nanoseconds a row.

    Parameters
    ----------
    model : DnCSC
        Fitted.
    ax : matplotlib Axes, optional
        Where to draw; the current axes by default.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model)
    ax = _axes(ax, "seconds", "")
    ax.spines[["top", "right"]].set_visible(False)
    seconds = np.array(list(model.timings_.values()))
    bars = ax.barh(list(model.timings_), seconds, height=0.62, color=palette(1))
    n_rows = model.cluster_sizes_.sum()
    texts = [f"{each:.3f} s   {1e9 * each / n_rows:,.0f} ns a row" for each in seconds]
    ax.bar_label(bars, texts, padding=5, color=INK)
    ax.set_xlim(0, 1.75 * max(seconds.max(), 1e-9))  # space for the text next to the longest bar
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    return ax


def palette(n: int) -> np.ndarray:
    """Colours for n clusters, as RGB between 0 and 1: shape (n, 3).

    The first twelve can be told apart by the colour-blind as well. Then hues go round the wheel by the golden section,
    at four lightnesses in turn (of three, every 21st would look the same): all differ, though a hundred are too many.
    """
    more = [colorsys.hls_to_rgb(0.618034 * i % 1, (0.54, 0.42, 0.27, 0.66)[i % 4], 0.5) for i in range(12, n)]
    return np.concatenate([_rgb(TWELVE.split()[:n]), np.reshape(more, (-1, 3))])


def _number(model: Any) -> int:
    """How many clusters a model has; k-means of scikit-learn only says how many it was asked for."""
    return int(getattr(model, "n_clusters_", getattr(model, "n_clusters", 1)))


def _rgb(codes: Sequence[str]) -> np.ndarray:
    return np.array([list(bytes.fromhex(code.lstrip("#"))) for code in codes]) / 255


def _axes(ax: Axes | None, across: str, up: str) -> Axes:
    """The axes given, or pyplot's current ones, with their names."""
    ax = import_matplotlib("pyplot").gca() if ax is None else ax
    ax.set(xlabel=across, ylabel=up)
    return ax


def import_matplotlib(name: str) -> Any:
    """A module of matplotlib, or an error that says what to install."""
    try:
        return import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise ImportError('drawing needs matplotlib: pip install "dncsc[plot]"') from error


def _draw(points: np.ndarray, labels: np.ndarray, colours: np.ndarray, ax: Axes) -> None:
    """Rows as markers, or where they are many, as an image of their density."""
    if len(points) < DENSITY_ROWS:
        ax.scatter(points[:, 0], points[:, 1], s=9, c=colours[labels], alpha=0.8, linewidths=0)
        return
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    margin = np.where(high > low, 0.02 * (high - low), np.maximum(np.abs(low), 1.0))
    low, high = low - margin, high + margin
    side = int(np.clip(np.sqrt(len(points)) / 2, 128, 512))
    total = scipy.sparse.csr_matrix((side * side, len(colours)), dtype=np.int64)
    for rows in gen_batches(len(points), BLOCK):
        total += count_cells(points[rows], labels[rows], (low, high), (side, side), len(colours))
    count = np.asarray(total.sum(axis=1)).ravel()
    taken = count > 0
    image = np.full((side * side, 4), [1.0, 1.0, 1.0, 0.0])  # white: a mixture of neighbouring cells is not darker
    image[taken, :3] = (total @ colours)[taken] / count[taken, None]
    full = np.log1p(np.quantile(count[taken], 0.99))
    image[taken, 3] = 0.3 + 0.7 * np.minimum(1, np.log1p(count[taken]) / full)
    extent = (low[0], high[0], low[1], high[1])
    ax.imshow(image.reshape(side, side, 4), extent=extent, origin="lower", aspect=ax.get_aspect())


def count_cells(
    points: np.ndarray, labels: np.ndarray, window: Sequence[np.ndarray], grid: tuple[int, int], n_clusters: int
) -> scipy.sparse.csr_matrix:
    """Rows of each cluster in each cell of a grid of (columns, lines), from the lower left, line by line.

    Points outside the window, its lower left and upper right corner, are left out.
    """
    columns, lines = grid
    unit = (points - window[0]) / (window[1] - window[0])
    inside = ((unit >= 0) & (unit <= 1)).all(axis=1)
    column, line = np.minimum(unit[inside] * grid, (columns - 1, lines - 1)).astype(np.int64).T
    entries = (np.ones(len(line), np.int64), (line * columns + column, labels[inside]))
    return scipy.sparse.coo_matrix(entries, (columns * lines, n_clusters)).tocsr()
