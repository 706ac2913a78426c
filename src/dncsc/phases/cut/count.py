"""How many clusters there are: the gap in the spectrum of the landmark graph; of many, the fall of links between them.

Eigenvalues of the first k vectors, one a cluster, are small, and the next one is not. Adaptive weights keep sparse and
dense clusters whole, so they are tried first. Where clusters touch, their gap is unclear, and narrow weights are tried,
which cut at the touching places, but may also break a thin cluster. Gaps behind groups of clusters hide those behind
the clusters: numbers at which the links between parts fall off are named, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.seeds import generator
from dncsc.phases.affinity import Adaptive
from dncsc.phases.cut.categories import common_values, share_explained
from dncsc.phases.cut.coarse_graph import coarse_centres, coarse_graph, n_coarse
from dncsc.phases.cut.eigenpairs import Fragmented, Wanted
from dncsc.phases.cut.fall import Fall, fall_of_strength
from dncsc.phases.cut.landmark_graph import LandmarkGraph, landmark_graph
from dncsc.phases.cut.layers import LandmarkLinks
from dncsc.phases.cut.outliers import OutlierLimit
from dncsc.phases.cut.parts import count_parts
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Spectrum, bottom_of_spectrum
from dncsc.phases.cut.transfer_cut import Counted
from dncsc.phases.cut.weights import narrow
from dncsc.phases.embedding import RowsAndLandmarks
from dncsc.phases.nearest import Links
from dncsc.phases.settings import Settings


def count_clusters(engine: Engine, settings: Settings, links: Links) -> Counted:
    """The number of clusters, from 2 to the most there may be, with a clear gap behind it, or else the largest."""
    graph, policy = landmark_graph(engine, settings, RowsAndLandmarks(links, Adaptive())), settings.policy
    in_rows = LandmarkLinks.of(graph.similarity * (graph.n_rows / graph.similarity.sum()))
    are_few_rows = settings.n_counted < policy.few_rows_a_landmark * len(graph.mass)
    counted = _doubt_touching(_count_by_gap(engine, settings, links, graph), are_few_rows, policy)
    counted = replace(counted, smallest=_smallest(settings, graph), links=in_rows)
    coarse = _beyond_categories(settings, links, graph, counted)
    if coarse is not counted or are_few_rows:
        return coarse  # links are of cells, or by a few rows each, and fall off by chance
    return beside(counted, _by(fall_of_strength(graph, settings), policy), policy)


def count_many(engine: Engine, settings: Settings, links: Links) -> Counted:
    """The same where there may be many: that at which links between groups fall off."""
    graph = landmark_graph(engine, settings, RowsAndLandmarks(links, Adaptive()))
    fall = fall_of_strength(graph, settings)
    return replace(_by(fall, settings.policy), between=fall.between, smallest=_smallest(settings, graph))


def with_parts(counted: Counted, cluster: np.ndarray, landmarks: np.ndarray, policy: CutPolicy) -> Counted:
    """The same count, with the number of parts that the clusters of landmarks have."""
    if counted.links is None:
        return counted
    n_parts = count_parts(counted.links.matrix, cluster, landmarks, policy)
    return replace(counted, links=None, n_parts=n_parts if n_parts > len(np.unique(cluster)) else None)


def beside(counted: Counted, second: Counted, policy: CutPolicy) -> Counted:
    """The first count, with what a second one found among the others, widest first."""
    found = np.concatenate([[[second.n_clusters, second.clearness]], second.others])
    widest = dict(counted.others.tolist())
    for number, gap in found[found[:, 1] * policy.gap >= 1].tolist():
        widest[number] = max(gap, widest.get(number, 0.0))
    widest.pop(counted.n_clusters, None)
    return replace(counted, others=_widest_first(widest.items()))


def _smallest(settings: Settings, graph: LandmarkGraph) -> int:
    """Rows of a group that has landmarks enough to be more than an outlier; all, where there are too few landmarks."""
    return min(-(-settings.policy.component_landmarks * settings.n_counted // len(graph.mass)), settings.n_counted)


def _by(fall: Fall, policy: CutPolicy) -> Counted:
    is_clear = fall.clearness >= policy.clear_gap
    return Counted(fall.n_clusters, fall.clearness, is_clear, np.empty(0), fall.others)


def _count_by_gap(engine: Engine, settings: Settings, links: Links, graph: LandmarkGraph) -> Counted:
    """By eigenvalues: of the graph with adaptive weights, and of one with narrow ones where that has no clear gap."""
    adaptive = _gap_of(settings, links.search.landmarks, graph)
    if adaptive.is_clear:
        return adaptive
    graph = landmark_graph(engine, settings, RowsAndLandmarks(links, narrow(settings, links)))
    by_narrow = _gap_of(settings, links.search.landmarks, graph, OutlierLimit.strict(settings.policy))
    return max(adaptive, by_narrow, key=lambda counted: (counted.is_clear, counted.clearness))


def _doubt_touching(counted: Counted, are_few_rows: bool, policy: CutPolicy) -> Counted:
    """The same count, which is clear by a wider gap only where its clusters touch: several may pass for one."""
    if counted.eigenvalues[counted.n_clusters - 1 : counted.n_clusters].max(initial=0.0) <= policy.touching:
        return counted
    needed = policy.clear_gap_of_few_touching if are_few_rows else policy.clear_gap_of_touching
    clear_from = max(counted.clear_from, needed)
    return replace(counted, clear_from=clear_from, is_clear=counted.is_clear and counted.clearness >= clear_from)


def _beyond_categories(settings: Settings, links: Links, graph: LandmarkGraph, counted: Counted) -> Counted:
    """The same count, unless its clusters explain categories, or values filled in, and a coarser graph has a clear gap.

    Of the clear gaps there the last counts whose clusters explain none. Without one, clusters may be cells of
    categories, and the count is in doubt.
    """
    landmarks, mass, policy = links.search.landmarks, graph.mass, settings.policy
    common = common_values(landmarks, mass, policy).indicators

    def tells(k: int, spectrum_of: Callable[[Wanted], Spectrum | Fragmented]) -> bool:
        found = spectrum_of(Wanted(k, drops_outliers=True, n_rows=graph.n_rows, policy=policy))
        assert not isinstance(found, Fragmented)  # without a limit any graph is cut
        return bool(share_explained(common, mass, found.coordinates).max() >= policy.told)

    if not common.shape[1] or not tells(counted.n_clusters, partial(bottom_of_spectrum, graph, landmarks)):
        return counted
    count = n_coarse(len(landmarks), 1, policy)
    if count < 2 * policy.coarser:
        return replace(counted, tells_categories=True)
    random = generator(settings.seed, "coarse count")
    centres = coarse_centres(landmarks, mass, count, random)
    coarse = coarse_graph(landmarks, mass, centres, settings.n_neighbors)
    most = min(settings.n_clusters, count // policy.coarser)
    again = _gap_of(replace(settings, n_clusters=most), centres, coarse.graph)
    if not again.is_clear:
        return replace(counted, tells_categories=True)
    gaps = {again.n_clusters: again.clearness, **{int(number): gap for number, gap in again.others.tolist()}}
    clear = sorted((number for number, gap in gaps.items() if gap >= policy.clear_gap), reverse=True)
    free = [number for number in clear if not tells(number, coarse.spectrum)]
    n_clusters = free[0] if free else again.n_clusters
    taken = replace(again, n_clusters=n_clusters, clearness=gaps[n_clusters], tells_categories=not free)
    return replace(beside(beside(taken, again, policy), counted, policy), smallest=counted.smallest)


def _gap_of(
    settings: Settings, landmarks: np.ndarray, graph: LandmarkGraph, limit: OutlierLimit | None = None
) -> Counted:
    """Where the gap is, once the number of clusters that it gives decides what is an outlier.

    What is an outlier among few clusters may have passed for one of many, and taken a place in front of the gap.
    """
    most, policy = settings.n_clusters, settings.policy

    def eigenvalues_for(k: int, limit: OutlierLimit | None = None) -> np.ndarray | None:
        """Eigenvalues without those of what is an outlier among k clusters; None where the graph is fragmented."""
        wanted = Wanted(k, drops_outliers=True, limit=limit, n_rows=graph.n_rows, policy=policy)
        found = bottom_of_spectrum(graph, landmarks, wanted)
        return None if isinstance(found, Fragmented) else found.eigenvalues

    def ratios_of(eigenvalues: np.ndarray) -> np.ndarray:
        """How they grow behind the first."""
        values = np.maximum(eigenvalues[1 : most + 1], policy.least_eigenvalue)
        return values[1:] / values[:-1]

    def place_of(ratios: np.ndarray) -> int:
        """The last place of a clear gap, or else of the largest: groups of clusters may leave gaps of their own."""
        clear = np.flatnonzero(ratios >= policy.clear_gap)
        return int(clear[-1] if len(clear) else np.argmax(ratios))

    eigenvalues = eigenvalues_for(most)
    assert eigenvalues is not None  # which any graph has
    ratios = ratios_of(eigenvalues)
    if len(ratios) == 0:
        return Counted(min(2, most), 1.0, False, eigenvalues)
    place, needed = place_of(ratios), policy.clear_gap
    while True:
        found = eigenvalues_for(place + 2, limit)
        if found is None:
            return Counted(place + 2, 1.0, False, eigenvalues)
        again = ratios_of(found)
        nearer = place_of(again[: place + 1]) if len(again) > place else place
        if nearer == place:
            clearness = float(min([ratios[place], *again[place : place + 1]]))
            others = _others(ratios, place, policy)
            return Counted(place + 2, clearness, clearness >= needed, eigenvalues, others, clear_from=needed)
        eigenvalues, ratios, place, needed = found, again, nearer, policy.clear_gap_among_outliers


def _others(ratios: np.ndarray, place: int, policy: CutPolicy) -> np.ndarray:
    """Other numbers of clusters with a gap behind them, and how wide it is; widest first."""
    found = ((number + 2.0, ratio) for number, ratio in enumerate(ratios.tolist()) if number != place)
    return _widest_first(pair for pair in found if pair[1] >= policy.small_gap)


def _widest_first(gaps: Iterable[tuple[float, float]]) -> np.ndarray:
    """float64 (n, 2)"""
    return np.array(sorted(gaps, key=lambda pair: -pair[1])).reshape(-1, 2)
