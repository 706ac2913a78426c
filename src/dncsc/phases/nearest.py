"""Phase 2, nearest: each row's K nearest landmarks (Section 3.2 of the paper)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass, RecomputeRule
from dncsc.engines.seeds import stream
from dncsc.kernels.across_rows import measure_links
from dncsc.kernels.nearest import (
    CENTRES_ALONG,
    LANDMARKS_ALONG,
    PrunedSearch,
    pruning_helps,
    search_all,
    search_candidates,
)
from dncsc.kernels.projection import PROJECTION_SIZE
from dncsc.kernels.sums import add_distances
from dncsc.phases.inputs import ROWS
from dncsc.phases.kmeans import Each, one_by_one
from dncsc.phases.sample import draw_rows, rows_to_place
from dncsc.phases.select.tree import SUBSET, Selection, Tree
from dncsc.phases.settings import ADAPTIVE, Settings

NEAREST = "nearest"
"""Column: the K nearest landmarks of a row, by distance."""
SQUARED = "squared"
"""Column: squared distances to them."""


TRIED_ROWS = 256
"""that tell how many landmarks projections leave to look at"""
MANY_ROWS = 200_000
"""beyond which a sample tells how long links are"""
MOST_WORK = 3
"""times that of a search among candidates: for so much, all landmarks are searched"""


def number_type(n_landmarks: int) -> type[np.integer[Any]]:
    """What the numbers of so many landmarks fit in."""
    return np.uint16 if n_landmarks <= 2**16 else np.int32


def measured_when_read(n_rows: int, n_features: int) -> bool:
    """Whether lengths of links are measured again whenever they are needed: of few features that is soon done."""
    return n_rows > MANY_ROWS and n_features < LANDMARKS_ALONG


class Found(NamedTuple):
    """Nearest landmarks of some rows (n, K), squared distances to them, and whether no other landmark is nearer."""

    nearest: np.ndarray
    squared: np.ndarray
    exact: np.ndarray


class Search(ABC):
    """How rows find their nearest landmarks, given what it reads: mostly their own landmark."""

    landmarks: np.ndarray
    n_neighbors: int
    makes: ClassVar[Sequence[str]] = (NEAREST, SQUARED)
    reads: ClassVar[Sequence[str]] = (SUBSET,)

    @abstractmethod
    def _find(self, rows: np.ndarray, *own: np.ndarray) -> Found: ...

    def find(self, rows: np.ndarray, *own: np.ndarray) -> Found:
        found = self._find(rows, *own)
        return found._replace(nearest=found.nearest.astype(number_type(len(self.landmarks)), copy=False))

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return self.find(rows, *values)[:2]

    @property
    def measure(self) -> RecomputeRule:
        """How squared distances follow, to the last bit: by the search, or where that is less work, from its result."""
        return self

    @property
    def columns(self) -> Sequence[Column]:
        return (
            Column(NEAREST, number_type(len(self.landmarks)), self.n_neighbors, self),
            Column(SQUARED, self.landmarks.dtype, self.n_neighbors, self.measure),
        )

    @property
    def kept_columns(self) -> Sequence[Column]:
        """Those that only a search gives."""
        return [column for column in self.columns if column.rule is self]


@dataclass(frozen=True)
class LinkDistances:
    """The rule of squared distances to the nearest landmarks, once these are known."""

    landmarks: np.ndarray
    makes: ClassVar[Sequence[str]] = (SQUARED,)
    reads: ClassVar[Sequence[str]] = (NEAREST,)

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        squared = np.empty(values[0].shape, rows.dtype)
        measure_links(rows, values[0], self.landmarks, squared)
        return [squared]


@dataclass(frozen=True)
class CandidateSearch(Search):
    """Search among the K' landmarks nearest to the row's own landmark, which is one of them."""

    landmarks: np.ndarray
    n_neighbors: int
    candidates: np.ndarray
    reach: np.ndarray
    """Distance of each candidate from the landmark whose it is, less a margin for rounding."""
    horizon: np.ndarray
    """The same for the nearest landmark that is not a candidate."""

    @property
    def measure(self) -> RecomputeRule:
        return LinkDistances(self.landmarks) if self.landmarks.shape[1] < LANDMARKS_ALONG else self

    def _find(self, rows: np.ndarray, *own: np.ndarray) -> Found:
        [own_landmark] = own
        nearest, squared, distance = search_candidates(
            rows, own_landmark, self.landmarks, self.candidates, self.reach, self.n_neighbors
        )
        return Found(nearest, squared, distance + np.sqrt(squared[:, -1]) < self.horizon[own_landmark])


@dataclass(frozen=True)
class ExactSearch(Search):
    """Search among the candidates, and among all landmarks where that is not proven to be enough."""

    among_candidates: CandidateSearch

    @property
    def landmarks(self) -> np.ndarray:  # type: ignore[override]
        return self.among_candidates.landmarks

    @property
    def n_neighbors(self) -> int:  # type: ignore[override]
        return self.among_candidates.n_neighbors

    def _find(self, rows: np.ndarray, *own: np.ndarray) -> Found:
        if self.pruned is not None:
            nearest = self.pruned.search(rows, own[0], self.among_candidates.candidates, self.n_neighbors)
            return Found(*nearest, np.ones(len(rows), bool))
        if rows.shape[1] >= CENTRES_ALONG:  # with many features next to nothing is proven: do not try
            return Found(*search_all(rows, self.landmarks, self.n_neighbors), np.ones(len(rows), bool))
        found = self.among_candidates._find(rows, *own)
        rest = np.flatnonzero(~found.exact)
        if len(rest):
            found.nearest[rest], found.squared[rest] = search_all(rows[rest], self.landmarks, self.n_neighbors)
            found.exact[rest] = True
        return found

    @cached_property
    def pruned(self) -> PrunedSearch | None:
        """Projections of the landmarks, where those save time."""
        p, d = self.landmarks.shape
        return PrunedSearch.of(self.landmarks) if pruning_helps(d, p) else None


@dataclass
class _Linked:
    by_rank: np.ndarray
    """(K,): sums of the distances to the nearest landmark, the second nearest, and so on"""
    mass: float = 0.0
    exact: int = 0
    n_rows: int = 0

    def add(self, found: Found, weight: np.ndarray) -> None:
        add_distances(found.squared, weight, self.by_rank)
        self.mass += float(weight.sum())
        self.exact += int(found.exact.sum())
        self.n_rows += len(weight)


@dataclass(frozen=True)
class _Link(Pass[_Linked]):
    search: Search

    @property
    def reads(self) -> Sequence[str]:
        return self.search.reads

    @property
    def writes(self) -> Sequence[Column]:
        return self.search.columns

    def begin(self) -> _Linked:
        return _Linked(np.zeros(self.search.n_neighbors))

    def visit(self, total: _Linked, block: Block) -> None:
        found = self.search.find(block.rows, *(block.columns[name] for name in self.reads))
        block.columns[NEAREST][:] = found.nearest
        block.columns[SQUARED][:] = found.squared
        total.add(found, block.weight)


@dataclass(frozen=True)
class Links:
    """What the columns `NEAREST` and `SQUARED` were filled with, and by what."""

    tree: Tree
    search: Search
    mean_distance: float
    """Weighted mean over all rows and their K nearest landmarks."""
    exact_fraction: float
    ranks: np.ndarray
    """(K,): mean distance to the nearest landmark, the second nearest, and so on, in parts of the mean over all K"""

    def lookup(self, rows: np.ndarray) -> Found:
        """Links of new rows."""
        return self.search.find(rows, *([self.tree.locate(rows)] if self.search.reads else []))

    def mean_distance_to(self, count: int) -> float:
        """Mean distance of rows to the nearest few of their K landmarks."""
        return self.mean_distance * float(self.ranks[:count].mean())

    @property
    def columns(self) -> Sequence[Column]:
        return *self.tree.columns, *self.search.columns


def near_own_landmark(engine: Engine, settings: Settings, selection: Selection) -> Links:
    """K nearest among the candidates of the row's own landmark; fills the columns `NEAREST` and `SQUARED`."""
    return link_all(engine, settings, selection.tree, _candidate_search(engine, settings, selection.landmarks))


