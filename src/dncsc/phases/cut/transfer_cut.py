"""Phase 4, partition: cut the bipartite graph through the landmarks alone (transfer cut, equations 6 to 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from dncsc.engines.base import Column, Engine
from dncsc.engines.seeds import generator
from dncsc.phases.affinity import Affinity
from dncsc.phases.cut.coarse import View, beyond_categories
from dncsc.phases.cut.eigenpairs import Fragmented, Wanted
from dncsc.phases.cut.landmark_graph import inflate, landmark_graph
from dncsc.phases.cut.layers import LandmarkLinks
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.cut.spectrum import Spectrum, bottom_of_spectrum
from dncsc.phases.cut.weights import Attempt, CutOptions, by_data, by_name
from dncsc.phases.embedding import Bipartite, Embedding, Lift, Lifted, RowsAndLandmarks
from dncsc.phases.nearest import Links
from dncsc.phases.select.tree import Selection
from dncsc.phases.settings import Settings

NONE = np.empty((0, 2))
"""No other numbers of clusters."""


@dataclass(frozen=True)
class Counted:
    """How many clusters there seem to be."""

    n_clusters: int
    clearness: float
    """how many times the eigenvalue behind the last cluster's is larger than that"""
    is_clear: bool
    eigenvalues: np.ndarray
    others: np.ndarray = field(default_factory=lambda: NONE)
    """(n, 2): other numbers with a gap behind them, and how wide it is; widest first"""
    between: tuple[int, int] | None = None
    """how few and how many there may be, where there are many"""
    links: LandmarkLinks | None = None
    """of the landmarks, in rows, by which parts of clusters are found"""
    n_parts: int | None = None
    """that the clusters have together, if some are not in one piece, or have two modes"""
    smallest: int | None = None
    """rows from which on a group is sure to be seen"""
    clear_from: float = CutPolicy.clear_gap
    """gap that would be clear"""
    second_count: int | None = None
    """what other landmarks count, where they were asked, and do not confirm the number beyond doubt"""
    tells_categories: bool = False
    """whether clusters may be cells of categories, or of values filled in, and a coarser graph shows no others"""


@dataclass(frozen=True)
class Partition:
    """Where rows are placed, and what is known of the spectrum behind it."""

    embedding: Embedding
    eigenvalues: np.ndarray
    n_components: int
    component: np.ndarray | None = None
    """int32 (p,): connected component of each landmark, where there are landmarks"""
    rejected: tuple[str, ...] = ()
    """why the weights that were tried before were not taken"""
    counted: Counted | None = None
    """where the number of clusters was to be found"""
    links: LandmarkLinks | None = None
    """of the landmarks, as the cut weighs them, where there are landmarks"""
    clearness: float | None = None
    """of the spectrum, where there is one"""
    is_clear: bool = False
    is_coarse: bool = False
    """whether a coarser graph was cut"""
    is_torn: bool = False
    """whether clusters are cells of categories, or of values filled in, at any resolution"""
    is_by_position: bool = False
    """whether rows were divided by where they are, since the graph shows no clusters, or categories alone"""
    is_by_linkage: bool = False
    """whether single linkage of rows shows clusters that the cut contradicts, and rows were divided by these"""
    clear_from: float = CutPolicy.clear_gap
    """clearness that would be clear"""
    centres: np.ndarray | None = None
    """(k, d): where rows were divided by position, they go to the nearest of these"""

    @property
    def columns(self) -> Sequence[Column]:
        return self.embedding.columns

    @property
    def is_as_cut(self) -> bool:
        """Whether clusters are those that eigenvectors show, and not made from rows since."""
        return isinstance(self.embedding, Lifted) and not (self.is_by_position or self.is_by_linkage)

    def has_gap(self, policy: CutPolicy) -> bool:
        """Whether the spectrum ends at a gap, so that its clusters are believed."""
        return self.clearness is not None and self.clearness * policy.gap >= 1


def transfer_cut(
    engine: Engine, settings: Settings, selection: Selection, links: Links, affinity: Affinity | None
) -> Partition:
    """Eigenvectors of the bipartite graph of rows and landmarks, by given weights or by those that suit the data."""
    return cut_landmarks(engine, settings, links, [by_name(affinity)] if affinity else by_data(settings, links))


def singular_vectors(
    engine: Engine, settings: Settings, selection: Selection, links: Links, affinity: Affinity
) -> Partition:
    """Left singular vectors 2 to k + 1 of the matrix of rows and landmarks (LSC).

    With rows of sum 1 they are what the transfer cut finds, but for the first, constant one.
    """
    return cut_landmarks(engine, settings, links, [Attempt(affinity, CutOptions(drops_constant=True))])


