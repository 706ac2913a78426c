"""Figures of the report, in the colours of the style that is set: dots, lines and bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dncsc import plot
from dncsc.bench.methods import names
from dncsc.bench.summary import SuiteResults, published, set_label

try:
    from cycler import cycler
    from matplotlib import rc_context, rcParams
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
except ImportError as error:
    raise ImportError('figures need matplotlib: pip install "dncsc[plot]"') from error

LABELS = {"acc": "ACC %", "nmi": "NMI %", "seconds": "seconds"}
MARKERS = "osD^vP*X<>hp"
COLOURS = plot.palette(36)


def _style(background: str, ink: str, grid: str, colours: np.ndarray) -> dict[str, Any]:
    inked = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(inked, ink),
        **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), background),
        "grid.color": grid,
        "axes.prop_cycle": cycler(color=colours.tolist()),
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


_PALE = np.maximum(0.0, 0.55 - COLOURS @ [0.3, 0.59, 0.11])[:, None]
"""How much white a colour needs on a dark background."""
STYLES = {
    "light": _style("#ffffff", "#1f2937", "#e5e7eb", COLOURS),
    "dark": _style("#14181f", "#d7dce4", "#2b323d", COLOURS + _PALE * (1 - COLOURS)),
}
"""Matplotlib's settings for each background."""


def save(draw: Callable[[], Any], folder: Path, name: str) -> None:
    """Draw a figure on each background."""
    for background, style in STYLES.items():
        with rc_context(style):
            draw().savefig(folder / f"{name}-{background}.png", metadata={"Software": None})


def _looks(methods: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How methods are drawn: the same in all figures; those that are not the package's come last."""
    known = list(dict.fromkeys([*names(), *methods]))
    looks = {method: {"color": f"C{i}", "marker": MARKERS[i % len(MARKERS)]} for i, method in enumerate(known)}
    return {method: {**looks[method], "linewidth": 2.2 if method == "dnc-sc" else 1.3} for method in methods}


def _panels(n: int, columns: int, width: float, height: float) -> tuple[Any, Any]:
    """A figure and its n panels, which are so many inches wide and high."""
    rows = -(-n // columns)
    figure = Figure(figsize=(width * columns, height * rows + 0.6), dpi=110, layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in panels[n:]:
        ax.set_visible(False)
    return figure, panels[:n]


def _logarithmic(ax: Any, names: str) -> None:
    """Plain numbers on logarithmic axes, at 1, 2 and 5 where there is room."""
    ax.set(**{f"{name}scale": "log" for name in names})
    for axis in (getattr(ax, f"{name}axis") for name in names):
        low, high = axis.get_view_interval()
        few = low > 0 and high / low > 30
        axis.set_major_locator(LogLocator(subs=(1.0,) if few else (1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.12g}"))
        axis.set_minor_formatter(NullFormatter())


def _legend(figure: Any, ax: Any, most: int) -> None:
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), most))


def dots(results: SuiteResults, measure: str) -> Any:
    """A panel a set, a line a method: ours filled with its deviation, the paper's hollow."""
    methods, looks = results.methods, _looks(results.methods)
    columns = min(5, len(results.sets))
    width = 2.3 + 0.075 * max(map(len, methods)) / columns
    figure, panels = _panels(len(results.sets), columns, width, 0.6 + 0.24 * len(methods))
    for i, (ax, size) in enumerate(zip(panels, results.sets, strict=True)):
        ax.set_title(set_label(size))
        for y, method in enumerate(methods):
            ours, theirs = results.find(size, method).spread(measure), published(*size, method, measure)
            if theirs:
                hollow = {"markerfacecolor": "none", "markeredgecolor": rcParams["text.color"]}
                ax.plot(theirs.mean, y, "o", markersize=6.5, **hollow)
            if ours:
                look = {"color": looks[method]["color"], "markersize": 4.5, "elinewidth": 1.2}
                ax.errorbar(ours.mean, y, xerr=ours.std or 0, fmt="o", **look)
        ax.set_yticks(range(len(methods)), [""] * len(methods) if i % columns else methods)
        ax.set_ylim(len(methods) - 0.4, -0.6)
        if measure == "seconds":
            _logarithmic(ax, "x")
        ax.set_xlabel(LABELS[measure])
    return figure


class Panel(NamedTuple):
    """What a panel shows by name, its titles, and which of its axes are logarithmic."""

    series: dict[str, Any]
    title: str
    xlabel: str
    ylabel: str = ""
    logarithmic: str = ""


def lines(content: Sequence[Panel], columns: int) -> Any:
    """Lines through points (x, y); those with an unknown y are left out."""
    figure, panels = _panels(len(content), columns, max(2.7, 8.4 / columns), 2.4)
    for ax, panel in zip(panels, content, strict=True):
        ax.set(title=panel.title, xlabel=panel.xlabel, ylabel=panel.ylabel)
        for name, look in _looks(panel.series).items():
            known = np.array(sorted((x, y) for x, y in panel.series[name] if not np.isnan(y))).reshape(-1, 2)
            ax.plot(*known.T, label=name, markersize=4, **look)
        if "x" not in panel.logarithmic:
            ax.set_xticks(sorted({x for points in panel.series.values() for x, _ in points}))
        _logarithmic(ax, panel.logarithmic)
    _legend(figure, panels[0], 2 * columns)
    return figure


def bars(labels: Sequence[str], content: Sequence[Panel]) -> Any:
    """A bar a label, divided into the lengths that the series have there; NaN where there is no result."""
    figure, panels = _panels(len(content), 2, 4.2, 0.9 + 0.3 * len(labels))
    for ax, panel in zip(panels, content, strict=True):
        left = np.zeros(len(labels))
        for name, lengths in panel.series.items():
            ax.barh(labels, np.nan_to_num(lengths), left=left, height=0.65, label=name)
            left += np.nan_to_num(lengths)
        for i in np.flatnonzero(left == 0):
            ax.text(0, i, " N/A", va="center")
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.set(title=panel.title, xlabel=panel.xlabel)
    _legend(figure, panels[0], 6)
    return figure