def auto_search(engine: Engine, settings: Settings, selection: Selection) -> Links:
    """K nearest of all landmarks, where that takes little more than among candidates, and else among these.

    With hundreds of features, candidates miss some of the nearest, and projections rule out most of the others.
    """
    exact = ExactSearch(_candidate_search(engine, settings, selection.landmarks))
    search = exact if _costs_little(engine, settings, exact) else exact.among_candidates
    return link_all(engine, settings, selection.tree, search)


def among_all(engine: Engine, settings: Settings, selection: Selection) -> Links:
    """K nearest of all landmarks; fills the columns `NEAREST` and `SQUARED`."""
    return link_all(
        engine, settings, selection.tree, ExactSearch(_candidate_search(engine, settings, selection.landmarks))
    )


def _costs_little(engine: Engine, settings: Settings, search: ExactSearch) -> bool:
    """Whether projecting and searching what that leaves is little more work than a search of candidates."""
    p, d = search.landmarks.shape
    most = MOST_WORK * search.among_candidates.candidates.shape[1] - p * PROJECTION_SIZE / d
    if most <= 0 or search.pruned is None:
        return False
    drawn = draw_rows(engine, stream(settings.seed, "outlines"), TRIED_ROWS, settings.n_counted)
    return search.pruned.left(drawn.values[0], search.n_neighbors) <= most


