"""Sections of the report, one a suite: which tables and which figures show what it found."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dncsc.bench import figures
from dncsc.bench.cells import SetSize
from dncsc.bench.paper import published
from dncsc.bench.suites import SUITES
from dncsc.bench.summary import Repeats, SuiteResults
from dncsc.bench.tables import MEASURES, Table, compared, matrix, number, relative, triples, with_deviation

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
    draw: Callable[[figures.Theme], Any]


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
    if suite.name == "paper" and any(size == (each, None) for size in results.sets for each in ("ts-60k", "tm-1m")):
        notes.append(MOONS_NOTE)
    return Section(name, suite.title, notes, tables, drawings)


Parts = tuple[list[Table], list[Drawing]]


def _compared(results: SuiteResults, name: str) -> Parts:
    tables = [compared(results, measure) for measure in MEASURES]
    return [*tables, relative(results, SUITES[results.suite].reference)], _dots(results, name)


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

    def line(method: str) -> Callable[[SetSize, dict[str, Any]], Repeats]:
        return lambda size, point: results.find(size, method, point)

    text = f"ACC, NMI and time by {LETTERS[axis]}"
    drawing = Drawing(name, text, partial(figures.curves, results, axis, LETTERS[axis]))
    return matrix(results, [(method, line(method)) for method in results.methods], columns), [drawing]


def _alpha(results: SuiteResults, name: str) -> Parts:
    rates = sorted({point["selection_rate"] for point in results.points})
    neighbors = sorted({point["n_neighbors"] for point in results.points})

    def line(k: int) -> Callable[[SetSize, int], Repeats]:
        return lambda size, rate: results.find(size, results.methods[0], {"n_neighbors": k, "selection_rate": rate})

    tables = matrix(results, [(f"K = {k}", line(k)) for k in neighbors], [(f"alpha = {rate}", rate) for rate in rates])
    drawing = Drawing(name, "ACC, NMI and time by K and alpha", lambda theme: figures.maps(results, neighbors, rates))
    return tables, [drawing]


def _phase_table(results: SuiteResults) -> Table:
    rows = []
    for size in results.sets:
        for method in results.methods:
            found = results.find(size, method)
            cells = [found.missing] * (len(figures.PHASES) + 1)
            if found.runs and not found.first["phases"]:
                continue
            if found.runs:
                seconds = [found.phase(*parts) for parts in figures.PHASES.values()]
                cells = [number(each) for each in (*seconds, found.mean("seconds"))]
            rows.append([results.label(size), method, *cells])
    return Table("Mean seconds", ["", "", *figures.PHASES, "all"], rows)


def _phases(results: SuiteResults, name: str) -> Parts:
    return [_phase_table(results)], [Drawing(name, "Seconds a phase", partial(figures.phases, results))]


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
    theirs = {measure: published(*size, method, measure) for measure in MEASURES}
    known = [number(value.mean, measure) for measure, value in theirs.items() if value]
    return f" ({' / '.join(known)})" if known else ""


def exponent(sizes: Sequence[Repeats]) -> float | None:
    """How time grows: the b of N^b, fitted to the means of several sizes."""
    points = [(each["n_rows"], each["seconds"]) for repeats in sizes for each in repeats.runs.values()]
    rows = sorted({n for n, _ in points})
    if len(rows) < 2:
        return None
    means = [statistics.fmean(seconds for n, seconds in points if n == size) for size in rows]
    return float(np.polyfit(np.log(rows), np.log(means), 1)[0])


def _scaling(results: SuiteResults, name: str) -> Parts:
    tables = []
    for kind in dict.fromkeys(size[0] for size in results.sets):
        for method in results.methods:
            all_sizes = [results.find(size, method) for size in results.sets if size[0] == kind]
            found = [each for each in all_sizes if each.runs]
            power = exponent(found)
            notes = [f"Time grows as N^{power:.2f}." if power is not None else "Too few sizes to fit an exponent."]
            header = ["rows", "s", "ns a row", "peak MB", "beyond the input, MB", "bytes a row"]
            tables.append(Table(f"{kind}, {method}", header, [_scaled(each) for each in found], notes))
    drawing = Drawing(name, "Time and memory by the number of rows", partial(figures.scaling, results, exponent))
    return tables, [drawing]


def _scaled(found: Repeats) -> list[str]:
    n = found.first["n_rows"]
    peak, extra = (max(found.values(measure)) for measure in ("peak_bytes", "extra_bytes"))
    sizes = f"{peak / 2**20:,.0f}", f"{extra / 2**20:,.0f}", f"{extra / n:.0f}"
    return [f"{n:,}", with_deviation(found.spread("seconds"), "seconds"), _nanoseconds(found), *sizes]


def _nanoseconds(found: Repeats) -> str:
    return f"{found.mean('seconds') / found.first['n_rows'] * 1e9:,.0f}"


def _price(results: SuiteResults, name: str) -> Parts:
    reference = SUITES["price"].reference
    rows = [
        [results.label(size), *_priced(results.find(size, method), results.find(size, reference))]
        for size in results.sets
        for method in results.methods
        if method != reference
    ]
    header = ["", "rows x features", "method", "s", f"{reference} s", "ratio", "ACC / NMI", f"{reference} ACC / NMI"]
    note = "Seconds: the shortest. Ratio: of times in the same repeat, median (smallest … largest)."
    drawing = Drawing(name, "Time ratio", partial(figures.price, results, reference))
    return [Table("Price", header, rows, [note]), _phase_table(results)], [drawing]


def _priced(found: Repeats, base: Repeats) -> list[str]:
    if not found.runs:
        return ["", found.cell.method, *[found.missing] * 4, ""]
    run, ratios = found.first, found.ratios(base)
    shape = f"{run['n_rows']:,} x {run['n_features']}, k = {run['n_classes']}"
    times = [number(min(each.values("seconds"))) if each.runs else each.missing for each in (found, base)]
    ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f})" if ratios else ""
    scores = [" / ".join(text.split(" / ")[:2]) for text in triples([found, base])]
    return [shape, found.cell.method, *times, ratio, *scores]


def _engines(results: SuiteResults, name: str) -> Parts:
    rows = [
        [results.label(size), method, engine, *_engine(results.find(size, method, engine=engine), base)]
        for size in results.sets
        for method in results.methods
        for base in [results.find(size, method)]
        for engine in results.engines
    ]
    columns = ["s", "ns a row", "ratio to threads", "processor s", "peak MB, all processes", "labels"]
    drawing = Drawing(name, "Time and memory by engine", partial(figures.engines, results))
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
        f"{found.peak() / 2**20:,.0f}",
        "" if not shared else "the same" if all(shared) else "**different**",
    ]


def _shapes(results: SuiteResults, name: str) -> Parts:
    rows = []
    kinds = list(dict.fromkeys(kind for kind, _ in results.sets))
    for kind in kinds:
        found = [[results.find(size, method) for size in results.sets if size[0] == kind] for method in results.methods]
        texts = [[number(each.mean("ari"), "ari") if each.runs else each.missing for each in line] for line in found]
        rows.append([kind, *(" / ".join(line) for line in texts)])
    scores = [[results.find(size, method).values("ari") for size in results.sets] for method in results.methods]
    for title, average in (("mean", statistics.fmean), ("mean of the worst seed", min)):
        means = [[average(each) for each in line if each] for line in scores]
        rows.append([title, *(number(statistics.fmean(line), "ari") if line else "" for line in means)])
    sizes = " / ".join(f"{n:,}" for n in dict.fromkeys(n for _, n in results.sets if n))
    drawing = Drawing(name, "ARI by shape, a dot a size", partial(figures.shapes, results))
    return [Table(f"ARI, percent, with {sizes} rows", ["", *results.methods], rows)], [drawing]


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
    "many-landmarks": _curves,
    "price": _price,
    "engines": _engines,
    "files": _engines,
    "shapes": _shapes,
}
