"""What the runs of a results file come to: repeats together, suite by suite."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dncsc.bench.cells import Cell, Plan
from dncsc.bench.results import Results

PERCENT = ("acc", "nmi", "ari", "purity")

Record = dict[str, Any]
Item = TypeVar("Item")
SetSize = tuple[str, int | None]


@dataclass(frozen=True)
class Spread:
    """Mean, and standard deviation where there is one."""

    mean: float
    std: float | None = None


def spread(values: Sequence[float]) -> Spread | None:
    """Of some values, if there are any; as in the paper, the deviation of a sample."""
    if not values:
        return None
    return Spread(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


@dataclass
class Group:
    """Repeats of one cell."""

    cell: Cell
    runs: dict[int, Record] = field(default_factory=dict)
    """by seed, those that gave something"""
    troubles: dict[int, Record] = field(default_factory=dict)
    left: int = 0
    """repeats without a result yet"""

    def values(self, measure: str) -> list[float]:
        """A number a run; scores in percent."""
        factor = 100 if measure in PERCENT else 1
        return [factor * run[measure] for run in self.runs.values()]

    def spread(self, measure: str) -> Spread | None:
        """Over the repeats."""
        return spread(self.values(measure))

    def peak(self) -> float:
        """Bytes that a run and what it started held at most while fitting."""
        return max(*self.values("peak_bytes"), *self.values("family_bytes"))

    def phase(self, *names: str) -> float:
        """Mean seconds of some phases together."""
        return statistics.fmean(sum(run["phases"].get(name, 0.0) for name in names) for run in self.runs.values())

    def ratios(self, reference: Group | None, measure: str = "seconds") -> list[float]:
        """To another method in the same repeat, whatever else the machine was doing then."""
        if reference is None:
            return []
        shared = [seed for seed in self.runs if seed in reference.runs]
        return [self.runs[seed][measure] / reference.runs[seed][measure] for seed in shared]


@dataclass
class SuiteResults:
    """All groups of a suite that ran with the same number of threads."""

    suite: str
    threads: int
    repeats: int = 0
    groups: dict[str, Group] = field(default_factory=dict)
    sets: list[SetSize] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    points: list[dict[str, Any]] = field(default_factory=list)
    engines: list[str] = field(default_factory=list)

    def add(self, plan: Plan, results: Results) -> None:
        """Look up the cells of a plan."""
        self.repeats = max(self.repeats, plan.repeats)
        _extend(self.sets, plan.sets)
        _extend(self.methods, plan.methods)
        _extend(self.points, plan.points())
        _extend(self.engines, plan.engines)
        for cell in plan.cells():
            group = self.groups.setdefault(cell.kind, Group(cell))
            run = results.runs.get(cell.key)
            if run is None:
                group.left += 1
            else:
                (group.runs if run["status"] == "ok" else group.troubles)[cell.seed] = run

    def find(
        self, size: SetSize, method: str, point: dict[str, Any] | None = None, engine: str = "threads"
    ) -> Group | None:
        """The group of a cell, if it was planned."""
        return self.groups.get(Cell(self.suite, *size, method, point or {}, engine, self.threads, 0, 0).kind)

    def label(self, size: SetSize) -> str:
        """Name of a set, with its size where that is not the paper's."""
        return size[0] + (f" ({size[1]:,})" if size[1] else "")


def _extend(mine: list[Item], theirs: Sequence[Item]) -> None:
    mine += [each for each in theirs if each not in mine]


def collect(results: Results) -> list[SuiteResults]:
    """Suites in the order in which they were first run."""
    found: dict[tuple[str, int], SuiteResults] = {}
    for plan in results.plans:
        suite = found.setdefault((plan.suite, plan.threads), SuiteResults(plan.suite, plan.threads))
        suite.add(plan, results)
    return list(found.values())
