"""All methods by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from dncsc.errors import UnknownNameError
from dncsc.estimators.base import RecipeClusterer
from dncsc.estimators.dnc_sc import DnCSC
from dncsc.estimators.ensembles import LSEC, USENC
from dncsc.estimators.exact_sc import ExactSC
from dncsc.estimators.lloyd_kmeans import LloydKMeans
from dncsc.estimators.lsc import LSC
from dncsc.estimators.nystrom_sc import NystromSC
from dncsc.estimators.u_spec import USPEC

METHODS: dict[str, Callable[..., RecipeClusterer]] = {
    "k-means": LloydKMeans,
    "sc": ExactSC,
    "nystrom": NystromSC,
    "lsc-k": partial(LSC, landmarks="kmeans"),
    "lsc-r": partial(LSC, landmarks="random"),
    "lsc-kh": partial(LSC, landmarks="kmeans-hubs"),
    "lsc-rh": partial(LSC, landmarks="random-hubs"),
    "u-spec": USPEC,
    "dnc-sc": DnCSC,
    "dnc-sc/bandwidth=mean": partial(DnCSC, bandwidth="mean"),
    "dnc-sc/nearest=candidates": partial(DnCSC, nearest="candidates"),
    "dnc-sc/nearest=exact": partial(DnCSC, nearest="exact"),
    "dnc-sc/select=kmeans/nearest=candidates": partial(DnCSC, select="kmeans", nearest="candidates"),
    "dnc-sc/select=kmeans/nearest=exact": partial(DnCSC, select="kmeans", nearest="exact"),
    "dnc-sc/select=dnc-kmeans/nearest=candidates": partial(DnCSC, select="dnc-kmeans", nearest="candidates"),
    "dnc-sc/select=dnc-kmeans/nearest=exact": partial(DnCSC, select="dnc-kmeans", nearest="exact"),
    "u-senc": USENC,
    "lsec": LSEC,
}


CLASSES: dict[str, type[RecipeClusterer]] = {
    "dnc-sc": DnCSC,
    "k-means": LloydKMeans,
    "lsc": LSC,
    "lsec": LSEC,
    "nystrom": NystromSC,
    "sc": ExactSC,
    "u-senc": USENC,
    "u-spec": USPEC,
}
"""Classes by their tags in model files, which never change."""


def methods() -> list[str]:
    """Names of all methods: those of the paper's tables, its ablations of DnC-SC, and ensembles.

    Examples
    --------
    >>> "u-spec" in methods()
    True
    """
    return list(METHODS)


def clusterer(name: str, n_clusters: int = 8, **params: Any) -> RecipeClusterer:
    """A scikit-learn estimator for a method.

    Parameters
    ----------
    name : str
        One of `methods()`.
    n_clusters : int, default=8
    **params
        Parameters of the estimator's class.

    Examples
    --------
    >>> clusterer("lsc-r", 3, n_landmarks=50)
    LSC(landmarks='random', n_clusters=3, n_landmarks=50)
    """
    if name not in METHODS:
        raise UnknownNameError("there is no method", name, methods())
    make = METHODS[name]
    named = make.keywords if isinstance(make, partial) else {}
    known = [param for param in inspect.signature(make).parameters if param not in named]
    for param in params:
        if param not in known:
            raise UnknownNameError(f"method {name!r} has no parameter", param, known)
    return make(n_clusters, **params)
