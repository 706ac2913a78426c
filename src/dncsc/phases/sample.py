"""Random samples of rows that do not depend on threads, engines or chunks: the rows with the smallest keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dncsc.engines.base import Block, Engine, Pass, Task
from dncsc.kernels.grouping import group_rows, put_rows
from dncsc.kernels.hashing import places_below, row_keys, rows_below
from dncsc.phases.inputs import ROWS, columns_of, some_values_of

ALL = np.uint64(2**64 - 1)
SAMPLE_ROWS, SAMPLE_ROWS_A_CLUSTER = 20_000, 200
"""Rows that centroids are found with, at least."""


class Drawn(NamedTuple):
    """Rows drawn from groups, one group after another, each in the order of its rows."""

    values: list[np.ndarray]
    """What was gathered: the rows themselves, or their entries in columns."""
    weight: np.ndarray
    first: np.ndarray
    """Those of group g are from ``first[g]`` to ``first[g + 1]``."""
    keys: np.ndarray

    def fewer(self, wanted: int) -> Drawn:
        """The rows that a smaller sample of one group would have."""
        if wanted >= len(self.keys):
            return self
        chosen = np.flatnonzero(self.keys < _key_at(self.keys, wanted))  # no two keys are equal
        return self.some(chosen, np.array([0, wanted]))

    def some(self, chosen: np.ndarray, first: np.ndarray) -> Drawn:
        """Rows by their numbers, in groups that begin at `first`."""
        values = [each.take(chosen, axis=0) for each in self.values]
        return Drawn(values, self.weight.take(chosen), first, self.keys.take(chosen))


class _Part(NamedTuple):
    """What one block gave."""

    group: np.ndarray
    keys: np.ndarray
    weight: np.ndarray
    values: list[np.ndarray]


@dataclass(frozen=True)
class _Sample(Pass[list[_Part]]):
    stream: np.uint64
    limit: np.ndarray
    group: str | None
    inputs: Sequence[str]
    """What to gather."""

    @property
    def reads(self) -> Sequence[str]:
        return [*columns_of(self.inputs), *([self.group] if self.group else [])]

    def begin(self) -> list[_Part]:
        return []

    def visit(self, total: list[_Part], block: Block) -> None:
        keys = np.empty(len(block), np.uint64)
        row_keys(self.stream, block.start, keys)
        group = block.columns[self.group] if self.group else np.zeros(len(block), np.int32)
        chosen = rows_below(keys, group, self.limit, block.weight)
        if len(chosen):
            values = some_values_of(block, self.inputs, chosen)
            total.append(_Part(group[chosen], keys[chosen], block.weight[chosen], values))


def draw_rows(engine: Engine, stream: np.uint64, wanted: int, size: int, inputs: Sequence[str] = (ROWS,)) -> Drawn:
    """Draw some of all rows of positive weight, of which there are `size`; see `draw_in_groups`."""
    [(_, drawn)] = draw_in_groups(engine, stream, np.array([wanted]), np.array([size]), None, inputs)
    return drawn


def rows_to_place(n_clusters: int) -> int:
    """How many rows centroids are found with."""
    return max(SAMPLE_ROWS, SAMPLE_ROWS_A_CLUSTER * n_clusters)


def draw_in_groups(
    engine: Engine,
    stream: np.uint64,
    wanted: np.ndarray,
    size: np.ndarray,
    group: str | None,
    inputs: Sequence[str] = (ROWS,),
) -> Iterator[tuple[np.ndarray, Drawn]]:
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
    group : str or None
        Column with the group of each row; without it all rows are group 0.
    inputs : sequence of str
        What to gather: columns, or the rows.

    Yields
    ------
    groups : int (m,)
        As many groups as may be gathered at a time; the others wait for the next pass.
    drawn : Drawn
        ``min(wanted, size)`` rows of each.
    """
    wanted = np.minimum(wanted, size)
    width = engine.layout.n_features if ROWS in inputs else 1
    batch = np.cumsum(wanted * width) // engine.most_values
    for number in np.unique(batch[wanted > 0]):
        part = np.where(batch == number, wanted, 0)
        yield np.flatnonzero(part), _draw_batch(engine, stream, part, size, group, inputs)


