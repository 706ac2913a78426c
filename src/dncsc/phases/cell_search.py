"""Phase 2 for many landmarks: each row's K nearest among those of the cells that are nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

import numpy as np

from dncsc.engines.base import Engine
from dncsc.kernels.cells import search_cells
from dncsc.kernels.nearest import LANDMARKS_ALONG, PrunedSearch, nearest_centres, pruning_helps, search_all
from dncsc.phases.nearest import Links, link_all
from dncsc.phases.search import ExactSearch, Found, Search, candidate_search
from dncsc.phases.select.tree import Cells, Selection
from dncsc.phases.settings import ADAPTIVE, AUTO, Settings

PROBED_CELLS = 16
"""that are searched for a row at most, unless all are"""
NEAR_CELLS = 96
"""of a row's own, that the nearest are searched among; all are where these are not proven to be enough"""
LEAST_PROBED_CELLS = 8
"""the same of few cells; in between half the root of their number"""


@dataclass(frozen=True)
class CellSearch(Search):
    """Search the landmarks of the cells nearest to a row; all of them, where these hold too few."""

    landmarks: np.ndarray
    n_neighbors: int
    cells: Cells
    n_probed: int
    """cells that are searched for a row"""

    @property
    def reads(self) -> Sequence[str]:
        return ()

    def _find(self, rows: np.ndarray, *own: np.ndarray) -> Found:
        nearest = np.empty((len(rows), self.n_neighbors), np.int32)
        squared = np.empty((len(rows), self.n_neighbors), rows.dtype)
        found = np.empty(len(rows), np.int32)
        cells, away = self._nearest_cells(rows)
        order = np.argsort(cells[:, 0], kind="stable")
        points = self.landmarks, self.cells.first, self._radius
        search_cells(rows, order, cells, away, *points, nearest, squared, found)
        rest = np.flatnonzero(found < self.n_neighbors)
        if len(rest):
            nearest[rest], squared[rest] = search_all(rows[rest], self.landmarks, self.n_neighbors)
        is_exact = np.full(len(rows), cells.shape[1] == len(self.cells.centres))
        is_exact[rest] = True
        return Found(nearest, squared, is_exact)

    def _nearest_cells(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest cells of each row, and squared distances to their centres."""
        centres, count = self.cells.centres, self.n_probed
        if self._pruned is not None:
            return self._pruned.search(rows, count)
        if self._near_cells is None:
            return search_all(rows, centres, count)
        own, _ = nearest_centres(rows, np.zeros(len(rows), np.int32), centres, np.array([0, len(centres)], np.int32))
        found = self._near_cells.find(rows, own)
        return found.nearest, found.squared

    @cached_property
    def _near_cells(self) -> ExactSearch | None:
        """The search among cells near a row's own, where few features make that fast."""
        m, d = self.cells.centres.shape
        few = d < LANDMARKS_ALONG and m > NEAR_CELLS
        return ExactSearch(candidate_search(self.cells.centres, self.n_probed, NEAR_CELLS)) if few else None

    @cached_property
    def _radius(self) -> np.ndarray:
        """Distance from the centre of each cell within which its landmarks surely are, in float64."""
        first = self.cells.first
        centres = np.repeat(self.cells.centres, np.diff(first), axis=0).astype(np.float64)
        distance = np.linalg.norm(self.landmarks - centres, axis=1)
        radius = np.zeros(len(first) - 1)
        np.maximum.at(radius, np.repeat(np.arange(len(radius)), np.diff(first)), distance)
        return radius * (1 + 8 * np.finfo(np.float32).eps)

    @cached_property
    def _pruned(self) -> PrunedSearch | None:
        """Projections of the centres, where those save time."""
        m, d = self.cells.centres.shape
        return PrunedSearch.of(self.cells.centres) if pruning_helps(d, m) else None


def in_nearest_cells(engine: Engine, settings: Settings, selection: Selection) -> Links:
    """K nearest landmarks in the nearest cells."""
    assert selection.cells is not None
    n_cells = len(selection.cells.centres)
    return _in_cells(engine, settings, selection, min(PROBED_CELLS, max(LEAST_PROBED_CELLS, isqrt(n_cells) // 2)))


def in_all_cells(engine: Engine, settings: Settings, selection: Selection) -> Links:
    """K nearest of all landmarks."""
    return _in_cells(engine, settings, selection, len(selection.landmarks))


def _in_cells(engine: Engine, settings: Settings, selection: Selection, most: int) -> Links:
    """K nearest landmarks; one more where weights need the distance to the next one."""
    assert selection.cells is not None
    one_more = settings.bandwidth in (AUTO, ADAPTIVE) and settings.n_neighbors > 1
    n_neighbors = min(settings.n_neighbors + one_more, len(selection.landmarks))
    n_probed = min(most, len(selection.cells.centres))
    search = CellSearch(selection.landmarks, n_neighbors, selection.cells, n_probed)
    return link_all(engine, settings, selection.tree, search)
