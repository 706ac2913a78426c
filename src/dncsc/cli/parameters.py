"""Options as parameters of an estimator, checked before anything is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dncsc.cli.errors import OPTIONS, UsageError

if TYPE_CHECKING:
    from dncsc.rows import Rows

COUNTS = "max_clusters"
"""A parameter of those estimators alone that find the number of clusters."""


def number_of_clusters(text: str) -> int | str:
    """What -k says: a positive number, or "auto"."""
    if text == "auto":
        return text
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageError(f"-k must be a number of clusters of at least 1, or auto; got {text!r}.")
    return int(text)


def make_estimator(method: str, k: int | str, **given: Any) -> Any:
    """The estimator of a method, with what a fit would refuse refused; parameters that are None are left to it."""
    from dncsc import clusterer, methods
    from dncsc.estimators.parameters import check_parameters

    parameters = {name: value for name, value in given.items() if value is not None}
    known = clusterer(method).get_params()
    for name in parameters:
        if name not in known:
            raise UsageError(f"{OPTIONS[name]}: the method {method} has no use for it. Leave it out.")
    if k == "auto" and COUNTS not in known:
        able = ", ".join(name for name in methods() if "/" not in name and COUNTS in clusterer(name).get_params())
        raise UsageError(f"-k auto: the method {method} does not count clusters; {able} does. Give -k a number.")
    estimator = clusterer(method, k, **parameters)  # type: ignore[arg-type]
    check_parameters(estimator)
    return estimator


def check_enough(n_rows: int, k: int | str, name: str) -> None:
    """Refuse fewer rows than clusters."""
    if isinstance(k, int) and n_rows < k:
        raise UsageError(f"-k {k}: {name} has only {n_rows:,} rows, and each cluster needs one.")


def passes(estimator: Any, rows: Rows) -> int:
    """Passes over the rows to expect; 0 where they are not known."""
    from dncsc import DnCSC, estimate

    return estimate(*rows.shape, **estimator.get_params()).passes if isinstance(estimator, DnCSC) else 0
