"""How well a clustering agrees with known classes. Labels may be any values; clusters need no matching names."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.special import entr
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_consistent_length, column_or_1d

__all__ = ["accuracy", "ari", "nmi", "purity", "scores"]


def _contingency(y_true: Any, y_pred: Any) -> np.ndarray:
    """Rows in each pair of class and cluster."""
    true, pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(true, pred)
    if not len(true):
        raise ValueError("y_true and y_pred are empty.")
    counts: np.ndarray = contingency_matrix(true, pred)
    return counts


def accuracy(y_true: Any, y_pred: Any) -> float:
    """Share of rows in the class of their cluster, under the best one-to-one matching of clusters to classes.

    Examples
    --------
    >>> accuracy([0, 0, 1, 1], ["b", "b", "a", "b"])
    0.75
    """
    return _accuracy(_contingency(y_true, y_pred))


def purity(y_true: Any, y_pred: Any) -> float:
    """Share of rows in the largest class of their cluster; many small clusters are always pure.

    Examples
    --------
    >>> purity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return _purity(_contingency(y_true, y_pred))


def ari(y_true: Any, y_pred: Any) -> float:
    """Adjusted Rand index: 1 for the same partition, about 0 for a random one."""
    return _ari(_contingency(y_true, y_pred))


def nmi(y_true: Any, y_pred: Any, average: str = "geometric") -> float:
    """Mutual information of classes and clusters, divided by some average of their entropies.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    average : {"geometric", "arithmetic", "min", "max", "joint"}, default="geometric"
        What to divide by: "geometric", ``sqrt(H(T) H(C))``, is what the published code of the paper does and its
        tables show; "joint", ``H(T, C)``, is what its text says; "max" is what U-SPEC's tables use; "arithmetic" is
        scikit-learn's default.

    Returns
    -------
    float
        Between 0 and 1; 1 where both are a single group.

    Examples
    --------
    >>> nmi([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    return _nmi(_contingency(y_true, y_pred), average)


def scores(y_true: Any, y_pred: Any) -> dict[str, float]:
    """All of them by name, from one pass over the labels: many millions of rows take seconds.

    Examples
    --------
    >>> scores([0, 0, 1, 1], [1, 1, 0, 0])
    {'acc': 1.0, 'nmi': 1.0, 'ari': 1.0, 'purity': 1.0}
    """
    counts = _contingency(y_true, y_pred)
    return {"acc": _accuracy(counts), "nmi": _nmi(counts, "geometric"), "ari": _ari(counts), "purity": _purity(counts)}


def _accuracy(counts: np.ndarray) -> float:
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


def _purity(counts: np.ndarray) -> float:
    return float(counts.max(axis=0).sum() / counts.sum())


def _ari(counts: np.ndarray) -> float:
    """From pairs of rows that are together: in both, in classes, in clusters; and all pairs."""
    groups = (counts, counts.sum(axis=1), counts.sum(axis=0), counts.sum())
    both, classes, clusters, pairs = (float(np.sum(each * (each - 1) / 2)) for each in groups)
    expected, most = classes * clusters / max(pairs, 1.0), (classes + clusters) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def _nmi(counts: np.ndarray, average: str) -> float:
    groups = (counts, counts.sum(axis=1), counts.sum(axis=0))
    joint, true, pred = (float(entr(each / counts.sum()).sum()) for each in groups)
    averages = {
        "geometric": np.sqrt(true * pred),
        "arithmetic": (true + pred) / 2,
        "min": min(true, pred),
        "max": max(true, pred),
        "joint": joint,
    }
    if average not in averages:
        raise ValueError(f"average must be one of {', '.join(map(repr, averages))}; got {average!r}.")
    if joint == 0:
        return 1.0
    return float(np.clip((true + pred - joint) / averages[average], 0, 1)) if averages[average] > 0 else 0.0
