"""What the runs of a results file come to: repeats together, suite by suite."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dncsc.bench.cells import Cell, Plan, SetSize
from dncsc.bench.results import Results

PERCENT = ("acc", "nmi", "ari", "purity")
NO_RESULT, TO_COME = "N/A", "…"

Record = dict[str, Any]
Item = TypeVar("Item")


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
class Repeats:
    """Runs of one cell with different seeds; none of a cell that no plan asks for."""

    cell: Cell
    runs: dict[int, Record] = field(default_factory=dict)
    """by seed, those that gave something"""
    troubles: dict[int, Record] = field(default_factory=dict)
    left: int = 0
    """repeats without a result yet"""

    @property
    def missing(self) -> str:
        """What stands in a table where no run gave anything."""
        return NO_RESULT if self.troubles else TO_COME if self.left else ""

    @property
    def first(self) -> Record:
        """Any run, for what is the same in all of them."""
        return next(iter(self.runs.values()))

    def values(self, measure: str) -> list[float]:
        """A number a run; scores in percent."""
        factor = 100 if measure in PERCENT else 1
        return [factor * run[measure] for run in self.runs.values() if run.get(measure) is not None]

    def spread(self, measure: str) -> Spread | None:
        """Mean and deviation over the repeats."""
        return spread(self.values(measure))

    def mean(self, measure: str) -> float:
        """Mean over the repeats; NaN where there is none."""
        return statistics.fmean(self.values(measure) or [float("nan")])

    def peak(self) -> float:
        """Bytes that a run and what it started held at most while fitting."""
        return max(*self.values("peak_bytes"), *self.values("family_bytes"))

    def phase(self, *names: str) -> float:
        """Mean seconds of some phases together."""
        return statistics.fmean(sum(run["phases"].get(name, 0.0) for name in names) for run in self.runs.values())

    def ratios(self, reference: Repeats) -> list[float]:
        """Times divided by those of another method in the same repeat: both met the same load of the machine."""
        shared = [(run, reference.runs[seed]) for seed, run in self.runs.items() if seed in reference.runs]
        return [ours["seconds"] / theirs["seconds"] for ours, theirs in shared]


@dataclass
class SuiteResults:
    """All results of a suite that ran with the same number of threads."""

    suite: str
    threads: int
    repeats: int = 0
    cells: dict[str, Repeats] = field(default_factory=dict)
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
            repeats = self.cells.setdefault(cell.kind, Repeats(cell))
            run = results.runs.get(cell.key)
            if run is None:
                repeats.left += 1
            else:
                (repeats.runs if run["status"] == "ok" else repeats.troubles)[cell.seed] = run

    def find(self, size: SetSize, method: str, point: dict[str, Any] | None = None, engine: str = "threads") -> Repeats:
        """The repeats of a cell."""
        cell = Cell(self.suite, *size, method, point or {}, engine, self.threads, 0, 0)
        return self.cells.get(cell.kind) or Repeats(cell)

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
