"""Searches in the nearest cells: what they find is near, and exact where all cells are searched."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc import DnCSC
from dncsc.phases.cell_search import LEAST_PROBED_CELLS, CellSearch
from dncsc.phases.select.tree import Cells


def some_cells(random, p, d, m, dtype=np.float64):
    """Points sorted by the nearest of m centres."""
    points, centres = random.standard_normal((p, d)).astype(dtype), random.standard_normal((m, d)).astype(dtype)
    cell = naive.search_all(points, centres, 1)[0][:, 0]
    order = np.argsort(cell, kind="stable")
    first = np.searchsorted(cell[order], np.arange(m + 1)).astype(np.int32)
    return np.ascontiguousarray(points[order]), Cells(centres, first)


@pytest.mark.parametrize(("d", "m"), [(2, 30), (20, 30), (200, 70)])
@pytest.mark.parametrize("n_probed", [1, 4, 1000])
def test_the_nearest_landmarks_of_the_nearest_cells_are_found(d, m, n_probed):
    random = np.random.default_rng(0)
    points, cells = some_cells(random, 600, d, m)
    rows, n_probed = random.standard_normal((150, d)), min(n_probed, m)
    found = CellSearch(points, 6, cells, n_probed).find(rows)
    near = naive.search_all(rows, cells.centres, n_probed)[0]
    everywhere = naive.search_all(rows, points, 6)
    for r, nearest in enumerate(naive.search_cells(rows, near, points, cells.first, 6)[0]):
        if len(nearest) < 6:  # all landmarks were searched
            nearest = everywhere[0][r]
        np.testing.assert_array_equal(found.nearest[r], nearest)
        assert not found.exact[r] or (nearest == everywhere[0][r]).all()
    assert found.exact.all() or n_probed < m


def test_a_row_finds_the_same_in_any_block():
    random = np.random.default_rng(1)
    points, cells = some_cells(random, 500, 3, 40, np.float32)
    rows = random.standard_normal((200, 3)).astype(np.float32)
    search = CellSearch(points, 6, cells, 8)
    whole = search.find(rows)
    for start, stop in ((0, 1), (7, 50), (50, 200)):
        part = search.find(rows[start:stop])
        for one, other in zip(part, whole, strict=True):
            np.testing.assert_array_equal(one, other[start:stop])


@pytest.mark.parametrize(("nearest", "share"), [("auto", 0.0), ("candidates", 0.0), ("exact", 1.0)])
def test_exact_searches_all_cells(nearest, share):
    X = np.random.default_rng(0).standard_normal((3000, 3))
    model = DnCSC(60, select="rows", nearest=nearest, random_state=0).fit(X)
    search = model._model.embedding.graph.links.search
    assert model.exact_fraction_ == share
    assert search.n_probed == (LEAST_PROBED_CELLS if share == 0 else len(search.cells.centres))
    found, _ = naive.search_all(X, model.landmarks_, 6)
    assert (model._model.link(X)[0] == found).mean() > 0.999


def test_few_cells_are_all_searched():
    X = np.random.default_rng(0).standard_normal((600, 3))
    assert DnCSC(60, select="rows", random_state=0).fit(X).exact_fraction_ == 1
