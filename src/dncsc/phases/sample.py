"""Random samples of rows that do not depend on threads, engines or chunks: the rows with the smallest keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dncsc.engines.base import Block, Column, Engine
from dncsc.kernels.grouping import group_rows, put_rows
from dncsc.kernels.hashing import row_keys, rows_below

ALL = np.uint64(2**64 - 1)
MOST_VALUES = 2**27
"""Values gathered in one pass at most; more groups wait for the next pass."""


class Drawn(NamedTuple):
    """Rows drawn from one group, in order of their keys, so that every beginning is itself a random sample."""

    values: list[np.ndarray]
    """What was gathered: the rows themselves, or their entries in columns."""
    weight: np.ndarray


class _Part(NamedTuple):
    """What one block gave."""

    group: np.ndarray
    keys: np.ndarray
    weight: np.ndarray
    values: list[np.ndarray]


@dataclass(frozen=True)
class _Sample:
    stream: np.uint64
    limit: np.ndarray
    group: str | None
    columns: Sequence[str]
    """Columns to gather; none for the rows themselves."""
    writes: Sequence[Column] = ()

    @property
    def reads(self) -> Sequence[str]:
        return (*self.columns, self.group) if self.group else tuple(self.columns)

    def begin(self) -> list[_Part]:
        return []

    def visit(self, total: list[_Part], block: Block) -> None:
        keys = np.empty(len(block), np.uint64)
        row_keys(self.stream, block.start, keys)
        group = block.columns[self.group] if self.group else np.zeros(len(block), np.int32)
        chosen = rows_below(keys, group, self.limit, block.weight)
        if len(chosen):
            values = [block.columns[name][chosen] for name in self.columns] or [block.some_rows(chosen)]
            total.append(_Part(group[chosen], keys[chosen], block.weight[chosen], values))


def draw(
    engine: Engine,
    stream: np.uint64,
    wanted: np.ndarray,
    size: np.ndarray,
    group: str | None = None,
    columns: Sequence[str] = (),
) -> list[Drawn]:
    """Draw rows of positive weight from each group.

    Parameters
    ----------
    engine : Engine
    stream : uint64
        From `dncsc.engines.seeds.stream`.
    wanted : int (n_groups,)
        How many; 0 for none.
    size : int (n_groups,)
        How many there are.
    group : str, optional
        Column with the group of each row; without it all rows are group 0.
    columns : sequence of str
        Columns to gather; none for the rows themselves.

    Returns
    -------
    drawn : list of Drawn
        ``min(wanted, size)`` rows a group.
    """
    wanted = np.minimum(wanted, size)
    drawn: list[Drawn] = [Drawn([], np.empty(0))] * len(wanted)
    width = 1 if columns else engine.layout.n_features
    batch = np.cumsum(wanted * width) // MOST_VALUES
    for number in np.unique(batch[wanted > 0]):
        part = np.where(batch == number, wanted, 0)
        for g, found in _draw_batch(engine, stream, part, size, group, columns).items():
            drawn[g] = found
    return drawn


def _draw_batch(
    engine: Engine, stream: np.uint64, wanted: np.ndarray, size: np.ndarray, group: str | None, columns: Sequence[str]
) -> dict[int, Drawn]:
    generous = wanted + 6 * np.sqrt(wanted) + 30
    while True:
        limit = _limits(wanted, size, generous)
        parts = [part for total in engine.sweep(_Sample(stream, limit, group, columns)) for part in total]
        found = np.concatenate([part.group for part in parts])
        if np.all(np.bincount(found, minlength=len(wanted)) >= wanted):
            break
        generous *= 2  # six standard deviations were not enough: never seen, but possible
    place = _places(engine, found, np.concatenate([part.keys for part in parts]), wanted)
    return _put_in_place(engine, parts, place, wanted)


def _places(engine: Engine, group: np.ndarray, keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each row goes when groups stand one after another, each by key; -1 for rows beyond those wanted."""
    order, first = group_rows(group, len(wanted))
    start = np.cumsum(wanted) - wanted
    place = np.full(len(keys), -1)

    def rank(g: int) -> None:
        rows = order[first[g] : first[g + 1]]
        chosen = rows[np.argsort(keys[rows])[: wanted[g]]]
        place[chosen] = np.arange(start[g], start[g] + wanted[g])

    engine.each(rank, np.flatnonzero(wanted).tolist())
    return place


def _put_in_place(engine: Engine, parts: list[_Part], place: np.ndarray, wanted: np.ndarray) -> dict[int, Drawn]:
    gathered = [np.empty((wanted.sum(), *value.shape[1:]), value.dtype) for value in parts[0].values]
    weight = np.empty(wanted.sum())
    begin = np.cumsum([0, *(len(part.keys) for part in parts)])

    def put(number: int) -> None:
        to = place[begin[number] : begin[number + 1]]
        put_rows(parts[number].weight[:, None], to, weight[:, None])
        for whole, value in zip(gathered, parts[number].values, strict=True):
            put_rows(value, to, whole)

    engine.each(put, range(len(parts)))
    end = np.cumsum(wanted)
    spans = {int(g): slice(end[g] - wanted[g], end[g]) for g in np.flatnonzero(wanted)}
    return {g: Drawn([whole[span] for whole in gathered], weight[span]) for g, span in spans.items()}


def _limits(wanted: np.ndarray, size: np.ndarray, generous: np.ndarray) -> np.ndarray:
    """Largest key to gather in each group, so that some `generous` rows are found."""
    fraction = np.divide(generous, size, out=np.zeros(len(size)), where=size > 0)
    below_all = np.minimum(fraction, 0.999) * 2.0**64
    limit = np.where(fraction >= 0.999, ALL, below_all.astype(np.uint64))
    return np.where(wanted > 0, limit, np.uint64(0))