def link_all(engine: Engine, settings: Settings, tree: Tree, search: Search) -> Links:
    """Link every row by a search: the columns `NEAREST` and `SQUARED` are filled, or will be when they are first read.

    Of many rows with few features a sample tells how long links are, and rows are searched while their links are added
    up: a pass less, and nobody has to keep all distances.
    """
    engine.samples.clear()
    if measured_when_read(engine.layout.n_rows, engine.layout.n_features) and search.measure is not search:
        engine.register(search.columns)
        keys, wanted = stream(settings.seed, "discretize"), rows_to_place(settings.n_clusters)
        drawn = draw_rows(engine, keys, wanted, settings.n_counted, (ROWS, *search.reads))
        found, totals = search.find(*drawn.values), [_Linked(np.zeros(search.n_neighbors))]
        totals[0].add(found, drawn.weight)
        engine.samples[keys, wanted, (NEAREST, SQUARED)] = drawn._replace(values=list(found[:2]))
    else:
        totals = engine.sweep(_Link(search))
        for name in search.reads:
            engine.drop(name)
    pairs = sum(total.mass for total in totals) * search.n_neighbors
    by_rank = np.sum([total.by_rank for total in totals], axis=0)
    return Links(
        tree,
        search,
        mean_distance=float(by_rank.sum()) / pairs,
        exact_fraction=sum(total.exact for total in totals) / sum(total.n_rows for total in totals),
        ranks=by_rank / by_rank.mean() if by_rank.any() else np.ones(search.n_neighbors),
    )


def _candidate_search(engine: Engine, settings: Settings, landmarks: np.ndarray) -> CandidateSearch:
    """Tables of the landmarks' own nearest landmarks."""
    is_adaptive = settings.bandwidth == ADAPTIVE or settings.mixed
    one_more = is_adaptive and settings.n_neighbors > 1  # adaptive weights of several need the distance to the next one
    return candidate_search(landmarks, settings.n_neighbors + one_more, settings.n_candidates, engine.each)


def candidate_search(
    landmarks: np.ndarray, n_neighbors: int, n_candidates: int, each: Each = one_by_one
) -> CandidateSearch:
    """The same for so many neighbours and candidates, or as many as there are."""
    p, d = landmarks.shape
    n_neighbors = min(n_neighbors, p)
    n_candidates = min(max(n_candidates, n_neighbors), p)
    block = 256
    parts = each(
        lambda start: _by_distance(landmarks, start, min(start + block, p), min(n_candidates + 1, p)),
        range(0, p, block),
    )
    order, distance = (np.concatenate(each) for each in zip(*parts, strict=True))
    # A computed squared distance is off by at most (d + 3) eps, relatively; a search may end only beyond all doubt.
    reach = distance * landmarks.dtype.type(1 - 4 * (d + 8) * np.finfo(landmarks.dtype).eps)
    horizon = reach[:, n_candidates] if n_candidates < p else np.full(p, np.inf, landmarks.dtype)
    candidates = np.ascontiguousarray(order[:, :n_candidates])
    return CandidateSearch(landmarks, n_neighbors, candidates, np.ascontiguousarray(reach[:, :n_candidates]), horizon)


def _by_distance(landmarks: np.ndarray, start: int, stop: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nearest landmarks of landmarks start to stop, each itself first, also where another one equals it."""
    order, squared = search_all(landmarks[start:stop], landmarks, count)
    for i in np.flatnonzero(order[:, 0] != np.arange(start, stop)):
        others = order[i][order[i] != start + i]
        order[i] = [start + i, *others[: count - 1]]
    return order, np.sqrt(squared)
