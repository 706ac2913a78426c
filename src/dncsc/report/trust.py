"""How stable a clustering is: the same method with other seeds, on a sample of the rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics.cluster import contingency_matrix

from dncsc import metrics
from dncsc.report.reader import Moments, StepProgress

STABLE, PARTLY, UNSTABLE = "stable", "partly stable", "unstable"
LEAST_STABLE, LEAST_PARTLY = 0.85, 0.6
"""Least agreement that counts as stable, and as partly stable."""


class Rerun(NamedTuple):
    """Agreement of one re-run with the model."""

    seed: int
    nmi: float
    ari: float


@dataclass(frozen=True)
class Trust:
    """What re-runs on a sample say. Values of clusters are None where no row of the sample is in them."""

    n_rows: int
    """rows of the sample"""
    reruns: list[Rerun]
    among: tuple[float, float] | None
    """mean NMI and ARI of the re-runs with each other, where there are two or more"""
    stability: list[float | None]
    """for each cluster the mean over the re-runs of its Jaccard index with the most similar cluster there"""
    partner: list[int | None]
    """for each cluster that is not stable: the cluster with which it exchanges most rows"""
    confidence: list[float | None] | None
    """for each cluster of an ensemble: mean `confidence_` of its rows"""

    @property
    def ari(self) -> float:
        return float(np.mean([each.ari for each in self.reruns]))

    @property
    def verdict(self) -> str:
        """Verdict on the whole; a single unstable cluster makes it "partly stable" at best."""
        whole = verdict_of(self.ari)
        return PARTLY if whole == STABLE and self.unstable else whole

    @property
    def unstable(self) -> list[int]:
        """Unstable clusters, the least stable first."""
        return [cluster for value, cluster in self.ranked if value < LEAST_PARTLY]

    @property
    def ranked(self) -> list[tuple[float, int]]:
        """Stability and number of each cluster, the least stable first."""
        return sorted((value, cluster) for cluster, value in enumerate(self.stability) if value is not None)


def verdict_of(agreement: float) -> str:
    """Verdict on an agreement between 0 and 1."""
    return STABLE if agreement >= LEAST_STABLE else PARTLY if agreement >= LEAST_PARTLY else UNSTABLE


def sought(model: Any) -> int:
    """How many clusters a fit was asked for, of which it may have found fewer; with "auto", how many it found."""
    return int(model.n_clusters_ if isinstance(model.n_clusters, str) else model.n_clusters)


def examine(model: Any, moments: Moments, n_reruns: int, progress: StepProgress) -> Trust:
    """Fit the method to the sample with other seeds, and compare."""
    ours = np.asarray(model.labels_[moments.chosen])
    seed = model.get_params().get("random_state")
    first = int(seed) + 1 if isinstance(seed, Integral) else 1
    runs = {}
    for done in range(n_reruns):
        again = (first + done) % 2**32
        runs[again] = _refit(model, moments.sample, again)
        progress("re-runs", (done + 1) / n_reruns)
    present = np.unique(ours)

    def of_all(values: np.ndarray) -> list[Any]:
        known = dict(zip(present.tolist(), values.tolist(), strict=True))
        return [known.get(cluster) for cluster in range(len(moments.count))]

    tables = [contingency_matrix(ours, other, dtype=np.float64) for other in runs.values()]
    stability = of_all(np.mean([_best_jaccard(counts) for counts in tables], axis=0))
    together = np.sum([counts @ counts.T for counts in tables], axis=0)  # two clusters in the same ones of the re-runs
    np.fill_diagonal(together, -1)
    partner = of_all(present[together.argmax(axis=1)])
    for cluster, value in enumerate(stability):
        if value is None or value >= LEAST_STABLE or len(present) == 1:
            partner[cluster] = None
    confidence = None
    if hasattr(model, "confidence_"):
        total = np.bincount(ours, np.asarray(model.confidence_[moments.chosen]))
        confidence = of_all(total[present] / np.bincount(ours)[present])
    reruns = [Rerun(again, *_agreement(ours, other)) for again, other in runs.items()]
    pairs = [_agreement(one, other) for one, other in combinations(runs.values(), 2)]
    among = (float(np.mean([nmi for nmi, _ in pairs])), float(np.mean([ari for _, ari in pairs]))) if pairs else None
    return Trust(len(ours), reruns, among, stability, partner, confidence)


def _refit(model: Any, sample: np.ndarray, seed: int) -> np.ndarray:
    again = clone(model)
    changed = {"n_clusters": sought(model), "random_state": seed, "verbose": 0, "checkpoint": None, "noise": 0}
    again.set_params(**{name: value for name, value in changed.items() if name in again.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the model's own fit has warned; what re-runs find is on the page
        return np.asarray(again.fit(sample).labels_)


def _agreement(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    return metrics.nmi(one, other), metrics.ari(one, other)


def _best_jaccard(counts: np.ndarray) -> np.ndarray:
    """For each cluster of the model, its Jaccard index with the most similar one of a re-run."""
    union = counts.sum(axis=1, keepdims=True) + counts.sum(axis=0, keepdims=True) - counts
    return np.asarray((counts / union).max(axis=1))
