"""Sections of the report, one a suite: which tables and which figures show what it found."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dncsc.bench import figures
from dncsc.bench.figures import LABELS, Panel
from dncsc.bench.results import SetSize
from dncsc.bench.suites import SUITES
from dncsc.bench.summary import Repeats, SuiteResults, set_label
from dncsc.bench.tables import MEASURES, Table, compared, number, relative, triples, with_deviation
from dncsc.errors import enumerated

LETTERS = {"n_landmarks": "p", "n_neighbors": "K", "selection_rate": "alpha"}
PHASES = {
    "survey": ("survey",),
    "select landmarks": ("select",),
    "similarity": ("nearest", "affinity"),
    "partition": ("partition",),
    "discretize": ("discretize",),
}
MEASURED = ["rows x features", "s", "shortest s", "ns a row", "ratio", "processor s", "peak MB, all processes"]
MEASURED += ["beyond the input, MB", "bytes a row", "ACC / NMI", "labels"]
MOONS_NOTE = (
    "TS-60K, TM-1M and TC-6M: the paper's generator and noise are not known; scores there show that a method works, "
    "not that it matches the paper."
)


class Drawing(NamedTuple):
    """A figure by name, drawn when its style is set."""

    name: str
    text: str
    draw: Callable[[], Any]


class Section(NamedTuple):
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
    texts = {measure: f"{MEASURES[measure].partition(',')[0]}: ours filled, the paper's hollow" for measure in measures}
    dots = [Drawing(f"{name}-{each}", text, partial(figures.dots, results, each)) for each, text in texts.items()]
    return [*tables, relative(results, SUITES[results.suite].reference)], dots


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

    def panel(measure: str, size: SetSize) -> Panel:
        points = {line: [(value, find(size, line, value).mean(measure)) for value in values] for line in lines}
        return Panel(points, set_label(size), LETTERS[axis], LABELS[measure], "y" if measure == "seconds" else "")

    tables = []
    for size in results.sets:
        columns = [triples([find(size, line, value) for line in lines]) for value in values]
        header = ["", *(f"{LETTERS[axis]} = {value}" for value in values)]
        tables.append(Table(f"{set_label(size)}: ACC / NMI / seconds", header, list(zip(lines, *columns, strict=True))))
    panels = [panel(measure, size) for measure in LABELS for size in results.sets]
    text = f"ACC, NMI and time by {enumerated([LETTERS[each] for each in (*other, axis)])}"
    return tables, [Drawing(name, text, partial(figures.lines, panels, len(results.sets)))]


def _phases(results: SuiteResults, name: str) -> Parts:
    rows, panels = [], []
    for size in results.sets:
        found = [results.find(size, method) for method in results.methods]
        for each in found:
            cells = [each.missing] * (len(PHASES) + 1)
            if each.runs:
                seconds = [each.phase(*parts) for parts in PHASES.values()]
                cells = [number(value) for value in (*seconds, each.mean("seconds"))]
            if not each.runs or each.first["phases"]:
                rows.append([set_label(size), each.cell.method, *cells])
        bars = {phase: [each.phase(*parts) for each in found] for phase, parts in PHASES.items()}
        panels.append(Panel(bars, set_label(size), "seconds"))
    table = Table("Mean seconds", ["", "", *PHASES, "all"], rows)
    return [table], [Drawing(name, "Seconds a phase", partial(figures.bars, results.methods, panels))]


def _measured(results: SuiteResults, name: str) -> Parts:
    """Everything but the paper's numbers: a line for each set, method and engine."""
    reference = SUITES[results.suite].reference
    competing = list(itertools.product(results.methods, results.engines))
    rows, panels = [], []
    for size in results.sets:
        found = [results.find(size, method, engine=engine) for method, engine in competing]
        for each, (method, engine) in zip(found, competing, strict=True):
            cells = _measures(each, results.find(size, reference), results.find(size, method))
            rows.append([set_label(size), method, engine, *cells])
        panels.append(Panel({"time": [each.mean("seconds") for each in found]}, set_label(size), "seconds"))
        panels.append(
            Panel({"memory": [max(each.values("peak"), default=np.nan) for each in found]}, set_label(size), "peak MB")
        )
    notes = [f"Ratio: to {reference} on threads, of times in the same repeat, median (smallest … largest)."]
    labels = [method if engine == "threads" else f"{method} on {engine}" for method, engine in competing]
    drawing = Drawing(name, "Time and memory", partial(figures.bars, labels, panels))
    table = Table("Time and memory", ["", "method", "engine", *MEASURED], rows, notes)
    return [table, *_phases(results, name)[0]], [drawing]


def _measures(found: Repeats, base: Repeats, on_threads: Repeats) -> list[str]:
    if not found.runs:
        return ["", found.missing, *[""] * (len(MEASURED) - 2)]
    run, ratios, extra = found.first, found.ratios(base), max(found.values("extra_bytes"))
    shared = found.runs.keys() & on_threads.runs.keys()
    same = [found.runs[seed]["labels"] == on_threads.runs[seed]["labels"] for seed in shared]
    return [
        f"{run['n_rows']:,} x {run['n_features']}, k = {run['n_classes']}",
        with_deviation(found.spread("seconds"), "seconds"),
        number(min(found.values("seconds"))),
        f"{found.mean('seconds') / run['n_rows'] * 1e9:,.0f}",
        f"{statistics.median(ratios):.2f} ({min(ratios):.2f} … {max(ratios):.2f})" if ratios else "",
        with_deviation(found.spread("cpu_seconds"), "seconds"),
        number(max(found.values("peak")), "peak"),
        f"{extra / 2**20:,.0f}",
        f"{extra / run['n_rows']:.0f}",
        " / ".join(number(found.mean(measure), measure) for measure in ("acc", "nmi")),
        "" if not same else "the same" if all(same) else "**different**",
    ]


