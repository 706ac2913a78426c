"""Eigenpairs of a landmark graph, component by component, without outliers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dncsc.phases.cut.eigen import leading_eigenpairs
from dncsc.phases.cut.outliers import OutlierLimit, OutlierTest, join_lightest, participation_ratio, without_outliers
from dncsc.phases.cut.policy import CutPolicy

LARGEST_EIGENVALUE = 1 - 1e-15
"""of W_R, normalised, but for the one that each component has; what comes closer is rounding"""
RENORMALISED = 1e-9
"""of a degree: where more was dropped, the rest is normalised again, so that the first eigenvector is known"""
UNTOUCHED = 1e-4
"""of the squares of an eigenvector: where landmarks with no more are left out, it is much the same without them"""


class Fragmented(NamedTuple):
    """Why a graph was not cut: outliers take the place of clusters."""

    reason: str


@dataclass(frozen=True)
class Wanted:
    """What is sought in a spectrum."""

    n_clusters: int
    n_vectors: int | None = None
    """how many to find, where they are more than the clusters, as for base clusterings of an ensemble"""
    drops_outliers: bool = False
    """Whether localized vectors are passed over for the next ones, and landmarks of outlier components share the
    coordinates of the nearest other landmark."""
    limit: OutlierLimit | None = None
    """beyond which a graph is not cut; None to cut any graph"""
    n_rows: int | None = None
    """of positive weight, to tell how many an outlier component has"""
    weighted: bool = False
    """whether vectors count by their eigenvalues, up to a few behind the first, too"""
    policy: CutPolicy = field(default_factory=CutPolicy)

    @property
    def first(self) -> int:
        """Vectors that count whatever their eigenvalues are."""
        return self.n_vectors or self.n_clusters

    @property
    def n_spare(self) -> int:
        """Vectors behind the first that may count, where vectors are weighted: as many as before, up to a few."""
        return min(self.first - 1, self.policy.spare_eigenvalues) if self.weighted else 0


class Eigenpair(NamedTuple):
    value: float
    members: np.ndarray
    """landmarks of the component that the vector belongs to"""
    vector: np.ndarray
    """v on them"""
    extent: float
    """landmarks that it extends over"""
    is_localized: bool


class LinkedLandmarks(NamedTuple):
    """Landmarks that are linked to others."""

    links: csr_array
    """``D_R^-1/2 W_R D_R^-1/2``"""
    root: np.ndarray
    """of the degrees"""
    landmarks: np.ndarray
    mass: np.ndarray
    factorise: bool

    def components(self, weakest: float) -> np.ndarray:
        """Component of each landmark, where weaker links do not count."""
        links = csr_array(self.links.multiply(self.links >= weakest)) if weakest > 0 else self.links
        return connected_components(links, directed=False)[1]


class FoundEigenpairs(NamedTuple):
    """What a graph can be cut into."""

    pairs: list[Eigenpair]
    core: np.ndarray
    """landmarks that are in no outlier component"""
    components: list[np.ndarray]
    """of the core, the lightest joined where they are more than the vectors"""
    n_components: int
    """before some were joined; there are then no pairs but one for each that is left"""
    clearness: float
    """of how they were joined"""
    seen: float = 1.0
    """largest eigenvalue of L_R that was found, localized vectors among them: others are no smaller"""


def find_eigenpairs(graph: LinkedLandmarks, wanted: Wanted) -> FoundEigenpairs | Fragmented:
    """Eigenpairs of the graph without outlier components; weak links are dropped while vectors in use are localized."""
    k, first, policy = wanted.n_clusters, wanted.first, wanted.policy
    test = OutlierTest(policy, graph.mass, first, wanted.n_rows)
    least = OutlierTest(policy, graph.mass, k).least_landmarks
    weakest, in_the_way = 0.0, list[Eigenpair]()
    while weakest < 1:
        core, rows, of_landmarks = without_outliers(graph.components(weakest), test)
        if wanted.limit is not None and (rows > wanted.limit.rows or of_landmarks > wanted.limit.landmarks):
            return Fragmented(f"{rows:.1%} of the rows and {of_landmarks:.1%} of the landmarks are in small components")
        core = core if wanted.drops_outliers else np.arange(len(graph.mass))
        if any(_is_within(pair, core, graph.root) for pair in in_the_way):  # another solution would show it again
            weakest *= policy.link_factor
            continue
        components, n_components, clearness = _components(graph, core, first)
        if n_components > len(components):
            return FoundEigenpairs(_pairs(graph, components, 1, test), core, components, n_components, clearness)
        more = policy.spare_eigenvalues if first == k else first  # of many vectors, as many may be localized
        count = first + more - n_components + 1
        pairs = _pairs(graph, components, count, test)
        in_use = k if has_gap(eigenvalues_of(pairs), k, policy) else k + wanted.n_spare
        in_the_way = [pair for pair in pairs[:in_use] if pair.extent < least]
        if wanted.limit is None or not in_the_way:
            seen = 1 - pairs[-1].value
            if wanted.drops_outliers:
                pairs, seen = _without_localized(graph, components, pairs, count, first, wanted.n_spare, test)
            return FoundEigenpairs(pairs, core, components, n_components, clearness, seen)
        weakest = policy.link_factor * max(weakest, *(1 - pair.value for pair in pairs if pair.extent < least))
    return Fragmented(f"eigenvectors extend over fewer than {least:.3g} landmarks")


def _is_within(pair: Eigenpair, core: np.ndarray, root: np.ndarray) -> bool:
    """Whether next to nothing of a vector is on other landmarks than those of the core."""
    squares = (root[pair.members] * pair.vector) ** 2
    return bool(squares[~np.isin(pair.members, core)].sum() <= UNTOUCHED * squares.sum())


def _components(graph: LinkedLandmarks, core: np.ndarray, most: int) -> tuple[list[np.ndarray], int, float]:
    """Landmarks of each component of the core, the lightest joined where they are too many; how many there were, and
    how clear it was which to join."""
    count, component = connected_components(graph.links[core][:, core], directed=False)
    joined, clearness = join_lightest(component, graph.landmarks[core], graph.mass[core], most)
    return [core[joined == i] for i in range(joined.max() + 1)], count, clearness


def _without_localized(
    graph: LinkedLandmarks,
    components: list[np.ndarray],
    pairs: list[Eigenpair],
    count: int,
    needed: int,
    n_spare: int,
    test: OutlierTest,
) -> tuple[list[Eigenpair], float]:
    """Pairs that are not localized, and spare ones if there are such; all that were found where too few are.

    And the largest eigenvalue that was found.
    """
    most = min(max(map(len, components)), 4 * (needed + test.policy.spare_eigenvalues))
    while True:
        useful = [pair for pair in pairs if not pair.is_localized]
        if len(useful) >= needed + n_spare or count >= most:
            return useful if len(useful) >= needed else pairs, 1 - pairs[-1].value
        count = min(2 * count, most)
        pairs = _pairs(graph, components, count, test)


def _pairs(graph: LinkedLandmarks, components: list[np.ndarray], count: int, test: OutlierTest) -> list[Eigenpair]:
    """Leading eigenpairs of all components, largest eigenvalue first; a component's own vector is never localized."""
    pairs = []
    for members in components:
        inside, root = graph.links[members][:, members], graph.root[members]
        share = (inside @ root) / root  # of the degree: less than 1 where weak links lead to outliers
        is_alone = share == 0  # all its links were dropped, and it has none to itself
        if is_alone.any():
            inside, share = csr_array(inside + scipy.sparse.diags_array(is_alone.astype(float))), share + is_alone
        if share.min() < 1 - RENORMALISED:
            scale = scipy.sparse.diags_array(1 / np.sqrt(share))
            inside, root = csr_array(scale @ inside @ scale), root * np.sqrt(share)
        values, vectors = leading_eigenpairs(inside, min(count, len(members)), root, graph.factorise)
        values[0] = 1
        values[1:] = np.minimum(values[1:], LARGEST_EIGENVALUE)  # each component's own vector comes first
        vectors = vectors / root[:, None]
        extent = participation_ratio(np.ones(len(members)), vectors)
        extent[0] = np.inf
        localized = test.are_localized(extent, members, vectors)
        of_each = zip(values.tolist(), vectors.T, extent.tolist(), localized.tolist(), strict=True)
        pairs += [Eigenpair(value, members, *others) for value, *others in of_each]
    return sorted(pairs, key=lambda pair: -pair.value)


def has_gap(eigenvalues: np.ndarray, n_vectors: int, policy: CutPolicy) -> bool:
    """Whether the first vectors end at a gap, so that none behind counts."""
    return bool(len(eigenvalues) > n_vectors and eigenvalues[n_vectors - 1] < policy.gap * eigenvalues[n_vectors])


def eigenvalues_of(pairs: list[Eigenpair]) -> np.ndarray:
    """Of ``L_R``, ascending."""
    return 1 - np.array([pair.value for pair in pairs])
