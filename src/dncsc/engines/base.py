"""What phases and engines agree on: a task visits blocks, an engine sweeps it over all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from dncsc.engines.frame import Frame
from dncsc.engines.layout import Layout
from dncsc.engines.pool import Answer, Item, Pool, thread_count
from dncsc.engines.watch import Progress

Total = TypeVar("Total")
Outcome = TypeVar("Outcome")

MOST_VALUES = 2**27
"""Values that a phase may gather at a time."""


class RecomputeRule(Protocol):
    """How the values of columns follow from the rows: what an engine needs where it does not keep them."""

    @property
    def makes(self) -> Sequence[str]: ...  # names of the columns, in the order in which `make` gives them

    @property
    def reads(self) -> Sequence[str]: ...  # names of other columns that it needs

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        """Values for some rows, each row by itself, from the rows and the columns that it reads."""
        ...


@dataclass(frozen=True)
class Column:
    """A value, or `width` values, for each row from one pass to the next, wherever the engine keeps them.

    With a rule the engine need not keep them: it can make them again when a task reads the column.
    """

    name: str
    dtype: Any
    width: int | None = None
    rule: RecomputeRule | None = None

    def shape(self, n_rows: int) -> tuple[int, ...]:
        return (n_rows,) if self.width is None else (n_rows, self.width)

    @property
    def row_bytes(self) -> int:
        return np.dtype(self.dtype).itemsize * (self.width or 1)


class Values(dict[str, np.ndarray]):
    """Parts of columns that belong to a block, by name; those that are not kept are made when first asked for."""

    def __init__(self, kept: Mapping[str, np.ndarray], rules: Mapping[str, RecomputeRule]) -> None:
        super().__init__(kept)
        self.rules = rules
        self.rows: Callable[[], np.ndarray]

    def __missing__(self, name: str) -> np.ndarray:
        rule = self.rules[name]
        self.update(zip(rule.makes, rule.make(self.rows(), *(self[read] for read in rule.reads)), strict=True))
        return self[name]


@dataclass
class Block:
    """Some consecutive rows, as a task sees them."""

    start: int
    stop: int
    columns: Values
    """Parts of the columns that the task reads, and buffers for those that it writes."""
    weight: np.ndarray
    """float64, one a row, times the engine's scale; ones where the user gave none."""
    make: Callable[[np.ndarray | None], np.ndarray]
    """Makes rows in the engine's frame: all of them, or those with the given numbers."""

    def __post_init__(self) -> None:
        # Columns do not refer to the block: a cycle would keep arrays until the garbage collector runs.
        self._all_rows = self.columns.rows = cache(partial(self.make, None))

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def rows(self) -> np.ndarray:
        """Rows in the engine's frame, C-ordered. Made when first asked for: many passes need columns only.

        The array is the engine's and holds other rows when the visit is over; copy what has to stay.
        """
        return self.columns.rows()

    def some_rows(self, chosen: np.ndarray) -> np.ndarray:
        """Some of the rows, by their numbers in the block; a fresh array."""
        are_made = self._all_rows.cache_info().currsize > 0
        most = 2 * len(chosen) > len(self)  # then making all, in the engine's own array, is faster
        return self.rows[chosen] if are_made or most else self.make(chosen)

    def some_values(self, names: Sequence[str], chosen: np.ndarray) -> list[np.ndarray]:
        """The named columns of some of the rows; what is not kept is made for these rows only."""
        some = Values({name: values[chosen] for name, values in self.columns.items()}, self.columns.rules)
        some.rows = lambda: self.some_rows(chosen)
        return [some[name] for name in names]


