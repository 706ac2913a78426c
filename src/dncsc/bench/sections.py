"""Sections of the report, one a suite: which tables and which figures show what it found."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dncsc.bench import figures
from dncsc.bench.paper import published
from dncsc.bench.suites import SUITES
from dncsc.bench.summary import Group, SetSize, SuiteResults
from dncsc.bench.tables import Table, compared, matrix, missing, number, relative, triples, with_deviation
from dncsc.bench.themes import Theme

LETTERS = {"n_landmarks": "p", "n_neighbors": "K", "selection_rate": "alpha"}
SELECTIONS = {"k-means": "/select=kmeans", "DnC-k-means": "/select=dnc-kmeans", "DnC-light-k-means": ""}
MOONS_NOTE = (
    "TS-60K, TM-1M and TC-6M: the paper's generator and noise are not known; scores there show that a method works, "
    "not that it matches the paper."
)


@dataclass(frozen=True)
class Drawing:
    """A figure by name, drawn when it is known on what background."""

    name: str
    text: str
    draw: Callable[[Theme], Any]


@dataclass(frozen=True)
class Section:
    """A heading with tables and figures."""

    name: str
    title: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    drawings: Sequence[Drawing] = field(default_factory=tuple)


def section(results: SuiteResults, name: str) -> Section:
    """The section of a suite."""
    suite = SUITES[results.suite]
    tables, drawings = BUILD[results.suite](results, name)
    counts = [sum(map(len, (g.runs, g.troubles))) for g in results.groups.values()]
    left = sum(group.left for group in results.groups.values())
    notes = [
        f"Threads: {results.threads}. Repeats: {results.repeats}. {sum(counts)} cells have run"
        + (f", {left} are still to run (…)." if left else ".")
    ]
    if suite.name == "paper" and any(size == (each, None) for size in results.sets for each in ("ts-60k", "tm-1m")):
        notes.append(MOONS_NOTE)
    return Section(name, suite.title, notes, tables, drawings)


Parts = tuple[list[Table], list[Drawing]]


def _compared(results: SuiteResults, name: str) -> Parts:
    measures = ("acc", "nmi", "seconds")
    tables = [compared(results, measure) for measure in measures]
    tables.append(relative(results, SUITES[results.suite].reference))
    return tables, _dots(results, name)


def _dots(results: SuiteResults, name: str) -> list[Drawing]:
    texts = {"acc": "ACC", "nmi": "NMI", "seconds": "Time"}
    return [
        Drawing(
            f"{name}-{measure}", f"{text}: ours filled, the paper's hollow", partial(figures.dots, results, measure)
        )
        for measure, text in texts.items()
    ]


def _curves(results: SuiteResults, name: str) -> Parts:
    (axis,) = SUITES[results.suite].grid
    columns = [(f"{LETTERS[axis]} = {point[axis]}", point) for point in results.points]
    lines = [(method, partial(_at, results, method)) for method in results.methods]
    text = f"ACC, NMI and time by {LETTERS[axis]}"
    drawing = Drawing(name, text, partial(figures.curves, results, axis, LETTERS[axis]))
    return matrix(results, lines, columns), [drawing]


def _at(results: SuiteResults, method: str, size: SetSize, point: dict[str, Any]) -> Group | None:
    return results.find(size, method, point)


def _alpha(results: SuiteResults, name: str) -> Parts:
    rates = sorted({point["selection_rate"] for point in results.points})
    neighbors = sorted({point["n_neighbors"] for point in results.points})

    def line(k: int) -> Callable[[SetSize, int], Group | None]:
        return lambda size, rate: results.find(size, results.methods[0], {"n_neighbors": k, "selection_rate": rate})

    lines = [(f"K = {k}", line(k)) for k in neighbors]
    tables = matrix(results, lines, [(f"alpha = {rate}", rate) for rate in rates])
    drawing = Drawing(name, "ACC, NMI and time by K and alpha", lambda theme: figures.maps(results, neighbors, rates))
    return tables, [drawing]


def _phases(results: SuiteResults, name: str) -> Parts:
    rows = []
    for size in results.sets:
        for method in results.methods:
            group = results.find(size, method)
            if group and group.runs:
                seconds = [number(group.phase(*parts)) for parts in figures.PHASES.values()]
                cells = [*seconds, number(statistics.fmean(group.values("seconds")))]
            else:
                cells = [missing(group)] * (len(figures.PHASES) + 1)
            rows.append([results.label(size), method, *cells])
    table = Table("Mean seconds", ["", "", *figures.PHASES, "all"], rows)
    return [table], [Drawing(name, "Seconds a phase", partial(figures.phases, results))]


def _simulation(results: SuiteResults, name: str) -> Parts:
    tables = [compared(results, measure, ranked=False) for measure in ("nmi", "seconds")]
    tables.append(relative(results, SUITES["simulation"].reference))
    return tables, [Drawing(name, "NMI and time by the number of blobs", partial(figures.simulation, results))]


def _ablation(results: SuiteResults, name: str) -> Parts:
    rows = []
    for size in results.sets:
        methods = [f"dnc-sc{select}/nearest={how}" for select in SELECTIONS.values() for how in ("candidates", "exact")]
        cells = triples([results.find(size, method) for method in methods])
        cells = [text + _in_paper(size, method) for text, method in zip(cells, methods, strict=True)]
        for i, selection in enumerate(SELECTIONS):
            rows.append([results.label(size), selection, *cells[2 * i : 2 * i + 2]])
    title = "ACC / NMI / seconds by selection and nearest landmarks (in parentheses: the paper's)"
    table = Table(title, ["", "landmarks", "approximate nearest", "exact nearest"], rows)
    return [table, relative(results, SUITES["ablation"].reference)], _dots(results, name)


def _in_paper(size: SetSize, method: str) -> str:
    measures = ("acc", "nmi", "seconds")
    theirs = [published(*size, method, measure) for measure in measures]
    known = [number(value.mean, measure) for value, measure in zip(theirs, measures, strict=True) if value]
    return f" ({' / '.join(known)})" if known else ""


def exponent(groups: Sequence[Group]) -> float | None:
    """How time grows: the b of N^b, fitted to the means of several sizes."""
    points = [(each["n_rows"], each["seconds"]) for group in groups for each in group.runs.values()]
    sizes = sorted({n for n, _ in points})
    if len(sizes) < 2:
        return None
    means = [statistics.fmean(s for n, s in points if n == size) for size in sizes]
    return float(np.polyfit(np.log(sizes), np.log(means), 1)[0])


def _scaling(results: SuiteResults, name: str) -> Parts:
    tables = []
    for kind in dict.fromkeys(size[0] for size in results.sets):
        for method in results.methods:
            found = [results.find(size, method) for size in results.sets if size[0] == kind]
            groups = [group for group in found if group and group.runs]
            rows = [_scaled(group) for group in groups]
            power = exponent(groups)
            notes = [f"Time grows as N^{power:.2f}." if power is not None else "Too few sizes to fit an exponent."]
            header = ["rows", "s", "ns a row", "peak MB", "beyond the input, MB", "bytes a row"]
            tables.append(Table(f"{kind}, {method}", header, rows, notes))
    drawing = Drawing(name, "Time and memory by the number of rows", partial(figures.scaling, results, exponent))
    return tables, [drawing]


def _scaled(group: Group) -> list[str]:
    n = next(iter(group.runs.values()))["n_rows"]
    seconds = group.spread("seconds")
    assert seconds is not None
    peak, extra = (max(group.values(measure)) for measure in ("peak_bytes", "extra_bytes"))
    sizes = (f"{seconds.mean / n * 1e9:,.0f}", f"{peak / 2**20:,.0f}", f"{extra / 2**20:,.0f}", f"{extra / n:.0f}")
    return [f"{n:,}", with_deviation(seconds, "seconds"), *sizes]


def _price(results: SuiteResults, name: str) -> Parts:
    reference = SUITES["price"].reference
    rows = []
    for size in results.sets:
        base = results.find(size, reference)
        for method in (each for each in results.methods if each != reference):
            group = results.find(size, method)
            if group is None or not group.runs:
                rows.append([results.label(size), "", method, *[missing(group)] * 4, ""])
                continue
            run, ratios = next(iter(group.runs.values())), group.ratios(base)
            shape = f"{run['n_rows']:,} x {run['n_features']}, k = {run['n_classes']}"
            times = [
                number(min(each.values("seconds"))) if each and each.runs else missing(each) for each in (group, base)
            ]
            ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f})" if ratios else ""
            scores = [" / ".join(text.split(" / ")[:2]) for text in triples([group, base])]
            rows.append([results.label(size), shape, method, *times, ratio, *scores])
    header = ["", "rows x features", "method", "s", f"{reference} s", "ratio", "ACC / NMI", f"{reference} ACC / NMI"]
    note = "Seconds: the shortest. Ratio: of times in the same repeat, median (smallest … largest)."
    return [Table("Price", header, rows, [note])], [
        Drawing(name, "Time ratio", partial(figures.price, results, reference))
    ]


def _engines(results: SuiteResults, name: str) -> Parts:
    rows = []
    for size in results.sets:
        for method in results.methods:
            base = results.find(size, method)
            for engine in results.engines:
                group = results.find(size, method, engine=engine)
                rows.append([results.label(size), method, engine, *_engine(group, base)])
    header = ["", "method", "engine", "s", "ratio to threads", "peak MB, all processes", "labels"]
    return [Table("Engines", header, rows)], [
        Drawing(name, "Time and memory by engine", partial(figures.engines, results))
    ]


def _engine(group: Group | None, base: Group | None) -> list[str]:
    if group is None or not group.runs:
        return [missing(group), "", "", ""]
    seconds = group.spread("seconds")
    assert seconds is not None
    ratios = group.ratios(base)
    shared = [
        (run["labels"], base.runs[seed]["labels"]) for seed, run in group.runs.items() if base and seed in base.runs
    ]
    same = "" if not shared else "the same" if all(ours == theirs for ours, theirs in shared) else "**different**"
    ratio = f"{statistics.median(ratios):.2f}" if ratios else ""
    return [with_deviation(seconds, "seconds"), ratio, f"{group.peak() / 2**20:,.0f}", same]


BUILD: dict[str, Callable[[SuiteResults, str], Parts]] = {
    "paper": _compared,
    "landmarks": _curves,
    "neighbors": _curves,
    "alpha": _alpha,
    "phases": _phases,
    "selection": _curves,
    "simulation": _simulation,
    "nearest": _curves,
    "ablation": _ablation,
    "scaling": _scaling,
    "price": _price,
    "engines": _engines,
}
