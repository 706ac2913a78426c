"""Figures of the report: a panel a set, a line, dot or bar a method, on a light or dark background."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dncsc import plot
from dncsc.bench.cells import SetSize
from dncsc.bench.methods import names
from dncsc.bench.paper import published
from dncsc.bench.summary import Repeats, SuiteResults

try:
    from matplotlib import rc_context
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
STYLE = {
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.xmargin": 0.07,
    "axes.ymargin": 0.08,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Theme:
    """Colours of background, text and grid."""

    name: str
    background: str
    ink: str
    grid: str

    def colour(self, i: int) -> tuple[float, ...]:
        """The i-th colour, light enough for a dark background."""
        red, green, blue = plot.palette(i + 1)[i]
        if self.name == "dark":
            pale = max(0.0, 0.55 - (0.3 * red + 0.59 * green + 0.11 * blue))
            red, green, blue = (channel + pale * (1 - channel) for channel in (red, green, blue))
        return float(red), float(green), float(blue)

    def style(self) -> Any:
        """Matplotlib's settings, for a `with`."""
        ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
        background = ("figure.facecolor", "axes.facecolor", "savefig.facecolor")
        colours = {**dict.fromkeys(ink, self.ink), **dict.fromkeys(background, self.background)}
        return rc_context({**STYLE, **colours, "grid.color": self.grid})


THEMES = (Theme("light", "#ffffff", "#1f2937", "#e5e7eb"), Theme("dark", "#14181f", "#d7dce4", "#2b323d"))


def _look(method: str, results: SuiteResults, theme: Theme) -> dict[str, Any]:
    """How a method is drawn: the same in all figures; methods that are not the package's come last.

    Ablations are few and would come after twelve others: they get the first colours.
    """
    known = [*names(), *(each for each in results.methods if each not in names())]
    ablation = all(each.startswith("dnc-sc") for each in results.methods)
    i = (results.methods if ablation else known).index(method)
    thick = method == "dnc-sc"
    return {"color": theme.colour(i), "marker": MARKERS[i % len(MARKERS)], "linewidth": 2.2 if thick else 1.3}


