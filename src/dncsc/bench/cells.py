"""A cell is one run of one method on one set; a plan lists the cells of a suite, in the order in which they run."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

SetSize = tuple[str, int | None]
"""Name of a set and number of rows; None for as many as in the paper."""


@dataclass(frozen=True)
class Cell:
    """One run. Its content is its identity: the same cell, asked for again, is the same run.

    The suite is part of it. Times are compared within a repeat of a suite, where methods run one after the other; a
    time that another suite measured on another day would not do.
    """

    suite: str
    set: str
    rows: int | None
    method: str
    params: Mapping[str, Any]
    engine: str
    threads: int
    repeat: int
    seed: int

    @property
    def key(self) -> str:
        """The cell's content, to find its result by."""
        return json.dumps([*self._asked(), self.seed])

    @property
    def kind(self) -> str:
        """What a cell shares with its repeats."""
        return json.dumps(self._asked())

    def _asked(self) -> list[Any]:
        params = dict(sorted(self.params.items()))
        return [self.suite, self.set, self.rows, self.method, params, self.engine, self.threads]

    def __str__(self) -> str:
        rows = f" ({self.rows:,} rows)" if self.rows else ""
        params = "".join(f" {name}={value}" for name, value in self.params.items())
        engine = "" if self.engine == "threads" else f" on {self.engine}"
        return f"{self.set}{rows} {self.method}{params}{engine}, repeat {self.repeat + 1}"


@dataclass(frozen=True)
class Plan:
    """What a suite runs: every method at every point of a grid of parameters, on every set, some times over."""

    suite: str
    sets: tuple[SetSize, ...]
    methods: tuple[str, ...]
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    engines: tuple[str, ...] = ("threads",)
    repeats: int = 5
    seed: int = 0
    threads: int = 1

    def points(self) -> list[dict[str, Any]]:
        """Points of the grid; a single one without parameters where there is no grid."""
        return [dict(zip(self.grid, values, strict=True)) for values in itertools.product(*self.grid.values())]

    def cells(self) -> Iterator[Cell]:
        """All cells. Methods that are compared run one after the other, so that a busy moment hits all of them."""
        asked = itertools.product(range(self.repeats), self.sets, self.points(), self.engines, self.methods)
        for repeat, (name, rows), point, engine, method in asked:
            yield Cell(self.suite, name, rows, method, point, engine, self.threads, repeat, self.seed + repeat)

    def to_json(self) -> dict[str, Any]:
        """As a line of a results file."""
        return {"kind": "plan", **asdict(self)}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Plan:
        """From a line of a results file."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in line.items()
        }
        del values["kind"]
        values["sets"] = tuple((name, rows) for name, rows in values["sets"])
        values["grid"] = {name: tuple(points) for name, points in values["grid"].items()}
        return cls(**values)
