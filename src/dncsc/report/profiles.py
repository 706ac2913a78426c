"""Profiles of the clusters: the features in which each differs most from all rows, in the units of the table."""

from __future__ import annotations

import numpy as np

from dncsc.engines.frame import COSINE
from dncsc.report.facts import Facts
from dncsc.report.format import decimals, format_date, format_number, format_share
from dncsc.report.html import escape, section, table, unseen

SHOWN_FEATURES, NAMED_FEATURES = 6, 3
"""Features in a cluster's profile, and in the words about it, at most."""
HIGH, VERY_HIGH = 0.5, 1.5
"""Standardised differences that are called high, and very high."""
OPEN_LINES = 60
"""Profiles of more lines than this are folded."""
LEAST_FULL, MOST_FULL = 1.5, 3.0
"""Standardised difference that fills a bar: the largest there is, within these."""
WORDS = {
    "number": ("high", "low"),
    "date": ("late", "early"),
    "true/false": ("often", "rarely"),
    "category": ("often", "rarely"),
}
"""What a feature is called above and below the mean of all rows."""


def profiles_section(facts: Facts) -> str:
    """A card for each cluster."""
    moments, n_features = facts.profiles, facts.reader.n_features
    found = np.flatnonzero(moments.count).tolist()
    full = float(np.clip(np.abs(moments.effect).max(), LEAST_FULL, MOST_FULL))
    unfolded = len(found) * min(n_features, SHOWN_FEATURES) <= OPEN_LINES
    cards = []
    for cluster in found:
        effect = moments.effect[cluster]
        order = np.argsort(-np.abs(effect), kind="stable")[:SHOWN_FEATURES]
        said = ", ".join(_said(facts, i, effect[i]) for i in order[:NAMED_FEATURES] if abs(effect[i]) >= HIGH)
        cards.append(
            f'<details class="card"{" open" if unfolded else ""}><summary>{facts.swatch(cluster)}'
            f'<b>Cluster {cluster}</b><span class="n">{moments.count[cluster]:,} rows</span>'
            f'<span class="said">{said or "close to the average in every feature"}</span></summary>'
            f"{_profile(facts, cluster, order, full)}</details>"
        )
    shares = ", of categories the share of rows," if {"category", "true/false"} & set(facts.reader.kinds) else ""
    lead = f"Mean and standard deviation in each cluster{shares or ','} and the mean of all rows. "
    lead += "Differences are in standard deviations of all rows."
    if facts.reader.metric == COSINE:
        lead += " Rows are those of length 1."
    if facts.reader.units is not None:
        lead += " Values are those of the table; the model saw them scaled."
    if moments.has_filled:
        lead += " Missing values are left out here; the model saw them filled in."
    if n_features > SHOWN_FEATURES:
        lead += f" Of {n_features:,} features, the {SHOWN_FEATURES} that differ most are shown."
    button = "" if unfolded else '<p><button type="button" class="small" id="unfold">Open all</button></p>'
    body = f'{button}<div class="cards">{"".join(cards)}</div>'
    return section("Profiles", "What sets them apart", lead, body, wide=True)


def _said(facts: Facts, feature: int, effect: float) -> str:
    """How a cluster differs in a feature, in words."""
    more, less = WORDS[facts.reader.kinds[feature]]
    very = "very " if abs(effect) >= VERY_HIGH else ""
    return f"{very}{more if effect > 0 else less} <i>{escape(facts.reader.names[feature])}</i>"


def _profile(facts: Facts, cluster: int, features: np.ndarray, full: float) -> str:
    """Some features of a cluster; bars go right from the middle above the mean of all rows, and left below."""
    moments, lines = facts.profiles, []
    for i in features:
        own, whole = _values(facts, cluster, i)
        value = float(moments.effect[cluster, i])
        side, sign = "more" if value >= 0 else "less", "+" if value >= 0.05 else ""
        width = min(1.0, abs(value) / full)
        difference = (
            f'<span class="difference"><span class="effect {side}" style="--w:{width:.4f}"></span>'
            f'<span class="amount">{sign}{format_number(value, 1)}{unseen(" standard deviations")}</span></span>'
        )
        lines.append((escape(facts.reader.names[i]), own, whole, difference))
    heads = ["Feature", "Mean \u00b1 sd", "All rows", "Difference"]
    return table(f"Profile of cluster {cluster}", heads, lines, "profile")


def _values(facts: Facts, cluster: int, feature: int) -> tuple[str, str]:
    """Mean and deviation of a feature in a cluster, and its mean in all rows: as dates, as shares, or as numbers."""
    moments, kind = facts.profiles, facts.reader.kinds[feature]
    spread, whole = float(moments.whole_deviation[feature]), float(moments.whole_mean[feature])
    mean, places = float(moments.mean[cluster, feature]), decimals(spread)
    deviation = format_number(float(moments.deviation[cluster, feature]), places)
    if kind == "date":
        own, everywhere = (format_date(each, spread) for each in (mean, whole))
        deviation += " days"
    elif kind == "number":
        own, everywhere = (format_number(each, places) for each in (mean, whole))
    else:
        own, everywhere = (format_share(round(each, 9), 1) for each in (mean, whole))
    if not moments.known[cluster, feature]:
        return "all missing", everywhere
    has_deviation = kind in ("date", "number")
    return f"{own} <small>\u00b1\u2009{deviation}</small>" if has_deviation else own, everywhere
