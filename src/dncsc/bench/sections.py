"""Sections of the report, one a suite: which tables and which figures show what it found."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dncsc.bench import figures
from dncsc.bench.figures import LABELS, Bars, Curves
from dncsc.bench.paper import published
from dncsc.bench.results import SetSize
from dncsc.bench.suites import SUITES
from dncsc.bench.summary import Repeats, SuiteResults, set_label
from dncsc.bench.tables import MEASURES, Table, compared, number, relative, triples, with_deviation

LETTERS = {"n_landmarks": "p", "n_neighbors": "K", "selection_rate": "alpha"}
SELECTIONS = {"k-means": "/select=kmeans", "DnC-k-means": "/select=dnc-kmeans", "DnC-light-k-means": ""}
PHASES = {
    "survey": ("survey",),
    "select landmarks": ("select",),
    "similarity": ("nearest", "affinity"),
    "partition": ("partition",),
    "discretize": ("discretize",),
}
MOONS_NOTE = (
    "TS-60K, TM-1M and TC-6M: the paper's generator and noise are not known; scores there show that a method works, "
    "not that it matches the paper."
)


@dataclass(frozen=True)
class Drawing:
    """A figure by name, drawn when its style is set."""

    name: str
    text: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class Section:
    """A heading with tables and figures."""

    name: str
    title: str
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    drawings: Sequence[Drawing] = ()


def section(results: SuiteResults, name: str) -> Section:
    """The section of a suite."""
    suite = SUITES[results.suite]
    tables, drawings = BUILD[results.suite](results, name)
    ran = sum(len(each.runs) + len(each.troubles) for each in results.cells.values())
    left = sum(each.left for each in results.cells.values())
    still = f", {left} are still to run (…)." if left else "."
    notes = [f"Threads: {results.threads}. Repeats: {results.repeats}. {ran} cells have run{still}"]
    if suite.name == "paper" and {("ts-60k", None), ("tm-1m", None)} & set(results.sets):
        notes.append(MOONS_NOTE)
    return Section(name, suite.title, notes, tables, drawings)


Parts = tuple[list[Table], list[Drawing]]


def _compared(
    results: SuiteResults, name: str, measures: Sequence[str] = tuple(MEASURES), ranked: bool = True
) -> Parts:
    tables = [compared(results, measure, ranked=ranked) for measure in measures]
    return [*tables, relative(results, SUITES[results.suite].reference)], _dots(results, name, measures)


def _dots(results: SuiteResults, name: str, measures: Sequence[str] = tuple(MEASURES)) -> list[Drawing]:
    texts = {measure: f"{MEASURES[measure].partition(',')[0]}: ours filled, the paper's hollow" for measure in measures}
    return [Drawing(f"{name}-{each}", text, partial(figures.dots, results, each)) for each, text in texts.items()]


def _ablation(results: SuiteResults, name: str) -> Parts:
    rows = []
    for size in results.sets:
        methods = [f"dnc-sc{select}/nearest={how}" for select in SELECTIONS.values() for how in ("candidates", "exact")]
        cells = triples([results.find(size, method) for method in methods])
        cells = [text + _in_paper(size, method) for text, method in zip(cells, methods, strict=True)]
        for i, selection in enumerate(SELECTIONS):
            rows.append([set_label(size), selection, *cells[2 * i : 2 * i + 2]])
    title = "ACC / NMI / seconds by selection and nearest landmarks (in parentheses: the paper's)"
    table = Table(title, ["", "landmarks", "approximate nearest", "exact nearest"], rows)
    return [table, relative(results, SUITES["ablation"].reference)], _dots(results, name)


def _in_paper(size: SetSize, method: str) -> str:
    theirs = {measure: published(*size, method, measure) for measure in MEASURES}
    known = [number(value.mean, measure) for measure, value in theirs.items() if value]
    return f" ({' / '.join(known)})" if known else ""


def _curves(results: SuiteResults, name: str) -> Parts:
    """ACC, NMI and time by the last parameter of the grid; a line a method, or a value of the other parameter."""
    *other, axis = SUITES[results.suite].grid
    values = sorted({point[axis] for point in results.points})
    lines: dict[str, tuple[str, dict[str, Any]]] = {method: (method, {}) for method in results.methods}
    if other:
        numbers = sorted({point[other[0]] for point in results.points})
        lines = {f"{LETTERS[other[0]]} = {n}": (results.methods[0], {other[0]: n}) for n in numbers}

    def find(size: SetSize, line: str, value: Any) -> Repeats:
        method, params = lines[line]
        return results.find(size, method, {**params, axis: value})

    def panel(measure: str, size: SetSize) -> Curves:
        points = {line: [(value, find(size, line, value).mean(measure)) for value in values] for line in lines}
        return Curves(points, set_label(size), LETTERS[axis], LABELS[measure], "y" if measure == "seconds" else "")

    tables = []
    for size in results.sets:
        columns = [triples([find(size, line, value) for line in lines]) for value in values]
        rows = list(map(list, zip(lines, *columns, strict=True)))
        header = ["", *(f"{LETTERS[axis]} = {value}" for value in values)]
        tables.append(Table(f"{set_label(size)}: ACC / NMI / seconds", header, rows))
    panels = [panel(measure, size) for measure in LABELS for size in results.sets]
    text = f"ACC, NMI and time by {' and '.join(LETTERS[each] for each in (*other, axis))}"
    return tables, [Drawing(name, text, partial(figures.lines, panels, len(results.sets)))]


def _phase_table(results: SuiteResults) -> Table:
    rows = []
    for size in results.sets:
        for method in results.methods:
            found = results.find(size, method)
            cells = [found.missing] * (len(PHASES) + 1)
            if found.runs and not found.first["phases"]:
                continue
            if found.runs:
                seconds = [found.phase(*parts) for parts in PHASES.values()]
                cells = [number(each) for each in (*seconds, found.mean("seconds"))]
            rows.append([set_label(size), method, *cells])
    return Table("Mean seconds", ["", "", *PHASES, "all"], rows)


def _phases(results: SuiteResults, name: str) -> Parts:
    panels = []
    for size in results.sets:
        found = [results.find(size, method) for method in results.methods]
        seconds = {phase: [each.phase(*parts) for each in found] for phase, parts in PHASES.items()}
        panels.append(Bars(seconds, set_label(size), "seconds"))
    return [_phase_table(results)], [Drawing(name, "Seconds a phase", partial(figures.bars, results.methods, panels))]


def _scaling(results: SuiteResults, name: str) -> Parts:
    tables = []
    points: dict[str, dict[str, list[tuple[float, float]]]] = {"seconds": {}, "MB beyond the input": {}}
    header = ["rows", "s", "ns a row", "peak MB", "beyond the input, MB", "bytes a row"]
    for kind in dict.fromkeys(kind for kind, _ in results.sets):
        for method in results.methods:
            found = [
                each for each in (results.find(size, method) for size in results.sets if size[0] == kind) if each.runs
            ]
            rows = [each.first["n_rows"] for each in found]
            seconds = [each.mean("seconds") for each in found]
            extra = [max(each.values("extra_bytes")) / 2**20 for each in found]
            for measured, each in zip(points.values(), (seconds, extra), strict=True):
                measured.setdefault(method, []).extend(zip(rows, each, strict=True))
            note = "Too few sizes to fit an exponent."
            if len(rows) > 1:
                note = f"Time grows as N^{np.polyfit(np.log(rows), np.log(seconds), 1)[0]:.2f}."
            tables.append(Table(f"{kind}, {method}", header, list(map(_scaled, found)), [note]))
    panels = [Curves(each, "", "rows", name, "xy") for name, each in points.items()]
    return tables, [Drawing(name, "Time and memory by the number of rows", partial(figures.lines, panels, 2))]


def _scaled(found: Repeats) -> list[str]:
    n = found.first["n_rows"]
    peak, extra = (max(found.values(measure)) for measure in ("peak_bytes", "extra_bytes"))
    sizes = f"{peak / 2**20:,.0f}", f"{extra / 2**20:,.0f}", f"{extra / n:.0f}"
    return [f"{n:,}", with_deviation(found.spread("seconds"), "seconds"), _nanoseconds(found), *sizes]


def _nanoseconds(found: Repeats) -> str:
    return f"{found.mean('seconds') / found.first['n_rows'] * 1e9:,.0f}"


def _price(results: SuiteResults, name: str) -> Parts:
    reference = SUITES["price"].reference
    methods = [method for method in results.methods if method != reference]
    rows = []
    ratios: dict[str, list[list[float]]] = {method: [] for method in methods}
    for size in results.sets:
        base = results.find(size, reference)
        for method in methods:
            found = results.find(size, method)
            ratios[method].append(found.ratios(base))
            rows.append([set_label(size), *_priced(found, base, ratios[method][-1])])
    header = ["", "rows x features", "method", "s", f"{reference} s", "ratio", "ACC / NMI", f"{reference} ACC / NMI"]
    note = "Seconds: the shortest. Ratio: of times in the same repeat, median (smallest … largest)."
    label = f"time as a multiple of {reference}'s in the same repeat"
    draw = partial(figures.strips, list(map(set_label, results.sets)), ratios, label, ratio=True)
    return [Table("Price", header, rows, [note]), _phase_table(results)], [Drawing(name, "Time ratio", draw)]


def _priced(found: Repeats, base: Repeats, ratios: Sequence[float]) -> list[str]:
    if not found.runs:
        return ["", found.cell.method, *[found.missing] * 4, ""]
    run = found.first
    shape = f"{run['n_rows']:,} x {run['n_features']}, k = {run['n_classes']}"
    times = [number(min(each.values("seconds"))) if each.runs else each.missing for each in (found, base)]
    ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f})" if ratios else ""
    scores = [" / ".join(text.split(" / ")[:2]) for text in triples([found, base])]
    return [shape, found.cell.method, *times, ratio, *scores]


def _engines(results: SuiteResults, name: str) -> Parts:
    rows, panels = [], []
    for size in results.sets:
        for method in results.methods:
            found = [results.find(size, method, engine=engine) for engine in results.engines]
            base = results.find(size, method)
            rows += [[set_label(size), method, each.cell.engine, *_engine(each, base)] for each in found]
            title = f"{set_label(size)} {method}"
            panels.append(Bars({"": [each.mean("seconds") for each in found]}, title, "seconds"))
            panels.append(Bars({"": [each.peak() for each in found]}, title, "peak MB"))
    columns = ["s", "ns a row", "ratio to threads", "processor s", "peak MB, all processes", "labels"]
    drawing = Drawing(name, "Time and memory by engine", partial(figures.bars, results.engines, panels))
    return [Table("Engines", ["", "method", "engine", *columns], rows)], [drawing]


def _engine(found: Repeats, base: Repeats) -> list[str]:
    if not found.runs:
        return [found.missing, *[""] * 5]
    ratios = found.ratios(base)
    shared = [run["labels"] == base.runs[seed]["labels"] for seed, run in found.runs.items() if seed in base.runs]
    return [
        with_deviation(found.spread("seconds"), "seconds"),
        _nanoseconds(found),
        f"{statistics.median(ratios):.2f}" if ratios else "",
        with_deviation(found.spread("cpu_seconds"), "seconds"),
        f"{found.peak():,.0f}",
        "" if not shared else "the same" if all(shared) else "**different**",
    ]


def _shapes(results: SuiteResults, name: str) -> Parts:
    kinds = list(dict.fromkeys(kind for kind, _ in results.sets))
    found = {
        method: [[results.find(size, method) for size in results.sets if size[0] == kind] for kind in kinds]
        for method in results.methods
    }
    rows = []
    for kind, *line in zip(kinds, *found.values(), strict=True):
        texts = [[number(each.mean("ari"), "ari") if each.runs else each.missing for each in sizes] for sizes in line]
        rows.append([kind, *map(" / ".join, texts)])
    for title, average in (("mean", statistics.fmean), ("mean of the worst seed", min)):
        means = [
            [average(each.values("ari")) for sizes in line for each in sizes if each.runs] for line in found.values()
        ]
        rows.append([title, *(number(statistics.fmean(line), "ari") if line else "" for line in means)])
    sizes = " / ".join(f"{n:,}" for n in dict.fromkeys(n for _, n in results.sets if n))
    scores = {m: [[each.mean("ari") for each in sizes if each.runs] for sizes in line] for m, line in found.items()}
    drawing = Drawing(name, "ARI by shape, a dot a size", partial(figures.strips, kinds, scores, "ARI %", ratio=False))
    return [Table(f"ARI, percent, with {sizes} rows", ["", *results.methods], rows)], [drawing]


BUILD: dict[str, Callable[[SuiteResults, str], Parts]] = {
    **dict.fromkeys(("landmarks", "neighbors", "alpha", "selection", "nearest", "many-landmarks"), _curves),
    "paper": _compared,
    "simulation": partial(_compared, measures=("nmi", "seconds"), ranked=False),
    "ablation": _ablation,
    "phases": _phases,
    "scaling": _scaling,
    "price": _price,
    "engines": _engines,
    "files": _engines,
    "shapes": _shapes,
}
