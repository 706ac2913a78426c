"""How far a clustering can be trusted: the same method with other seeds, on a sample of the rows."""

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
from dncsc.report.moments import Moments, Tell

STABLE, SHAKY = 0.85, 0.6
"""From here on an agreement counts as stable; below the second, as unstable. In between, as partly stable."""

WORDS = ("stable", "partly stable", "unstable")


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
    """of each cluster: mean over the re-runs of its Jaccard index with the most similar cluster there; None where no
    row of the sample is in it"""
    partner: list[int | None]
    """of each unsteady cluster: the cluster it shares most rows with in the re-runs"""
    confidence: list[float | None] | None
    """of each cluster of an ensemble: mean agreement of the members"""

    @property
    def nmi(self) -> float:
        return float(np.mean([each.nmi for each in self.reruns]))

    @property
    def ari(self) -> float:
        return float(np.mean([each.ari for each in self.reruns]))

    @property
    def verdict(self) -> str:
        """The word for the whole; one cluster that comes apart is enough for "partly stable"."""
        word = word_for(self.ari)
        return WORDS[1] if word == WORDS[0] and self.shaky else word

    @property
    def shaky(self) -> list[int]:
        """Clusters that come apart, the least stable first."""
        known = [(value, cluster) for cluster, value in enumerate(self.stability) if value is not None]
        return [cluster for value, cluster in sorted(known) if value < SHAKY]


def word_for(agreement: float) -> str:
    """The word for an agreement between 0 and 1."""
    return WORDS[0] if agreement >= STABLE else WORDS[1] if agreement >= SHAKY else WORDS[2]


def sought(model: Any) -> int:
    """How many clusters a fit looked for, of which it may have found fewer; or found, if that was left to it."""
    return int(model.n_clusters_ if isinstance(model.n_clusters, str) else model.n_clusters)


def examine(model: Any, moments: Moments, n_reruns: int, tell: Tell) -> Trust:
    """Fit the method to the sample with other seeds, and compare."""
    k = len(moments.count)
    ours = np.asarray(model.labels_[moments.chosen])
    seed = model.get_params().get("random_state")
    first = int(seed) + 1 if isinstance(seed, int | np.integer) else 1
    seeds = [number % 2**32 for number in range(first, first + n_reruns)]
    others = []
    for done, each in enumerate(seeds, 1):
        others.append(_labels_again(model, moments.sample, each))
        tell(done / n_reruns)
    crossed = [contingency_matrix(ours, other) for other in others]
    clusters = np.unique(ours)
    jaccard = np.mean([_best_jaccard(counts) for counts in crossed], axis=0)
    stability: list[float | None] = [None] * k
    partner: list[int | None] = [None] * k
    for place, cluster in enumerate(clusters):
        stability[cluster] = float(jaccard[place])
        if jaccard[place] < STABLE and len(clusters) > 1:
            partner[cluster] = int(clusters[_shares_most(crossed, place)])
    return Trust(
        n_rows=len(ours),
        reruns=[
            Rerun(each, metrics.nmi(ours, other), metrics.ari(ours, other))
            for each, other in zip(seeds, others, strict=True)
        ],
        among=_among(others),
        stability=stability,
        partner=partner,
        confidence=_confidence(model, moments, ours, k),
    )


def _labels_again(model: Any, sample: np.ndarray, seed: int) -> np.ndarray:
    again = clone(model)
    changed: dict[str, Any] = {"n_clusters": sought(model), "random_state": seed, "verbose": 0}
    changed["checkpoint"] = None  # which is of the model's own run
    again.set_params(**{name: value for name, value in changed.items() if name in again.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters show as disagreement
        return np.asarray(again.fit(sample).labels_)


def _best_jaccard(counts: np.ndarray) -> np.ndarray:
    """For each cluster of the model, its Jaccard index with the most similar one of a re-run."""
    either = counts.sum(axis=1, keepdims=True) + counts.sum(axis=0, keepdims=True) - counts
    return np.asarray((counts / either).max(axis=1))


def _shares_most(crossed: list[np.ndarray], place: int) -> int:
    """Which other cluster of the model lies with this one in the same clusters of the re-runs most often."""
    together = sum(counts.astype(np.float64) @ counts[place] for counts in crossed)
    together = np.asarray(together)
    together[place] = -1
    return int(together.argmax())


def _among(others: list[np.ndarray]) -> tuple[float, float] | None:
    scores = [(metrics.nmi(one, other), metrics.ari(one, other)) for one, other in combinations(others, 2)]
    if not scores:
        return None
    nmi, ari = np.mean(scores, axis=0)
    return float(nmi), float(ari)


def _confidence(model: Any, moments: Moments, ours: np.ndarray, k: int) -> list[float | None] | None:
    if not hasattr(model, "confidence_"):
        return None
    agreed = np.asarray(model.confidence_[moments.chosen], dtype=np.float64)
    total, count = np.bincount(ours, agreed, k), np.bincount(ours, minlength=k)
    return [float(each / n) if n else None for each, n in zip(total, count, strict=True)]
