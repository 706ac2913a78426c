"""Tables of the report; bold is the best, in parentheses stands what the paper has."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dncsc.bench.cells import SetSize
from dncsc.bench.paper import published
from dncsc.bench.summary import NO_RESULT, Repeats, Spread, SuiteResults

MEASURES = {"acc": "ACC, percent", "nmi": "NMI, percent", "seconds": "Time, seconds"}
BASELINE = "k-means"
"""Not part of the comparison in the paper: never ranked, never bold."""
SIGNS = "▲ ▼: above or below the paper's by more than two standard deviations (ours and theirs together)."

Values = Sequence[float | None]


@dataclass(frozen=True)
class Table:
    """Lines of text, bold between double asterisks."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


def number(value: float, measure: str = "seconds") -> str:
    """As many digits as mean something."""
    return f"{value:,.{_decimals(value, measure)}f}"


def _decimals(value: float, measure: str) -> int:
    if measure != "seconds" or 10 <= value < 100:
        return 1
    return 0 if value >= 100 else 2 if value >= 0.1 else 3


def with_deviation(value: Spread | None, measure: str) -> str:
    """Mean ± standard deviation."""
    if value is None:
        return ""
    mean = number(value.mean, measure)
    return mean if value.std is None else f"{mean} ± {value.std:,.{_decimals(value.mean, measure)}f}"


def sign(ours: Spread, theirs: Spread) -> str:
    """An arrow where two numbers differ by more than two standard deviations."""
    if ours.std is None or theirs.std is None:
        return ""
    both = (ours.std**2 + theirs.std**2) ** 0.5
    away = ours.mean - theirs.mean
    return "" if abs(away) <= 2 * both else " ▲" if away > 0 else " ▼"


def bold(texts: Sequence[str], best: set[int]) -> list[str]:
    """With the best in bold."""
    return [f"**{text}**" if i in best else text for i, text in enumerate(texts)]


def compared(results: SuiteResults, measure: str, *, ranked: bool = True) -> Table:
    """A line a set, a column a method, with mean score and mean rank as in the paper."""
    less, methods = measure == "seconds", results.methods
    rows, ours, theirs = [], [], []
    for size in results.sets:
        repeats = [results.find(size, method) for method in methods]
        values = [each.spread(measure) for each in repeats]
        paper = [published(*size, method, measure) for method in methods]
        best = _best([_shown(value, measure) for value in values], methods, less, BASELINE if ranked else None)
        shown = [with_deviation(value, measure) or each.missing for value, each in zip(values, repeats, strict=True)]
        beside = [_in_paper(*both, measure) for both in zip(values, paper, strict=True)]
        rows.append([results.label(size), *map(str.__add__, bold(shown, best), beside)])
        ours.append([value.mean if value else None for value in values])
        theirs.append([value.mean if value else None for value in paper])
    if ranked:
        rows += _averages(methods, ours, theirs, measure)
    note = "The paper's times are of another machine and of MATLAB." if less else SIGNS
    return Table(MEASURES[measure], ["", *methods], rows, ["In parentheses: the paper's.", note])


def _in_paper(ours: Spread | None, theirs: Spread | None, measure: str) -> str:
    if theirs is None:
        return ""
    arrow = sign(ours, theirs) if ours and measure != "seconds" else ""
    return f" ({number(theirs.mean, measure)}){arrow}"


def _shown(value: Spread | None, measure: str) -> float | None:
    """A mean as far as it is shown: what reads the same is as good."""
    return round(value.mean, _decimals(value.mean, measure)) if value else None


def _best(values: Values, methods: Sequence[str], less: bool, baseline: str | None) -> set[int]:
    """Numbers of the columns with the best value, but for the baseline."""
    known = {i: value for i, value in enumerate(values) if value is not None and methods[i] != baseline}
    top = (min if less else max)(known.values(), default=None)
    return {i for i, value in known.items() if value == top}


def ranks(values: Values, less: bool) -> list[float]:
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
    methods: Sequence[str], ours: Sequence[Values], theirs: Sequence[Values], measure: str
) -> list[list[str]]:
    """Lines with mean score and mean rank; the paper's in parentheses where it has all sets that are here."""
    less = measure == "seconds"
    nothing: Values = [None] * len(methods)
    lines = []
    for name, average, form, lowest, none in (
        ("mean", _means, partial(number, measure=measure), less, NO_RESULT),
        ("mean rank", partial(_mean_ranks, methods, less), "{:.2f}".format, True, "-"),
    ):
        values = average(ours) if any(value is not None for line in ours for value in line) else nothing
        paper = average(theirs) if all(any(value is not None for value in line) for line in theirs) else nothing
        texts = bold([none if v is None else form(v) for v in values], _best(values, methods, lowest, BASELINE))
        beside = ["" if value is None else f" ({form(value)})" for value in paper]
        lines.append([name, *map(str.__add__, texts, beside)])
    return lines


def _means(lines: Sequence[Values]) -> Values:
    """Of each method that has a value on every set."""
    columns = [[value for value in column if value is not None] for column in zip(*lines, strict=True)]
    return [statistics.fmean(column) if len(column) == len(lines) else None for column in columns]


def _mean_ranks(methods: Sequence[str], less: bool, lines: Sequence[Values]) -> Values:
    """Of each method that has any value, but the baseline."""
    has_value = [any(value is not None for value in column) for column in zip(*lines, strict=True)]
    ranked = [i for i, method in enumerate(methods) if method != BASELINE and has_value[i]]
    found = [ranks([line[i] for i in ranked], less) for line in lines]
    means = {i: statistics.fmean(line[j] for line in found) for j, i in enumerate(ranked)}
    return [means.get(i) for i in range(len(methods))]


def relative(results: SuiteResults, reference: str) -> Table:
    """Times divided by that of a method in the same repeat."""
    rows = []
    for size in results.sets:
        base = results.find(size, reference)
        found = [results.find(size, method) for method in results.methods]
        ratios = [each.ratios(base) for each in found]
        cells = [number(statistics.median(r)) if r else each.missing for r, each in zip(ratios, found, strict=True)]
        rows.append([results.label(size), *cells])
    title = f"Time, as a multiple of {reference}'s in the same repeat (median)"
    return Table(title, ["", *results.methods], rows)


def triples(competing: Sequence[Repeats]) -> list[str]:
    """ACC / NMI / seconds of cells that compete; the best of each is bold."""
    parts: list[list[str]] = []
    for measure in MEASURES:
        values = [each.spread(measure) for each in competing]
        shown = [_shown(value, measure) for value in values]
        best = _best(shown, [""] * len(shown), measure == "seconds", None) if len(shown) > 1 else set()
        parts.append(bold([number(value.mean, measure) if value else "" for value in values], best))
    joined = [" / ".join(each) for each in zip(*parts, strict=True)]
    return [text if each.runs else each.missing for each, text in zip(competing, joined, strict=True)]


def matrix(
    results: SuiteResults,
    lines: Sequence[tuple[str, Callable[[SetSize, Any], Repeats]]],
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
