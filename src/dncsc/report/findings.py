"""Sections of the page: the map, what sets clusters apart, and how stable they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dncsc.report.advice import advice, distinctive_features, verdict_sentence
from dncsc.report.facts import Facts
from dncsc.report.format import decimals, format_number, format_share
from dncsc.report.html import PageSection, bar, definitions, escape, prose, section, swatch, table
from dncsc.report.trust import PARTLY, STABLE, UNSTABLE, Trust, verdict_of

SHOWN_FEATURES = 6
"""Features in a cluster's profile at most."""
OPEN_LINES = 60
"""Profiles of more lines than this are folded."""
LEAST_FULL, MOST_FULL = 1.5, 3.0
"""Standardised difference that fills a bar: the largest there is, within these."""
STABILITY_LINES = 15
"""Clusters whose stability is shown at once: the least stable."""
MARKS = {STABLE: "\u25cf", PARTLY: "\u25d0", UNSTABLE: "\u25cb"}


def map_section(facts: Facts) -> PageSection:
    """The canvas and its controls; the page's script draws the map."""
    lead = "Each cell has the mean colour of its rows\u2019 clusters, and is stronger the more rows it has."
    entries = "\n".join(
        f'<li><button type="button" data-cluster="{cluster}" aria-pressed="true">{swatch(facts.colour(cluster))}'
        f'<span>{cluster}</span><span class="n">{format_share(count, facts.n_rows)}</span></button></li>'
        for cluster, count in enumerate(facts.moments.count)
    )
    across, up = facts.views[0].axes
    described = (
        f"Density of {facts.views[0].n_rows:,} rows in {len(facts.moments.count):,} clusters, {across} across and "
        f"{up} up. Sizes and profiles of the clusters are in the tables."
    )
    body = f"""{_controls(facts)}
<div class="map">
<div class="plot">
<div class="pad" id="pad" tabindex="0" role="application" aria-label="Map of clusters: arrow keys move, Escape leaves"
 aria-describedby="readout"><canvas id="canvas" role="img" aria-label="{escape(described)}"></canvas>
<div class="cursor" id="cursor" hidden></div><div class="tip" id="tip" hidden></div></div>
<p class="readout" id="readout" role="status">Point at the map, touch it, or move over it with the arrow keys.</p>
<p class="caption" id="caption"></p>
<noscript><p>The map is drawn by a script, which this browser does not run.</p></noscript>
</div>
<div class="legend" role="group" aria-labelledby="legend-heading">
<div class="legend-head"><h3 id="legend-heading">Clusters</h3>
<button type="button" class="small" id="all">All</button>
<button type="button" class="small" id="none">None</button></div>
<ul id="legend">
{entries}
</ul></div></div>"""
    return section("map", "Map", "Map of the clusters", lead, body, wide=True)


def _controls(facts: Facts) -> str:
    choices = [(view.key, view.title) for view in facts.views]
    choices += [] if facts.pairs is None else [("pairs", "Two features")]
    found = []
    if len(choices) > 1:
        radios = "".join(
            f'<label><input type="radio" name="view" value="{key}"{"" if place else " checked"}>'
            f"<span>{escape(title)}</span></label>"
            for place, (key, title) in enumerate(choices)
        )
        found.append(f'<fieldset class="segments"><legend class="unseen">What the axes are</legend>{radios}</fieldset>')
    if facts.n_landmarks is not None:
        label = f"{facts.n_landmarks:,} landmarks"
        found.append(f'<label class="check"><input type="checkbox" id="landmarks"> {label}</label>')
    if facts.pairs is not None:
        both = _select("across", "Across", facts.names, 0) + _select("up", "Up", facts.names, 1)
        found.append(f'<div class="choice" hidden>{both}</div>')
    return f'<div class="switches">{"".join(found)}</div>' if found else ""


def _select(key: str, label: str, names: Sequence[str], chosen: int) -> str:
    options = "".join(
        f'<option value="{number}"{" selected" if number == chosen else ""}>{escape(name)}</option>'
        for number, name in enumerate(names)
    )
    return f'<label>{label} <select id="{key}">{options}</select></label>'


def profiles_section(facts: Facts) -> PageSection:
    """A card for each cluster."""
    moments = facts.moments
    full = float(np.clip(np.abs(moments.effect).max(), LEAST_FULL, MOST_FULL))
    unfolded = facts.n_found * min(facts.n_features, SHOWN_FEATURES) <= OPEN_LINES
    cards = "".join(
        f'<details class="card"{" open" if unfolded else ""}><summary>{swatch(facts.colour(cluster))}'
        f'<b>Cluster {cluster}</b><span class="n">{moments.count[cluster]:,} rows</span>'
        f'<span class="said">{_distinction(moments.effect[cluster], facts.names)}</span></summary>'
        f"{_profile(facts, cluster, full)}</details>"
        for cluster in np.flatnonzero(moments.count).tolist()
    )
    lead = (
        "Mean and standard deviation in each cluster, and the mean of all rows. Differences are in standard deviations "
        "of all rows."
    )
    if facts.n_features > SHOWN_FEATURES:
        lead += f" Of {facts.n_features:,} features, the {SHOWN_FEATURES} that differ most are shown."
    button = "" if unfolded else '<p><button type="button" class="small" id="unfold">Open all</button></p>'
    body = f'{button}<div class="cards">{cards}</div>'
    return section("profiles", "Profiles", "What sets them apart", lead, body, wide=True)


