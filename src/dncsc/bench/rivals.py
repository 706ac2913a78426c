"""Clusterers of packages that dncsc does not need, with the interface that benchmarks know.

They are compared where they are installed. Packages are imported in `fit`, whose first call is not timed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator


class FaissKMeans(BaseEstimator):
    """Spherical k-means of faiss: trained on at most 256 rows a cluster, as it does by itself, then all rows searched.

    Parameters
    ----------
    n_clusters : int
    random_state : int, optional
    n_jobs : int, optional
        Threads; those that faiss takes by default.
    """

    def __init__(self, n_clusters: int, random_state: int | None = None, n_jobs: int | None = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: np.ndarray) -> FaissKMeans:
        """Set `labels_`."""
        import faiss

        if self.n_jobs is not None:
            faiss.omp_set_num_threads(self.n_jobs)
        # With its own minimum of 39 rows a cluster it prints a warning, and does the same.
        options = {"seed": self.random_state or 0, "spherical": True, "min_points_per_centroid": 1}
        model = faiss.Kmeans(X.shape[1], self.n_clusters, **options)
        model.train(X)
        self.labels_ = model.index.search(X, 1)[1][:, 0]
        return self


class EvocLayer(BaseEstimator):
    """EVoC, which finds clusters in several layers: the layer whose number of clusters is nearest to the one wanted.

    Rows that it takes for noise have the label -1, and count as one cluster more. It has no seed here: with one it
    is slower, and it has none by default.

    Parameters
    ----------
    n_clusters : int
    told : bool, default=False
        Whether EVoC is told this number (its `approx_n_clusters`). It then makes a single layer.
    """

    def __init__(self, n_clusters: int, told: bool = False) -> None:
        self.n_clusters = n_clusters
        self.told = told

    def fit(self, X: np.ndarray) -> EvocLayer:
        """Set `labels_`."""
        from evoc import EVoC

        options = {"approx_n_clusters": self.n_clusters} if self.told else {}
        layers = EVoC(**options).fit(X).cluster_layers_
        self.labels_ = min(layers, key=lambda layer: abs(n_found(layer) - self.n_clusters))
        return self


def n_found(labels: np.ndarray) -> int:
    """Number of clusters, noise left out."""
    return len(np.unique(labels[labels >= 0]))


class Rival(NamedTuple):
    """How a clusterer is made of a number of clusters, what is imported for it, and what is installed to have that."""

    make: Callable[..., Any]
    module: str
    package: str


RIVALS: Mapping[str, Rival] = {
    "faiss-kmeans": Rival(FaissKMeans, "faiss", "faiss-cpu"),
    "evoc": Rival(EvocLayer, "evoc", "evoc"),
    "evoc-told-k": Rival(partial(EvocLayer, told=True), "evoc", "evoc"),
}


def what_lacks(method: str) -> str | None:
    """What has to be installed for a method, in words; None where it can be had."""
    rival = RIVALS.get(method)
    if rival is None or find_spec(rival.module):
        return None
    return f"{method} needs {rival.module}, which is not installed (pip install {rival.package})"
