"""How stable a clustering is: the same method with other seeds, on a sample of the rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.cluster import contingency_matrix

from dncsc import metrics
from dncsc.report.moments import Moments
from dncsc.report.reader import StepProgress

STABLE, PARTLY, UNSTABLE = "stable", "partly stable", "unstable"
LEAST_STABLE, LEAST_PARTLY = 0.85, 0.6
"""Least agreement that counts as stable, and as partly stable."""


@dataclass(frozen=True)
class Rerun:
    """Agreement of one re-run with the model."""

    seed: int
    nmi: float
    ari: float


@dataclass(frozen=True)
class Trust:
    """What re-runs on a sample say."""

    n_rows: int
    """rows of the sample"""
    reruns: list[Rerun]
    among: tuple[float, float] | None
    """mean NMI and ARI of the re-runs with each other, where there are two or more"""
    stability: list[float | None]
    """for each cluster the mean over the re-runs of its Jaccard index with the most similar cluster there; None where
    no row of the sample is in it"""
    partner: list[int | None]
    """for each cluster that is not stable: the cluster with which it exchanges most rows"""
    confidence: list[float | None] | None
    """for each cluster of an ensemble: mean `confidence_` of its rows"""

    @property
    def nmi(self) -> float:
        return float(np.mean([each.nmi for each in self.reruns]))

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
        known = [(value, cluster) for cluster, value in enumerate(self.stability) if value is not None]
        return [cluster for value, cluster in sorted(known) if value < LEAST_PARTLY]


def verdict_of(agreement: float) -> str:
    """Verdict on an agreement between 0 and 1."""
    return STABLE if agreement >= LEAST_STABLE else PARTLY if agreement >= LEAST_PARTLY else UNSTABLE


def sought(model: Any) -> int:
    """How many clusters a fit was asked for, of which it may have found fewer; with "auto", how many it found."""
    return int(model.n_clusters_ if isinstance(model.n_clusters, str) else model.n_clusters)


def examine(model: Any, moments: Moments, n_reruns: int, progress: StepProgress) -> Trust:
    """Fit the method to the sample with other seeds, and compare."""
    k = len(moments.count)
    ours = np.asarray(model.labels_[moments.chosen])
    seed = model.get_params().get("random_state")
    first = int(seed) + 1 if isinstance(seed, int | np.integer) else 1
    seeds = [number % 2**32 for number in range(first, first + n_reruns)]
    others = []
    for done, each in enumerate(seeds, 1):
        others.append(_refit(model, moments.sample, each))
        progress("re-runs", done / n_reruns)
    tables = [contingency_matrix(ours, other) for other in others]
    clusters = np.unique(ours)
    jaccard = np.mean([_best_jaccard(counts) for counts in tables], axis=0)
    stability: list[float | None] = [None] * k
    partner: list[int | None] = [None] * k
    for place, cluster in enumerate(clusters):
        stability[cluster] = float(jaccard[place])
        if jaccard[place] < LEAST_STABLE and len(clusters) > 1:
            partner[cluster] = int(clusters[_partner(tables, place)])
    scores = [Rerun(each, *_agreement(ours, other)) for each, other in zip(seeds, others, strict=True)]
    among = [_agreement(one, other) for one, other in combinations(others, 2)]
    return Trust(
        n_rows=len(ours),
        reruns=scores,
        among=(float(np.mean(among, axis=0)[0]), float(np.mean(among, axis=0)[1])) if among else None,
        stability=stability,
        partner=partner,
        confidence=_confidence(model, moments, ours, k),
    )


def _refit(model: Any, sample: np.ndarray, seed: int) -> np.ndarray:
    again = clone(model)
    changed = {"n_clusters": sought(model), "random_state": seed, "verbose": 0, "checkpoint": None}
    again.set_params(**{name: value for name, value in changed.items() if name in again.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters show as disagreement
        return np.asarray(again.fit(sample).labels_)


def _agreement(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    return metrics.nmi(one, other), metrics.ari(one, other)


def _best_jaccard(counts: np.ndarray) -> np.ndarray:
    """For each cluster of the model, its Jaccard index with the most similar one of a re-run."""
    union = counts.sum(axis=1, keepdims=True) + counts.sum(axis=0, keepdims=True) - counts
    return np.asarray((counts / union).max(axis=1))


def _partner(tables: list[np.ndarray], place: int) -> int:
    """Which other cluster of the model is most often with this one in the same clusters of the re-runs."""
    together = np.asarray(sum(counts.astype(np.float64) @ counts[place] for counts in tables))
    together[place] = -1
    return int(together.argmax())


def _confidence(model: Any, moments: Moments, ours: np.ndarray, k: int) -> list[float | None] | None:
    if not hasattr(model, "confidence_"):
        return None
    total = np.bincount(ours, np.asarray(model.confidence_[moments.chosen], dtype=np.float64), k)
    count = np.bincount(ours, minlength=k)
    return [float(each / n) if n else None for each, n in zip(total, count, strict=True)]
