"""Sections of the page: what was run, sizes, eigenvalues, times, and how to label new rows."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from dncsc.memory import format_bytes
from dncsc.report.advice import eigengap, suggested_k
from dncsc.report.facts import Facts, environment
from dncsc.report.format import format_rate, format_seconds, format_share
from dncsc.report.html import PageSection, bar, definitions, escape, section, swatch, table, unseen

MODEL_FILE = "model.npz"
SIZES_A_COLUMN = 16
NAMES_SHOWN = 4
"""Names of columns in the example of code."""
WIDTH, HEIGHT = 720, 300
RIGHT, TOP, BOTTOM = WIDTH - 16, 22, HEIGHT - 40
MARGIN, LETTER = 14, 15
"""Space left of the numbers on the y axis, and for each of their letters: they are large on a phone."""
LABELS = 12
"""Numbers below the curve, about."""
FEW = 60
"""Fewer points than this are large."""


def run_section(facts: Facts, data: Any, command: str | None) -> PageSection:
    model, reader, now = facts.model, facts.reader, datetime.now().astimezone()
    files = [] if data is None else [data] if isinstance(data, str | os.PathLike) else data
    about = (type(model).__doc__ or "").strip().partition("\n")[0].rstrip(".")
    what = [
        (
            "Data",
            "<br>".join(f'<span class="file">{escape(name)}</span>' for name in files) or escape(reader.container),
        ),
        ("Rows", f"{reader.n_rows:,}"),
        ("Features", f"{reader.n_features:,}"),
        ("Method", f"{type(model).__name__}<small>{escape(about)}</small>"),
        ("Seed", "none given" if facts.seed is None else escape(facts.seed)),
        ("Total time", format_seconds(facts.seconds)),
    ]
    when = f'<time datetime="{now.isoformat()}">{now:%d %B %Y, %H:%M} {escape(now.tzname())}</time>'
    where = [("Written", when), *((name, escape(value)) for name, value in environment().items())]
    parameters, defaults = [], type(model)().get_params()
    for name, value in model.get_params().items():
        changed = repr(value) != repr(defaults[name])
        kind, more = (
            (' class="changed"', f" <small>default {escape(repr(defaults[name]))}</small>") if changed else ("", "")
        )
        parameters.append((f"<code>{name}</code>", f"<code{kind}>{escape(repr(value))}</code>{more}"))
    typed = f"<h3>Command</h3>\n<pre><code>{escape(command)}</code></pre>" if command else ""
    body = (
        f'<div class="two">{definitions(what, "facts")}{definitions(where, "facts")}</div>\n{typed}'
        f"<h3>Parameters</h3>\n{definitions(parameters, 'settings')}"
    )
    return section("run", "Run", "What was run", "Everything needed to run it again.", body)


def sizes_section(facts: Facts) -> PageSection:
    counts, n_rows = facts.moments.count, facts.reader.n_rows
    n_tables = min(3, -(-len(counts) // SIZES_A_COLUMN))
    tables, last = "", 0
    for part in np.array_split(np.argsort(-counts, kind="stable"), n_tables):
        first, last, lines = last + 1, last + len(part), []
        for cluster in part:
            colour, count = facts.colour(cluster), counts[cluster]
            share = format_share(count, n_rows)
            lines.append((f"{swatch(colour)}{cluster}", bar(count / counts.max(), colour), f"{count:,}", share))
        heads = ["Cluster", unseen("Size"), "Rows", "Share"]
        tables += table(f"Clusters {first} to {last} by size", heads, lines, "sizes")
    lead = f"{len(counts):,} clusters, largest first. "
    if len(counts) > 1:
        lead += f"The largest has {counts.max():,} rows, the smallest {counts.min():,}."
    return section("sizes", "Sizes", "Cluster sizes", lead, f'<div class="columns n{n_tables}">{tables}</div>')


def eigenvalues_section(facts: Facts) -> PageSection | None:
    """The curve; None where the method has no eigenvalues."""
    values, k = facts.eigenvalues, facts.n_clusters
    if not values:
        return None
    lead, own, other = f"The gap after {k}, the number of clusters, is ", eigengap(facts), suggested_k(facts)
    if not values[-1] > 0:
        lead = f"All {len(values)} are 0: the graph has {facts.model.n_graph_components_:,} connected components."
    elif own is None:
        lead = "No more of them are known than there are clusters."
    elif other is None:
        lead += f"{own:.3g}. None of the others among the first {len(values)} is clearer."
    else:
        width = values[other] - values[other - 1]
        lead += f"{own:.3g}. The one after {other} is clearer ({width:.3g}): {other} clusters may be worth a try."
    rows = [(str(number), f"{value:.6f}", "yes" if number <= k else "no") for number, value in enumerate(values, 1)]
    listed = table("Eigenvalues", ["Number", "Eigenvalue", "Used"], rows, "plain")
    body = f"<figure>{_curve(values, k, lead)}</figure>\n<details><summary>Values</summary>{listed}</details>"
    intro = f"The smallest of the graph\u2019s normalised Laplacian. {lead}"
    return section("eigenvalues", "Eigenvalues", "Eigenvalues", intro, body)


def _curve(values: Sequence[float], k: int, described: str) -> str:
    """Eigenvalues in ascending order as SVG; those in use are filled, and the gap after the k-th is marked."""
    n, high = len(values), max(values[-1], 1e-12) * 1.06
    power = 10.0 ** np.floor(np.log10(high / 3))
    ticks = np.arange(0, high, power * max((each for each in (2, 5) if power * each <= high / 3), default=1))
    texts = [f"{tick:.3g}".replace("e-0", "e-").replace("-", "\N{MINUS SIGN}") for tick in ticks]
    left = MARGIN + LETTER * max(map(len, texts))
    x = np.linspace(left, RIGHT, n)
    y, tick_y = (BOTTOM - (BOTTOM - TOP) * np.asarray(each) / high for each in (values, ticks))
    drawn = []
    for up, text in zip(tick_y, texts, strict=True):
        drawn.append(f'<line class="grid" x1="{left}" x2="{RIGHT}" y1="{up:.1f}" y2="{up:.1f}"/>')
        drawn.append(f'<text x="{left - 10}" y="{up + 4:.1f}" text-anchor="end">{text}</text>')
    every = -(-n // LABELS)
    for number in sorted({1, k, *range(every, n + 1, every)}):
        if number == k or (abs(number - k) >= every and (number == 1 or number > every / 2 + 1)):
            kind = ' class="strong"' if number == k else ""
            drawn.append(f'<text{kind} x="{x[number - 1]:.1f}" y="{HEIGHT - 14}" text-anchor="middle">{number}</text>')
    if n > k and values[-1] > 0:
        middle, height = (x[k - 1] + x[k]) / 2, max(y[k - 1] - y[k], 1)
        text = f"gap after {k}: {values[k] - values[k - 1]:.3g}"
        anchor, place = ("end", middle - 8) if middle > WIDTH / 2 else ("start", middle + 8)
        drawn += [
            f'<rect class="gap" x="{left}" y="{y[k]:.1f}" width="{RIGHT - left}" height="{height:.1f}"/>',
            f'<line class="cut" x1="{middle:.1f}" x2="{middle:.1f}" y1="{TOP}" y2="{BOTTOM}"/>',
            f'<text class="strong" x="{place:.1f}" y="{TOP - 6}" text-anchor="{anchor}">{text}</text>',
        ]
    points = " ".join(f"{across:.1f},{up:.1f}" for across, up in zip(x, y, strict=True))
    drawn.append(f'<polyline points="{points}"/>')
    for i in range(n):
        kind, radius = "used" if i < k else "unused", 5 if n < FEW else 3
        drawn.append(f'<circle class="{kind}" cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="{radius}"/>')
    label = escape(f"Curve of {n} eigenvalues from {values[0]:.3g} to {values[-1]:.3g}. {described}")
    inner = "\n".join(drawn)
    return f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">\n{inner}\n</svg>'


def times_section(facts: Facts) -> PageSection:
    timings, total, n_rows = facts.model.timings_, facts.seconds, facts.reader.n_rows
    longest = max(timings.values(), default=0.0) or 1.0
    lines = []
    for phase, seconds in timings.items():
        share, rate = format_share(seconds, total), format_rate(seconds, n_rows)
        lines.append((escape(phase), bar(seconds / longest), format_seconds(seconds), share, rate))
    heads = ["Phase", unseen("Length"), "Time", "Share", "A row"]
    lead = f"The fit took {format_seconds(total)}, {format_rate(total, n_rows)} a row."
    if facts.peak_memory:
        lead += f" Peak memory of the process, data included: {format_bytes(facts.peak_memory)}."
    return section("times", "Time", "Time and memory", lead, table("Time of each phase", heads, lines, "times"))


def new_rows_section(facts: Facts) -> PageSection:
    """How to load the model and label new rows."""
    if not hasattr(facts.model, "predict"):
        lead = f"{type(facts.model).__name__} labels the rows it was fitted to, and no others."
        body = "<p>To label new rows too, fit a method with landmarks, such as <code>DnCSC</code>.</p>"
        return section("use", "New rows", "New rows", lead, body)
    shown = [json.dumps(name, ensure_ascii=False) for name in facts.reader.names[:NAMES_SHOWN]]
    columns = ", ".join(shown) + (", ..." if facts.reader.n_features > NAMES_SHOWN else "")
    code = (
        f"import dncsc\n\nmodel = dncsc.load_model({json.dumps(MODEL_FILE)})\n"
        f"labels = model.predict(new_rows)  # columns: {columns}"
    )
    body = (
        f"<h3>In Python</h3>\n<pre><code>{escape(code)}</code></pre>\n<h3>On the command line</h3>\n"
        f"<pre><code>dncsc predict {MODEL_FILE} new.csv -o labels.csv</code></pre>"
    )
    return section("use", "New rows", "New rows", "The saved model labels rows that were not in the fit.", body)
