"""Phase 2, nearest: each row's K nearest landmarks (Section 3.2 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.seeds import stream
from dncsc.kernels.projection import PROJECTION_SIZE
from dncsc.kernels.sums import add_distances
from dncsc.phases.sample import Drawn, draw_rows, rows_to_place
from dncsc.phases.search import NEAREST, SQUARED, CandidateSearch, ExactSearch, Found, Search, candidate_search
from dncsc.phases.select.tree import Selection, Tree
from dncsc.phases.settings import ADAPTIVE, Settings
from dncsc.phases.shared_sample import (
    are_measured_when_read,
    forget_many,
    keep_few,
    rows_that_tell,
    sample_keys,
    shared_rows,
)

TRIED_ROWS = 256
"""that show how many landmarks projections leave to look at"""
MOST_WORK = 3
"""times that of a search among candidates: for so much, all landmarks are searched"""


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

    Of many rows with few features a sample shows how long links are, and mostly all else that links are needed for.
    That saves a pass, and no distances have to be kept.
    """
    if _found_when_read(engine, search):
        engine.register(search.columns)
        totals = [_link_sample(engine, settings, tree, search)]
    else:
        forget_many(engine)
        totals = engine.sweep(_Link(search))
        for column in tree.columns:
            engine.drop(column.name)
    pairs = sum(total.mass for total in totals) * search.n_neighbors
    by_rank = np.sum([total.by_rank for total in totals], axis=0)
    return Links(
        tree,
        search,
        mean_distance=float(by_rank.sum()) / pairs,
        exact_fraction=sum(total.exact for total in totals) / sum(total.n_rows for total in totals),
        ranks=by_rank / by_rank.mean() if by_rank.any() else np.ones(search.n_neighbors),
    )


def _found_when_read(engine: Engine, search: Search) -> bool:
    """Whether links are found when a task reads them, and not before."""
    return are_measured_when_read(engine.layout.n_rows, engine.layout.n_features) and search.measure is not search


def _link_sample(engine: Engine, settings: Settings, tree: Tree, search: Search) -> _Linked:
    """Link some rows; later phases find their links among the engine's samples."""
    n_telling = rows_that_tell(engine, settings, len(search.landmarks))
    drawn = shared_rows(engine, settings, n_telling or rows_to_place(settings.n_clusters))
    [rows], size = drawn.values, engine.layout.block_rows

    def find(start: int) -> Found:
        some = rows[start : start + size]
        return search.find(some, *(tree.make(some) if search.reads else ()))

    parts = engine.each(find, range(0, len(rows), size))
    found, total = Found(*map(np.concatenate, zip(*parts, strict=True))), _Linked(np.zeros(search.n_neighbors))
    total.add(found, drawn.weight)
    keep_few(engine, settings, sample_keys(settings))
    engine.samples[sample_keys(settings), (NEAREST, SQUARED)] = drawn._replace(values=list(found[:2]))
    return total


def sample_of_links(engine: Engine, settings: Settings, links: Links) -> Drawn | None:
    """Nearest landmarks of the sample that makes the graph, and squared distances; None where all rows make it."""
    wanted = rows_that_tell(engine, settings, len(links.search.landmarks))
    if wanted is None or not _found_when_read(engine, links.search):
        return None
    place = sample_keys(settings), (NEAREST, SQUARED)
    if place not in engine.samples:  # of a run that was continued
        _link_sample(engine, settings, links.tree, links.search)
    drawn: Drawn = engine.samples[place]
    return drawn.fewer(wanted)


def _candidate_search(engine: Engine, settings: Settings, landmarks: np.ndarray) -> CandidateSearch:
    """Tables of the landmarks' own nearest landmarks."""
    is_adaptive = settings.bandwidth == ADAPTIVE or settings.mixed
    one_more = is_adaptive and settings.n_neighbors > 1  # adaptive weights of several need the distance to the next one
    return candidate_search(landmarks, settings.n_neighbors + one_more, settings.n_candidates, engine.each)