class EarlySample(NamedTuple):
    """Rows that are drawn while a pass goes over all of them for another reason."""

    stream: np.uint64
    wanted: int
    n_rows: int

    @property
    def task(self) -> Task[list[_Part], list[_Part]]:
        wanted = np.array([self.wanted])
        return _Sample(self.stream, _limits(wanted, np.array([self.n_rows]), _generous(wanted)), None, (ROWS,))

    def drawn(self, engine: Engine, found: Sequence[list[_Part]]) -> Drawn | None:
        """What `draw_rows` would give; None where too few of the rows have a positive weight."""
        parts = [part for each in found for part in each]
        if sum(len(part.keys) for part in parts) < self.wanted:
            return None
        return _put_together(engine, parts, np.array([self.wanted]))


def _draw_batch(
    engine: Engine, stream: np.uint64, wanted: np.ndarray, size: np.ndarray, group: str | None, inputs: Sequence[str]
) -> Drawn:
    generous = _generous(wanted)
    while True:
        limit = _limits(wanted, size, generous)
        parts = [part for total in engine.sweep(_Sample(stream, limit, group, inputs)) for part in total]
        found = np.concatenate([part.group for part in parts])
        if np.all(np.bincount(found, minlength=len(wanted)) >= wanted):
            return _put_together(engine, parts, wanted)
        generous *= 2  # six standard deviations were not enough: never seen, but possible


def _generous(wanted: np.ndarray) -> np.ndarray:
    """Rows to gather, so that there are as many as wanted in all likelihood."""
    return wanted + 6 * np.sqrt(wanted) + 30


def _put_together(engine: Engine, parts: list[_Part], wanted: np.ndarray) -> Drawn:
    """Of the rows that were gathered, those with the smallest keys of each group."""
    found, keys = (np.concatenate(each) for each in zip(*(part[:2] for part in parts), strict=True))
    place = _places(engine, found, keys, wanted)
    *values, keys, weight = _put_in_place(engine, parts, place, int(wanted.sum()))
    return Drawn(values, weight, np.cumsum([0, *wanted[wanted > 0]]), keys)


def _places(engine: Engine, group: np.ndarray, keys: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where rows with the smallest keys go when groups stand one after another; -1 for the other rows."""
    order, first = group_rows(group, len(wanted))
    limit = np.where(wanted > 0, ALL, np.uint64(0))

    def lower(g: int) -> None:
        limit[g] = _key_at(keys[order[first[g] : first[g + 1]]], wanted[g] - 1)

    engine.each(lower, np.flatnonzero((np.diff(first) > wanted) & (wanted > 0)).tolist())
    place = np.empty(len(keys), np.int64)
    places_below(keys, group, limit, np.cumsum(wanted) - wanted, place)
    return place


def _key_at(keys: np.ndarray, place: int) -> np.uint64:
    """The key that would be at this place if they were sorted: not far from where evenly spread numbers have it."""
    n, largest = len(keys), float(keys.max())
    doubt = 6 * np.sqrt(n) + 30
    low, high = (np.uint64(largest * np.clip(each / n, 0, 1 - 2**-50)) for each in (place - doubt, place + doubt))
    near, n_below = keys[(keys >= low) & (keys <= high)], int(np.count_nonzero(keys < low))
    if not n_below <= place < n_below + len(near):
        near, n_below = keys, 0
    return np.partition(near, place - n_below)[place - n_below]


def _put_in_place(engine: Engine, parts: list[_Part], place: np.ndarray, count: int) -> list[np.ndarray]:
    """Values, keys and weights."""
    pieces = [[*part.values, part.keys, part.weight] for part in parts]
    gathered = [np.empty((count, *piece.shape[1:]), piece.dtype) for piece in pieces[0]]
    begin = np.cumsum([0, *(len(part.keys) for part in parts)])

    def put(number: int) -> None:
        to = place[begin[number] : begin[number + 1]]
        for whole, piece in zip(gathered, pieces[number], strict=True):
            put_rows(piece.reshape(len(piece), -1), to, whole.reshape(count, -1))

    engine.each(put, range(len(parts)))
    return gathered


def _limits(wanted: np.ndarray, size: np.ndarray, generous: np.ndarray) -> np.ndarray:
    """Largest key to gather in each group, so that some `generous` rows are found."""
    fraction = np.divide(generous, size, out=np.zeros(len(size)), where=size > 0)
    below_all = np.minimum(fraction, 0.999) * 2.0**64
    limit = np.where(fraction >= 0.999, ALL, below_all.astype(np.uint64))
    return np.where(wanted > 0, limit, np.uint64(0))
