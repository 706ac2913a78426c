"""Which weights are tried, in which order, where they are not named (``bandwidth="auto"``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from dncsc.phases.affinity import Adaptive, Affinity, Gaussian, gaussian
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Limit, Weighting
from dncsc.phases.nearest import Links
from dncsc.phases.settings import Settings


@dataclass(frozen=True)
class CutOptions:
    """What a cut uses besides the first k eigenvectors."""

    drops_constant: bool = False
    """leaves out the constant direction, and takes one vector more instead"""
    drops_outliers: bool = False
    """leaves out outlier components and localized vectors"""
    limit: Limit | None = None
    """beyond which a graph is not cut; None to cut any graph"""
    inflates: bool = False
    """squares the links between landmarks, so that weak ones between clusters count little"""
    weighting: Weighting | None = None
    """of vectors, by their eigenvalues"""


class Attempt(NamedTuple):
    """Weights, and how their graph is cut."""

    affinity: Affinity
    options: CutOptions


class EnsemblePlan(NamedTuple):
    """Attempts at each landmark graph that base clusterings of an ensemble come from."""

    graphs: Sequence[Sequence[Attempt]]
    finds_clusters: bool
    """whether graphs are worth cutting into the clusters sought as well, for a base clustering each"""
    weighting: Weighting | None
    """of vectors where the clusters sought are looked for"""


def by_name(affinity: Affinity) -> list[Attempt]:
    """Weights that were asked for: their graph is cut, whatever it is like."""
    return [Attempt(affinity, CutOptions(drops_outliers=True))]


def by_data(settings: Settings, links: Links) -> list[Attempt]:
    """Weights that suit the data. The last attempt cuts any graph.

    A narrow bandwidth leaves gaps between clusters open. In many dimensions it can fragment the graph: then adaptive
    weights. Where the intrinsic dimension is at most two, the narrowest that does not.
    """
    policy = settings.policy
    if is_low_dimensional(links, policy):
        return _in_2d(settings, links, links.mean_distance)
    narrow = gaussian(policy.narrow * links.mean_distance)
    if links.search.n_neighbors == 1:
        return by_name(narrow)  # the only link of a row has weight 1, whatever its length
    options = CutOptions(drops_outliers=True, inflates=True, weighting=weighting(policy))
    first = replace(options, limit=fragmentation_limit(settings, links))
    return [Attempt(narrow, first), Attempt(Adaptive(), options)]


def for_ensemble(settings: Settings, links: Links) -> EnsemblePlan:
    """Kinds of weights that err in different ways, so that a consensus of clusterings by all is better than by any.

    Adaptive ones of all landmarks, whose links are inflated, and narrow ones of the nearest (3 for K = 5). Where the
    intrinsic dimension is at most two, adaptive ones close gaps: there narrow ones of all and of few.
    """
    policy = settings.policy
    few = min(settings.n_neighbors // 2 + 1, links.search.n_neighbors)
    if is_low_dimensional(links, policy):
        counts = min(settings.n_neighbors, links.search.n_neighbors), few
        graphs = [_in_2d(settings, links, links.mean_distance_to(count), count) for count in counts]
        return EnsemblePlan(graphs, finds_clusters=True, weighting=None)
    of_all = [Attempt(Adaptive(), CutOptions(drops_outliers=True, inflates=True))]
    of_few = by_name(gaussian(policy.narrow * links.mean_distance_to(few), few))
    return EnsemblePlan([of_all, of_few], finds_clusters=False, weighting=weighting(policy))


def narrowest(settings: Settings, links: Links) -> Gaussian:
    """The weights that are tried first."""
    policy = settings.policy
    share = policy.narrow_in_2d[0] if is_low_dimensional(links, policy) else policy.narrow
    return gaussian(share * links.mean_distance)


def fragmentation_limit(settings: Settings, links: Links) -> Limit:
    """Beyond which a graph of narrow weights is fragmented."""
    policy = settings.policy
    if not is_low_dimensional(links, policy):
        return Limit(policy.max_outlier_rows, policy.max_outlier_landmarks, drops_weak_links=False)
    if settings.n_counted < policy.many_rows_a_landmark * len(links.search.landmarks):
        return Limit(policy.max_outlier_rows, policy.max_outlier_landmarks, drops_weak_links=True)
    return _outliers_alone(policy)


def is_low_dimensional(links: Links, policy: CutPolicy) -> bool:
    """Whether the intrinsic dimension of the rows is at most two, or nearly."""
    return policy.min_distance_ratio < links.distance_ratio < policy.max_distance_ratio


def weighting(policy: CutPolicy) -> Weighting:
    """How eigenvectors of landmark graphs count."""
    return Weighting(policy, policy.weighting_power, policy.spare_vectors)


def _in_2d(settings: Settings, links: Links, mean_distance: float, count: int | None = None) -> list[Attempt]:
    """The narrowest weights that do not fragment the graph; the widest ones may have some more outliers."""
    options, limit = CutOptions(drops_outliers=True), fragmentation_limit(settings, links)
    *narrow, widest = (gaussian(share * mean_distance, count) for share in settings.policy.narrow_in_2d)
    return [
        *(Attempt(each, replace(options, limit=limit)) for each in narrow),
        Attempt(widest, replace(options, limit=_outliers_alone(settings.policy))),
        Attempt(widest, options),
    ]


def _outliers_alone(policy: CutPolicy) -> Limit:
    return Limit(policy.max_outliers, 1.0, drops_weak_links=True)
