"""Sections of the page: the map, what sets clusters apart, and how far to trust them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dncsc.report import words
from dncsc.report.gather import Facts
from dncsc.report.pieces import bar, pairs, prose, section, swatch, table, text
from dncsc.report.trust import Trust, word_for

SHOWN_FEATURES = 6
"""Features in a cluster's profile at most."""

OPEN_LINES = 60
"""Up to so many lines of profiles are shown at once; more are folded."""

LEAST_FULL, MOST_FULL = 1.5, 3.0
"""Standardised difference that fills a bar: the largest there is, within these."""

STABILITY_LINES = 15
"""Clusters whose stability is shown at once: the least stable."""

MARKS = {"stable": "\u25cf", "partly stable": "\u25d0", "unstable": "\u25cb"}


def the_map(facts: Facts, colours: Sequence[str]) -> str:
    """The canvas, and what switches on it; the rest is up to the page's script."""
    lead = "Each cell is coloured by the clusters of its rows, and the stronger the more rows it has."
    counts = facts.moments.count
    entries = "\n".join(
        f'<li><button type="button" data-cluster="{cluster}" aria-pressed="true">{swatch(colours[cluster])}'
        f'<span>{cluster}</span><span class="n">{words.share(counts[cluster], facts.n_rows)}</span></button></li>'
        for cluster in range(len(counts))
    )
    body = f"""{_switches(facts)}
<div class="map">
<div class="plot">
<div class="pad" id="pad" tabindex="0" role="application" aria-label="Map of clusters: arrow keys move, Escape leaves"
 aria-describedby="readout"><canvas id="canvas" role="img" aria-label="{text(_described(facts))}"></canvas>
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
    return section("map", "Map of the clusters", lead, body, wide=True)


def _switches(facts: Facts) -> str:
    choices = [(view.key, view.title) for view in facts.views]
    if facts.pairs is not None:
        choices.append(("pairs", "Two features"))
    parts = []
    if len(choices) > 1:
        radios = "".join(
            f'<label><input type="radio" name="view" value="{key}"{" checked" if not place else ""}>'
            f"<span>{text(title)}</span></label>"
            for place, (key, title) in enumerate(choices)
        )
        parts.append(f'<fieldset class="segments"><legend class="unseen">What the axes are</legend>{radios}</fieldset>')
    if facts.n_landmarks is not None:
        label = f"{facts.n_landmarks:,} landmarks"
        parts.append(f'<label class="check"><input type="checkbox" id="landmarks"> {label}</label>')
    if facts.pairs is not None:
        both = _choice("across", "Across", facts.names, 0) + _choice("up", "Up", facts.names, 1)
        parts.append(f'<div class="choice" hidden>{both}</div>')
    return f'<div class="switches">{"".join(parts)}</div>' if parts else ""


def _choice(key: str, label: str, names: Sequence[str], chosen: int) -> str:
    options = "".join(
        f'<option value="{number}"{" selected" if number == chosen else ""}>{text(name)}</option>'
        for number, name in enumerate(names)
    )
    return f'<label>{label} <select id="{key}">{options}</select></label>'


def _described(facts: Facts) -> str:
    view = facts.views[0]
    return (
        f"Density of {view.n_rows:,} rows in {len(facts.moments.count):,} clusters, {view.axes[0]} across and "
        f"{view.axes[1]} up. Sizes and profiles of the clusters are in the tables."
    )


def profiles(facts: Facts, colours: Sequence[str]) -> str:
    """A card for each cluster."""
    moments = facts.moments
    full = float(np.clip(np.abs(moments.effect).max(), LEAST_FULL, MOST_FULL))
    present = [int(cluster) for cluster in np.flatnonzero(moments.count)]
    unfolded = len(present) * min(facts.n_features, SHOWN_FEATURES) <= OPEN_LINES
    state = " open" if unfolded else ""
    cards = "".join(
        f'<details class="card"{state}><summary>{swatch(colours[cluster])}<b>Cluster {cluster}</b>'
        f'<span class="n">{moments.count[cluster]:,} rows</span>'
        f'<span class="said">{_said(moments.effect[cluster], facts.names)}</span></summary>'
        f"{_profile(facts, cluster, full)}</details>"
        for cluster in present
    )
    lead = (
        "Means and standard deviations beside the mean of all rows. The difference is counted in standard deviations "
        "of all rows."
    )
    if facts.n_features > SHOWN_FEATURES:
        lead += f" Of {facts.n_features:,} features, the {SHOWN_FEATURES} that differ most are shown."
    button = "" if unfolded else '<p><button type="button" class="small" id="unfold">Open all</button></p>'
    body = f'{button}<div class="cards">{cards}</div>'
    return section("profiles", "What sets them apart", lead, body, wide=True)


def _profile(facts: Facts, cluster: int, full: float) -> str:
    """The features in which a cluster differs most."""
    moments, effect = facts.moments, facts.moments.effect[cluster]
    lines = []
    for feature in np.argsort(-np.abs(effect), kind="stable")[:SHOWN_FEATURES]:
        places = words.decimals(float(moments.whole_deviation[feature]))
        mean, deviation = moments.mean[cluster, feature], moments.deviation[cluster, feature]
        own = f"{words.number(mean, places)} <small>\u00b1\u2009{words.number(deviation, places)}</small>"
        whole = words.number(moments.whole_mean[feature], places)
        lines.append((text(facts.names[feature]), own, whole, _effect(float(effect[feature]), full)))
    heads = ["Feature", "Mean \u00b1 sd", "All rows", "Difference"]
    return table(f"Profile of cluster {cluster}", heads, lines, "profile")


def _said(effect: np.ndarray, names: Sequence[str]) -> str:
    found = words.apart(effect, names)
    if not found:
        return "close to the average in every feature"
    return ", ".join(f"{how} <i>{text(name)}</i>" for how, name in found)


def _effect(value: float, full: float) -> str:
    """A bar from the middle, to the right for more than usual and to the left for less."""
    side = "more" if value >= 0 else "less"
    part = min(1.0, abs(value) / full)
    sign = "+" if value >= 0.05 else ""
    amount = f'{sign}{words.number(value, 1)}<span class="unseen"> standard deviations</span>'
    return (
        f'<span class="difference"><span class="effect {side}" style="--w:{part:.4f}"></span>'
        f'<span class="amount">{amount}</span></span>'
    )


def trustworthy(facts: Facts, colours: Sequence[str]) -> str:
    """What the re-runs say; nothing where there were none."""
    trust = facts.trust
    if trust is None:
        return ""
    verdict = f'<p class="verdict {_kind(trust.verdict)}">{badge(trust.verdict)} {text(words.judged(facts, trust))}</p>'
    tips = words.advice(facts, trust)
    listed = "".join(f"<li>{prose(each)}</li>" for each in tips) or "<li>Nothing here asks for a change.</li>"
    body = (
        f"{verdict}\n<h3>What to try</h3>\n<ul class='tips'>{listed}</ul>\n"
        f'<div class="two"><div><h3>Agreement of the runs</h3>{_runs(trust)}</div>'
        f"<div><h3>The graph</h3>{pairs(_graph(facts, trust), 'facts')}</div></div>\n"
        f"<h3>Each cluster, run again</h3>{_stability(trust, colours)}"
    )
    lead = (
        "Agreement with other runs of the same method: 1 is the same, 0 is chance. It tells what is repeatable, not "
        "what is true."
    )
    return section("trust", "How trustworthy", lead, body)


def _kind(word: str) -> str:
    return word.replace(" ", "-")


def badge(word: str) -> str:
    """A verdict with a mark that does not depend on colour."""
    return f'<strong class="badge {_kind(word)}"><span aria-hidden="true">{MARKS[word]}</span> {word}</strong>'


def _runs(trust: Trust) -> str:
    lines = [(f"Seed {each.seed}", f"{each.nmi:.3f}", f"{each.ari:.3f}") for each in trust.reruns]
    if len(trust.reruns) > 1:
        lines.append(("Mean", f"{trust.nmi:.3f}", f"{trust.ari:.3f}"))
    if trust.among is not None:
        lines.append(("With each other", f"{trust.among[0]:.3f}", f"{trust.among[1]:.3f}"))
    return table("Agreement of re-runs with the model", ["Run", "NMI", "ARI"], lines, "plain")


def _graph(facts: Facts, trust: Trust) -> list[tuple[str, str]]:
    found = [
        ("Rows run again", f"{trust.n_rows:,} of {facts.n_rows:,}"),
        ("Parts of the graph", f"{facts.n_components:,}"),
    ]
    if facts.n_landmarks is not None:
        found.append(("Landmarks", f"{facts.n_landmarks:,}"))
    if facts.bandwidth is not None:
        found.append(("Bandwidth", words.number(facts.bandwidth)))
    if facts.exact_fraction is not None:
        found.append(("Nearest landmarks proven", f"{facts.exact_fraction:.1%} of rows"))
    if trust.confidence is not None:
        known = [
            (value, n) for value, n in zip(trust.confidence, facts.moments.count, strict=True) if value is not None
        ]
        mean = np.average([value for value, _ in known], weights=[n for _, n in known])
        found.append(("Agreement of members", f"{mean:.3f}"))
    return found


def _stability(trust: Trust, colours: Sequence[str]) -> str:
    known = sorted((value, cluster) for cluster, value in enumerate(trust.stability) if value is not None)
    heads = ["Cluster", '<span class="unseen">Bar</span>', "Jaccard"]
    heads += ["Members"] if trust.confidence is not None else []
    heads += ["Verdict"]
    heads += ["Exchanges with"] if any(each is not None for each in trust.partner) else []
    lines = []
    for value, cluster in known:
        line = [f"{swatch(colours[cluster])}{cluster}", bar(value, colours[cluster]), f"{value:.3f}"]
        if trust.confidence is not None:
            line.append(f"{trust.confidence[cluster]:.3f}")
        line.append(word_for(value))
        if len(heads) > len(line):
            partner = trust.partner[cluster]
            line.append("" if partner is None else f"{swatch(colours[partner])}{partner}")
        lines.append(line)
    shown, rest = lines[:STABILITY_LINES], lines[STABILITY_LINES:]
    first = table("Stability of each cluster, the least stable first", heads, shown, "stability")
    if not rest:
        return first
    more = table("Stability of the other clusters", heads, rest, "stability")
    return f'{first}<details class="rest"><summary>{len(rest):,} more, all steadier</summary>{more}</details>'
