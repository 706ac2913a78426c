"""Rows, features and weights that the user gave, checked before any work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import _check_n_features, _check_sample_weight, validate_data

from dncsc.errors import InputError, NotNumericError
from dncsc.estimators.columns import find_no_numbers, refuse_types, words
from dncsc.estimators.frames import FrameRows
from dncsc.rows import Rows
from dncsc.rows.raw import REAL


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array or frame; without importing Dask for those who do not use it."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


@contextmanager
def unchanged_on_failure(estimator: Any) -> Iterator[None]:
    """Undo what a failed fit has set: it is then as fitted, or as unfitted, as it was before."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a two-dimensional array (also of Dask) or CSR matrix of real numbers, copied only if it is none; files and
    most frames as what can be read block by block.

    Sets or checks `n_features_in_` and `feature_names_in_`. Values are not looked at: the first pass does that.
    """
    if is_dask(X):
        return _dask_rows(estimator, X, reset=reset)
    if isinstance(X, Rows):
        features(estimator, X.shape[1], X.names, reset=reset)
        return X
    if isinstance(X, str | os.PathLike):
        raise InputError(f"X is a path, not a table. Open it first: dncsc.open_rows({os.fspath(X)!r}).")
    if np.ma.is_masked(X):
        problem = f"X is a masked array, and {int(np.ma.getmaskarray(X).sum()):,} of its values are masked."
        advice = "Leave out these rows or columns, or fill them: X.filled(...), or dncsc.TableEncoder."
        raise InputError(f"{problem} {advice}")
    refuse_types(X)
    if (frame := FrameRows.of(X)) is not None:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return frame
    if scipy.sparse.issparse(X) and X.dtype == np.float16:
        raise InputError(
            "X is a sparse matrix of float16, which SciPy cannot compute with. Give X.astype(np.float32), or a dense "
            "array of float16."
        )
    try:
        table = validate_data(
            estimator, X, reset=reset, accept_sparse="csr", dtype="numeric", ensure_all_finite=False, copy=False
        )
        table = table.astype(np.float64) if table.dtype == object else table  # of lists and polars
        real(table.dtype, "X")
    except (ValueError, TypeError) as error:
        if not scipy.sparse.issparse(X) and (found := find_no_numbers(X)):
            raise NotNumericError(found) from error
        raise
    return table


def real(dtype: Any, what: str) -> None:
    """Refuse a dtype of other than real numbers."""
    if getattr(dtype, "kind", "O") not in REAL:
        raise TypeError(f"{what} has to hold real numbers; its dtype is {dtype}. Convert it first.")


def features(estimator: Any, count: int, names: Sequence[str] | None, *, reset: bool) -> None:
    """Set `n_features_in_` and `feature_names_in_`, or compare with them, for what scikit-learn cannot look at."""
    _check_n_features(estimator, np.empty((0, count)), reset=reset)
    if reset:
        vars(estimator).pop("feature_names_in_", None)
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
    for i, pair in enumerate(zip(getattr(estimator, "feature_names_in_", ()), names or (), strict=False)):
        if pair[0] != pair[1]:
            raise ValueError(
                "The feature names should match those that were passed during fit: "
                f"column {i} was {str(pair[0])!r} and is now {str(pair[1])!r}. "
                "Choose the columns of feature_names_in_, in that order."
            )


def weights(sample_weight: Any, rows: Any) -> Any:
    """Sample weights as float64, none of them negative and not all of them 0; or a Dask array, for rows in one."""
    if sample_weight is None:
        return None
    if is_dask(rows):
        if is_dask(sample_weight):
            return _dask_weights(sample_weight, rows.shape[0])
        sample_weight, rows = np.asarray(sample_weight), np.broadcast_to(np.float64(0), (rows.shape[0], 1))
    weight: np.ndarray = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
    if not weight.any():
        raise InputError("sample_weight is 0 for every row: nothing is left to cluster.")
    return weight


def _dask_rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """X as a Dask array of real numbers; sets or checks the features.

    To fit, the sizes of its chunks have to be known, and are computed where they are not; to predict they need not.
    """
    if not isinstance(getattr(X, "ndim", None), int):
        raise TypeError(f"X has to be a Dask array or frame; got a Dask {type(X).__name__}.")
    rows, names = _from_frame(X, reset) if X.ndim == 2 and hasattr(X, "columns") else (X, None)
    if rows.ndim != 2:
        raise ValueError(f"Expected a 2-dimensional Dask array; got {rows.ndim} dimensions. Reshape your data.")
    real(rows.dtype, "X")
    if reset:
        rows = _with_sizes(rows)
    if 0 in rows.shape:
        raise ValueError(f"Found array with shape {rows.shape}: there is nothing to cluster.")
    features(estimator, rows.shape[1], names, reset=reset)
    return rows


def _from_frame(X: Any, lengths: bool) -> tuple[Any, list[str] | None]:
    """The values of a Dask frame, and the names of its columns where all are words, as scikit-learn has it."""
    other = {name: words(dtype) for name, dtype in X.dtypes.items() if getattr(dtype, "kind", "O") not in REAL}
    if other:
        raise NotNumericError(other)
    named = all(isinstance(name, str) for name in X.columns)
    if {"b"} < {dtype.kind for dtype in X.dtypes} and all(isinstance(dtype, np.dtype) for dtype in X.dtypes):
        X = X.astype(np.result_type(*X.dtypes))  # pandas would make objects of bool next to numbers
    return X.to_dask_array(lengths=True if lengths else None), list(X.columns) if named else None


def _dask_weights(weight: Any, n_rows: int) -> Any:
    """Nothing is looked at but the shape and the dtype: values are checked where they are, by the survey."""
    if getattr(weight, "ndim", None) != 1:
        raise ValueError("sample_weight has to have one dimension, a weight for each row.")
    real(weight.dtype, "sample_weight")
    weight = _with_sizes(weight.to_dask_array(lengths=True) if hasattr(weight, "to_dask_array") else weight)
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight has {len(weight)} weights for {n_rows} rows.")
    return weight


def _with_sizes(array: Any) -> Any:
    """The array with known sizes of chunks. They are computed and set in place, hence not in the user's own."""
    import dask.array as da

    if not np.isnan(array.shape[0]):
        return array
    return da.Array(array.dask, array.name, array.chunks, meta=array._meta).compute_chunk_sizes()