def cut_landmarks(
    engine: Engine, settings: Settings, links: Links, attempts: Sequence[Attempt], within: float = np.inf
) -> Partition:
    """The first attempt whose graph is not fragmented; the last one cuts any graph.

    A cut whose graph has too many parts that hardly touch, or light ones, gives way to a later one that is clear.
    Rows that are farther than `within` from their landmarks have no say.
    """
    rejected: list[str] = []
    doubtful: Partition | None = None
    for affinity, options in attempts:
        found = _cut(engine, settings, RowsAndLandmarks(links, affinity), options, within)
        if found.partition is None:
            rejected.append(found.reason)
        elif found.partition.is_clear if doubtful else not found.reason:
            return replace(found.partition, rejected=tuple(rejected))
        elif doubtful is None:
            doubtful = replace(found.partition, rejected=tuple(rejected))
            rejected.append(found.reason)
    assert doubtful is not None  # since the last attempt may not fail
    return doubtful


def cut(engine: Engine, settings: Settings, bipartite: Bipartite, options: CutOptions) -> Partition | None:
    """Cut a bipartite graph through its points; None where it is fragmented."""
    return _cut(engine, settings, bipartite, options).partition


class _Cut(NamedTuple):
    """A cut, and what speaks against it."""

    partition: Partition | None
    """None where the graph is fragmented"""
    reason: str
    """empty where there is none"""


def _cut(engine: Engine, settings: Settings, bipartite: Bipartite, options: CutOptions, within: float = np.inf) -> _Cut:
    """The same, with the reason where there is no cut, or a doubtful one."""
    graph = landmark_graph(engine, settings, bipartite, within)
    if options.inflates:
        graph = inflate(graph, settings.n_clusters, settings.policy)
    wanted = Wanted(
        settings.n_clusters + options.drops_constant,
        settings.n_vectors,
        options.drops_outliers,
        options.limit,
        graph.n_rows,
        options.weighted,
        settings.policy,
    )
    spectrum = bottom_of_spectrum(graph, bipartite.points, wanted)
    if isinstance(spectrum, Fragmented):
        return _Cut(None, spectrum.reason)
    if options.needs_gap and not spectrum.is_clear(wanted.n_clusters, settings.policy):
        return _Cut(None, f"the gap behind {wanted.n_clusters} clusters is not clear")
    view = View(spectrum)
    if options.coarsens:
        random = generator(settings.seed, "coarse landmarks")
        view = beyond_categories(spectrum, bipartite.points, graph.mass, wanted, settings.n_neighbors, random)
    taken = view.spectrum
    coordinates = taken.coordinates
    if options.drops_constant and coordinates.shape[1] > 1:
        coordinates = _without_constant(coordinates, np.asarray(graph.similarity.sum(axis=1)).ravel())
    lift = Lift(coordinates.astype(engine.frame.dtype), settings.by_length)
    embedding, links = Lifted(bipartite, lift), LandmarkLinks.of(graph.similarity)
    partition = Partition(
        embedding,
        taken.eigenvalues,
        spectrum.n_components,
        taken.component,
        links=links,
        clearness=min(taken.clearness, np.finfo(np.float64).max),
        is_clear=not view.is_by_position and taken.is_clear(wanted.n_clusters, settings.policy),
        is_coarse=view.is_coarse,
        is_torn=view.is_by_position,
        is_by_position=view.is_by_position,
        clear_from=taken.clear_from(wanted.n_clusters, settings.policy),
    )
    return _Cut(partition, _doubt(taken, graph.mass, partition.is_clear, wanted))


def _doubt(spectrum: Spectrum, mass: np.ndarray, is_clear: bool, wanted: Wanted) -> str:
    """Why clusters may not be what links show; empty where there is no reason."""
    k, policy = wanted.n_clusters, wanted.policy
    if spectrum.is_joined or (spectrum.is_shattered(k, policy) and not is_clear):
        return f"there are more than {k} parts that hardly touch"
    of_components = np.bincount(spectrum.component, mass)
    if of_components.min() < policy.outlier_share * of_components.sum() / k:
        return "a part that hardly touches others has few rows"
    return ""


def _without_constant(vectors: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """The other directions of the space of these vectors.

    The constant vector is the first in a connected graph. In one of several components it is a combination of the
    components' vectors: a reflection that takes it to the first place leaves the others beside it.
    """
    share = degree @ vectors
    mirror = share / np.linalg.norm(share) - np.eye(len(share))[0]
    length = np.linalg.norm(mirror)
    if length > 1e-9:
        vectors = vectors - np.outer(vectors @ mirror, mirror) * (2 / length**2)
    return vectors[:, 1:]
