"""What the benchmarks compare: methods of the package, of scikit-learn and others, and any by its import path."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pkgutil import resolve_name
from typing import Any, ClassVar

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans, SpectralClustering

from dncsc.bench.rivals import RIVALS, what_lacks
from dncsc.engines.base import Engine
from dncsc.estimators.baselines import LloydKMeans
from dncsc.estimators.registry import METHODS, clusterer
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids
from dncsc.phases.select.divide_and_conquer import divide_and_conquer
from dncsc.phases.select.tree import SUBSET, Selection
from dncsc.phases.settings import Settings
from dncsc.recipes import Recipe
from dncsc.suggest import did_you_mean


class _Subsets(Selection):
    """A selection as an embedding: a row is where its own landmark is."""

    inputs: ClassVar[Sequence[str]] = (SUBSET,)

    @property
    def n_dimensions(self) -> int:
        return int(self.landmarks.shape[1])

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.landmarks.dtype

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        return [self.tree.locate(rows)]

    def transform(self, *values: np.ndarray) -> np.ndarray:
        return self.landmarks[values[0]]

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return values[0], np.full(len(values[0]), np.nan)  # distances are not asked for


class DivideAndConquer(LloydKMeans):
    """The selection of landmarks as a clusterer by itself, as in the paper's simulation: clusters are the subsets.

    Parameters are those of k-means; `n_init` and `max_iter` change nothing.
    """

    def _recipe(self, n_features: int) -> Recipe:
        def own_subsets(engine: Engine, settings: Settings, selection: Selection, *_: None) -> Partition:
            return Partition(_Subsets(selection.landmarks, selection.tree), np.empty(0), 1)

        def landmarks(engine: Engine, settings: Settings, embedding: _Subsets) -> Centroids:
            return Centroids(embedding.landmarks, 1)

        return Recipe(divide_and_conquer, None, None, own_subsets, landmarks)


YARDSTICK = "sklearn-kmeans"
"""``KMeans(k, random_state=0)``, the same in every repeat: what spectral clustering is to cost no more than."""

OTHERS: Mapping[str, Callable[..., Any]] = {
    YARDSTICK: partial(KMeans, random_state=0),
    "divide-and-conquer": DivideAndConquer,
    "sklearn-kmeans-10": partial(KMeans, n_init=10),
    "sklearn-spectral": partial(SpectralClustering, affinity="nearest_neighbors"),
    "sklearn-minibatch": MiniBatchKMeans,
    **{name: rival.make for name, rival in RIVALS.items()},
}


def names() -> list[str]:
    """Names of all methods that a suite can have; import paths ``module:callable`` come on top."""
    return [*METHODS, *OTHERS]


def check(name: str) -> None:
    """Refuse a method that cannot be had; the current folder is looked into, as the processes of cells do."""
    lacks = what_lacks(name)
    if lacks:
        raise ValueError(f"{lacks}.")
    if name in names():
        return
    if ":" not in name:
        hint, known = did_you_mean(name, names()), ", ".join(names())
        raise ValueError(f"there is no method {name!r}.{hint} There are: {known}, and your own as module:callable.")
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        if not callable(resolve_name(name)):
            raise TypeError("it is not callable")
    except Exception as error:  # modules of others may do anything
        raise ValueError(f"the method {name!r} cannot be had: {type(error).__name__}: {error}.") from error
    finally:
        sys.path.remove(here)


def make(name: str, n_clusters: int, params: Mapping[str, Any], seed: int, threads: int) -> Any:
    """An estimator; its seed and threads are set where it has such parameters."""
    own = resolve_name(name) if ":" in name else OTHERS.get(name, partial(clusterer, name))
    model = own(n_clusters, **params)
    known = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    if "random_state" in known and known["random_state"] is None:
        model.set_params(random_state=seed)
    if "n_jobs" in known:
        model.set_params(n_jobs=threads)
    return model