def _distinction(effect: np.ndarray, names: Sequence[str]) -> str:
    found = ", ".join(f"{how} <i>{escape(name)}</i>" for how, name in distinctive_features(effect, names))
    return found or "close to the average in every feature"


def _profile(facts: Facts, cluster: int, full: float) -> str:
    """The features in which a cluster differs most."""
    moments, effect = facts.moments, facts.moments.effect[cluster]
    lines = []
    for feature in np.argsort(-np.abs(effect), kind="stable")[:SHOWN_FEATURES]:
        places = decimals(float(moments.whole_deviation[feature]))
        mean, deviation, whole = (
            format_number(value, places)
            for value in (
                moments.mean[cluster, feature],
                moments.deviation[cluster, feature],
                moments.whole_mean[feature],
            )
        )
        own = f"{mean} <small>\u00b1\u2009{deviation}</small>"
        lines.append((escape(facts.names[feature]), own, whole, _difference(float(effect[feature]), full)))
    heads = ["Feature", "Mean \u00b1 sd", "All rows", "Difference"]
    return table(f"Profile of cluster {cluster}", heads, lines, "profile")


def _difference(value: float, full: float) -> str:
    """A bar from the middle: to the right above the mean, to the left below."""
    side, sign = "more" if value >= 0 else "less", "+" if value >= 0.05 else ""
    return (
        f'<span class="difference"><span class="effect {side}" style="--w:{min(1.0, abs(value) / full):.4f}"></span>'
        f'<span class="amount">{sign}{format_number(value, 1)}<span class="unseen"> standard deviations</span></span>'
        "</span>"
    )


def trust_section(facts: Facts) -> PageSection | None:
    """What the re-runs say; None where there were none."""
    trust = facts.trust
    if trust is None:
        return None
    tips = advice(facts, trust) or ["Nothing here asks for a change."]
    body = (
        f'<p class="verdict">{badge(trust.verdict)} {escape(verdict_sentence(facts, trust))}</p>\n'
        f"<h3>What to try</h3>\n<ul class='tips'>{''.join(f'<li>{prose(each)}</li>' for each in tips)}</ul>\n"
        f'<div class="two"><div><h3>Agreement of the runs</h3>{_reruns(trust)}</div>'
        f"<div><h3>The graph</h3>{definitions(_graph(facts, trust), 'facts')}</div></div>\n"
        f"<h3>Each cluster, run again</h3>{_stability(facts, trust)}"
    )
    lead = (
        "Agreement with other runs of the same method: 1 is the same, 0 is chance. It tells what is repeatable, not "
        "what is true."
    )
    return section("trust", "Trust", "How trustworthy", lead, body)


def badge(verdict: str) -> str:
    """A verdict with a mark that does not depend on colour."""
    kind = verdict.replace(" ", "-")
    return f'<strong class="badge {kind}"><span aria-hidden="true">{MARKS[verdict]}</span> {verdict}</strong>'


def _reruns(trust: Trust) -> str:
    scores = [(f"Seed {each.seed}", each.nmi, each.ari) for each in trust.reruns]
    if trust.among is not None:
        scores += [("Mean", trust.nmi, trust.ari), ("With each other", *trust.among)]
    lines = [(name, f"{nmi:.3f}", f"{ari:.3f}") for name, nmi, ari in scores]
    return table("Agreement of re-runs with the model", ["Run", "NMI", "ARI"], lines, "plain")


def _graph(facts: Facts, trust: Trust) -> list[tuple[str, str]]:
    found = [
        ("Rows run again", f"{trust.n_rows:,} of {facts.n_rows:,}"),
        ("Connected components", f"{facts.n_components:,}"),
    ]
    if facts.n_landmarks is not None:
        found.append(("Landmarks", f"{facts.n_landmarks:,}"))
    if facts.bandwidth is not None:
        found.append(("Bandwidth", format_number(facts.bandwidth)))
    if facts.exact_fraction is not None:
        found.append(("Nearest landmarks proven", f"{facts.exact_fraction:.1%} of rows"))
    if trust.confidence is not None:
        known = [pair for pair in zip(trust.confidence, facts.moments.count, strict=True) if pair[0] is not None]
        values, weights = zip(*known, strict=True)
        found.append(("Mean confidence", f"{np.average(values, weights=weights):.3f}"))
    return found


def _stability(facts: Facts, trust: Trust) -> str:
    """A table of clusters, the least stable first; columns that would be empty are left out."""
    known = sorted((value, cluster) for cluster, value in enumerate(trust.stability) if value is not None)
    exchanges = any(each is not None for each in trust.partner)
    heads = ["Cluster", '<span class="unseen">Bar</span>', "Jaccard"]
    heads += ["Confidence"] if trust.confidence is not None else []
    heads += ["Verdict", "Exchanges with"] if exchanges else ["Verdict"]
    lines = []
    for value, cluster in known:
        colour, partner = facts.colour(cluster), trust.partner[cluster]
        line = [f"{swatch(colour)}{cluster}", bar(value, colour), f"{value:.3f}"]
        line += [f"{trust.confidence[cluster]:.3f}"] if trust.confidence is not None else []
        line += [verdict_of(value)]
        if exchanges:
            line.append("" if partner is None else f"{swatch(facts.colour(partner))}{partner}")
        lines.append(line)
    shown, rest = lines[:STABILITY_LINES], lines[STABILITY_LINES:]
    first = table("Stability of each cluster, the least stable first", heads, shown, "stability")
    if not rest:
        return first
    more = table("Stability of the other clusters", heads, rest, "stability")
    return f'{first}<details class="rest"><summary>{len(rest):,} more, all more stable</summary>{more}</details>'
