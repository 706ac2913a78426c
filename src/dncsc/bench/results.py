"""What a suite runs, cell by cell, and the file of its results: a line of JSON for each plan and finished cell.

Lines are appended one at a time. Whatever happens to a suite, all but the last are whole, and that is mended.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

SetSize = tuple[str, int | None]
"""Name of a set and number of rows; None for as many as in the paper."""


@dataclass(frozen=True)
class Cell:
    """One run of one method on one set. Its content is its identity: the same cell, asked for again, is the same run.

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
        return json.dumps([*json.loads(self.kind), self.seed])

    @property
    def kind(self) -> str:
        """What a cell shares with its repeats."""
        params = dict(sorted(self.params.items()))
        return json.dumps([self.suite, self.set, self.rows, self.method, params, self.engine, self.threads])

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

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Plan:
        """From a line of a results file."""
        sets = tuple((name, rows) for name, rows in line["sets"])
        grid = {name: tuple(values) for name, values in line["grid"].items()}
        methods, engines = tuple(line["methods"]), tuple(line["engines"])
        return cls(line["suite"], sets, methods, grid, engines, line["repeats"], line["seed"], line["threads"])


class Results:
    """Plans and runs of a file. Of several runs of one cell, the last counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plans: list[Plan] = []
        self.runs: dict[str, dict[str, Any]] = {}
        self._file: IO[bytes] | None = None

    @classmethod
    def read(cls, path: Path) -> Results:
        """From a file that may still be written to: half a line at its end does not count."""
        results = cls(path)
        lines = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            record = _parsed(line)
            cut_off = number == len(lines) and b'{"kind": "'.startswith(line[:10])
            if line and record is None and not cut_off:
                raise ValueError(f"{path}, line {number}: not a line of a benchmark's results. Nothing was changed.")
            results._take(record)
        return results

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Results]:
        """To append to, by one suite at a time. The file is made, or its last line mended, where needed."""
        import fcntl  # not on Windows, where cells cannot run either

        results = cls.read(path) if path.exists() else cls(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise ValueError(f"{path}: another suite is writing to this file.") from error
            content = path.read_bytes()
            last = content.rpartition(b"\n")[2]
            if _parsed(last):
                file.write(b"\n")
            elif last:
                file.truncate(len(content) - len(last))
            results._file = file
            yield results

    def add_plan(self, plan: Plan) -> None:
        """Say what is to be run, unless the file says so already."""
        if plan not in self.plans:
            self._append({"kind": "plan", **asdict(plan)})

    def add_run(self, cell: Cell, record: dict[str, Any]) -> None:
        """Keep the outcome of a cell."""
        self._append({"kind": "run", "key": cell.key, **record})

    def _append(self, record: dict[str, Any]) -> None:
        assert self._file is not None, "read, not opened"
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._take(record)

    def _take(self, record: dict[str, Any] | None) -> None:
        if record and record["kind"] == "run":
            self.runs[record["key"]] = record
        elif record and Plan.from_json(record) not in self.plans:
            self.plans.append(Plan.from_json(record))


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and record.get("kind") in ("plan", "run") else None