def _panels(n_rows: int, n_columns: int, height: float, width: float | None = None) -> tuple[Any, np.ndarray]:
    size = (width or max(PANEL * n_columns, 5), height * n_rows + 0.6)
    figure = Figure(figsize=size, dpi=110, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def _in_rows(results: SuiteResults, most: int, height: float, width: float) -> tuple[Any, list[tuple[Any, SetSize]]]:
    """A panel a set, some to a row; panels that are left over are hidden."""
    columns = min(most, len(results.sets))
    figure, panels = _panels(-(-len(results.sets) // columns), columns, height, width * columns)
    for ax in panels.flat[len(results.sets) :]:
        ax.set_visible(False)
    pairs = list(zip(panels.flat, results.sets, strict=False))
    for ax, size in pairs:
        ax.set_title(results.label(size))
    return figure, pairs


def _logarithmic(ax: Any, *names: str) -> None:
    """Plain numbers on a logarithmic axis, at 1, 2 and 5 where there is room."""
    ax.set(**{f"{name}scale": "log" for name in names})
    for axis in (getattr(ax, f"{name}axis") for name in names):
        low, high = axis.get_view_interval()
        few = low > 0 and high / low > 30
        axis.set_major_locator(LogLocator(subs=(1.0,) if few else (1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.12g}"))
        axis.set_minor_formatter(NullFormatter())


def _legend(figure: Any, axes: Any, n_columns: int) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), max(2, 2 * n_columns)))


def _line(ax: Any, points: Iterable[tuple[float, float]], **look: Any) -> None:
    """Through the points that are known."""
    known = sorted((x, y) for x, y in points if not np.isnan(y))
    ax.plot([x for x, _ in known], [y for _, y in known], **look)


def _lines_of(ax: Any, labels: Sequence[str]) -> None:
    """A line of the panel a label, the first on top."""
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.4, -0.6)


def dots(results: SuiteResults, measure: str, theme: Theme) -> Any:
    """A panel a set, a line a method: ours filled with its deviation, the paper's hollow."""
    names_width = 0.075 * max(map(len, results.methods))
    columns = min(5, len(results.sets))
    figure, panels = _in_rows(results, columns, 0.6 + 0.24 * len(results.methods), 2.3 + names_width / columns)
    for i, (ax, size) in enumerate(panels):
        for y, method in enumerate(results.methods):
            ours, theirs = results.find(size, method).spread(measure), published(*size, method, measure)
            if theirs:
                ax.plot(theirs.mean, y, "o", markerfacecolor="none", markeredgecolor=theme.ink, markersize=6.5)
            if ours:
                look = {"color": _look(method, results, theme)["color"], "markersize": 4.5, "elinewidth": 1.2}
                ax.errorbar(ours.mean, y, xerr=ours.std or 0, fmt="o", **look)
        _lines_of(ax, results.methods if i % columns == 0 else [""] * len(results.methods))
        if measure == "seconds":
            _logarithmic(ax, "x")
        ax.set_xlabel(LABELS[measure])
    return figure


def _columns(results: SuiteResults, height: float) -> tuple[Any, list[tuple[Any, SetSize, str]]]:
    """ACC, NMI and time below each other, a column a set."""
    figure, panels = _panels(3, len(results.sets), height)
    for ax, size in zip(panels[0], results.sets, strict=True):
        ax.set_title(results.label(size))
    each = [(panels[i, j], size, name) for j, size in enumerate(results.sets) for i, name in enumerate(LABELS)]
    return figure, each


def curves(results: SuiteResults, axis: str, letter: str, theme: Theme) -> Any:
    """ACC, NMI and time below each other, a column a set, a line a method."""
    figure, panels = _columns(results, 2.1)
    for ax, size, measure in panels:
        for method in results.methods:
            points = [(point[axis], results.find(size, method, point).mean(measure)) for point in results.points]
            _line(ax, points, label=method, markersize=4, **_look(method, results, theme))
        ax.set_xticks(sorted({point[axis] for point in results.points}))
        if size == results.sets[0]:
            ax.set_ylabel(LABELS[measure])
        if measure == "seconds":
            _logarithmic(ax, "y")
            ax.set_xlabel(letter)
    _legend(figure, panels[0][0], len(results.sets))
    return figure


def maps(results: SuiteResults, neighbors: Sequence[int], rates: Sequence[int]) -> Any:
    """Shades over K and alpha, the same on any background: ACC, NMI and time below each other, a column a set."""
    figure, panels = _columns(results, 2.2)
    for ax, size, measure in panels:
        points = [[{"n_neighbors": k, "selection_rate": rate} for rate in rates] for k in neighbors]
        means = [[results.find(size, results.methods[0], point).mean(measure) for point in line] for line in points]
        ax.grid(False)
        image = ax.imshow(np.array(means), cmap="viridis", aspect="auto", origin="lower")
        low, high = image.get_clim()
        if measure != "seconds" and high - low < 2:  # what hardly differs is not to look as if it did
            image.set_clim((low + high) / 2 - 1, (low + high) / 2 + 1)
        ax.set_xticks(range(len(rates)), rates)
        ax.set_yticks(range(len(neighbors)), neighbors)
        ax.set_ylabel(f"{LABELS[measure]}\nK" if size == results.sets[0] else "K")
        if not np.isnan(means).all():
            figure.colorbar(image, ax=ax)
        if measure == "seconds":
            ax.set_xlabel("alpha")
    return figure


def phases(results: SuiteResults, theme: Theme) -> Any:
    """A panel a set, a bar a method, divided into phases."""
    figure, panels = _in_rows(results, 2, 0.9 + 0.3 * len(results.methods), 4.2)
    for ax, size in panels:
        found = [results.find(size, method) for method in results.methods]
        left = np.zeros(len(found))
        for i, (name, parts) in enumerate(PHASES.items()):
            width = np.array([each.phase(*parts) if each.runs else 0.0 for each in found])
            ax.barh(results.methods, width, left=left, height=0.65, color=theme.colour(i), label=name)
            left += width
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("seconds")
    _legend(figure, panels[0][0], 3)
    return figure


def simulation(results: SuiteResults, theme: Theme) -> Any:
    """NMI and time by the number of blobs; the paper's dashed."""
    figure, panels = _panels(1, 2, 3, 8.4)
    blobs = [int(size[0].rpartition("-")[2]) if "blobs-" in size[0] else i for i, size in enumerate(results.sets)]
    for ax, measure in zip(panels[0], ("nmi", "seconds"), strict=True):
        for method in results.methods:
            look = _look(method, results, theme)
            means = [results.find(size, method).mean(measure) for size in results.sets]
            _line(ax, zip(blobs, means, strict=True), label=method, **look)
            paper = [published(*size, method, measure) for size in results.sets]
            known = [(x, each.mean) for x, each in zip(blobs, paper, strict=True) if each]
            if known:
                look |= {"linestyle": "--", "alpha": 0.7, "markerfacecolor": "none"}
                _line(ax, known, label=f"{method}, the paper", **look)
        ax.set_ylabel(LABELS[measure])
        ax.set_xlabel("blobs")
    _logarithmic(panels[0, 1], "y")
    _legend(figure, panels[0, 0], 1)
    return figure


def scaling(results: SuiteResults, exponent: Callable[[Sequence[Repeats]], float | None], theme: Theme) -> Any:
    """Time and memory beyond the input by the number of rows, both logarithmic."""
    figure, panels = _panels(1, 2, 3.2, 8.4)
    for method in results.methods:
        found = [each for each in (results.find(size, method) for size in results.sets) if each.runs]
        power = exponent(found)
        look = _look(method, results, theme)
        label = method if power is None else f"{method}, N^{power:.2f}"
        _line(panels[0, 0], [(each.first["n_rows"], each.mean("seconds")) for each in found], label=label, **look)
        memory = [(each.first["n_rows"], max(each.values("extra_bytes")) / 2**20) for each in found]
        _line(panels[0, 1], memory, **look)
    for ax, label in zip(panels[0], ("seconds", "MB beyond the input"), strict=True):
        ax.set(xlabel="rows", ylabel=label)
        _logarithmic(ax, "x", "y")
    _legend(figure, panels[0, 0], 2)
    return figure


def price(results: SuiteResults, reference: str, theme: Theme) -> Any:
    """A dot a repeat and its median: time as a multiple of the reference's, a line a set."""
    figure, panels = _panels(1, 1, 1.2 + 0.32 * len(results.sets), 7)
    ax = panels[0, 0]
    for method in (each for each in results.methods if each != reference):
        for y, size in enumerate(results.sets):
            found = results.find(size, method).ratios(results.find(size, reference))
            if found:
                colour = _look(method, results, theme)["color"]
                ax.plot(found, [y] * len(found), "o", color=colour, alpha=0.4, markersize=4)
                ax.plot(statistics.median(found), y, "D", color=colour, markersize=6)
    ax.axvline(1, color=theme.ink, linewidth=1)
    _logarithmic(ax, "x")
    _lines_of(ax, [results.label(size) for size in results.sets])
    ax.set_xlabel(f"time as a multiple of {reference}'s in the same repeat")
    return figure


def engines(results: SuiteResults, theme: Theme) -> Any:
    """Bars of time and memory by engine, a row a set."""
    figure, panels = _panels(len(results.sets), 2, 1.0 + 0.28 * len(results.engines), 8.4)
    for pair, size in zip(panels, results.sets, strict=True):
        found = [results.find(size, results.methods[0], engine=engine) for engine in results.engines]
        seconds = [each.mean("seconds") if each.runs else 0 for each in found]
        peaks = [each.peak() / 2**20 if each.runs else 0 for each in found]
        for ax, values, label in zip(pair, (seconds, peaks), ("seconds", "peak MB"), strict=True):
            bars = ax.barh(results.engines, values, height=0.6, color=theme.colour(0))
            ax.bar_label(bars, ["" if value else "N/A" for value in values], padding=4)
            ax.invert_yaxis()
            ax.grid(axis="y", visible=False)
            ax.set_xlabel(label)
        pair[0].set_title(results.label(size))
    return figure


def shapes(results: SuiteResults, theme: Theme) -> Any:
    """ARI, a line a shape, a dot a method and size."""
    kinds = list(dict.fromkeys(kind for kind, _ in results.sets))
    figure, panels = _panels(1, 1, 1.0 + 0.26 * len(kinds), 7)
    for i, method in enumerate(results.methods):
        look = {**_look(method, results, theme), "linestyle": "none", "markersize": 5, "alpha": 0.7}
        means = [results.find(size, method).mean("ari") for size in results.sets]
        shift = 0.5 * (i - (len(results.methods) - 1) / 2) / len(results.methods)
        panels[0, 0].plot(means, [kinds.index(kind) + shift for kind, _ in results.sets], label=method, **look)
    _lines_of(panels[0, 0], kinds)
    panels[0, 0].set_xlabel("ARI %")
    _legend(figure, panels[0, 0], 2)
    return figure