def _scaling(results: SuiteResults, name: str) -> Parts:
    """The same, with the exponent of each method and lines instead of bars."""
    (table, phases), _ = _measured(results, name)
    notes, panels = list(table.notes), []
    for kind in dict.fromkeys(kind for kind, _ in results.sets):
        seconds, memory = Panel({}, kind, "rows", "seconds", "xy"), Panel({}, kind, "rows", "MB beyond the input", "xy")
        for method in results.methods:
            found = [results.find(size, method) for size in results.sets if size[0] == kind]
            found = [each for each in found if each.runs]
            seconds.series[method] = [(each.first["n_rows"], each.mean("seconds")) for each in found]
            memory.series[method] = [(each.first["n_rows"], each.mean("extra_bytes") / 2**20) for each in found]
            if len(found) > 1:
                n, t = np.log(seconds.series[method]).T
                notes.append(f"Time of {method} on {kind} grows as N^{np.polyfit(n, t, 1)[0]:.2f}.")
        panels += [seconds, memory]
    text = "Time and memory by the number of rows"
    return [table._replace(notes=notes), phases], [Drawing(name, text, partial(figures.lines, panels, 2))]


def _shapes(results: SuiteResults, name: str) -> Parts:
    rows, panels = [], []
    scores: dict[str, list[list[float]]] = {method: [] for method in results.methods}
    for kind in dict.fromkeys(kind for kind, _ in results.sets):
        sizes = [size for size in results.sets if size[0] == kind]
        row, panel = [kind], Panel({}, kind, "rows", "ARI %")
        for method in results.methods:
            found = [results.find(size, method) for size in sizes]
            row.append(" / ".join(number(each.mean("ari"), "ari") if each.runs else each.missing for each in found))
            panel.series[method] = [(n, each.mean("ari")) for (_, n), each in zip(sizes, found, strict=True)]
            scores[method] += [each.values("ari") for each in found if each.runs]
        rows.append(row)
        panels.append(panel)
    for title, average in (("mean", statistics.fmean), ("mean of the worst seed", min)):
        means = [statistics.fmean(map(average, each)) if each else None for each in scores.values()]
        rows.append([title, *("" if mean is None else number(mean, "ari") for mean in means)])
    sizes_text = " / ".join(f"{n:,}" for n in dict.fromkeys(n for _, n in results.sets if n))
    drawing = Drawing(name, "ARI by the number of rows", partial(figures.lines, panels, min(4, len(panels))))
    return [Table(f"ARI, percent, with {sizes_text} rows", ["", *results.methods], rows)], [drawing]


def _by_clusters(results: SuiteResults, name: str) -> Parts:
    """Time and NMI by the number of clusters, in a panel for each number of rows and features."""
    tables = [compared(results, measure, ranked=False) for measure in ("seconds", "nmi", "ari", "peak")]
    lines: dict[tuple[int, int], dict[str, list[Repeats]]] = {}
    rows = []
    for size in results.sets:
        found = [results.find(size, method) for method in results.methods]
        rows.append([set_label(size), *map(_clusters, found)])
        for each in (each for each in found if each.runs):
            shape = each.first["n_rows"], each.first["n_features"]
            lines.setdefault(shape, {}).setdefault(each.cell.method, []).append(each)
    curved = {shape for shape, line in lines.items() if max(map(len, line.values())) > 1} or lines.keys()
    panels = []
    for measure, axes in (("seconds", "xy"), ("nmi", "x")):
        for n, d in sorted(curved):
            series = {
                method: [(each.first["n_classes"], each.mean(measure)) for each in lines[n, d].get(method, [])]
                for method in results.methods
            }
            panels.append(Panel(series, f"{n:,} x {d}", "clusters", LABELS[measure], axes))
    text = "Time and NMI by the number of clusters"
    found_table = Table("Clusters found; in parentheses rows without one, percent", ["", *results.methods], rows)
    return [*tables, found_table], [Drawing(name, text, partial(figures.lines, panels, len(curved)))] if panels else []


def _clusters(found: Repeats) -> str:
    if not found.runs:
        return found.missing
    noise = found.mean("noise")
    return f"{found.mean('n_clusters'):,.0f}" + (f" ({number(noise, 'noise')})" if noise else "")


BUILD: dict[str, Callable[[SuiteResults, str], Parts]] = {
    "paper": _compared,
    "ablation": partial(_compared, ranked=False),
    **dict.fromkeys(("landmarks", "neighbors", "alpha", "selection", "nearest", "many-landmarks"), _curves),
    **dict.fromkeys(("price", "engines", "files"), _measured),
    "simulation": partial(_compared, measures=("nmi", "seconds"), ranked=False),
    "phases": _phases,
    "scaling": _scaling,
    "shapes": _shapes,
    "embeddings": _by_clusters,
}
