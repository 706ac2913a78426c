"""Sections of the page: what was run, sizes, eigenvalues, the map, times, and how to label new rows."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from dncsc.engines.frame import COSINE
from dncsc.errors import visible
from dncsc.memory import format_bytes
from dncsc.report.advice import eigengap, suggested_k
from dncsc.report.facts import Facts, environment
from dncsc.report.format import format_seconds, format_share
from dncsc.report.html import bar, definitions, escape, fill, section, table, unseen
from dncsc.rows.dialect import MARKS_FOR_MISSING
from dncsc.rows.formats import format_of
from dncsc.tables.encoding import CategoryColumn, Encoding

SIZES_A_COLUMN = 16
NAMES_SHOWN = 4
"""Names of columns in the example of code."""
UNKNOWN_GAPS = ("N.A.", "n.a.", *MARKS_FOR_MISSING)
"""Cells without a value in text files that pandas takes for values."""
MAPS = {"principal": "Principal components", "embedding": "Spectral embedding", "pairs": "Two features"}
WIDTH, HEIGHT = 720, 300
RIGHT, TOP, BOTTOM = WIDTH - 16, 22, HEIGHT - 40


def run_section(facts: Facts, data: Any, command: str | None) -> str:
    model, reader, now = facts.model, facts.reader, datetime.now().astimezone()
    files = [] if data is None else [data] if isinstance(data, str | os.PathLike) else data
    about = (type(model).__doc__ or "").strip().partition("\n")[0].rstrip(".")
    listed = "<br>".join(f'<span class="file">{escape(name)}</span>' for name in files)
    n_columns = reader.n_features if reader.encoding is None else len(reader.encoding.columns)
    columns = "" if n_columns == reader.n_features else f"<small>from {n_columns:,} columns of the table</small>"
    what = [
        ("Data", listed or escape(reader.container)),
        ("Rows", f"{reader.n_rows:,}"),
        ("Features", f"{reader.n_features:,}{columns}"),
        ("Method", f"{type(model).__name__}<small>{escape(about)}</small>"),
        ("Metric", model.metric + ("<small>rows are scaled to length 1</small>" if reader.metric == COSINE else "")),
        ("Seed", "none given" if facts.seed is None else escape(facts.seed)),
        ("Total time", format_seconds(facts.seconds)),
    ]
    when = f'<time datetime="{now.isoformat()}">{now:%d %B %Y, %H:%M} {escape(now.tzname())}</time>'
    where = [("Written", when), *((name, escape(value)) for name, value in environment().items())]
    parameters, defaults = [], type(model)().get_params()
    for name, value in model.get_params().items():
        given, default, kind, more = repr(value), repr(defaults[name]), "", ""
        if given != default:
            kind, more = ' class="changed"', f" <small>default {escape(default)}</small>"
        parameters.append((f"<code>{name}</code>", f"<code{kind}>{escape(given)}</code>{more}"))
    words = " ".join(f"<span>{escape(word)}</span>" for word in (command or "").split(" "))
    typed = f'<h3>Command</h3>\n<pre><code class="command">{words}</code></pre>' if command else ""
    body = (
        f'<div class="two">{definitions(what, "facts")}{definitions(where, "facts")}</div>\n{typed}'
        f"<h3>Parameters</h3>\n{definitions(parameters, 'settings')}"
    )
    return section("Run", "What was run", "Everything needed to run it again.", body)


def sizes_section(facts: Facts) -> str:
    counts, n_rows = facts.moments.count, facts.reader.n_rows
    n_tables = min(3, -(-len(counts) // SIZES_A_COLUMN))
    tables, last = "", 0
    for part in np.array_split(np.argsort(-counts, kind="stable"), n_tables):
        first, last, lines = last + 1, last + len(part), []
        for cluster in part:
            count, name = counts[cluster], f"{facts.swatch(cluster)}{cluster}"
            filled = bar(count / counts.max(), facts.colour(cluster))
            lines.append((name, filled, f"{count:,}", format_share(count, n_rows)))
        heads = ["Cluster", unseen("Size"), "Rows", "Share"]
        tables += table(f"Clusters {first} to {last} by size", heads, lines, "sizes")
    lead = f"{len(counts):,} clusters, largest first. "
    if len(counts) > 1:
        lead += f"The largest has {counts.max():,} rows, the smallest {counts.min():,}."
    if facts.n_noise:
        lead += f" {facts.n_noise:,} rows ({format_share(facts.n_noise, n_rows)}) lie apart from all others: noise."
    return section("Sizes", "Cluster sizes", lead, f'<div class="columns n{n_tables}">{tables}</div>')


def eigenvalues_section(facts: Facts) -> str:
    """The curve; nothing where the method has no eigenvalues."""
    values, k = facts.eigenvalues, facts.n_clusters
    if not values:
        return ""
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
    return section("Eigenvalues", "Eigenvalues", intro, body)


def _curve(values: Sequence[float], k: int, described: str) -> str:
    """Eigenvalues in ascending order as SVG; those in use are filled, and the gap after the k-th is marked."""
    n, k, high = len(values), min(k, len(values)), max(values[-1], 1e-12) * 1.06
    power = 10.0 ** np.floor(np.log10(high / 3))
    ticks = np.arange(0, high, power * max((each for each in (2, 5) if power * each <= high / 3), default=1))
    texts = [f"{tick:.3g}".replace("e-0", "e-").replace("-", "\N{MINUS SIGN}") for tick in ticks]
    left = 14 + 15 * max(map(len, texts))  # space for the texts, whose letters are large on a phone
    x = np.linspace(left, RIGHT, n)
    y, tick_y = (BOTTOM - (BOTTOM - TOP) * np.asarray(each) / high for each in (values, ticks))
    drawn = []
    for up, text in zip(tick_y, texts, strict=True):
        drawn.append(f'<line class="grid" x1="{left}" x2="{RIGHT}" y1="{up:.1f}" y2="{up:.1f}"/>')
        drawn.append(f'<text x="{left - 10}" y="{up + 4:.1f}" text-anchor="end">{text}</text>')
    every = -(-n // 12)  # about a dozen numbers below the curve
    for number in [k, *(each for each in range(1, n + 1, every) if abs(each - k) >= every)]:
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
    points = " ".join(f"{x[i]:.1f},{y[i]:.1f}" for i in range(n))
    drawn.append(f'<polyline points="{points}"/>')
    for i in range(n):
        kind, radius = "used" if i < k else "unused", 5 if n < 60 else 3
        drawn.append(f'<circle class="{kind}" cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="{radius}"/>')
    label = escape(f"Curve of {n} eigenvalues from {values[0]:.3g} to {values[-1]:.3g}. {described}")
    inner = "\n".join(drawn)
    return f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">\n{inner}\n</svg>'


def map_section(facts: Facts) -> str:
    """The canvas and its controls; the page's script draws the map."""
    n_rows, counts, (across, up) = facts.reader.n_rows, facts.moments.count, facts.views[0]["axes"]
    entries = "\n".join(
        f'<li><button type="button" data-cluster="{cluster}" aria-pressed="true">{facts.swatch(cluster)}'
        f'<span>{cluster}</span><span class="n">{format_share(count, n_rows)}</span></button></li>'
        for cluster, count in enumerate(counts)
    )
    keys, names = [view["key"] for view in facts.views], []
    if facts.pairs is not None:
        keys, names = [*keys, "pairs"], facts.reader.names
    radios = [
        f'<label><input type="radio" name="view" value="{key}"{" checked" if key == keys[0] else ""}>'
        f"<span>{MAPS.get(key, 'Features')}</span></label>"
        for key in keys
    ]
    described = (
        f"Density of {n_rows:,} rows in {len(counts):,} clusters, {across} across and {up} up. "
        "Sizes and profiles of the clusters are in the tables."
    )
    body = fill(
        "map.html",
        radios="".join(radios),
        single=" hidden" if len(radios) == 1 else "",
        landmarks=f"{facts.n_landmarks or 0:,}",
        unmarked="" if facts.n_landmarks else " hidden",
        names="".join(f'<option value="{number}">{escape(name)}</option>' for number, name in enumerate(names)),
        described=escape(described),
        entries=entries,
    )
    lead = "Each cell has the mean colour of its rows\u2019 clusters, and is stronger the more rows it has."
    return section("Map", "Map of the clusters", lead, body, wide=True)


