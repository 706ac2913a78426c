"""What a fit is going to need, before it runs."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from dncsc.budget import Estimate, Size, seconds_of_clusters, seconds_of_passes
from dncsc.engines.pool import thread_count
from dncsc.estimators.registry import CLASSES
from dncsc.phases.select.divide_and_conquer import usual_rate
from dncsc.suggest import did_you_mean


def estimate(
    n_rows: int,
    n_features: int,
    *,
    n_landmarks: int = 1000,
    n_neighbors: int = 5,
    selection_rate: int | str = "auto",
    n_members: int = 0,
    n_clusters: int | str = 8,
    max_clusters: int = 50,
    n_init: int = 3,
    dtype: Any = np.float32,
    n_jobs: int | None = None,
    **others: Any,
) -> Estimate:
    """What `DnCSC` is going to need for so many rows.

    Parameters
    ----------
    n_rows, n_features : int
    n_landmarks, n_neighbors, selection_rate, n_members, n_clusters, max_clusters, n_init, n_jobs
        As in the estimators.
    dtype : dtype
        float32, or float64 for data that needs it.
    **others
        Other parameters of the estimators, which change nothing here.

    Raises
    ------
    TypeError
        For a parameter that no estimator has.

    Examples
    --------
    >>> from dncsc import estimate
    >>> print(estimate(100_000_000, 2).passes)
    9
    """
    known = {name for each in CLASSES.values() for name in inspect.signature(each).parameters}
    for name in others:
        if name not in known:
            raise TypeError(f"no estimator has a parameter {name!r}.{did_you_mean(name, sorted(known))}")
    width = 4 if np.dtype(dtype) == np.float32 else 8
    k = max_clusters if isinstance(n_clusters, str) else n_clusters
    size = Size(n_rows, n_features, n_landmarks, n_neighbors, n_members, k, width, thread_count(n_jobs))
    alpha = usual_rate(n_rows) if selection_rate == "auto" else int(selection_rate)
    rounds = max(1, math.ceil(math.log(max(n_landmarks, 2)) / math.log(max(alpha, 2))))
    return Estimate(
        memory=size.columns + size.working,
        least_memory=size.working,
        scratch=size.columns,
        passes=5 + 2 * rounds,
        seconds=seconds_of_passes(size, alpha, rounds) + seconds_of_clusters(size, n_init),
    )
