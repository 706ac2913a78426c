"""Toy shapes, and the algorithms that are tried on them: what two figures of the site share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from dncsc import LSEC, DnCSC, plot

Cell = tuple[np.ndarray, float] | str
"""Labels and seconds, or why there are none."""


def _stretched(n: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_blobs(n, random_state=170)
    return X @ [[0.6, -0.6], [-0.4, 0.8]], y


SHAPES: dict[str, Callable[[int], tuple[np.ndarray, np.ndarray | None]]] = {
    "circles": lambda n: make_circles(n, factor=0.5, noise=0.05, random_state=30),
    "moons": lambda n: make_moons(n, noise=0.05, random_state=30),
    "widths": lambda n: make_blobs(n, cluster_std=[1.0, 2.5, 0.5], random_state=170),
    "stretched": _stretched,
    "blobs": lambda n: make_blobs(n, random_state=8),
    "nothing": lambda n: (np.random.default_rng(30).random((n, 2)), None),
}


def make(name: str, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Rows of a shape, scaled, and their classes, if there are any."""
    X, y = SHAPES[name](n)
    return StandardScaler().fit_transform(X).astype(np.float32), y


ALGORITHMS: dict[str, Callable[[int, np.ndarray], Any]] = {
    "KMeans": lambda k, X: KMeans(k, random_state=0).fit(X).labels_,
    "Gaussian\nmixture": lambda k, X: GaussianMixture(k, random_state=0).fit_predict(X),
    "Ward": lambda k, X: (
        AgglomerativeClustering(k, connectivity=kneighbors_graph(X, 10, include_self=False)).fit(X).labels_
    ),
    "Spectral\nClustering": lambda k, X: (
        SpectralClustering(k, affinity="nearest_neighbors", assign_labels="cluster_qr", random_state=0).fit(X).labels_
    ),
    "HDBSCAN": lambda k, X: HDBSCAN(min_cluster_size=max(15, len(X) // 100), min_samples=15, copy=True).fit(X).labels_,
    "LSEC": lambda k, X: LSEC(k, random_state=0).fit(X).labels_,
    "DnCSC": lambda k, X: DnCSC(k, random_state=0).fit(X).labels_,
}
"""With the settings of scikit-learn's own comparison, but k-nearest neighbours; HDBSCAN alone is not told k."""


def n_clusters(y: np.ndarray | None) -> int:
    """What algorithms are told; three where there is nothing to find."""
    return 3 if y is None else len(np.unique(y))


def labels_of(algorithm: str, X: np.ndarray, k: int) -> np.ndarray:
    """Cluster of each row, without the warnings about graphs in several parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(ALGORITHMS[algorithm](k, X))


def draw(rows: Sequence[tuple[str, np.ndarray, Sequence[Cell]]], names: Sequence[str]) -> plt.Figure:
    """A grid of shapes and algorithms, with seconds in each cell; of many rows some thousands are drawn."""
    figure, axes = plt.subplots(len(rows), len(names), figsize=(1.75 * len(names), 1.7 * len(rows)))
    for line, (shape, X, cells) in zip(axes, rows, strict=True):
        some = np.random.default_rng(0).permutation(len(X))[:4000]
        for ax, cell in zip(line, cells, strict=True):
            ax.set(xticks=[], yticks=[], xlim=(-2.6, 2.6), ylim=(-2.6, 2.6))
            if isinstance(cell, str):
                ax.text(0.5, 0.5, cell, transform=ax.transAxes, ha="center", va="center", color="#94005e")
                continue
            labels, seconds = cell
            colours = np.vstack([plot.palette(max(labels.max() + 1, 1)), [[0.75, 0.75, 0.75]]])  # the last for noise
            size = 3 if len(X) < 10_000 else 1
            ax.scatter(*X[some].T, s=size, c=colours[labels[some]], linewidths=0)
            behind = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}
            place = {"transform": ax.transAxes, "ha": "right", "va": "bottom", "fontsize": 9}
            ax.text(0.97, 0.03, f"{seconds:.2f} s", bbox=behind, **place)
        line[0].set_ylabel(shape)
    for ax, name in zip(axes[0], names, strict=True):
        ax.set_title(name, fontsize=10)
    figure.tight_layout(pad=0.4)
    return figure
