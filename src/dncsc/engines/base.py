"""What phases and engines agree on: a task visits blocks, an engine sweeps it over all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from dncsc.engines.frame import Frame
from dncsc.engines.layout import Layout

Total = TypeVar("Total")
Outcome = TypeVar("Outcome")
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Column:
    """A value, or `width` values, kept for each row from one pass to the next, wherever the engine keeps them."""

    name: str
    dtype: Any
    width: int | None = None


@dataclass
class Block:
    """Some consecutive rows, as a task sees them."""

    start: int
    stop: int
    columns: dict[str, np.ndarray]
    """Parts of the columns that the task reads, and room for those that it writes."""
    weight: np.ndarray
    """float64, one a row; ones where the user gave none."""
    _enter: Callable[[np.ndarray | None], np.ndarray] = field(repr=False)

    def __len__(self) -> int:
        return self.stop - self.start

    @cached_property
    def rows(self) -> np.ndarray:
        """Rows in the engine's frame, C-ordered. Made when first asked for: many passes need columns only.

        The array is the engine's and holds other rows when the visit is over; copy what has to stay.
        """
        return self._enter(None)

    def some_rows(self, chosen: np.ndarray) -> np.ndarray:
        """Some of the rows, by their numbers in the block; a fresh array."""
        most = 2 * len(chosen) > len(self)  # then all of them, in the engine's own array, are sooner made
        return self.rows[chosen] if most else self._enter(chosen)


class Task(ABC, Generic[Total, Outcome]):
    """One pass over the rows. Plain data and a few methods, so that it can be sent to another process."""

    @property
    def reads(self) -> Sequence[str]:
        """Names of the columns that it reads."""
        return ()

    @property
    def writes(self) -> Sequence[Column]:
        """Columns that it fills."""
        return ()

    @abstractmethod
    def begin(self) -> Total:
        """An empty total for one stripe."""

    @abstractmethod
    def visit(self, total: Total, block: Block) -> None:
        """Add a block to its stripe's total, and fill the columns that the task writes."""

    @abstractmethod
    def end(self, total: Total) -> Outcome:
        """What is kept of a stripe: its total, or something smaller."""


class Pass(Task[Total, Total]):
    """A task that keeps its totals as they are."""

    def end(self, total: Total) -> Total:
        return total


class Engine(Protocol):
    """Runs tasks over the rows of one data set."""

    layout: Layout
    frame: Frame

    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        """Visit every block once; what is kept of the stripes, in order."""
        ...

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Independent small computations, side by side; results in order."""
        ...

    def drop(self, name: str) -> None:
        """Forget a column."""
        ...

    def take(self, name: str) -> Any:
        """Hand over a column for good: an array of all rows, or what stands for one."""
        ...
