"""What a phase takes of a block: columns by name, and the rows themselves as `ROWS`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dncsc.engines.base import Block

ROWS = "rows themselves"
"""Stands among names of columns for the rows; it is not a column, and no task reads it."""


def columns_of(inputs: Sequence[str]) -> Sequence[str]:
    """Those of the inputs that are columns, which a task has to read."""
    return tuple(name for name in inputs if name != ROWS)


def values_of(block: Block, inputs: Sequence[str]) -> list[np.ndarray]:
    """The inputs' values for a block."""
    return [block.rows if name == ROWS else block.columns[name] for name in inputs]


def some_values_of(block: Block, inputs: Sequence[str], chosen: np.ndarray) -> list[np.ndarray]:
    """The inputs' values for some rows of a block, by their numbers in it."""
    columns = columns_of(inputs)
    of_columns = iter(block.some_values(columns, chosen) if columns else ())
    return [block.some_rows(chosen) if name == ROWS else next(of_columns) for name in inputs]
