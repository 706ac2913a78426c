"""All methods by name, and what a fit by one of them is going to need."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dncsc.budget import Estimate, Size, seconds_of_clusters, seconds_of_passes, seconds_of_prototypes
from dncsc.engines.frame import working_dtype
from dncsc.engines.pool import thread_count
from dncsc.errors import UnknownNameError
from dncsc.estimators import checks
from dncsc.estimators.base import RecipeClusterer
from dncsc.estimators.baselines import LSC, USPEC, ExactSC, LloydKMeans, NystromSC
from dncsc.estimators.dnc_sc import DnCSC
from dncsc.estimators.ensembles import LSEC, USENC
from dncsc.phases.select.divide_and_conquer import usual_rate
from dncsc.phases.settings import AUTO, Settings
from dncsc.recipes import DIVIDING

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

VARIANTS = {
    "lsc-k": "LSC-K: rows linked to their nearest landmarks, which are centres of k-means (Cai and Chen 2015).",
    "lsc-r": "LSC-R: LSC whose landmarks are rows drawn at random.",
    "lsc-kh": "LSC-KH: LSC whose landmarks are near to many rows, in parts made by k-means (Ye et al. 2018).",
    "lsc-rh": "LSC-RH: LSC whose landmarks are near to many rows, in parts made at random (Li et al. 2020).",
    "dnc-sc": "DnC-SC, the default: landmarks by divide and conquer; weights and search choose themselves.",
    "dnc-sc/bandwidth=mean": "DnC-SC with the paper's weights: a Gaussian as wide as the mean distance.",
    "dnc-sc/nearest=candidates": "DnC-SC with the paper's search: among landmarks near a row's own.",
    "dnc-sc/nearest=exact": "DnC-SC that searches all landmarks.",
    "dnc-sc/select=kmeans/nearest=candidates": "Landmarks by k-means on all rows; searched near a row's own.",
    "dnc-sc/select=kmeans/nearest=exact": "Landmarks by k-means on all rows; all of them searched.",
    "dnc-sc/select=dnc-kmeans/nearest=candidates": (
        "Landmarks by divide and conquer with k-means on all rows of a subset; searched near a row's own."
    ),
    "dnc-sc/select=dnc-kmeans/nearest=exact": (
        "Landmarks by divide and conquer with k-means on all rows of a subset; all of them searched."
    ),
}
"""What tells methods of one class apart."""

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


def describe(name: str) -> str:
    """A method in one line, which no other has."""
    return VARIANTS.get(name) or (type(clusterer(name)).__doc__ or "").partition("\n")[0]


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


def estimate(n_rows: int, n_features: int, *, dtype: Any = np.float32, **params: Any) -> Estimate:
    """What `DnCSC` is going to need for so many rows.

    Parameters
    ----------
    n_rows, n_features : int
    dtype : dtype
        Of the rows as they are: float16 and int8 are not widened but block by block.
    **params
        Parameters of the estimators, by default those of `DnCSC`; `n_members` makes it an ensemble.

    Raises
    ------
    UnknownNameError, ParameterError
        For a parameter that no estimator has, or for a value that it may not have.

    Notes
    -----
    Only the data show whether clusters are like Gaussians. Where they are, each row also costs the time of its
    densities, which is not in the estimate: some 20 ns for 13 clusters in two features.

    Examples
    --------
    >>> from dncsc import estimate
    >>> print(estimate(100_000_000, 2).passes)
    2
    """
    known = sorted({name for each in CLASSES.values() for name in inspect.signature(each).parameters})
    for name, value in params.items():
        if name not in known:
            raise UnknownNameError("no estimator has a parameter", name, known)
        DnCSC._constraints[name].check(name, value)
    given = {"n_members": 0, **DnCSC().get_params(), **params}
    k = given["max_clusters"] if given["n_clusters"] == "auto" else given["n_clusters"]
    p, stored = given["n_landmarks"], np.dtype(dtype)
    if p == AUTO:
        p = Settings.policy.usual_landmarks(k, given["n_clusters"] == AUTO, n_rows, n_features, given["refine"])
    checks.real(stored, "X")
    size = Size(
        n_rows,
        n_features,
        p,
        given["n_neighbors"],
        given["n_members"],
        k,
        working_dtype(stored).itemsize,
        thread_count(given["n_jobs"]),
        is_multilevel=DnCSC(given["n_clusters"], max_clusters=k, select=given["select"])._is_multilevel(n_features)
        and not given["n_members"],
        n_prototypes=Settings.policy.usual_prototypes(n_rows) if given["refine"] else 0,
        searches_all=given["nearest"] == "exact",
        chooses_weights=given["bandwidth"] == AUTO and not given["n_members"],
        divides=given["select"] in DIVIDING,
    )
    alpha = usual_rate(n_rows, k) if given["selection_rate"] == "auto" else int(given["selection_rate"])
    rounds = max(1, math.ceil(math.log(max(p, 2)) / math.log(max(alpha, 2))))
    once = 2 if size.is_sampled else 5 + 2 * rounds - size.measures_again
    counts_again = given["n_clusters"] == AUTO and not size.is_multilevel  # with half as many landmarks
    again = 0 if not counts_again else 1 if size.is_sampled else once
    return Estimate(
        data=n_rows * n_features * stored.itemsize,
        memory=size.columns + size.working,
        least_memory=size.working,
        scratch=size.columns,
        passes=once + again + (2 if size.n_prototypes else 0),
        seconds=seconds_of_passes(size, alpha, rounds) * (1.5 if counts_again else 1)
        + seconds_of_clusters(size, given["n_init"])
        + seconds_of_prototypes(size),
    )
