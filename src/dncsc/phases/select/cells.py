"""Landmarks for many clusters: rows at random, in cells that divide and conquer finds.

A mean of a few rows may lie between two clusters. A row lies in one, so that a graph of rows can tell clusters of which
there are hundreds or thousands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dncsc.engines.base import Engine
from dncsc.engines.layout import block_rows
from dncsc.kernels.nearest import search_all
from dncsc.phases.select.divide_and_conquer import divide_and_conquer
from dncsc.phases.select.sampled import sample
from dncsc.phases.select.tree import SUBSET, Cells, Selection, Tree
from dncsc.phases.settings import Settings

LANDMARKS_A_CELL = 40
SAMPLE_ROWS_A_CELL = 10


def rows_in_cells(engine: Engine, settings: Settings) -> Selection:
    """P rows at random, fewer where some are alike, sorted by cells."""
    n_cells = max(1, settings.n_landmarks // LANDMARKS_A_CELL)
    sample_size = SAMPLE_ROWS_A_CELL * n_cells
    centres = divide_and_conquer(engine, replace(settings, n_landmarks=n_cells, sample_size=sample_size)).landmarks
    engine.drop(SUBSET)
    landmarks = _without_repetition(sample(engine, settings, settings.n_landmarks).values[0])
    size = block_rows(len(centres))
    parts = engine.each(
        lambda start: search_all(landmarks[start : start + size], centres, 1)[0][:, 0], range(0, len(landmarks), size)
    )
    cell = np.concatenate(parts)
    by_cell = np.argsort(cell, kind="stable")
    first = np.searchsorted(cell[by_cell], np.arange(len(centres) + 1)).astype(np.int32)
    return Selection(landmarks[by_cell], Tree(()), Cells(centres, first))


def _without_repetition(rows: np.ndarray) -> np.ndarray:
    """Each row once, sorted by value: so a row of weight 2 is the row twice, though the frame differs a little."""
    rows = np.ascontiguousarray(rows + 0.0)  # there is one zero
    bits, last = rows.view(f"i{rows.itemsize}"), 8 * rows.itemsize - 1
    in_order = bits ^ (bits >> last | np.iinfo(bits.dtype).min)  # all bits of negative values, the sign of others
    in_order = in_order.astype(bits.dtype.newbyteorder(">"))  # bytes now sort as values do, and faster
    as_bytes = in_order.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    return rows[np.unique(as_bytes, return_index=True)[1]]