def times_section(facts: Facts) -> str:
    timings, total, n_rows = facts.model.timings_, facts.seconds, facts.reader.n_rows
    longest = max(timings.values(), default=0.0) or 1.0
    lines = []
    for phase, seconds in timings.items():
        share, rate = format_share(seconds, total), f"{1e9 * seconds / n_rows:,.0f} ns"
        lines.append((escape(phase), bar(seconds / longest), format_seconds(seconds), share, rate))
    heads = ["Phase", unseen("Length"), "Time", "Share", "A row"]
    lead = f"The fit took {format_seconds(total)}, {1e9 * total / n_rows:,.0f} ns a row."
    if facts.peak_memory:
        lead += f" Peak memory of the process, data included: {format_bytes(facts.peak_memory)}."
    return section("Time", "Time and memory", lead, table("Time of each phase", heads, lines, "times"))


def new_rows_section(facts: Facts) -> str:
    """How to load the model and label new rows."""
    lead = "The saved model labels rows that were not in the fit."
    columns = f" --columns {','.join(map(str, chosen))}" if (chosen := _chosen(facts)) else ""
    body = fill("new_rows.html", code=escape(_code(facts)), file=_new_file(facts), columns=columns)
    if not hasattr(facts.model, "predict"):
        lead = f"{type(facts.model).__name__} labels the rows it was fitted to, and no others."
        body = "<p>To label new rows too, fit a method with landmarks, such as <code>DnCSC</code>.</p>"
    return section("New rows", "New rows", lead, body)