class Task(ABC, Generic[Total, Outcome]):
    """One pass over the rows. Plain data and a few methods, so that it can be sent to another process."""

    @property
    def name(self) -> str:
        """What it is known by where tasks are watched."""
        return type(self).__name__.strip("_").lower()

    @property
    def reads(self) -> Sequence[str]:
        """Names of the columns that it reads."""
        return ()

    @property
    def writes(self) -> Sequence[Column]:
        """Columns that it fills."""
        return ()

    @property
    def keeps(self) -> Sequence[Column]:
        """Columns that it reads, to be kept from now on: until then engines have rules for them, and no values."""
        return ()

    @abstractmethod
    def begin(self) -> Total:
        """An empty total for one shard."""

    @abstractmethod
    def visit(self, total: Total, block: Block) -> None:
        """Add a block to its shard's total, and fill the columns that the task writes."""

    @abstractmethod
    def end(self, total: Total) -> Outcome:
        """What is kept of a shard: its total, or something smaller."""


class Pass(Task[Total, Total]):
    """A task that keeps its totals as they are."""

    def end(self, total: Total) -> Total:
        return total


@dataclass(frozen=True)
class FusedPass(Task[list[Any], list[Any]]):
    """Tasks that look at the same blocks, in one pass over the rows; none has to do with columns."""

    tasks: Sequence[Task[Any, Any]]

    @property
    def name(self) -> str:
        return self.tasks[0].name

    def begin(self) -> list[Any]:
        return [task.begin() for task in self.tasks]

    def visit(self, total: list[Any], block: Block) -> None:
        for task, each in zip(self.tasks, total, strict=True):
            task.visit(each, block)

    def end(self, total: list[Any]) -> list[Any]:
        return [task.end(each) for task, each in zip(self.tasks, total, strict=True)]


class Engine(ABC):
    """Runs tasks over the rows of one data set; a phase may gather `most_values` at a time."""

    def __init__(self, shape: tuple[int, int], dtype: np.dtype[Any], n_jobs: int | None, most_values: int) -> None:
        self.layout = Layout(*shape)
        self.frame = Frame.raw(dtype, shape[1])
        self.weight_scale = 1.0  # what weights are multiplied by before tasks see them
        self.phase = ""  # what is going on, for watchers
        self.most_values = most_values
        self.samples: dict[Any, Any] = {}  # that a later phase would draw again, by what it would ask for
        self._kept: dict[str, Column] = {}
        self._rules: dict[str, RecomputeRule] = {}
        self._progress = Progress(shape[0])
        self._pool = Pool(thread_count(n_jobs))

    @abstractmethod
    def sweep(self, task: Task[Total, Outcome]) -> list[Outcome]:
        """Visit every block once; what is kept of the shards, in order."""

    @abstractmethod
    def take(self, name: str) -> Any:
        """Hand over a column that a task has written, for good: an array of all rows, or what stands for one."""

    @abstractmethod
    def _forget(self, name: str) -> None:
        """Keep the values of a column no longer."""

    def each(self, function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
        """Independent small computations, side by side; results in order."""
        return self._pool.each(function, items)

    def register(self, columns: Iterable[Column]) -> None:
        """Columns with rules, which tasks may read though none has written them; values of older rules are dropped."""
        for column in columns:
            if column.rule:
                self._rules[column.name] = column.rule
                self._forget(column.name)

    def has(self, name: str) -> bool:
        """Whether the values of a column are kept: to read them is then no work."""
        return name in self._kept

    def drop(self, name: str) -> None:
        """Forget a column that no task will read again, unless one that is not kept is recomputed from it."""
        if not any(name in rule.reads for other, rule in self._rules.items() if other not in self._kept):
            self._rules.pop(name, None)
            self._forget(name)

    def _set_rule(self, column: Column) -> None:
        self._rules.pop(column.name, None)
        if column.rule:
            self._rules[column.name] = column.rule

    def _sources(self, names: Iterable[str]) -> tuple[set[str], dict[str, RecomputeRule]]:
        """The kept columns that these follow from, and the rules of those that are not kept."""
        kept: set[str] = set()
        rules: dict[str, RecomputeRule] = {}
        for name in names:
            if name in self._kept:
                kept.add(name)
            else:
                rules[name] = self._rules[name]
                below, others = self._sources(rules[name].reads)
                kept |= below
                rules |= others
        return kept, rules
