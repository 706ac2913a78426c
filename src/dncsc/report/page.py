"""The page as one text: facts, style and script in a single file."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from typing import Any

import numpy as np

from dncsc.report import findings, sections
from dncsc.report.advice import verdict_sentence
from dncsc.report.facts import Facts
from dncsc.report.format import format_seconds
from dncsc.report.html import definitions, escape
from dncsc.report.maps import COLUMNS, LINES
from dncsc.version import __version__

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""What a browser may load for the page: nothing from elsewhere."""
SECTIONS = (
    sections.run_section,
    sections.sizes_section,
    sections.eigenvalues_section,
    findings.map_section,
    findings.profiles_section,
    sections.times_section,
    findings.trust_section,
    sections.new_rows_section,
)


def page(facts: Facts) -> str:
    """The whole page."""
    shown = [each for each in (make(facts) for make in SECTIONS) if each is not None]
    links = "".join(f'<a href="#{each.key}">{each.label}</a>' for each in shown)
    body = "\n".join(each.html for each in shown)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="dncsc {__version__}">
<link rel="icon" href="data:,">
<title>{escape(facts.title)}</title>
<style>
{_asset("page.css")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="top"><span class="brand">dncsc</span><nav aria-label="Sections">{links}</nav>
<button type="button" class="small" id="theme" aria-pressed="false">Dark</button></div>
<header class="hero">
<h1>{escape(facts.title)}</h1>
<p>{_summary(facts)}</p>
{definitions(_figures(facts), "figures")}
</header>
<main id="main">
{body}
</main>
<footer>Written by dncsc {__version__}. This file is complete in itself.</footer>
<script type="application/json" id="data">{_map_data(facts)}</script>
<script>
{_asset("map.js")}{_asset("page.js")}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return files("dncsc.report").joinpath(name).read_text(encoding="utf-8")


def _map_data(facts: Facts) -> str:
    """What the script draws the maps from: JSON in which no character can end the script element."""
    data = {
        "clusters": len(facts.moments.count),
        "rows": facts.n_rows,
        "colours": facts.colours,
        "columns": COLUMNS,
        "lines": LINES,
        "views": [view.data() for view in facts.views],
        "pairs": facts.pairs and facts.pairs._asdict(),
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), default=_pack)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _pack(values: np.ndarray) -> Any:
    """Floats as a list; non-negative integers in as few bits as hold the largest, low byte first, in base64."""
    if values.dtype.kind == "f":
        return values.tolist()
    largest = int(values.max(initial=0))
    bits = 8 if largest < 2**8 else 16 if largest < 2**16 else 32
    return {"bits": bits, "data": base64.b64encode(values.astype(f"<u{bits // 8}").tobytes()).decode("ascii")}


def _summary(facts: Facts) -> str:
    clusters = f"{facts.n_found:,} cluster{'s' if facts.n_found > 1 else ''}"
    features = f"{facts.n_features:,} feature{'s' if facts.n_features > 1 else ''}"
    time = format_seconds(facts.seconds)
    found = f"{facts.method} found {clusters} in {facts.n_rows:,} rows of {features} in {time}."
    return escape(found if facts.trust is None else f"{found} {verdict_sentence(facts, facts.trust)}")


def _figures(facts: Facts) -> list[tuple[str, str]]:
    found = [
        ("Rows", f"{facts.n_rows:,}"),
        ("Features", f"{facts.n_features:,}"),
        ("Clusters", f"{facts.n_found:,}"),
        ("Time", format_seconds(facts.seconds)),
    ]
    if facts.trust is not None:
        found.append(("Agreement (ARI)", f"{facts.trust.ari:.3f} {findings.badge(facts.trust.verdict)}"))
    return found
