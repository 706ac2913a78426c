"""What each rule of the cut is worth: NMI with one threshold changed, less NMI with all of them.

    python docs/notes/rules.py cut|ensembles [seeds] [rows]

For the cut, phases 1 and 2 run once for each set and seed; every changed `CutPolicy` then cuts the same links.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from dncsc import LSEC, DnCSC, metrics
from dncsc.bench.shapes import OUTLIER, SHAPES
from dncsc.datasets import load, names
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.estimators.parameters import check_parameters
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.transfer_cut import transfer_cut
from dncsc.phases.discretize import LABEL, k_means, label_all
from dncsc.phases.survey import survey
from dncsc.recipes import DNC_SC

OFF = {
    "narrow": 0.5,
    "max_outlier_rows": 1.0,
    "max_outlier_landmarks": 1.0,
    "component_landmarks": 5,
    "component_rows": 0,
    "outlier_share": 0.0,
    "outlier_rows": 0,
    "max_outliers": 1.0,
    "link_factor": 1e12,
    "dense": 1e12,
    "few_landmarks": 0,
    "gap": 0.0,
    "weighting_power": 0.0,
    "weighting_floor": 1.0,
}
"""Values that leave a threshold without effect, or that are far from the one taken."""

OFF_IN_ENSEMBLES = {
    "ensemble_landmarks": 10**6,
    "ensemble_rows_a_landmark": 10**9,
    "min_base_clusters": 10,
    "max_base_clusters": 40,
    "rows_a_base_cluster": 1,
}
"""The same for ensembles."""


class ChangedLSEC(LSEC):
    """LSEC by another policy."""

    policy = CutPolicy()

    def _run(self, engine: Any, parameters: Any, checkpoint: Any = None) -> Any:
        asked = replace(parameters.asked, policy=self.policy)
        return super()._run(engine, replace(parameters, asked=asked), checkpoint)


def ensemble_scores(X: np.ndarray, y: np.ndarray, seed: int, policies: dict[str, CutPolicy]) -> dict[str, float]:
    """NMI in percent of the consensus by each policy."""
    counts, found = y != OUTLIER, {}
    for name, policy in policies.items():
        model = ChangedLSEC(len(np.unique(y[counts])), random_state=seed, n_jobs=1)
        model.policy = policy
        found[name] = 100 * metrics.nmi(y[counts], model.fit(X).labels_[counts])
    return found


def scores(X: np.ndarray, y: np.ndarray, seed: int, policies: dict[str, CutPolicy]) -> dict[str, float]:
    """NMI in percent of the cut by each policy."""
    counts = y != OUTLIER
    model = DnCSC(len(np.unique(y[counts])), random_state=seed)
    with LocalEngine(ArraySource(np.ascontiguousarray(X)), n_jobs=1) as engine:
        surveyed = survey(engine, None, False)
        engine.frame, engine.weight_scale = surveyed.frame, surveyed.weight_scale
        drawn = int(check_random_state(seed).randint(np.iinfo(np.int32).max))
        settings = check_parameters(model).settings(len(X), engine.frame, surveyed.n_counted, drawn)
        selection = DNC_SC.select(engine, settings)
        links = DNC_SC.nearest(engine, settings, selection)
        found = {}
        for name, policy in policies.items():
            chosen = replace(settings, policy=policy)
            embedding = transfer_cut(engine, chosen, selection, links, None).embedding
            label_all(engine, embedding, k_means(engine, chosen, embedding))
            found[name] = 100 * metrics.nmi(y[counts], engine.take(LABEL)[counts])
    return found


RULES = {"cut": (OFF, scores), "ensembles": (OFF_IN_ENSEMBLES, ensemble_scores)}


def main(of: str = "cut", seeds: int = 5, rows: int = 20_000) -> None:
    off, score = RULES[of]
    policies = {"all": CutPolicy()} | {name: replace(CutPolicy(), **{name: value}) for name, value in off.items()}
    sets: dict[str, Callable[[], Any]] = {name: lambda name=name: load(name) for name in ("pendigits", "letters")}
    sets |= {name: lambda name=name: load(name, rows) for name in names() if name[:2] in ("ts", "tm", "tc", "cg", "fl")}
    sets |= {f"{name}, {n}": lambda make=make, n=n: make(n) for name, make in SHAPES.items() for n in (300, 2000)}
    warnings.simplefilter("ignore")
    lost: dict[str, dict[str, float]] = {name: {} for name in off}
    for name, make in sets.items():
        found = [score(*make(), seed, policies) for seed in range(seeds)]
        for rule in off:
            lost[rule][name] = float(np.mean([each[rule] - each["all"] for each in found]))
        print(name, *(f"{rule} {lost[rule][name]:+.1f}" for rule in off), file=sys.stderr)
    for rule, by_set in lost.items():
        worst = min(by_set, key=by_set.__getitem__)
        print(f"{rule:24} {np.mean(list(by_set.values())):+6.2f}   {worst} {by_set[worst]:+.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:]))
