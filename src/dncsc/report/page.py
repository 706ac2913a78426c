"""The page as one text: facts, style and script in a single file."""

from __future__ import annotations

import re
from importlib.resources import files

from dncsc.report import findings, parts, words
from dncsc.report.gather import Facts
from dncsc.report.payload import colours, payload
from dncsc.report.pieces import pairs, text

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""What a browser may load for the page: nothing from elsewhere."""

SHORT = {
    "run": "Run",
    "sizes": "Sizes",
    "eigenvalues": "Eigenvalues",
    "map": "Map",
    "profiles": "Profiles",
    "times": "Time",
    "trust": "Trust",
    "use": "New rows",
}
"""What sections are called in the line at the top."""


def page(facts: Facts) -> str:
    """The whole page."""
    day_and_night = [
        f"light-dark({day},{night})" for day, night in zip(*colours(len(facts.moments.count)), strict=True)
    ]
    sections = [
        parts.what_was_run(facts),
        parts.sizes(facts, day_and_night),
        parts.eigenvalues(facts),
        findings.the_map(facts, day_and_night),
        findings.profiles(facts, day_and_night),
        parts.times(facts),
        findings.trustworthy(facts, day_and_night),
        parts.going_on(facts),
    ]
    body = "\n".join(each for each in sections if each)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="dncsc {text(facts.run.versions["dncsc"])}">
<link rel="icon" href="data:,">
<title>{text(facts.title)}</title>
<style>
{_asset("page.css")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="top"><span class="brand">dncsc</span>{_contents(body)}
<button type="button" class="small" id="theme" aria-pressed="false">Dark</button></div>
<header class="hero">
<h1>{text(facts.title)}</h1>
<p>{_summary(facts)}</p>
{pairs(_figures(facts), "figures")}
</header>
<main id="main">
{body}
</main>
<footer>Written by dncsc {text(facts.run.versions["dncsc"])}. This file is complete in itself.</footer>
<script type="application/json" id="data">{payload(facts)}</script>
<script>
{_asset("map.js")}{_asset("page.js")}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return files("dncsc.report").joinpath(name).read_text(encoding="utf-8")


def _contents(body: str) -> str:
    """Links to the sections that there are."""
    found = re.findall(r'<section id="([a-z]+)"', body)
    links = "".join(f'<a href="#{key}">{SHORT[key]}</a>' for key in found)
    return f'<nav aria-label="Sections">{links}</nav>'


def _summary(facts: Facts) -> str:
    n = int((facts.moments.count > 0).sum())
    features = f"{facts.n_features:,} feature{'s' if facts.n_features > 1 else ''}"
    said = (
        f"{text(facts.run.method)} found {n:,} cluster{'s' if n > 1 else ''} in {facts.n_rows:,} rows of {features} "
        f"in {words.seconds(facts.seconds)}."
    )
    return said if facts.trust is None else f"{said} {text(words.judged(facts, facts.trust))}"


def _figures(facts: Facts) -> list[tuple[str, str]]:
    found = [
        ("Rows", f"{facts.n_rows:,}"),
        ("Features", f"{facts.n_features:,}"),
        ("Clusters", f"{int((facts.moments.count > 0).sum()):,}"),
        ("Time", words.seconds(facts.seconds)),
    ]
    if facts.trust is not None:
        found.append(("Agreement (ARI)", f"{facts.trust.ari:.3f} {findings.badge(facts.trust.verdict)}"))
    return found
