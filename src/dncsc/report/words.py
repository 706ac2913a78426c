"""Numbers and findings in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dncsc.report.gather import Facts
from dncsc.report.trust import WORDS, Trust

HIGH, VERY_HIGH = 0.5, 1.5
"""Standardised differences that are worth a word, and a strong one."""

NAMED = 3
"""Features named in a cluster's sentence."""

SMALL_SHARE, SMALL_COUNT = 0.001, 10
DOMINANT = 0.9
WIDER = 2.0
LEFT_BEHIND = 0.1
"""How much more the re-runs agree with each other than with the model, where it seems to be the odd one out."""
EXACT_ENOUGH = 0.95
ENSEMBLES = ("LSEC", "USENC")


def decimals(spread: float) -> int | None:
    """Decimals that show a spread to three figures; None where only powers of ten would."""
    if not 1e-6 < spread < 1e7:
        return None
    return max(0, 2 - math.floor(math.log10(spread)))


def number(value: float, places: int | None = None) -> str:
    """A number with thousands separators, and a proper minus."""
    if places is not None and abs(value) < 1e12:
        text = f"{value:,.{places}f}"
        text = text.lstrip("-") if not float(text.replace(",", "")) else text
    else:
        text = f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.4g}"
    return text.replace("-", "\N{MINUS SIGN}")


def seconds(value: float) -> str:
    """A duration to about three figures."""
    if value < 0.0995:
        return f"{1000 * value:.1f} ms" if value >= 5e-5 or not value else "< 0.1 ms"
    if value < 99.5:
        return f"{value:.2f} s" if value < 9.95 else f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def rate(value: float, n_rows: int) -> str:
    """Time a row, in a unit that needs few figures."""
    each = value / n_rows
    for unit, length in (("ns", 1e-9), ("\N{MICRO SIGN}s", 1e-6), ("ms", 1e-3)):
        if each < 9999.5 * length:
            return f"{each / length:,.0f} {unit}"
    return seconds(each)


def size(value: int) -> str:
    """Bytes for people."""
    return f"{value / 2**30:.1f} GiB" if value >= 2**30 else f"{value / 2**20:.0f} MiB"


def share(part: float, whole: float) -> str:
    """Per cent; what is there is never 0."""
    if not part:
        return "0%"
    return "< 0.1%" if part / whole < 0.001 else f"{part / whole:.1%}"


def listed(items: Sequence[object]) -> str:
    """a, b and c."""
    words = [str(item) for item in items]
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part) if words else ""


def numbered(clusters: Sequence[int]) -> str:
    """Cluster 3, or clusters 3 and 5; the first few of many."""
    shown = [str(cluster) for cluster in clusters[:6]]
    if len(clusters) > len(shown):
        shown.append(f"{len(clusters) - len(shown)} more")
    return f"cluster{'s' if len(clusters) > 1 else ''} {listed(shown)}"


def apart(effect: np.ndarray, names: Sequence[str]) -> list[tuple[str, str]]:
    """How a cluster differs from the whole, the most telling feature first: ("very high", "petal_length")."""
    found = []
    for feature in np.argsort(-np.abs(effect), kind="stable")[:NAMED]:
        value = float(effect[feature])
        if abs(value) >= HIGH:
            found.append(
                (("very " if abs(value) >= VERY_HIGH else "") + ("high" if value > 0 else "low"), names[feature])
            )
    return found


def gap(facts: Facts) -> float | None:
    """Width of the gap behind the last eigenvalue used; None where there is none to see."""
    values, k = facts.eigenvalues, facts.n_clusters
    return values[k] - values[k - 1] if len(values) > k and values[-1] > 0 else None


def another_k(facts: Facts) -> int | None:
    """A number of clusters that the eigenvalues speak for more than for the one used.

    Gaps grow with the eigenvalues, so that the other has to be wider both by itself and for its height.
    """
    own = gap(facts)
    if own is None:
        return None
    values, k = np.asarray(facts.eigenvalues), facts.n_clusters
    widths = np.diff(values)
    heights = np.maximum(values[1:], 1e-12)
    clearer = (widths > WIDER * own) & (widths / heights > own / heights[k - 1])
    clearer[[0, k - 1]] = False
    return int(np.where(clearer, widths, 0).argmax()) + 1 if clearer.any() else None


