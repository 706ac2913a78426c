"""How trustworthy a clustering is: what re-runs say, what to try next, and the section of the page about both."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dncsc.errors import enumerated
from dncsc.plot.coordinates import has_embedding
from dncsc.report.facts import Facts
from dncsc.report.format import format_number, name_clusters
from dncsc.report.html import bar, definitions, escape, prose, section, table, unseen
from dncsc.report.trust import PARTLY, STABLE, UNSTABLE, Trust, verdict_of

SMALL_SHARE, SMALL_COUNT = 0.001, 10
"""Clusters of fewer rows than this may be outliers."""
STABILITY_LINES = 15
"""Clusters whose stability is shown at once: the least stable."""
ROUNDING = 1e-10
"""Eigenvalues below it leave gaps by chance."""
MARKS = {STABLE: "\u25cf", PARTLY: "\u25d0", UNSTABLE: "\u25cb"}


def eigengap(facts: Facts) -> float | None:
    """Width of the gap after the last eigenvalue in use; None where no further eigenvalue is known."""
    values, k = facts.eigenvalues, facts.n_clusters
    return values[k] - values[k - 1] if len(values) > k and values[-1] > 0 else None


def suggested_k(facts: Facts) -> int | None:
    """A number of clusters for which the eigenvalues speak more clearly than for the one in use.

    Gaps grow with the eigenvalues: the other has to be twice as wide, and wider relative to its eigenvalue.
    """
    own = eigengap(facts)
    if own is None:
        return None
    values, k = np.asarray(facts.eigenvalues), facts.n_clusters
    widths, heights = np.diff(values), np.maximum(values[1:], ROUNDING)
    clearer = (widths > max(2 * own, ROUNDING)) & (widths / heights > own / heights[k - 1])
    clearer[[0, k - 1]] = False
    return int(np.where(clearer, widths, 0).argmax()) + 1 if clearer.any() else None


def verdict_sentence(facts: Facts, trust: Trust) -> str:
    """What the re-runs say."""
    n_rows = facts.reader.n_rows
    rows = "all rows" if trust.n_rows == n_rows else f"{trust.n_rows:,} of the {n_rows:,} rows"
    times = "once more" if len(trust.reruns) == 1 else f"{len(trust.reruns)} more times"
    start = f"The method was run {times} on {rows}, with other seeds"
    if trust.verdict == STABLE:
        return f"{start}, and found the same clusters or nearly so."
    if trust.verdict == UNSTABLE:
        return f"{start}, and found other clusters each time. Do not read much into the single clusters."
    if trust.unstable:
        verb = "do" if len(trust.unstable) > 1 else "does"
        return f"{start}. Most rows stay together, but {name_clusters(trust.unstable)} {verb} not appear again."
    return f"{start}, and found much the same clusters, with other borders."


def advice(facts: Facts, trust: Trust) -> list[str]:
    """What to try, the most promising first; what can be typed is in backquotes."""
    return [*_on_number(facts, trust), *_on_method(facts, trust), *_on_data(facts)]


def _on_number(facts: Facts, trust: Trust) -> Iterator[str]:
    """On the number of clusters, unless the model is the odd one out among all runs."""
    if trust.among is not None and trust.among[1] > trust.ari + 0.1:
        yield (
            f"The other runs agree with each other (ARI {trust.among[1]:.2f}) more than with this model "
            f"({trust.ari:.2f}), which may have had an unlucky start: try `random_state={trust.reruns[0].seed}`."
        )
        return
    diagnosis = getattr(facts.model, "diagnosis_", None)
    if diagnosis is not None and diagnosis.was_counted and diagnosis.is_doubtful:
        others = [f"`n_clusters={number:.0f}`" for number, _ in diagnosis.candidates]
        yield f"It is not sure how many clusters there are{': try ' * bool(others)}{enumerated(others, 'or')}."
    other, fewer = suggested_k(facts), facts.n_clusters - 1
    if other is not None:
        yield f"The eigenvalues have a clearer gap after {other}: try `n_clusters={other}`."
    pairs = sorted({tuple(sorted((one, two))) for one in trust.unstable if (two := trust.partner[one]) is not None})
    if pairs and trust.verdict != UNSTABLE:
        named = ", ".join(f"{one} with {two}" for one, two in pairs[:3])
        hint = f": try `n_clusters={fewer}`" if other is None and fewer > 1 else ""
        yield f"Some clusters exchange rows from run to run ({named}) and may be one{hint}."


def _on_method(facts: Facts, trust: Trust) -> Iterator[str]:
    n_components, exact = int(facts.model.n_graph_components_), facts.exact_fraction
    if trust.verdict != STABLE:
        yield from _on_resolution(facts)
        if type(facts.model).__name__ == "LloydKMeans":
            yield "k-means finds round clusters only: try `DnCSC`, and more starts (`n_init`)."
        elif trust.confidence is None and has_embedding(facts.model):  # ensembles are slow with many clusters
            yield "An ensemble is more stable, as it uses several graphs: try `LSEC`."
    is_coarse = getattr(getattr(facts.model, "diagnosis_", None), "is_coarse", False)
    if n_components > facts.n_clusters and not is_coarse:  # else another graph was cut than the one that has these
        yield (
            f"The graph has {n_components:,} connected components, more than the {facts.n_clusters:,} clusters, "
            "so that some were merged: try more `n_neighbors`, or more clusters."
        )
    if exact is not None and exact < 0.95:
        yield (
            f"For {exact:.0%} of the rows the nearest landmarks are proven to be the nearest: try `nearest='exact'` "
            "to see whether the rest matters."
        )


def _on_resolution(facts: Facts) -> Iterator[str]:
    """A finer graph; a coarser one where the finest structure is categories or fills (docs/notes/tables.md)."""
    diagnosis, n_neighbors = getattr(facts.model, "diagnosis_", None), getattr(facts.model, "n_neighbors", None)
    is_torn = diagnosis is not None and (diagnosis.is_coarse or diagnosis.is_torn)
    if is_torn or facts.moments.has_filled or "category" in facts.reader.kinds:
        coarser = ""
        if facts.n_landmarks is not None and n_neighbors is not None and 2 * n_neighbors <= facts.n_landmarks:
            coarser = f"try `n_neighbors={2 * n_neighbors}`, which makes a coarser graph, or "
        yield (
            f"Categories, or values filled in, may be seen instead of groups: {coarser}leave such columns out to see "
            "whether they matter."
        )
    elif facts.n_landmarks is not None and facts.n_landmarks < facts.reader.n_rows / 2:
        yield f"More landmarks make a finer graph: try `n_landmarks={2 * facts.n_landmarks}`."


def _on_data(facts: Facts) -> Iterator[str]:
    counts, variance = facts.moments.count, facts.moments.whole_deviation**2
    small = np.flatnonzero((counts > 0) & (counts < max(SMALL_SHARE * facts.reader.n_rows, SMALL_COUNT)))
    if len(small):
        verb, named = "are" if len(small) > 1 else "is", name_clusters(small.tolist())
        yield f"{named.capitalize()} {verb} very small: perhaps outliers rather than a cluster."
    empty = facts.n_clusters - np.count_nonzero(counts)
    if empty > 0:
        yield f"{empty} of the {facts.n_clusters} clusters are empty: the rows have fewer distinct groups."
    if facts.reader.n_features > 1 and variance.max() > 0.9 * variance.sum():
        name, share = facts.reader.names[int(variance.argmax())], variance.max() / variance.sum()
        yield (
            f"The feature {name} has {share:.1%} of all variance and dominates the distances: scale the features "
            "unless that is intended."
        )
    if facts.seed is None:
        yield "No seed was given, so that the next fit may differ: set `random_state` to repeat this one."


def trust_section(facts: Facts) -> str:
    """What the re-runs say, and the cut itself; the cut alone where there were none."""
    trust, told = facts.trust, escape(str(getattr(facts.model, "diagnosis_", "")))
    if trust is None:
        lead = "What the cut says about itself: the method was not run again."
        return section("Trust", "How clear", lead, f"<p>{told}</p>") if told else ""
    tips = advice(facts, trust) or ["Nothing here asks for a change."]
    body = (
        f'<p class="verdict">{badge(trust.verdict)} {escape(verdict_sentence(facts, trust))}</p>\n'
        f"{f'<p>{told}</p>' if told else ''}\n"
        f"<h3>What to try</h3>\n<ul class='tips'>{''.join(f'<li>{prose(each)}</li>' for each in tips)}</ul>\n"
        f'<div class="two"><div><h3>Agreement of the runs</h3>{_reruns(trust)}</div>'
        f"<div><h3>The graph</h3>{definitions(_graph(facts, trust), 'facts')}</div></div>\n"
        f"<h3>Each cluster, run again</h3>{_stability(facts, trust)}"
    )
    lead = "Agreement with other runs of the same method: 1 is the same, 0 is chance. Repeatable is not yet true."
    return section("Trust", "How trustworthy", lead, body)


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
        partner = trust.partner[cluster]
        line = [f"{facts.swatch(cluster)}{cluster}", bar(value, facts.colour(cluster)), f"{value:.3f}"]
        line += [f"{trust.confidence[cluster]:.3f}"] if trust.confidence is not None else []
        line += [verdict_of(value)]
        if exchanges:
            line.append("" if partner is None else f"{facts.swatch(partner)}{partner}")
        lines.append(line)
    shown, rest = lines[:STABILITY_LINES], lines[STABILITY_LINES:]
    first = table("Stability of each cluster, the least stable first", heads, shown, "stability")
    if not rest:
        return first
    more = table("Stability of the other clusters", heads, rest, "stability")
    return f'{first}<details class="rest"><summary>{len(rest):,} more, all more stable</summary>{more}</details>'
