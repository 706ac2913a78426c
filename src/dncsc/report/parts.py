"""Sections of the page: what was run, sizes, eigenvalues, times, and how to go on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dncsc.report import words
from dncsc.report.curve import curve
from dncsc.report.gather import Facts
from dncsc.report.pieces import bar, pairs, section, swatch, table, text

MODEL_FILE = "model.npz"
"""What the page calls the file of the model."""

SIZES_A_COLUMN = 16
Colours = Sequence[str]
"""One value of CSS for each cluster."""


def what_was_run(facts: Facts) -> str:
    run = facts.run
    files = "<br>".join(f'<span class="file">{text(name)}</span>' for name in run.data) or text(run.kind)
    about = [
        ("Data", files),
        ("Rows", f"{facts.n_rows:,}"),
        ("Features", f"{facts.n_features:,}"),
        ("Method", f"{text(run.method)}<small>{text(run.about)}</small>"),
        ("Seed", text(run.seed) if run.seed is not None else "none given"),
        ("Total time", words.seconds(facts.seconds)),
    ]
    where = [
        (
            "Written",
            f'<time datetime="{run.when.isoformat()}">{run.when:%d %B %Y, %H:%M} {text(run.when.tzname())}</time>',
        ),
        *((text(name), text(value)) for name, value in run.versions.items()),
        *((text(name), text(value)) for name, value in run.machine.items()),
    ]
    settings = [(f"<code>{text(each.name)}</code>", _setting(each.value, each.default)) for each in run.parameters]
    command = f"<h3>Command</h3>\n<pre><code>{text(run.command)}</code></pre>" if run.command else ""
    body = (
        f'<div class="two">{pairs(about, "facts")}{pairs(where, "facts")}</div>\n{command}'
        f"<h3>Parameters</h3>\n{pairs(settings, 'settings')}"
    )
    return section("run", "What was run", "Everything needed to run it again.", body)


def _setting(value: str, default: str) -> str:
    if value == default:
        return f"<code>{text(value)}</code>"
    return f'<code class="changed">{text(value)}</code> <small>default {text(default)}</small>'


def sizes(facts: Facts, colours: Colours) -> str:
    counts = facts.moments.count
    order = np.argsort(-counts, kind="stable")
    lines = [
        (
            f"{swatch(colours[cluster])}{cluster}",
            bar(counts[cluster] / max(counts.max(), 1), colours[cluster]),
            f"{counts[cluster]:,}",
            words.share(counts[cluster], facts.n_rows),
        )
        for cluster in order
    ]
    n_tables = min(3, -(-len(lines) // SIZES_A_COLUMN))
    ends = [round(len(lines) * part / n_tables) for part in range(n_tables + 1)]
    heads = ["Cluster", '<span class="unseen">Size</span>', "Rows", "Share"]
    tables = [
        table(f"Clusters {first + 1} to {last} by size", heads, lines[first:last], "sizes")
        for first, last in pairwise(ends)
    ]
    largest, smallest = counts[order[0]], counts[order[-1]]
    lead = f"{len(counts):,} clusters, largest first. "
    lead += f"The largest has {largest:,} rows, the smallest {smallest:,}." if len(counts) > 1 else ""
    return section("sizes", "Cluster sizes", lead, f'<div class="columns n{n_tables}">{"".join(tables)}</div>')


def eigenvalues(facts: Facts) -> str:
    """The curve, where the method has one."""
    values, k = facts.eigenvalues, facts.n_clusters
    if not values:
        return ""
    own, other = words.gap(facts), words.another_k(facts)
    if own is None:
        lead = (
            f"All {len(values)} are 0: the graph falls into {facts.n_components:,} parts that nothing joins."
            if not values[-1] > 0
            else "No more of them are known than there are clusters."
        )
    else:
        lead = f"The gap behind {k}, the number of clusters, is {own:.3g}. "
        if other is None:
            lead += f"No other among the first {len(values)} stands out more."
        else:
            width = values[other] - values[other - 1]
            lead += f"A clearer one lies behind {other} ({width:.3g}): {other} clusters may be worth a look."
    rows = [(str(number), f"{value:.6f}", "yes" if number <= k else "no") for number, value in enumerate(values, 1)]
    listed = table("Eigenvalues", ["Number", "Eigenvalue", "Used"], rows, "plain")
    body = f"<figure>{curve(values, k, lead)}</figure>\n<details><summary>Values</summary>{listed}</details>"
    return section("eigenvalues", "Eigenvalues", f"Of the graph\u2019s normalised Laplacian. {lead}", body)


def times(facts: Facts) -> str:
    total, longest = facts.seconds, max(facts.timings.values(), default=0.0)
    lines = [
        (
            text(phase),
            bar(value / longest if longest else 0),
            words.seconds(value),
            words.share(value, total) if total else "0%",
            words.rate(value, facts.n_rows),
        )
        for phase, value in facts.timings.items()
    ]
    heads = ["Phase", '<span class="unseen">Length</span>', "Time", "Share", "A row"]
    lead = f"The fit took {words.seconds(total)}, {words.rate(total, facts.n_rows)} a row."
    if facts.run.peak_memory is not None:
        lead += f" The process had used {words.size(facts.run.peak_memory)} of memory at most, the data included."
    return section("times", "Time and memory", lead, table("Time of each phase", heads, lines, "times"))


def going_on(facts: Facts) -> str:
    """How to load the model and label new rows."""
    if not facts.can_predict:
        lead = f"{text(facts.run.method)} labels the rows it was fitted to, and no others."
        body = "<p>To label new rows too, fit a method with landmarks, such as <code>DnCSC</code>.</p>"
        return section("use", "New rows", lead, body)
    shown = [json.dumps(name, ensure_ascii=False) for name in facts.names[:4]]
    columns = ", ".join([*shown, *(["..."] if facts.n_features > 4 else [])])
    code = (
        f"import dncsc\n\nmodel = dncsc.load_model({json.dumps(MODEL_FILE)})\n"
        f"labels = model.predict(new_rows)  # columns: {columns}"
    )
    shell = f"dncsc predict {MODEL_FILE} new.csv -o labels.csv"
    body = (
        f"<h3>In Python</h3>\n<pre><code>{text(code)}</code></pre>\n"
        f"<h3>On the command line</h3>\n<pre><code>{text(shell)}</code></pre>"
    )
    return section("use", "New rows", "The saved model labels rows that it has never seen.", body)
