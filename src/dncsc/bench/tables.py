"""Tables of the report; bold is the best, in parentheses stands what the paper has."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from dncsc.bench.summary import NO_RESULT, Repeats, Spread, SuiteResults, published, set_label

MEASURES = {"acc": "ACC, percent", "nmi": "NMI, percent", "seconds": "Time, seconds"}
TITLES = {**MEASURES, "ari": "ARI, percent", "peak": "Peak memory, MB"}
LESS = ("seconds", "peak")
"""Measures of which less is better."""
BASELINE = "k-means"
"""Not part of the comparison in the paper: never ranked, never bold."""
SIGNS = "▲ ▼: above or below the paper's by more than two standard deviations (ours and theirs together)."


class Table(NamedTuple):
    """Lines of text, bold between double asterisks."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


def number(value: float, measure: str = "seconds") -> str:
    """As many digits as mean something."""
    return f"{value:,.{_decimals(value, measure)}f}"


def _decimals(value: float, measure: str) -> int:
    if measure == "peak":
        return 0
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


def bold(texts: Iterable[str], values: Iterable[float], less: bool) -> list[str]:
    """With those of the best value in bold; NaN never is."""
    values = np.array(values)
    best = values == (np.fmin if less else np.fmax).reduce(values)
    return [f"**{text}**" if top else text for text, top in zip(texts, best, strict=True)]


def _shown(values: Iterable[float], measure: str) -> np.ndarray:
    """Means as far as they are shown: what reads the same is as good."""
    return np.array([round(value, _decimals(value, measure)) for value in values])


def compared(results: SuiteResults, measure: str, *, ranked: bool = True) -> Table:
    """A line a set, a column a method, with mean score and mean rank as in the paper."""
    less, methods = measure in LESS, results.methods
    outside = np.array([ranked and method == BASELINE for method in methods])
    rows, ours, theirs = [], [], []
    for size in results.sets:
        repeats = [results.find(size, method) for method in methods]
        values = [each.spread(measure) for each in repeats]
        paper = [published(*size, method, measure) for method in methods]
        ours.append([each.mean(measure) for each in repeats])
        theirs.append([value.mean if value else np.nan for value in paper])
        texts = [with_deviation(value, measure) or each.missing for value, each in zip(values, repeats, strict=True)]
        texts = bold(texts, np.where(outside, np.nan, _shown(ours[-1], measure)), less)
        rows.append([set_label(size), *map(partial(_beside_paper, measure), texts, values, paper)])
    if ranked:
        rows += _averages(np.array(ours), np.array(theirs), measure, outside)
    note = "The paper's times are of another machine and of MATLAB." if less else SIGNS
    notes = [] if np.isnan(theirs).all() else ["In parentheses: the paper's.", note]
    return Table(TITLES[measure], ["", *methods], rows, notes)


def _beside_paper(measure: str, text: str, ours: Spread | None, theirs: Spread | None) -> str:
    if theirs is None:
        return text
    arrow = sign(ours, theirs) if ours and measure != "seconds" else ""
    return f"{text} ({number(theirs.mean, measure)}){arrow}"


def ranks(values: Sequence[float | None] | np.ndarray, less: bool) -> list[float]:
    """1 for the best; equal ones share a rank, those without a value come behind all others, as in the paper."""
    values = np.array(values, float)
    known = ~np.isnan(values)
    found = np.full(len(values), known.sum() + 1.0)
    found[known] = rankdata(values[known] if less else -values[known])
    return found.tolist()


def _averages(ours: np.ndarray, theirs: np.ndarray, measure: str, outside: np.ndarray) -> list[list[str]]:
    """Lines with mean score and mean rank; the paper's in parentheses where it has all sets that are here."""
    less = measure == "seconds"

    def mean_ranks(values: np.ndarray) -> np.ndarray:
        ranked = ~outside & ~np.isnan(values).all(axis=0)
        means = np.full(len(outside), np.nan)
        means[ranked] = np.mean([ranks(line[ranked], less) for line in values], axis=0)
        return means

    def line(name: str, form: Callable[[float], str], none: str, lowest: bool, *means: np.ndarray) -> list[str]:
        mine, paper = means
        texts = bold([none if np.isnan(mean) else form(mean) for mean in mine], np.where(outside, np.nan, mine), lowest)
        return [name, *map(str.__add__, texts, ["" if np.isnan(mean) else f" ({form(mean)})" for mean in paper])]

    complete = not np.isnan(theirs).all(axis=1).any()
    paper_ranks = mean_ranks(theirs) if complete else np.full(len(outside), np.nan)
    return [
        line("mean", partial(number, measure=measure), NO_RESULT, less, ours.mean(axis=0), theirs.mean(axis=0)),
        line("mean rank", "{:.2f}".format, "-", True, mean_ranks(ours), paper_ranks),
    ]


def relative(results: SuiteResults, reference: str) -> Table:
    """Times divided by that of a method in the same repeat."""
    rows = []
    for size in results.sets:
        base = results.find(size, reference)
        found = [results.find(size, method) for method in results.methods]
        ratios = [each.ratios(base) for each in found]
        cells = [number(statistics.median(r)) if r else each.missing for r, each in zip(ratios, found, strict=True)]
        rows.append([set_label(size), *cells])
    title = f"Time, as a multiple of {reference}'s in the same repeat (median)"
    return Table(title, ["", *results.methods], rows)


def triples(competing: Sequence[Repeats]) -> list[str]:
    """ACC / NMI / seconds of cells that compete; the best of each is bold."""
    parts = []
    for measure in MEASURES:
        means = [each.mean(measure) for each in competing]
        texts = ["" if np.isnan(mean) else number(mean, measure) for mean in means]
        parts.append(bold(texts, _shown(means, measure), measure == "seconds") if len(means) > 1 else texts)
    joined = [" / ".join(each) for each in zip(*parts, strict=True)]
    return [text if each.runs else each.missing for each, text in zip(competing, joined, strict=True)]
