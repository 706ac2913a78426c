"""Where links between groups of landmarks fall off as groups join: a second way to count clusters.

Parts of one cluster are linked strongly, clusters weakly. As groups join, the strongest link first, strength falls
slowly until the parts have become clusters, then quickly, and slowly again. Here size counts for nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dncsc.phases.cut.agglomerate import Merges, agglomerate
from dncsc.phases.cut.communities import find_communities
from dncsc.phases.cut.landmark_graph import LandmarkGraph, aggregate, without_self_links
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.settings import Settings

WHATEVER_SIZE = 0.5
"""Power of the volumes by which groups join: strength itself."""


class Fall(NamedTuple):
    """Where strength falls off, and how many times."""

    n_clusters: int
    clearness: float
    others: np.ndarray
    """other numbers at which it falls by half or more, and how many times; largest first"""
    between: tuple[int, int]
    """how few and how many clusters there may be, by the same fall"""


def fall_of_strength(graph: LandmarkGraph, settings: Settings) -> Fall:
    """Where strength falls off, from 2 groups to the most clusters there may be."""
    others, policy = without_self_links(graph.similarity), settings.policy
    fine = find_communities(others, settings)
    mass = np.bincount(fine, graph.mass)
    least = float(mass.sum()) * max(policy.outlier_rows / graph.n_rows, policy.outlier_share / settings.n_clusters)
    n_left, strength = joins_of_clusters(agglomerate(aggregate(others, fine, len(mass)), WHATEVER_SIZE), mass, least)
    return fall_of(n_left, np.maximum(strength, policy.weakest_join), settings.n_clusters, policy)


def joins_of_clusters(merges: Merges, mass: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Joins of two groups that are more than outliers: how many such there were before, and how strong the link was."""
    mass = mass.copy()
    n_left, joins = int(np.count_nonzero(mass >= least)), []
    for into, other, strength in zip(*(each.tolist() for each in merges), strict=True):
        n_large = int(mass[into] >= least) + int(mass[other] >= least)
        mass[into] += mass[other]
        if n_large == 2:
            joins.append((n_left, strength))
        n_left -= n_large - int(mass[into] >= least)
    table = np.array(joins, np.float64).reshape(-1, 2)
    return table[:, 0], np.minimum.accumulate(table[:, 1])


def fall_of(n_left: np.ndarray, strength: np.ndarray, most: int, policy: CutPolicy) -> Fall:
    """Where strength falls off.

    Around each number of groups the median strength of the joins before is compared with that of the joins after. The
    last clear fall counts, or else the largest: groups of clusters may be told apart as well. The answer is the number
    at which strength passes the middle of the two; it may be any at which strength is far from both.
    """
    window, (high, low) = policy.fall_window, np.ones((2, most + 1))
    for count in range(2, most + 1):
        before = strength[(n_left > count) & (n_left <= window * count + 1)]
        after = strength[(n_left <= count) & (n_left > count / window - 1)]
        if len(before) and len(after):
            high[count], low[count] = np.median(before), np.median(after)
    fall = high / low
    is_clear = fall >= policy.clear_gap
    among = slice(0, None)
    if is_clear.any():
        last = int(np.flatnonzero(is_clear)[-1])
        among = slice(int(np.flatnonzero(~is_clear[: last + 1])[-1]) + 1, last + 1)
    best = range(most + 1)[among][int(np.argmax(fall[among]))]

    def number_at(height: float) -> int:
        """How many groups are left where strength has fallen to so much of the way between low and high."""
        weak = n_left[strength < low[best] * fall[best] ** height]
        return int(np.clip(weak.max(initial=2), 2, most))

    number = number_at(0.5)
    between = number_at(policy.end_of_fall), number_at(policy.start_of_fall)
    return Fall(number, float(fall[best]), _other_falls(fall, number, policy), between)


def _other_falls(fall: np.ndarray, number: int, policy: CutPolicy) -> np.ndarray:
    """Peaks of the fall, but for those so near that the same joins are compared."""
    count = np.arange(len(fall))
    near = policy.fall_window * number + 1, number / policy.fall_window - 1
    is_peak = (fall >= np.append(fall[1:], 0)) & (fall > np.append(0, fall[:-1])) & (fall * policy.gap >= 1)
    others = count[is_peak & ((count > near[0]) | (count < near[1])) & (count > 1)]
    return np.column_stack([others, fall[others]])[np.argsort(-fall[others], kind="stable")].astype(np.float64)
