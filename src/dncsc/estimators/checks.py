"""What the user gave, checked before any work: the one place where complaints about parameters and input are worded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, validate_data

from dncsc.rows import Rows
from dncsc.suggest import did_you_mean


class ParameterError(ValueError, TypeError):
    """A parameter of the wrong type or value."""


def _is(value: Any, kind: type) -> bool:
    """A number of that kind, and not True or False."""
    return isinstance(value, kind) and not isinstance(value, bool)


def integer(name: str, value: Any, least: int = 1, auto: int | None = None) -> int:
    """An integer parameter; "auto" stands for `auto` where that is given."""
    if auto is not None and isinstance(value, str) and value == "auto":
        return auto
    if _is(value, Integral) and value >= least:
        return int(value)
    other = ' or "auto"' if auto is not None else ""
    raise ParameterError(f"{name} must be an integer of at least {least}{other}; got {value!r}.")


def choice(name: str, value: Any, options: Collection[str]) -> str:
    """A parameter that is one of a few words."""
    if isinstance(value, str) and value in options:
        return value
    raise ParameterError(
        f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.{did_you_mean(value, options)}"
    )


def number_or(words: tuple[str, ...], name: str, value: Any) -> float | str:
    """A positive number, or one of a few words."""
    if isinstance(value, str) and value in words:
        return value
    if _is(value, Real) and 0 < value < float("inf"):
        return float(value)
    listed = ", ".join(map(repr, words))
    raise ParameterError(f"{name} must be {listed} or a positive number; got {value!r}.{did_you_mean(value, words)}")


def jobs(value: Any) -> int | None:
    """n_jobs as scikit-learn has it: None, or an integer other than 0."""
    if value is None or (_is(value, Integral) and value != 0):
        return None if value is None else int(value)
    raise ParameterError(f"n_jobs must be None or an integer other than 0; got {value!r}.")


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
        if "could not convert" in str(error) or "dtype='numeric'" in str(error):
            raise ValueError(
                f"X has to be numeric, but {error}. Encode text columns as numbers first, for example with "
                "sklearn.preprocessing.OneHotEncoder."
            ) from error
        raise
    if table.dtype.kind not in "biuf":
        raise TypeError(f"X has to hold real numbers; its dtype is {table.dtype}.")
    return table


def features(estimator: Any, count: int, names: Sequence[str] | None, *, reset: bool) -> None:
    """Set `n_features_in_` and `feature_names_in_`, or compare with them, for what scikit-learn cannot look at."""
    if reset:
        estimator.n_features_in_ = count
        vars(estimator).pop("feature_names_in_", None)
        if names is not None:
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return
    if count != estimator.n_features_in_:
        raise ValueError(
            f"X has {count} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features "
            "as input."
        )
    fitted = getattr(estimator, "feature_names_in_", None)
    if fitted is not None and names is not None and list(fitted) != list(names):
        place = next(i for i, (one, other) in enumerate(zip(fitted, names, strict=True)) if one != other)
        raise ValueError(
            "The feature names should match those that were passed during fit: "
            f"column {place} was {str(fitted[place])!r} and is now {str(names[place])!r}."
        )


def weights(sample_weight: Any, X: Any) -> np.ndarray | None:
    """Sample weights as float64, none of them negative and not all of them 0."""
    if sample_weight is None:
        return None
    weight: np.ndarray = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weight.any():
        raise ValueError("sample_weight is 0 for every row: nothing is left to cluster.")
    return weight