def _new_file(facts: Facts) -> str:
    """Name of a file of new rows, in the format of that of the fit."""
    for file in facts.reader.files[:1]:
        suffixes = format_of(file).suffixes
        return f"new{next((each for each in suffixes if file.path.name.lower().endswith(each)), suffixes[0])}"
    return "new.csv"


def _chosen(facts: Facts) -> list[int]:
    """Numbers of the columns of the fit, where the file has no names, and not just these columns in this order."""
    reader = facts.reader
    for file in reader.files[:1]:
        header = format_of(file).header(file)
        numbers = reader.columns if reader.encoding is None else reader.encoding.names
        if numbers is not None and not header.has_names:
            found = [int(number) for number in numbers]
            return [] if found == list(range(len(header.names))) else found
    return []


def _gaps(encoding: Encoding) -> str:
    """Marks for gaps that pandas does not know, but those that are values of a category."""
    values = {value for column in encoding.columns if isinstance(column, CategoryColumn) for value in column.values}
    return json.dumps([mark for mark in UNKNOWN_GAPS if mark not in values], ensure_ascii=False)


def _read(facts: Facts, encoding: Encoding) -> str:
    """Python that reads new rows from a file like that of the fit."""
    file = facts.reader.files[0]
    form = format_of(file)
    read = form.in_python(file, json.dumps(_new_file(facts)))
    if read.startswith("numpy.") and _chosen(facts):
        return f"{read}[:, encoder.feature_names_in_.astype(int)]"
    if not form.is_text:
        return read
    texts = "" if encoding.notation.is_plain else ", dtype=str"  # which the encoder reads as they are written
    texts += "" if encoding.missing == "refuse" else f", na_values={_gaps(encoding)}"
    return f"{read.removesuffix(')')}{texts})"


def _code(facts: Facts) -> str:
    """Python that labels new rows; those of a table become features by the encoder that the model's file keeps."""
    encoding, start = facts.reader.encoding, 'model = dncsc.load_model("model.npz")\n'
    names = [visible(name) for name in (facts.reader.names if encoding is None else encoding.names)]
    shown = [json.dumps(name, ensure_ascii=False) for name in names[:NAMES_SHOWN]]
    columns = f"# columns: {', '.join(shown)}{', ...' if len(names) > NAMES_SHOWN else ''}"
    if encoding is None:
        columns += "" if facts.reader.units is None else "; scaled as for the fit"
        return f"import dncsc\n\n{start}{columns}\nlabels = model.predict(new_rows)"
    read, has_names = _read(facts, encoding), hasattr(facts.model, "feature_names_in_")
    library, output = read.partition(".")[0], '.set_output(transform="pandas")' if has_names else ""
    used = f"encoder.feature_names_in_{'' if has_names else '.astype(int)'}"  # pandas counts where there are no names
    complete = "~numpy.isnan(rows).any(axis=1)" if library == "numpy" else f"rows[{used}].notna().all(axis=1)"
    lines = [
        f"import dncsc\nimport {library}\n",
        f"{start}encoder = dncsc.TableEncoder.from_model(model){output}",
        columns,
        f"rows = {read}",
        *([f"rows = rows[{complete}]"] if encoding.drops_rows else []),
        "labels = model.predict(encoder.transform(rows))",
    ]
    return "\n".join(lines)
