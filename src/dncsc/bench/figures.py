"""Figures of the report: a panel a set, a line, dot or bar a method, on light or dark ground."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dncsc.bench.methods import names
from dncsc.bench.paper import published
from dncsc.bench.summary import Group, SetSize, SuiteResults
from dncsc.bench.themes import Theme

try:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
except ImportError as error:
    raise ImportError("figures need matplotlib: pip install dncsc[plot]") from error

LABELS = {"acc": "ACC %", "nmi": "NMI %", "seconds": "seconds"}
PHASES = {
    "survey": ("survey",),
    "select landmarks": ("select",),
    "similarity": ("nearest", "affinity"),
    "partition": ("partition",),
    "discretize": ("discretize",),
}
MARKERS = "osD^vP*X<>hp"
PANEL = 2.7
"""inches"""


def colour_number(method: str, among: Sequence[str]) -> int:
    """A method has its colour in all figures; those from elsewhere come behind."""
    known = [*names(), *(each for each in among if each not in names())]
    return known.index(method)


def _look(method: str, results: SuiteResults, theme: Theme) -> dict[str, Any]:
    """How a method is drawn. Ablations are few, and would come behind twelve others: they get the first colours."""
    i = colour_number(method, results.methods)
    if all(each.startswith("dnc-sc") for each in results.methods):
        i = results.methods.index(method)
    thick = method == "dnc-sc"
    return {"color": theme.colour(i), "marker": MARKERS[i % len(MARKERS)], "linewidth": 2.2 if thick else 1.3}


def _panels(n_rows: int, n_columns: int, height: float = PANEL) -> tuple[Any, np.ndarray]:
    figure = Figure(figsize=(max(PANEL * n_columns, 5), height * n_rows + 0.6), dpi=110, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _logarithmic(axis: Any) -> None:
    """Plain numbers on a logarithmic axis, at 1, 2 and 5 where there is room."""
    low, high = axis.get_view_interval()
    few = low > 0 and high / low > 30
    axis.set_major_locator(LogLocator(subs=(1.0,) if few else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.12g}"))
    axis.set_minor_formatter(NullFormatter())


def _legend(figure: Any, axes: Any, n_columns: int) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), max(2, 2 * n_columns)))


def dots(results: SuiteResults, measure: str, theme: Theme) -> Any:
    """A panel a set, a line a method: ours filled with its deviation, the paper's hollow."""
    columns = min(5, len(results.sets))
    rows = -(-len(results.sets) // columns)
    figure, panels = _panels(rows, columns, 0.6 + 0.24 * len(results.methods))
    figure.set_figwidth(2.3 * columns + 0.075 * max(map(len, results.methods)))
    for i, (ax, size) in enumerate(zip(panels.flat, results.sets, strict=False)):
        for y, method in enumerate(results.methods):
            _dot(ax, results, size, method, measure, y, theme)
        ax.set_title(results.label(size))
        ax.set_yticks(range(len(results.methods)), results.methods if i % columns == 0 else [""] * len(results.methods))
        ax.set_ylim(len(results.methods) - 0.4, -0.6)
        if measure == "seconds":
            ax.set_xscale("log")
            _logarithmic(ax.xaxis)
        ax.set_xlabel(LABELS[measure])
    for ax in panels.flat[len(results.sets) :]:
        ax.set_visible(False)
    return figure


def _dot(ax: Any, results: SuiteResults, size: SetSize, method: str, measure: str, y: int, theme: Theme) -> None:
    group = results.find(size, method)
    ours = group.spread(measure) if group else None
    theirs = published(*size, method, measure)
    colour = _look(method, results, theme)["color"]
    if theirs:
        ax.plot(theirs.mean, y, "o", markerfacecolor="none", markeredgecolor=theme.ink, markersize=6.5)
    if ours:
        ax.errorbar(ours.mean, y, xerr=ours.std or 0, fmt="o", color=colour, markersize=4.5, elinewidth=1.2)


def curves(results: SuiteResults, axis: str, letter: str, theme: Theme) -> Any:
    """ACC, NMI and time below each other, a column a set, a line a method."""
    figure, panels = _panels(3, len(results.sets), 2.1)
    for column, size in zip(panels.T, results.sets, strict=True):
        for ax, (measure, label) in zip(column, LABELS.items(), strict=True):
            for method in results.methods:
                groups = [(point[axis], results.find(size, method, point)) for point in results.points]
                found = [(x, statistics.fmean(group.values(measure))) for x, group in groups if group and group.runs]
                x, y = zip(*sorted(found), strict=True) if found else ((), ())
                ax.plot(x, y, label=method, markersize=4, **_look(method, results, theme))
            ax.set_xticks(sorted({point[axis] for point in results.points}))
            if size == results.sets[0]:
                ax.set_ylabel(label)
        column[0].set_title(results.label(size))
        column[2].set_yscale("log")
        _logarithmic(column[2].yaxis)
        column[2].set_xlabel(letter)
    _legend(figure, panels[0, 0], len(results.sets))
    return figure


def maps(results: SuiteResults, neighbors: Sequence[int], rates: Sequence[int]) -> Any:
    """Shades over K and alpha, the same on any ground: ACC, NMI and time below each other, a column a set."""
    figure, panels = _panels(3, len(results.sets), 2.2)
    for column, size in zip(panels.T, results.sets, strict=True):
        for ax, (measure, label) in zip(column, LABELS.items(), strict=True):
            values = np.full((len(neighbors), len(rates)), np.nan)
            for i, k in enumerate(neighbors):
                for j, rate in enumerate(rates):
                    point = {"n_neighbors": k, "selection_rate": rate}
                    group = results.find(size, results.methods[0], point)
                    if group and group.runs:
                        values[i, j] = statistics.fmean(group.values(measure))
            ax.grid(False)
            image = ax.imshow(values, cmap="viridis", aspect="auto", origin="lower")
            low, high = image.get_clim()
            if measure != "seconds" and high - low < 2:  # what hardly differs is not to look as if it did
                image.set_clim((low + high) / 2 - 1, (low + high) / 2 + 1)
            ax.set_xticks(range(len(rates)), rates)
            ax.set_yticks(range(len(neighbors)), neighbors)
            ax.set_ylabel(f"{label}\nK" if size == results.sets[0] else "K")
            if not np.isnan(values).all():
                figure.colorbar(image, ax=ax)
        column[0].set_title(results.label(size))
        column[2].set_xlabel("alpha")
    return figure


def phases(results: SuiteResults, theme: Theme) -> Any:
    """A panel a set, a bar a method, in pieces."""
    columns = min(2, len(results.sets))
    figure, panels = _panels(-(-len(results.sets) // columns), columns, 0.9 + 0.3 * len(results.methods))
    figure.set_figwidth(4.2 * columns)
    for ax, size in zip(panels.flat, results.sets, strict=False):
        groups = [results.find(size, method) for method in results.methods]
        left = np.zeros(len(groups))
        for i, (name, parts) in enumerate(PHASES.items()):
            width = np.array([group.phase(*parts) if group and group.runs else 0.0 for group in groups])
            ax.barh(results.methods, width, left=left, height=0.65, color=theme.colour(i), label=name)
            left += width
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.set_title(results.label(size))
        ax.set_xlabel("seconds")
    for ax in panels.flat[len(results.sets) :]:
        ax.set_visible(False)
    _legend(figure, panels[0, 0], 3)
    return figure


def simulation(results: SuiteResults, theme: Theme) -> Any:
    """NMI and time by the number of blobs; the paper's dashed."""
    figure, panels = _panels(1, 2, 3)
    figure.set_figwidth(8.4)
    for ax, measure in zip(panels[0], ("nmi", "seconds"), strict=True):
        for method in results.methods:
            look = _look(method, results, theme)
            ours: list[tuple[int, float]] = []
            theirs: list[tuple[int, float]] = []
            for size in results.sets:
                blobs = int(size[0].rpartition("-")[2]) if size[0].startswith("blobs-") else len(ours)
                group, paper = results.find(size, method), published(*size, method, measure)
                ours += [(blobs, statistics.fmean(group.values(measure)))] if group and group.runs else []
                theirs += [(blobs, paper.mean)] if paper else []
            ax.plot(*zip(*ours, strict=True), label=method, **look) if ours else None
            if theirs:
                look = {**look, "linestyle": "--", "alpha": 0.7}
                ax.plot(*zip(*theirs, strict=True), markerfacecolor="none", label=f"{method}, the paper", **look)
        ax.set_ylabel(LABELS[measure])
        ax.set_xlabel("blobs")
    panels[0, 1].set_yscale("log")
    _logarithmic(panels[0, 1].yaxis)
    _legend(figure, panels[0, 0], 1)
    return figure


Exponent = Callable[[Sequence[Group]], float | None]


def scaling(results: SuiteResults, exponent: Exponent, theme: Theme) -> Any:
    """Time and memory beyond the input by the number of rows, both logarithmic."""
    figure, panels = _panels(1, 2, 3.2)
    figure.set_figwidth(8.4)
    for method in results.methods:
        found = [results.find(size, method) for size in results.sets]
        groups = [group for group in found if group and group.runs]
        if not groups:
            continue
        power = exponent(groups)
        n = [next(iter(group.runs.values()))["n_rows"] for group in groups]
        look = _look(method, results, theme)
        label = method if power is None else f"{method}, N^{power:.2f}"
        panels[0, 0].plot(n, [statistics.fmean(group.values("seconds")) for group in groups], label=label, **look)
        panels[0, 1].plot(n, [max(group.values("extra_bytes")) / 2**20 for group in groups], **look)
    for ax, label in zip(panels[0], ("seconds", "MB beyond the input"), strict=True):
        ax.set(xscale="log", yscale="log", xlabel="rows", ylabel=label)
        _logarithmic(ax.xaxis)
        _logarithmic(ax.yaxis)
    _legend(figure, panels[0, 0], 2)
    return figure


def price(results: SuiteResults, reference: str, theme: Theme) -> Any:
    """A dot a repeat and its median: time as a multiple of the reference's, a line a set."""
    figure, panels = _panels(1, 1, 1.2 + 0.32 * len(results.sets))
    figure.set_figwidth(7)
    ax = panels[0, 0]
    for method in (each for each in results.methods if each != reference):
        for y, size in enumerate(results.sets):
            group = results.find(size, method)
            found = group.ratios(results.find(size, reference)) if group else []
            if found:
                colour = _look(method, results, theme)["color"]
                label = method if y == 0 else None
                ax.plot(found, [y] * len(found), "o", color=colour, alpha=0.4, markersize=4)
                ax.plot(statistics.median(found), y, "D", color=colour, markersize=6, label=label)
    ax.axvline(1, color=theme.ink, linewidth=1)
    ax.set_xscale("log")
    _logarithmic(ax.xaxis)
    ax.set_yticks(range(len(results.sets)), [results.label(size) for size in results.sets])
    ax.set_ylim(len(results.sets) - 0.5, -0.5)
    ax.set_xlabel(f"time as a multiple of {reference}'s in the same repeat")
    return figure


def engines(results: SuiteResults, theme: Theme) -> Any:
    """Bars of time and memory by engine, a row a set."""
    figure, panels = _panels(len(results.sets), 2, 1.0 + 0.28 * len(results.engines))
    figure.set_figwidth(8.4)
    for pair, size in zip(panels, results.sets, strict=True):
        groups = [results.find(size, results.methods[0], engine=engine) for engine in results.engines]
        seconds = [statistics.fmean(group.values("seconds")) if group and group.runs else 0 for group in groups]
        peaks = [group.peak() / 2**20 if group and group.runs else 0 for group in groups]
        for ax, values, label in zip(pair, (seconds, peaks), ("seconds", "peak MB"), strict=True):
            bars = ax.barh(results.engines, values, height=0.6, color=theme.colour(0))
            ax.bar_label(bars, ["" if value else "N/A" for value in values], padding=4)
            ax.invert_yaxis()
            ax.grid(axis="y", visible=False)
            ax.set_xlabel(label)
        pair[0].set_title(results.label(size))
    return figure
