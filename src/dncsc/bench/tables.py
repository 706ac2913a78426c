"""Tables of the report; bold is the best, in parentheses stands what the paper has."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from dncsc.bench.paper import published
from dncsc.bench.summary import Group, SetSize, Spread, SuiteResults

NAMES = {"acc": "ACC, percent", "nmi": "NMI, percent", "seconds": "Time, seconds"}
BASELINE = "k-means"
"""Beside the comparison in the paper: never ranked, never bold."""
NO_RESULT, TO_COME = "N/A", "…"
SIGNS = "▲ ▼: above or below the paper's by more than two standard deviations (ours and theirs together)."


@dataclass(frozen=True)
class Table:
    """Lines of text, bold between double asterisks."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default_factory=tuple)


def number(value: float, measure: str = "seconds") -> str:
    """As many digits as mean something."""
    return f"{value:,.{_decimals(value, measure)}f}"


def _decimals(value: float, measure: str) -> int:
    if measure != "seconds" or 10 <= value < 100:
        return 1
    return 0 if value >= 100 else 2 if value >= 0.1 else 3


def with_deviation(value: Spread, measure: str) -> str:
    """Mean ± standard deviation."""
    mean = number(value.mean, measure)
    return mean if value.std is None else f"{mean} ± {value.std:,.{_decimals(value.mean, measure)}f}"


def sign(ours: Spread, theirs: Spread) -> str:
    """An arrow where two numbers differ by more than two standard deviations."""
    if ours.std is None or theirs.std is None:
        return ""
    both = (ours.std**2 + theirs.std**2) ** 0.5
    away = ours.mean - theirs.mean
    return "" if abs(away) <= 2 * both else " ▲" if away > 0 else " ▼"


def missing(group: Group | None) -> str:
    """What stands where no run gave anything."""
    return "" if group is None else NO_RESULT if group.troubles else TO_COME


def compared(results: SuiteResults, measure: str, *, ranked: bool = True) -> Table:
    """A line a set, a column a method, with mean score and mean rank as in the paper."""
    less = measure == "seconds"
    rows, averages, theirs = [], [], []
    for size in results.sets:
        groups = [results.find(size, method) for method in results.methods]
        values = [group.spread(measure) if group else None for group in groups]
        beside = BASELINE if ranked else None
        best = _best([_shown(value, measure) for value in values], results.methods, less, beside)
        rows.append([results.label(size), *_line(results.methods, size, groups, values, measure, best)])
        averages.append([value.mean if value else None for value in values])
        paper = [published(*size, method, measure) for method in results.methods]
        theirs.append([value.mean if value else None for value in paper])
    if ranked:
        rows += _averages(results.methods, averages, theirs, measure, less)
    notes = ["In parentheses: the paper's."]
    notes += ["The paper's times are of another machine and of MATLAB."] if less else [SIGNS]
    return Table(NAMES[measure], ["", *results.methods], rows, notes)


def _line(
    methods: Sequence[str],
    size: SetSize,
    groups: Sequence[Group | None],
    values: Sequence[Spread | None],
    measure: str,
    best: set[int],
) -> list[str]:
    cells = []
    for i, (method, group, value) in enumerate(zip(methods, groups, values, strict=True)):
        theirs = published(*size, method, measure)
        text = with_deviation(value, measure) if value else missing(group)
        text = f"**{text}**" if i in best else text
        if theirs:
            text += f" ({number(theirs.mean, measure)})"
            text += sign(value, theirs) if value and measure != "seconds" else ""
        cells.append(text)
    return cells


def _shown(value: Spread | None, measure: str) -> float | None:
    """A mean as far as it is shown: what reads the same is as good."""
    return round(value.mean, _decimals(value.mean, measure)) if value else None


def _best(values: Sequence[float | None], methods: Sequence[str], less: bool, beside: str | None) -> set[int]:
    """Numbers of the columns with the best value, but for a method that stands beside."""
    known = {i: value for i, value in enumerate(values) if value is not None and methods[i] != beside}
    if not known:
        return set()
    top = (min if less else max)(known.values())
    return {i for i, value in known.items() if value == top}


