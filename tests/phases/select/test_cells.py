"""Landmarks of many clusters are rows at random, each once, sorted by the cells that are nearest to them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.utils import check_random_state

import naive
from dncsc import DnCSC
from dncsc.engines.seeds import stream
from dncsc.phases.select.cells import LANDMARKS_A_CELL, _without_repetition


@pytest.fixture(scope="module")
def table():
    """Rows on a fine grid, so that a shift changes no digit."""
    return np.round(np.random.default_rng(0).standard_normal((2000, 3)) * 2**20).astype(np.float64) / 2**20


def selection_of(model):
    search = model._model.embedding.graph.links.search
    return search.landmarks, search.cells


def test_landmarks_are_the_rows_with_the_smallest_keys(table):
    seed = check_random_state(0).randint(np.iinfo(np.int32).max)
    model = DnCSC(60, select="rows", n_landmarks=400, random_state=0).fit(table)
    keys = naive.row_keys(stream(seed, "select"), 0, len(table))
    expected = table[np.argsort(keys)[:400]]
    np.testing.assert_array_equal(np.unique(model.landmarks_, axis=0), np.unique(expected, axis=0))
    assert model.n_landmarks_ == 400


@pytest.mark.parametrize("n_landmarks", [60, 400, 1000])
def test_each_landmark_stands_in_the_nearest_cell(table, n_landmarks):
    landmarks, cells = selection_of(DnCSC(60, select="rows", n_landmarks=n_landmarks, random_state=0).fit(table))
    assert len(cells.centres) == n_landmarks // LANDMARKS_A_CELL
    assert (cells.first[0], cells.first[-1]) == (0, n_landmarks)
    cell = np.searchsorted(cells.first, np.arange(n_landmarks), side="right") - 1
    np.testing.assert_array_equal(cell, naive.search_all(landmarks, cells.centres, 1)[0][:, 0])


def test_a_row_of_no_weight_is_no_landmark(table):
    weight = np.ones(len(table))
    weight[::2] = 0
    model = DnCSC(60, select="rows", n_landmarks=500, random_state=0).fit(table, sample_weight=weight)
    counted = {row.tobytes() for row in table[1::2]}
    assert {row.tobytes() for row in model.landmarks_} <= counted


def test_equal_rows_are_one_landmark(table):
    model = DnCSC(60, select="rows", n_landmarks=900, random_state=0).fit(table[np.arange(2000) % 400])
    assert 300 < model.n_landmarks_ == len(np.unique(model.landmarks_, axis=0)) <= 400


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_kept_once_and_sorted_by_value(dtype):
    random = np.random.default_rng(0)
    rows = np.append(random.integers(-2, 3, (200, 3)) * 0.3, [[-0.0, 0.0, -0.3], [1e30, -1e30, 0]], axis=0).astype(
        dtype
    )
    np.testing.assert_array_equal(_without_repetition(rows), np.unique(rows, axis=0))
    np.testing.assert_array_equal(_without_repetition(rows[::-1]), np.unique(rows, axis=0))
