"""Rows, features and weights that the user gave, checked before any work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import _check_n_features, _check_sample_weight, validate_data

from dncsc.errors import InputError, NotNumericError
from dncsc.rows import Rows


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
    """X as a two-dimensional array or CSR matrix of real numbers, without copying where it already is one; or files.

    Sets or checks `n_features_in_` and `feature_names_in_`. Values are not looked at: the first pass does that.
    """
    if isinstance(X, Rows):
        features(estimator, X.shape[1], X.names, reset=reset)
        return X
    try:
        table = validate_data(
            estimator, X, reset=reset, accept_sparse="csr", dtype="numeric", ensure_all_finite=False, copy=False
        )
    except (ValueError, TypeError) as error:
        found = None if scipy.sparse.issparse(X) else _find_text(X)
        if found is not None:
            raise NotNumericError(found) from error
        raise
    real(table.dtype, "X")
    return table


def real(dtype: Any, what: str) -> None:
    """Refuse a dtype of other than real numbers."""
    if getattr(dtype, "kind", "O") not in "biuf":
        raise TypeError(f"{what} has to hold real numbers; its dtype is {dtype}.")


def _find_text(X: Any) -> str | None:
    """The first text in a table, in words; None where there is none, or X is no table."""
    if hasattr(X, "columns"):
        columns = [(repr(name), np.asarray(X[name])) for name in X.columns]
    else:
        try:
            table = np.asarray(X)
        except ValueError:  # ragged
            return None
        columns = [(str(i), column) for i, column in enumerate(table.T)] if table.ndim == 2 else []
    for name, column in columns:
        kind = column.dtype.kind
        for row, value in enumerate(column if kind in "OUS" else ()):
            if isinstance(value, str | bytes) and (kind != "O" or not _is_number(value)):
                return f"column {name} holds {value!r} in row {row}"
    return None


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


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
                f"column {i} was {str(pair[0])!r} and is now {str(pair[1])!r}."
            )


def weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Sample weights as float64, none of them negative and not all of them 0."""
    if sample_weight is None:
        return None
    weight: np.ndarray = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weight.any():
        raise InputError("sample_weight is 0 for every row: nothing is left to cluster.")
    return weight
