"""What the runs of a results file come to, repeats together, suite by suite; and the paper's numbers, as published."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from dncsc.bench.results import Cell, Plan, Results, SetSize

PERCENT = ("acc", "nmi", "ari", "purity", "noise")
PEAKS = ("peak_bytes", "family_bytes")
"""Of the process itself, and of all that it started, while fitting."""
NO_RESULT, TO_COME = "N/A", "…"
DNC_SC = "dnc-sc", "dnc-sc/nearest=candidates", "dnc-sc/bandwidth=mean"
"""All are the paper's DnC-SC: ours, ours with its search of nearest landmarks, and ours with its weights."""

Record = dict[str, Any]


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


@cache
def _paper() -> dict[tuple[str, str, str], Spread]:
    rows = csv.DictReader(files("dncsc.bench").joinpath("paper_tables.csv").read_text().splitlines())
    found = [((row["dataset"], row["method"], row["metric"]), row["mean"], row["std"]) for row in rows]
    return {key: Spread(float(mean), float(std) if std else None) for key, mean, std in found if mean}


def published(name: str, rows: int | None, method: str, measure: str) -> Spread | None:
    """Mean and deviation in the paper, scores in percent; None where it has none, or for a set of another size."""
    return None if rows else _paper().get((name, "dnc-sc" if method in DNC_SC else method, measure))


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
        """A number a run; scores in percent. "peak": megabytes that it and what it started held at most."""
        if measure == "peak":
            return [max(run.get(name) or 0 for name in PEAKS) / 2**20 for run in self.runs.values()]
        factor = 100 if measure in PERCENT else 1
        return [factor * run[measure] for run in self.runs.values() if run.get(measure) is not None]

    def spread(self, measure: str) -> Spread | None:
        """Mean and deviation over the repeats."""
        return spread(self.values(measure))

    def mean(self, measure: str) -> float:
        """Mean over the repeats; NaN where there is none."""
        return statistics.fmean(self.values(measure) or [float("nan")])

    def phase(self, *names: str) -> float:
        """Mean seconds of some phases together."""
        seconds = [sum(run["phases"].get(name, 0.0) for name in names) for run in self.runs.values()]
        return statistics.fmean(seconds or [float("nan")])

    def ratios(self, reference: Repeats) -> list[float]:
        """Times divided by those of another method in the same repeat: both met the same load of the machine."""
        shared = [(run, reference.runs[seed]) for seed, run in self.runs.items() if seed in reference.runs]
        return [ours["seconds"] / theirs["seconds"] for ours, theirs in shared]


class SuiteResults:
    """All results of a suite that ran with the same number of threads."""

    def __init__(self, plans: Sequence[Plan], runs: Mapping[str, Record]) -> None:
        self.suite, self.threads = plans[0].suite, plans[0].threads
        self.repeats = max(plan.repeats for plan in plans)
        self.sets: list[SetSize] = _distinct(size for plan in plans for size in plan.sets)
        self.methods = _distinct(method for plan in plans for method in plan.methods)
        self.points = _distinct(point for plan in plans for point in plan.points())
        self.engines = _distinct(engine for plan in plans for engine in plan.engines)
        self.cells: dict[str, Repeats] = {}
        for cell in {cell.key: cell for plan in plans for cell in plan.cells()}.values():
            repeats = self.cells.setdefault(cell.kind, Repeats(cell))
            run = runs.get(cell.key)
            if run is None:
                repeats.left += 1
            else:
                (repeats.runs if run["status"] == "ok" else repeats.troubles)[cell.seed] = run

    def find(self, size: SetSize, method: str, point: Mapping[str, Any] = {}, engine: str = "threads") -> Repeats:
        """The repeats of a cell."""
        cell = Cell(self.suite, *size, method, point, engine, self.threads, 0, 0)
        return self.cells.get(cell.kind) or Repeats(cell)


def _distinct(items: Iterable[Any]) -> list[Any]:
    """Without repetitions; points of a grid are dicts, which have no hash."""
    return list({repr(item): item for item in items}.values())


def set_label(size: SetSize) -> str:
    """Name of a set, with its size where that is not the paper's."""
    return size[0] + (f" ({size[1]:,})" if size[1] else "")


def collect(results: Results) -> list[SuiteResults]:
    """Suites in the order in which they were first run."""
    plans = defaultdict(list)
    for plan in results.plans:
        plans[plan.suite, plan.threads].append(plan)
    return [SuiteResults(each, results.runs) for each in plans.values()]
