"""Sections of the page: what was run, sizes, eigenvalues, times, and how to label new rows."""

from __future__ import annotations

import json
import os
from datetime import datetime
from itertools import pairwise

import numpy as np

from dncsc.memory import format_bytes
from dncsc.report.advice import eigengap, suggested_k
from dncsc.report.curve import curve
from dncsc.report.facts import Facts, environment
from dncsc.report.format import format_rate, format_seconds, format_share
from dncsc.report.html import PageSection, bar, definitions, escape, section, swatch, table

MODEL_FILE = "model.npz"
SIZES_A_COLUMN = 16
NAMES_SHOWN = 4
"""Names of columns in the example of code."""


def run_section(facts: Facts) -> PageSection:
    data, command, now = facts.options.data, facts.options.command, datetime.now().astimezone()
    files = [] if data is None else [data] if isinstance(data, str | os.PathLike) else data
    what = [
        ("Data", "<br>".join(f'<span class="file">{escape(name)}</span>' for name in files) or escape(facts.container)),
        ("Rows", f"{facts.n_rows:,}"),
        ("Features", f"{facts.n_features:,}"),
        ("Method", f"{escape(facts.method)}<small>{escape(facts.about)}</small>"),
        ("Seed", "none given" if facts.seed is None else escape(facts.seed)),
        ("Total time", format_seconds(facts.seconds)),
    ]
    when = f'<time datetime="{now.isoformat()}">{now:%d %B %Y, %H:%M} {escape(now.tzname())}</time>'
    where = [("Written", when), *((name, escape(value)) for name, value in environment().items())]
    typed = f"<h3>Command</h3>\n<pre><code>{escape(command)}</code></pre>" if command else ""
    body = (
        f'<div class="two">{definitions(what, "facts")}{definitions(where, "facts")}</div>\n{typed}'
        f"<h3>Parameters</h3>\n{definitions([_parameter(*each) for each in facts.parameters], 'settings')}"
    )
    return section("run", "Run", "What was run", "Everything needed to run it again.", body)


def _parameter(name: str, value: str, default: str) -> tuple[str, str]:
    kind, more = ("", "") if value == default else (' class="changed"', f" <small>default {escape(default)}</small>")
    return f"<code>{escape(name)}</code>", f"<code{kind}>{escape(value)}</code>{more}"


def sizes_section(facts: Facts) -> PageSection:
    counts = facts.moments.count
    order = np.argsort(-counts, kind="stable")
    lines = [
        (
            f"{swatch(facts.colour(cluster))}{cluster}",
            bar(counts[cluster] / max(counts.max(), 1), facts.colour(cluster)),
            f"{counts[cluster]:,}",
            format_share(counts[cluster], facts.n_rows),
        )
        for cluster in order
    ]
    n_tables = min(3, -(-len(lines) // SIZES_A_COLUMN))
    ends = [round(len(lines) * number / n_tables) for number in range(n_tables + 1)]
    heads = ["Cluster", '<span class="unseen">Size</span>', "Rows", "Share"]
    tables = [
        table(f"Clusters {first + 1} to {last} by size", heads, lines[first:last], "sizes")
        for first, last in pairwise(ends)
    ]
    lead = f"{len(counts):,} clusters, largest first. "
    if len(counts) > 1:
        lead += f"The largest has {counts.max():,} rows, the smallest {counts.min():,}."
    body = f'<div class="columns n{n_tables}">{"".join(tables)}</div>'
    return section("sizes", "Sizes", "Cluster sizes", lead, body)


def eigenvalues_section(facts: Facts) -> PageSection | None:
    """The curve; None where the method has no eigenvalues."""
    values, k = facts.eigenvalues, facts.n_clusters
    if not values:
        return None
    lead = _eigengap_sentence(facts)
    rows = [(str(number), f"{value:.6f}", "yes" if number <= k else "no") for number, value in enumerate(values, 1)]
    listed = table("Eigenvalues", ["Number", "Eigenvalue", "Used"], rows, "plain")
    body = f"<figure>{curve(values, k, lead)}</figure>\n<details><summary>Values</summary>{listed}</details>"
    intro = f"The smallest of the graph\u2019s normalised Laplacian. {lead}"
    return section("eigenvalues", "Eigenvalues", "Eigenvalues", intro, body)


def _eigengap_sentence(facts: Facts) -> str:
    values, own, other = facts.eigenvalues, eigengap(facts), suggested_k(facts)
    if not values[-1] > 0:
        return f"All {len(values)} are 0: the graph has {facts.n_components:,} connected components."
    if own is None:
        return "No more of them are known than there are clusters."
    found = f"The gap after {facts.n_clusters}, the number of clusters, is {own:.3g}. "
    if other is None:
        return f"{found}None of the others among the first {len(values)} is clearer."
    width = values[other] - values[other - 1]
    return f"{found}The one after {other} is clearer ({width:.3g}): {other} clusters may be worth a try."


def times_section(facts: Facts) -> PageSection:
    total, longest = facts.seconds, max(facts.timings.values(), default=0.0)
    lines = [
        (
            escape(phase),
            bar(seconds / longest if longest else 0),
            format_seconds(seconds),
            format_share(seconds, total),
            format_rate(seconds, facts.n_rows),
        )
        for phase, seconds in facts.timings.items()
    ]
    heads = ["Phase", '<span class="unseen">Length</span>', "Time", "Share", "A row"]
    lead = f"The fit took {format_seconds(total)}, {format_rate(total, facts.n_rows)} a row."
    if facts.peak_memory:
        lead += f" Peak memory of the process, data included: {format_bytes(facts.peak_memory)}."
    return section("times", "Time", "Time and memory", lead, table("Time of each phase", heads, lines, "times"))


def new_rows_section(facts: Facts) -> PageSection:
    """How to load the model and label new rows."""
    if not facts.can_predict:
        lead = f"{escape(facts.method)} labels the rows it was fitted to, and no others."
        body = "<p>To label new rows too, fit a method with landmarks, such as <code>DnCSC</code>.</p>"
        return section("use", "New rows", "New rows", lead, body)
    shown = [json.dumps(name, ensure_ascii=False) for name in facts.names[:NAMES_SHOWN]]
    columns = ", ".join(shown) + (", ..." if facts.n_features > NAMES_SHOWN else "")
    code = (
        f"import dncsc\n\nmodel = dncsc.load_model({json.dumps(MODEL_FILE)})\n"
        f"labels = model.predict(new_rows)  # columns: {columns}"
    )
    body = (
        f"<h3>In Python</h3>\n<pre><code>{escape(code)}</code></pre>\n<h3>On the command line</h3>\n"
        f"<pre><code>dncsc predict {MODEL_FILE} new.csv -o labels.csv</code></pre>"
    )
    return section("use", "New rows", "New rows", "The saved model labels rows that were not in the fit.", body)