def ranks(values: Sequence[float | None], less: bool) -> list[float]:
    """1 for the best; equal ones share a rank, those without a value come behind all others, as in the paper."""
    known = [value for value in values if value is not None]
    found = []
    for value in values:
        if value is None:
            found.append(len(known) + 1.0)
        else:
            better = sum(other < value if less else other > value for other in known)
            found.append(better + (known.count(value) + 1) / 2)
    return found


def _averages(
    methods: Sequence[str],
    ours: Sequence[Sequence[float | None]],
    theirs: Sequence[Sequence[float | None]],
    measure: str,
    less: bool,
) -> list[list[str]]:
    """Lines with mean score and mean rank; the paper's stand beside where it has all sets that are here."""
    in_paper = all(any(value is not None for value in line) for line in theirs)
    known = any(value is not None for line in ours for value in line)
    lines = []
    for name, average, form, lowest, none in (
        ("mean", _means, partial(number, measure=measure), less, NO_RESULT),
        ("mean rank", partial(_mean_ranks, methods, less), "{:.2f}".format, True, "-"),
    ):
        values = average(ours) if known else [None] * len(methods)
        paper = average(theirs) if in_paper else [None] * len(methods)
        best = _best(values, methods, lowest, BASELINE)
        cells = []
        for i, (value, beside) in enumerate(zip(values, paper, strict=True)):
            text = none if value is None else f"**{form(value)}**" if i in best else form(value)
            cells.append(text + (f" ({form(beside)})" if beside is not None else ""))
        lines.append([name, *cells])
    return lines


def _means(lines: Sequence[Sequence[float | None]]) -> list[float | None]:
    """Of each method that has a value on every set."""
    columns = [[value for value in column if value is not None] for column in zip(*lines, strict=True)]
    return [statistics.fmean(column) if len(column) == len(lines) else None for column in columns]


def _mean_ranks(methods: Sequence[str], less: bool, lines: Sequence[Sequence[float | None]]) -> list[float | None]:
    """Of each method that has any value, but the baseline."""
    has_value = [any(value is not None for value in column) for column in zip(*lines, strict=True)]
    taking_part = [i for i, method in enumerate(methods) if method != BASELINE and has_value[i]]
    found = [ranks([line[i] for i in taking_part], less) for line in lines]
    means = {i: statistics.fmean(line[j] for line in found) for j, i in enumerate(taking_part)}
    return [means.get(i) for i in range(len(methods))]


def relative(results: SuiteResults, reference: str) -> Table:
    """Times divided by that of a method in the same repeat."""
    rows = []
    for size in results.sets:
        base = results.find(size, reference)
        cells = []
        for method in results.methods:
            group = results.find(size, method)
            found = group.ratios(base) if group else []
            cells.append(number(statistics.median(found)) if found else missing(group))
        rows.append([results.label(size), *cells])
    title = f"Time, as a multiple of {reference}'s in the same repeat (median)"
    return Table(title, ["", *results.methods], rows)


def triples(groups: Sequence[Group | None]) -> list[str]:
    """ACC / NMI / seconds of groups that compete; the best of each is bold."""
    parts: list[list[str]] = []
    for measure in ("acc", "nmi", "seconds"):
        values = [group.spread(measure) if group else None for group in groups]
        best = (
            _best([_shown(value, measure) for value in values], [""] * len(groups), measure == "seconds", None)
            if len(groups) > 1
            else set()
        )
        texts = [number(value.mean, measure) if value else "" for value in values]
        parts.append([f"**{text}**" if i in best else text for i, text in enumerate(texts)])
    joined = [" / ".join(each) for each in zip(*parts, strict=True)]
    return [text if group and group.runs else missing(group) for group, text in zip(groups, joined, strict=True)]


def matrix(
    results: SuiteResults,
    lines: Sequence[tuple[str, Callable[[SetSize, Any], Group | None]]],
    columns: Sequence[tuple[str, Any]],
) -> list[Table]:
    """For each set a table of ACC / NMI / seconds; the lines of a column compete."""
    tables = []
    for size in results.sets:
        found = [triples([find(size, column) for _, find in lines]) for _, column in columns]
        rows = [[name, *cells] for (name, _), *cells in zip(lines, *found, strict=True)]
        title = f"{results.label(size)}: ACC / NMI / seconds"
        tables.append(Table(title, ["", *(name for name, _ in columns)], rows))
    return tables
