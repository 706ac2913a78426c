"""Which weights are tried, in which order, where they are not named (``bandwidth="auto"``)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from dncsc.phases.affinity import Adaptive, Affinity, Gaussian, gaussian
from dncsc.phases.cut.outliers import OutlierLimit
from dncsc.phases.nearest import Links
from dncsc.phases.settings import Settings


@dataclass(frozen=True)
class CutOptions:
    """What a cut uses besides the first k eigenvectors."""

    drops_constant: bool = False
    """leaves out the constant direction, and takes one vector more instead"""
    drops_outliers: bool = False
    """leaves out outlier components and localized vectors"""
    limit: OutlierLimit | None = None
    """beyond which a graph is not cut; None to cut any graph"""
    inflates: bool = False
    """squares the links between landmarks, so that weak ones between clusters count little"""
    weighted: bool = False
    """weighs vectors by their eigenvalues"""
    needs_gap: bool = False
    """cuts only where the spectrum shows the clusters clearly"""
    coarsens: bool = False
    """takes a coarser graph where the finest one tells categories apart"""


class Attempt(NamedTuple):
    """Weights, and how their graph is cut."""

    affinity: Affinity
    options: CutOptions


def by_name(affinity: Affinity) -> Attempt:
    """Weights that were asked for: their graph is cut, whatever it is like."""
    return Attempt(affinity, CutOptions(drops_outliers=True))


def by_data(settings: Settings, links: Links) -> list[Attempt]:
    """Weights that suit the data. The last attempt cuts any graph.

    A narrow bandwidth leaves gaps between clusters open. Where it fragments the graph, as it can in many dimensions,
    adaptive weights keep it whole. With few rows a landmark, chance makes links strong or weak: they are not inflated,
    and narrow weights, which open gaps by chance, need a clear one. Adaptive weights tie outliers as firmly as any row:
    the mean distance is tried before, which fails only where most rows are outliers.
    """
    policy = settings.policy
    if links.search.n_neighbors == 1:
        return [by_name(narrow(settings, links))]  # the only link of a row has weight 1, whatever its length
    are_few = settings.n_counted < policy.few_rows_a_landmark * len(links.search.landmarks)
    options = CutOptions(drops_outliers=True, inflates=not are_few, weighted=True, coarsens=True)
    strict = replace(options, limit=OutlierLimit.strict(policy), needs_gap=are_few)
    attempts = [Attempt(narrow(settings, links), strict)]
    if are_few:
        attempts.append(Attempt(gaussian(links.mean_distance), replace(options, limit=OutlierLimit.lenient(policy))))
    return [*attempts, Attempt(Adaptive(), options)]


def for_ensemble(settings: Settings, links: Links) -> list[Attempt]:
    """Two kinds of weights that err in different ways, so that a consensus of clusterings by both is better.

    Adaptive ones of all landmarks, whose links are inflated, and narrow ones of the nearest (3 for K = 5).
    """
    few = min(settings.n_neighbors // 2 + 1, links.search.n_neighbors)
    of_all = Attempt(Adaptive(), CutOptions(drops_outliers=True, inflates=True))
    return [of_all, by_name(narrow(settings, links, few))]


def narrow(settings: Settings, links: Links, count: int | None = None) -> Gaussian:
    """Gaussian weights that leave gaps between clusters open, of the nearest few landmarks if so many are given."""
    mean = links.mean_distance if count is None else links.mean_distance_to(count)
    return gaussian(settings.policy.narrow * mean, count)
