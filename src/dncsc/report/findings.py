"""Sections of the page: the map, what sets clusters apart, and how stable they are."""

from __future__ import annotations

import numpy as np

from dncsc.report.advice import advice, verdict_sentence
from dncsc.report.facts import Facts
from dncsc.report.format import decimals, format_number, format_share
from dncsc.report.html import PageSection, bar, definitions, escape, fill, prose, section, swatch, table, unseen
from dncsc.report.trust import PARTLY, STABLE, UNSTABLE, Trust, verdict_of

SHOWN_FEATURES, NAMED_FEATURES = 6, 3
"""Features in a cluster's profile, and in the words about it, at most."""
HIGH, VERY_HIGH = 0.5, 1.5
"""Standardised differences that are called high, and very high."""
OPEN_LINES = 60
"""Profiles of more lines than this are folded."""
LEAST_FULL, MOST_FULL = 1.5, 3.0
"""Standardised difference that fills a bar: the largest there is, within these."""
STABILITY_LINES = 15
"""Clusters whose stability is shown at once: the least stable."""
MARKS = {STABLE: "\u25cf", PARTLY: "\u25d0", UNSTABLE: "\u25cb"}


def map_section(facts: Facts) -> PageSection:
    """The canvas and its controls; the page's script draws the map."""
    n_rows, counts, (across, up) = facts.reader.n_rows, facts.moments.count, facts.views[0]["axes"]
    entries = "\n".join(
        f'<li><button type="button" data-cluster="{cluster}" aria-pressed="true">{swatch(facts.colour(cluster))}'
        f'<span>{cluster}</span><span class="n">{format_share(count, n_rows)}</span></button></li>'
        for cluster, count in enumerate(counts)
    )
    choices = {view["key"]: view["title"] for view in facts.views} | ({"pairs": "Two features"} if facts.pairs else {})
    radios = [
        f'<label><input type="radio" name="view" value="{key}"{" checked" if key == facts.views[0]["key"] else ""}>'
        f"<span>{title}</span></label>"
        for key, title in choices.items()
    ]
    names = facts.pairs["names"] if facts.pairs else []
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
    return section("map", "Map", "Map of the clusters", lead, body, wide=True)


def profiles_section(facts: Facts) -> PageSection:
    """A card for each cluster."""
    moments, n_features = facts.moments, facts.reader.n_features
    found = np.flatnonzero(moments.count).tolist()
    full = float(np.clip(np.abs(moments.effect).max(), LEAST_FULL, MOST_FULL))
    unfolded = len(found) * min(n_features, SHOWN_FEATURES) <= OPEN_LINES
    cards = []
    for cluster in found:
        effect = moments.effect[cluster]
        order = np.argsort(-np.abs(effect), kind="stable")[:SHOWN_FEATURES]
        said = ", ".join(
            f"{'very ' if abs(effect[i]) >= VERY_HIGH else ''}{'high' if effect[i] > 0 else 'low'} "
            f"<i>{escape(facts.reader.names[i])}</i>"
            for i in order[:NAMED_FEATURES]
            if abs(effect[i]) >= HIGH
        )
        cards.append(
            f'<details class="card"{" open" if unfolded else ""}><summary>{swatch(facts.colour(cluster))}'
            f'<b>Cluster {cluster}</b><span class="n">{moments.count[cluster]:,} rows</span>'
            f'<span class="said">{said or "close to the average in every feature"}</span></summary>'
            f"{_profile(facts, cluster, order, full)}</details>"
        )
    lead = (
        "Mean and standard deviation in each cluster, and the mean of all rows. Differences are in standard deviations "
        "of all rows."
    )
    if n_features > SHOWN_FEATURES:
        lead += f" Of {n_features:,} features, the {SHOWN_FEATURES} that differ most are shown."
    button = "" if unfolded else '<p><button type="button" class="small" id="unfold">Open all</button></p>'
    body = f'{button}<div class="cards">{"".join(cards)}</div>'
    return section("profiles", "Profiles", "What sets them apart", lead, body, wide=True)


def _profile(facts: Facts, cluster: int, features: np.ndarray, full: float) -> str:
    """Some features of a cluster; bars go right from the middle above the mean of all rows, and left below."""
    moments, lines = facts.moments, []
    for i in features:
        numbers = moments.mean[cluster, i], moments.deviation[cluster, i], moments.whole_mean[i]
        places, value = decimals(float(moments.whole_deviation[i])), float(moments.effect[cluster, i])
        mean, deviation, whole = (format_number(each, places) for each in numbers)
        side, sign = "more" if value >= 0 else "less", "+" if value >= 0.05 else ""
        width = min(1.0, abs(value) / full)
        difference = (
            f'<span class="difference"><span class="effect {side}" style="--w:{width:.4f}"></span>'
            f'<span class="amount">{sign}{format_number(value, 1)}{unseen(" standard deviations")}</span></span>'
        )
        own = f"{mean} <small>\u00b1\u2009{deviation}</small>"
        lines.append((escape(facts.reader.names[i]), own, whole, difference))
    heads = ["Feature", "Mean \u00b1 sd", "All rows", "Difference"]
    return table(f"Profile of cluster {cluster}", heads, lines, "profile")


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
    scores = [(f"Seed {seed}", nmi, ari) for seed, nmi, ari in trust.reruns]
    if trust.among is not None:
        mean_nmi = float(np.mean([each.nmi for each in trust.reruns]))
        scores += [("Mean", mean_nmi, trust.ari), ("With each other", *trust.among)]
    lines = [(name, f"{nmi:.3f}", f"{ari:.3f}") for name, nmi, ari in scores]
    return table("Agreement of re-runs with the model", ["Run", "NMI", "ARI"], lines, "plain")


def _graph(facts: Facts, trust: Trust) -> list[tuple[str, str]]:
    model, exact, bandwidth = facts.model, facts.exact_fraction, getattr(facts.model, "bandwidth_", None)
    found = {
        "Rows run again": f"{trust.n_rows:,} of {facts.reader.n_rows:,}",
        "Connected components": f"{model.n_graph_components_:,}",
        "Landmarks": f"{facts.n_landmarks:,}" if facts.n_landmarks else "",
        "Bandwidth": "" if bandwidth is None else format_number(bandwidth),
        "Nearest landmarks proven": "" if exact is None else f"{exact:.1%} of rows",
        "Mean confidence": "" if trust.confidence is None else f"{np.mean(model.confidence_):.3f}",
    }
    return [(name, text) for name, text in found.items() if text]


def _stability(facts: Facts, trust: Trust) -> str:
    """A table of clusters, the least stable first; columns that would be empty are left out."""
    exchanges = any(each is not None for each in trust.partner)
    heads = ["Cluster", unseen("Bar"), "Jaccard"]
    heads += ["Confidence"] if trust.confidence is not None else []
    heads += ["Verdict", "Exchanges with"] if exchanges else ["Verdict"]
    lines = []
    for value, cluster in trust.ranked:
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
