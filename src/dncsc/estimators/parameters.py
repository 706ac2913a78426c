"""Parameters of estimators: one table of what each may be, and one way from them to the settings of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from dncsc.engines.frame import METRICS, Frame
from dncsc.errors import ParameterError, ParameterOrderError
from dncsc.memory import parse_bytes
from dncsc.phases.ensemble import EnsembleSize
from dncsc.phases.select.divide_and_conquer import usual_rate
from dncsc.phases.settings import ADAPTIVE, AUTO, LOCAL, MEAN, Settings
from dncsc.recipes import LANDMARKS, NEAREST, SELECT
from dncsc.suggest import did_you_mean


@dataclass(frozen=True)
class Constraint:
    """What a parameter may be: one of a few words, or what a test allows. The rule is as in `ParameterError`."""

    rule: str
    allows: Callable[[Any], bool] = lambda value: False
    words: tuple[str, ...] = ()

    def check(self, name: str, value: Any) -> None:
        """Raise the error for a value that is not allowed."""
        if not (isinstance(value, str) and value in self.words) and not self.allows(value):
            raise ParameterError(name, value, self.rule, did_you_mean(value, self.words).strip())


def _is(value: Any, kind: type) -> bool:
    """A number of that kind, and not True or False."""
    return isinstance(value, kind) and not isinstance(value, bool)


def integer(least: int = 1, *words: str) -> Constraint:
    """Integers from `least` on, and words."""
    also = "".join(f' or "{word}"' for word in words)
    return Constraint(f"must be an integer of at least {least}{also}", lambda v: _is(v, Integral) and v >= least, words)


def one_of(*words: str) -> Constraint:
    """Words alone."""
    return Constraint(f"must be one of {', '.join(map(repr, words))}", words=words)


def positive(*words: str) -> Constraint:
    """Positive numbers, and words."""
    rule = f"must be {', '.join(map(repr, words))} or a positive number"
    return Constraint(rule, lambda v: _is(v, Real) and _is_positive(v), words)


def _is_positive(value: Any) -> bool:
    try:
        return 0 < float(value) < float("inf")
    except OverflowError:  # an integer of hundreds of digits
        return False


def _is_seed(value: Any) -> bool:
    if isinstance(value, Integral):
        return 0 <= int(value) < 2**32
    return value is None or value is np.random or isinstance(value, np.random.RandomState)


def _is_size(value: Any) -> bool:
    try:
        return value is None or parse_bytes(value) > 0
    except ValueError:
        return False


PATH = Constraint("must be a path or None", lambda v: v is None or isinstance(v, str | os.PathLike))

CONSTRAINTS: dict[str, Constraint] = {
    "n_clusters": integer(),
    "max_clusters": integer(2),
    "n_members": integer(),
    "n_graphs": integer(),
    "landmarks": one_of(*LANDMARKS),
    "n_landmarks": integer(),
    "n_neighbors": integer(),
    "selection_rate": integer(2, AUTO),
    "sample_size": integer(2, AUTO),
    "n_candidates": integer(1, AUTO),
    "bandwidth": positive(MEAN, LOCAL, ADAPTIVE),
    "select": one_of(*SELECT),
    "nearest": one_of(*NEAREST),
    "max_rows": integer(),
    "metric": one_of(*METRICS),
    "noise": Constraint(
        "must be a share of the rows, at least 0 and less than 1", lambda v: _is(v, Real) and 0 <= v < 1
    ),
    "refine": Constraint("must be True or False", lambda v: isinstance(v, bool | np.bool_)),
    "normalize": one_of("l2", "l1"),
    "n_init": integer(),
    "max_iter": integer(),
    "random_state": Constraint("must be None, an integer from 0 to 2**32 - 1, or a RandomState", _is_seed),
    "n_jobs": Constraint(
        "must be None or an integer other than 0", lambda v: v is None or (_is(v, Integral) and v != 0)
    ),
    "max_memory": Constraint('must be a size such as "2GB" or a number of bytes', _is_size),
    "scratch_dir": PATH,
    "checkpoint": PATH,
    "verbose": Constraint("must be a number", lambda v: isinstance(v, Real)),
}
"""What each parameter may be, whichever estimator has it. A class that takes other words has them in `constraints`."""


@dataclass(frozen=True)
class Parameters:
    """Checked parameters, as far as they are known before the rows are."""

    asked: Settings
    """0 where the rows decide; a bandwidth is in the user's units"""
    ensemble: EnsembleSize | None
    """for an ensemble, how many base clusterings it has, and from how many graphs"""

    @property
    def n_clusters(self) -> int:
        """Clusters; the most there may be, where they are counted."""
        return self.asked.n_clusters

    @property
    def least_rows(self) -> int:
        """Rows without which there is nothing to cluster."""
        return 2 if self.asked.count_clusters else self.n_clusters

    def settings(self, n_rows: int, frame: Frame, n_counted: int, seed: int, few: bool = False) -> Settings:
        """Settings of a run, once it is known which rows it is for, and how many of them have a positive weight.

        `few` where only few clusters may be counted.
        """
        asked, policy = self.asked, self.asked.policy
        if few:
            asked = replace(asked, n_clusters=min(asked.n_clusters, policy.many_clusters))
        n_landmarks = asked.n_landmarks or policy.usual_landmarks(
            asked.n_clusters, asked.count_clusters, n_counted, len(frame.shift), asked.refine
        )
        if asked.bandwidth == AUTO:  # no more landmarks than are useful to the weights that are chosen
            useful = max(policy.min_landmarks, n_counted // policy.rows_a_landmark)
            if self.ensemble is not None:
                useful = max(min(policy.ensemble_landmarks, useful), n_counted // policy.ensemble_rows_a_landmark)
            n_landmarks = min(n_landmarks, max(asked.n_clusters, useful))
        return replace(
            asked,
            n_landmarks=n_landmarks,
            selection_rate=asked.selection_rate or usual_rate(n_rows, asked.n_clusters),
            sample_size=asked.sample_size or 10 * n_landmarks,
            bandwidth=asked.bandwidth if isinstance(asked.bandwidth, str) else frame.length_inside(asked.bandwidth),
            seed=seed,
            n_counted=n_counted,
        )


def check_parameters(estimator: Any) -> Parameters:
    """Check every parameter of an estimator, before any work and without any effect; raise for the first wrong one."""
    given = estimator.get_params(deep=False)
    for name, constraint in estimator._constraints.items():
        if name in given:
            constraint.check(name, given[name])
    numbers = {name: int(value) for name, value in given.items() if isinstance(value, Integral)}
    n_clusters = numbers.get("n_clusters") or numbers["max_clusters"]  # the most there may be, where they are counted
    n_landmarks = 0 if given.get("n_landmarks") == AUTO else numbers.get("n_landmarks", n_clusters)
    if 0 < n_landmarks < n_clusters and "n_clusters" in numbers:
        raise ParameterOrderError("n_landmarks", n_landmarks, "n_clusters", n_clusters)
    n_neighbors, n_members = numbers.get("n_neighbors", 1), numbers.get("n_members", 0)
    bandwidth = given.get("bandwidth", MEAN)
    asked = Settings(
        n_clusters=min(n_clusters, n_landmarks or n_clusters),
        count_clusters="n_clusters" not in numbers,
        n_landmarks=n_landmarks,
        n_neighbors=n_neighbors,
        selection_rate=numbers.get("selection_rate", 0),
        sample_size=numbers.get("sample_size", 0),
        n_candidates=numbers.get("n_candidates", 10 * n_neighbors + estimator._spare_candidates),
        bandwidth=bandwidth if isinstance(bandwidth, str) else float(bandwidth),
        by_length=given.get("normalize", "l2") == "l2",
        n_init=numbers["n_init"],
        max_iter=numbers["max_iter"],
        seed=0,
        n_counted=0,
        noise=float(given.get("noise", 0.0)),
        refine=bool(given.get("refine", False)),
    )
    ensemble = EnsembleSize(n_members, min(n_members, numbers.get("n_graphs", n_members))) if n_members else None
    return Parameters(asked, ensemble)
