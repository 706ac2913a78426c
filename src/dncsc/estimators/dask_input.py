"""Dask arrays and frames as input: checked like any other; models are applied to them lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from dncsc.engines.base import Block, Values
from dncsc.engines.frame import Frame
from dncsc.engines.layout import block_rows
from dncsc.engines.pool import one_thread_each
from dncsc.estimators import checks
from dncsc.model import Operation
from dncsc.phases.survey import check_finite, find_not_finite


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array or frame; without importing Dask for those who do not use it."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def dask_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a Dask array of real numbers; sets or checks the features.

    To fit, the sizes of its chunks have to be known, and are computed where they are not; to predict they need not.
    """
    if not isinstance(getattr(X, "ndim", None), int):
        raise TypeError(f"X has to be a Dask array or frame; got a Dask {type(X).__name__}.")
    rows, names = _from_frame(X, reset) if X.ndim == 2 and hasattr(X, "columns") else (X, None)
    if rows.ndim != 2:
        raise ValueError(f"Expected a 2-dimensional Dask array; got {rows.ndim} dimensions. Reshape your data.")
    checks.real(rows.dtype, "X")
    if reset:
        rows = _with_sizes(rows)
    if 0 in rows.shape:
        raise ValueError(f"Found array with shape {rows.shape}: there is nothing to cluster.")
    checks.features(estimator, rows.shape[1], names, reset=reset)
    return rows


def _from_frame(X: Any, lengths: bool) -> tuple[Any, list[str] | None]:
    """The values of a Dask frame, and the names of its columns where all are words, as scikit-learn has it."""
    text = [name for name, dtype in zip(X.columns, X.dtypes, strict=True) if getattr(dtype, "kind", "O") not in "biuf"]
    if text:
        raise TypeError(f"X has to be numeric, but its columns {', '.join(map(repr, text))} are not. Leave them out.")
    named = all(isinstance(name, str) for name in X.columns)
    return X.to_dask_array(lengths=True if lengths else None), list(X.columns) if named else None


def dask_weights(sample_weight: Any, n_rows: int) -> Any:
    """Sample weights for a Dask array: one number a row, as a Dask array where they are one, else held here.

    Of a Dask array nothing is looked at but its shape and dtype: its values are checked where they are, by the survey.
    """
    if sample_weight is None:
        return None
    if not is_dask(sample_weight):
        return checks.weights(np.asarray(sample_weight), np.broadcast_to(np.float64(0), (n_rows, 1)))
    if getattr(sample_weight, "ndim", None) != 1:
        raise ValueError("sample_weight has to have one dimension, a weight for each row.")
    checks.real(sample_weight.dtype, "sample_weight")
    is_series = hasattr(sample_weight, "to_dask_array")
    weight = _with_sizes(sample_weight.to_dask_array(lengths=True) if is_series else sample_weight)
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight has {len(weight)} weights for {n_rows} rows.")
    return weight


def _with_sizes(array: Any) -> Any:
    """The array with known sizes of chunks. They are computed and set in place, hence not in the user's own."""
    import dask.array as da

    if not np.isnan(array.shape[0]):
        return array
    return da.Array(array.dask, array.name, array.chunks, meta=array._meta).compute_chunk_sizes()


def apply_lazily(operation: Operation, rows: Any, names: Any) -> Any:
    """What an operation of one column gives for all rows of a Dask array, as another one; nothing is computed."""
    from dask.delayed import delayed

    [column] = operation.columns
    rows = rows.rechunk({1: -1}) if rows.numblocks[1] > 1 else rows
    shared = delayed(operation, pure=True, traverse=False)  # a task of its own: it goes to each worker once
    shape: dict[str, Any] = {"drop_axis": 1} if column.width is None else {"chunks": (rows.chunks[0], (column.width,))}
    meta = np.empty(0 if column.width is None else (0, 0), column.dtype)
    return rows.map_blocks(_apply, shared, names, dtype=column.dtype, meta=meta, **shape)


def _apply(rows: Any, operation: Operation, names: Any, block_info: Any) -> np.ndarray:
    """Values of one chunk, block by block: intermediate arrays are many times as large as the rows.

    Where sizes of chunks are unknown, a message about values that are not finite counts rows within the chunk.
    """
    size, raw = block_rows(rows.shape[1]), Frame.raw(operation.model.frame.dtype, rows.shape[1])
    before, chunk = block_info[0]["array-location"][0][0], None
    if np.isnan(before):
        before, chunk = 0, block_info[0]["chunk-location"][0]
    found: list[np.ndarray] = []
    with one_thread_each:
        for start in range(0, max(len(rows), 1), size):
            values = raw.transform(rows[start : start + size])
            check_finite(find_not_finite(_block(values, int(before) + start)), names, chunk)
            found += operation.compute(values)
    return np.concatenate(found)


def _block(rows: np.ndarray, start: int) -> Block:
    return Block(start, start + len(rows), Values({}, {}), np.ones(0), lambda chosen: rows)
