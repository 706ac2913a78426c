"""Dask arrays and frames as input: checked like any other, and walked through a model lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from dncsc.engines.base import Block, Values
from dncsc.estimators import checks
from dncsc.phases.survey import check_finite, find_not_finite
from dncsc.pipeline import Model


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array or frame; without importing Dask for those who do not use it."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def dask_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a Dask array of real numbers whose chunks are known; sets or checks the features."""
    import dask.array as da

    names = None
    if hasattr(X, "columns"):
        names = [str(name) for name in X.columns]
        text = [name for name, dtype in zip(names, X.dtypes, strict=True) if getattr(dtype, "kind", "O") not in "biuf"]
        if text:
            raise TypeError(
                f"X has to be numeric, but its columns {', '.join(map(repr, text))} are not. Leave them out."
            )
        rows = X.to_dask_array(lengths=True)
    else:
        rows = X
    if rows.ndim != 2:
        raise ValueError(f"Expected a 2-dimensional Dask array; got {rows.ndim} dimensions. Reshape your data.")
    if rows.dtype.kind not in "biuf":
        raise TypeError(f"X has to hold real numbers; its dtype is {rows.dtype}.")
    if np.isnan(rows.shape[0]):
        rows = da.Array(rows.dask, rows.name, rows.chunks, meta=rows._meta)  # sizes are set in place: not in the user's
        rows = rows.compute_chunk_sizes()
    if rows.shape[0] == 0 or rows.shape[1] == 0:
        raise ValueError(f"Found array with shape {rows.shape}: there is nothing to cluster.")
    checks.features(estimator, rows.shape[1], names, reset=reset)
    return rows


def dask_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Sample weights for a Dask array: one number a row, held here."""
    if sample_weight is None:
        return None
    return checks.weights(np.asarray(sample_weight), np.broadcast_to(np.float64(0), (n_rows, 1)))


def apply_lazily(model: Model, what: str, rows: Any, names: Any) -> Any:
    """Labels or places of all rows of a Dask array, as another one; nothing is computed."""
    rows = rows.rechunk({1: -1}) if rows.numblocks[1] > 1 else rows
    if what == "label":
        return rows.map_blocks(_apply, model, what, names, dtype=np.int32, drop_axis=1, meta=np.empty(0, np.int32))
    width, dtype = model.embedding.n_dimensions, model.embedding.dtype
    chunks = (rows.chunks[0], (width,))
    return rows.map_blocks(_apply, model, what, names, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype))


def _apply(rows: Any, model: Model, what: str, names: Any, block_info: Any = None) -> np.ndarray:
    start = block_info[0]["array-location"][0][0] if block_info else 0
    values = np.ascontiguousarray(rows, model.frame.dtype)
    block = Block(start, start + len(values), Values({}, {}), np.ones(0), lambda chosen: values)
    check_finite(find_not_finite(block), names)
    [found] = getattr(model, what)(values)
    return np.asarray(found)