def judged(facts: Facts, trust: Trust) -> str:
    """What the re-runs say, in a sentence or two."""
    part = "all rows" if trust.n_rows == facts.n_rows else f"{trust.n_rows:,} of the {facts.n_rows:,} rows"
    times = "once more" if len(trust.reruns) == 1 else f"{len(trust.reruns)} more times"
    how = f"The method was run {times} on {part}, from other seeds"
    if trust.verdict == WORDS[0]:
        return f"{how}, and found the same clusters or nearly so."
    if trust.verdict == WORDS[2]:
        return f"{how}, and found other clusters each time. Do not read much into the single clusters."
    if trust.shaky:
        verb = "do" if len(trust.shaky) > 1 else "does"
        return f"{how}. Most rows keep their company, but {numbered(trust.shaky)} {verb} not come out again."
    return f"{how}, and found much the same clusters, with borders drawn differently."


def advice(facts: Facts, trust: Trust) -> list[str]:
    """What to try, the most promising first; in backquotes what can be typed."""
    unlucky = trust.among is not None and trust.among[1] > trust.ari + LEFT_BEHIND
    about_this = _about_luck(trust) if unlucky else _about_number(facts, trust)
    return [*about_this, *_about_method(facts, trust), *_about_graph(facts), *_about_data(facts)]


def _about_luck(trust: Trust) -> list[str]:
    assert trust.among is not None
    return [
        f"The other runs agree with each other (ARI {trust.among[1]:.2f}) more than with this model ({trust.ari:.2f}), "
        f"which may have had an unlucky start: try `random_state={trust.reruns[0].seed}`."
    ]


def _about_number(facts: Facts, trust: Trust) -> list[str]:
    found = []
    other = another_k(facts)
    if other is not None:
        found.append(f"The eigenvalues have a clearer gap behind {other}: try `n_clusters={other}`.")
    pairs = sorted({tuple(sorted((one, two))) for one in trust.shaky if (two := trust.partner[one]) is not None})
    if pairs and trust.verdict != WORDS[2]:
        named = ", ".join(f"{one} with {two}" for one, two in pairs[:3])
        fewer = facts.n_clusters - 1
        hint = f": try `n_clusters={fewer}`" if other is None and fewer > 1 else ""
        found.append(f"Some clusters exchange rows from run to run ({named}) and may be one{hint}.")
    return found


def _about_method(facts: Facts, trust: Trust) -> list[str]:
    if trust.verdict == WORDS[0]:
        return []
    found = []
    method = facts.run.method
    if facts.n_landmarks is not None and facts.n_landmarks < facts.n_rows / 2:
        found.append(f"More landmarks make a finer graph: try `n_landmarks={2 * facts.n_landmarks}`.")
    if method == "LloydKMeans":
        found.append("k-means sees round clusters only: try `DnCSC`, and more starts (`n_init`).")
    elif method not in ENSEMBLES:
        found.append("An ensemble gives a steadier answer from several graphs: try `LSEC`.")
    return found


def _about_graph(facts: Facts) -> list[str]:
    found = []
    if facts.n_components > facts.n_clusters:
        found.append(
            f"The graph falls into {facts.n_components:,} parts that nothing joins, more than the "
            f"{facts.n_clusters:,} clusters, so that parts were put together by distance: try more `n_neighbors`, or "
            "more clusters."
        )
    if facts.exact_fraction is not None and facts.exact_fraction < EXACT_ENOUGH:
        found.append(
            f"For {facts.exact_fraction:.0%} of the rows the nearest landmarks are proven to be the nearest: try "
            "`nearest='exact'` to see whether the rest matters."
        )
    return found


def _about_data(facts: Facts) -> list[str]:
    found = []
    counts = facts.moments.count
    small = np.flatnonzero((counts > 0) & ((counts < SMALL_SHARE * facts.n_rows) | (counts < SMALL_COUNT)))
    if len(small):
        verb = "are" if len(small) > 1 else "is"
        text = numbered(small.tolist())
        found.append(f"{text[0].upper()}{text[1:]} {verb} very small: perhaps outliers rather than a group.")
    empty = facts.n_clusters - np.count_nonzero(counts)
    if empty > 0:
        found.append(f"{empty} of the {facts.n_clusters} clusters are empty: the rows have fewer distinct groups.")
    variance = facts.moments.whole_deviation**2
    if facts.n_features > 1 and variance.max() > DOMINANT * variance.sum():
        name, part = facts.names[int(variance.argmax())], variance.max() / variance.sum()
        found.append(
            f"The feature {name} has {part:.1%} of all variance, so that distances hardly see the others: scale the "
            "features unless that is meant."
        )
    if facts.run.seed is None:
        found.append("No seed was given, so that the next fit may differ: set `random_state` to repeat this one.")
    return found
