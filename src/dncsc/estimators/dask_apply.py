"""Models applied to Dask arrays, lazily."""

from __future__ import annotations

from typing import Any

import numpy as np

from dncsc.engines.base import Block, Values
from dncsc.engines.layout import block_rows
from dncsc.engines.pool import one_thread_each
from dncsc.model import Operation
from dncsc.phases.survey import check_finite, find_not_finite


def apply_lazily(operation: Operation, rows: Any, names: Any) -> Any:
    """What an operation of one column gives for all rows of a Dask array, as another one; nothing is computed."""
    from dask.delayed import delayed

    [column] = operation.columns
    rows = rows.rechunk({1: -1}) if rows.numblocks[1] > 1 else rows
    shared = delayed(operation, pure=True, traverse=False)  # a task of its own: it goes to each worker once
    shape: dict[str, Any] = {"drop_axis": 1} if column.width is None else {"chunks": (rows.chunks[0], (column.width,))}
    meta = np.empty(0 if column.width is None else (0, 0), column.dtype)
    return rows.map_blocks(_apply, shared, names, dtype=column.dtype, meta=meta, **shape)


def _apply(rows: Any, operation: Operation, names: Any, block_info: Any) -> np.ndarray:
    """Values of one chunk, block by block: intermediate arrays are many times as large as the rows.

    Where sizes of chunks are unknown, a message about values that are not finite counts rows within the chunk.
    """
    size, raw = block_rows(rows.shape[1]), operation.model.frame.unplaced()
    before, chunk = block_info[0]["array-location"][0][0], None
    if np.isnan(before):
        before, chunk = 0, block_info[0]["chunk-location"][0]
    found: list[np.ndarray] = []
    with one_thread_each:
        for start in range(0, max(len(rows), 1), size):
            values = raw.transform(rows[start : start + size])
            check_finite(find_not_finite(_block(values, int(before) + start)), names, chunk)
            found += operation.compute(values)
    return np.concatenate(found)


def _block(rows: np.ndarray, start: int) -> Block:
    return Block(start, start + len(rows), Values({}, {}), np.ones(0), lambda chosen: rows)
