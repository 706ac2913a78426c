"""Where rows are drawn: by two of their features, or by the spectral embedding of a model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.preprocessing import normalize
from sklearn.utils import _safe_indexing, gen_batches

BLOCK = 2**17
"""Rows binned or embedded at a time."""


def locate(model: Any, X: Any, features: Sequence[int | str] | str) -> tuple[np.ndarray, Sequence[str]]:
    """Two numbers a row, finite, and what they are called."""
    X = X if hasattr(X, "shape") else np.asarray(X)
    names: Sequence[str]
    if isinstance(features, str):
        if features != "embedding":
            raise ValueError(f'features must be two features or "embedding"; got {features!r}.')
        points, names = embedding_points(model, X)
        if points.shape[1] < 2:
            raise ValueError("the embedding of a single cluster has one coordinate; two are needed to draw it.")
    else:
        if len(features) != 2:
            raise ValueError(f"features must be two features; got {len(features)}: {features!r}.")
        known = list(getattr(model, "feature_names_in_", []))
        for each in features:
            if isinstance(each, str) and each not in known:
                raise ValueError(f"there is no feature {each!r}; the model knows {', '.join(known) or 'no names'}.")
            if not isinstance(each, str) and not 0 <= each < X.shape[1]:
                raise ValueError(f"there is no feature {each}; X has {X.shape[1]}, numbered from 0.")
        columns = [known.index(each) if isinstance(each, str) else int(each) for each in features]
        points = _columns(model, X, columns)
        names = [str(known[column]) if known else f"feature {column}" for column in columns]
    if not np.isfinite(points).all():
        raise ValueError("X has values that are not finite among the features to draw.")
    return points, names


def _columns(model: Any, X: Any, columns: Sequence[int]) -> np.ndarray:
    """Columns of X; for the cosine those of rows of length 1, block by block."""
    if getattr(model, "metric", None) != "cosine":
        return _dense(_safe_indexing(X, columns, axis=1))
    blocks = (_dense(_safe_indexing(X, rows)) for rows in gen_batches(X.shape[0], 1 + BLOCK // X.shape[1]))
    return np.concatenate([normalize(normalize(block, "max"))[:, columns] for block in blocks])  # no square overflows


def _dense(table: Any) -> np.ndarray:
    return table.toarray() if scipy.sparse.issparse(table) else np.asarray(table)


def has_embedding(model: Any) -> bool:
    """Whether rows have places in a spectral embedding; centroids without coordinates are of a cut that has none."""
    return hasattr(model, "transform") and 0 not in np.shape(getattr(model, "cluster_centers_", ()))


def embedding_points(model: Any, X: Any) -> tuple[np.ndarray, tuple[str, str]]:
    """Two coordinates of the embedding, or its only one, and their names.

    The first eigenvector is nearly constant, so the next two are taken where there are three. Rows are transformed
    block by block: all coordinates might not fit in memory.
    """
    if not has_embedding(model):
        raise ValueError(
            "the model has no spectral embedding, as for many clusters the graph is cut without eigenvectors: give two "
            "features instead."
        )
    points = []
    with warnings.catch_warnings():  # X may be an array, even if the model was fitted to a frame with names
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        for rows in gen_batches(X.shape[0], BLOCK):
            embedded = np.asarray(model.transform(_safe_indexing(X, rows)))
            first = int(embedded.shape[1] > 2)
            points.append(embedded[:, first : first + 2].copy())
    return np.concatenate(points), (f"embedding {first}", f"embedding {first + 1}")
