"""The tree of clusters: which join first, drawn from left to right; of many clusters only the last joins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dncsc.report.facts import Facts
from dncsc.report.format import format_number, name_clusters
from dncsc.report.html import escape, section, table

MOST_LEAVES = 50
"""Up to so many clusters the whole tree is drawn."""
LAST_JOINS = 30
"""Joins that are drawn of a larger one."""
WIDTH, LINE = 1000.0, 10
"""Units across the drawing, and down a leaf; the page stretches both."""
FIRST, LAST, LAST_BESIDE_NONE, NONE = 80.0, 960.0, 800.0, 975.0
"""Where the strongest and the weakest link stand, the latter with and without joins of groups that nothing links."""
DECADES = 6
"""Powers of ten between them at most; weaker links stand with the weakest."""
MOST_TICKS, LONG = 3, 1e-5
"""Numbers on the scale, one less where they are long: for links weaker than this."""


@dataclass(frozen=True)
class Leaf:
    """A cluster, or several that have joined before."""

    clusters: list[int]
    n_rows: int


@dataclass(frozen=True)
class Join:
    """Two nodes that become one; leaves come first in the numbering of nodes."""

    one: int
    other: int
    strength: float
    """of the links between them: from 1 to 0"""


@dataclass(frozen=True)
class Top:
    """The last joins of a tree, in order, and what they join, in the order in which it is drawn."""

    leaves: list[Leaf]
    joins: list[Join]
    n_left_out: int
    """joins before those"""

    @classmethod
    def of(cls, tree: np.ndarray, counts: np.ndarray) -> Top:
        """From a linkage matrix over clusters, and the rows of each."""
        k = len(tree) + 1
        n_shown = k - 1 if k <= MOST_LEAVES else LAST_JOINS
        n_left_out = k - 1 - n_shown
        clusters, order = {i: [i] for i in range(k)}, {i: [i] for i in range(k)}
        rows = [int(count) for count in counts[:k]]
        for i, (a, b) in enumerate(tree[:, :2].astype(int).tolist()):
            one, other = (a, b) if rows[a] >= rows[b] else (b, a)  # the larger above
            rows.append(rows[one] + rows[other])
            clusters[k + i] = clusters.pop(one) + clusters.pop(other) if i < n_left_out else []
            order[k + i] = order.pop(one) + order.pop(other) if i >= n_left_out else [k + i]
        drawn = order[2 * k - 2]
        number = {node: place for place, node in enumerate(drawn)}
        number.update({k + n_left_out + i: n_shown + 1 + i for i in range(n_shown)})
        leaves = [Leaf(sorted(clusters[node]), rows[node]) for node in drawn]
        joins = [Join(number[int(a)], number[int(b)], 1 - float(far)) for a, b, far in tree[n_left_out:, :3]]
        return cls(leaves, joins, n_left_out)


class Scale:
    """Where links of a strength stand: logarithmic, the strong to the left, none at all to the right."""

    def __init__(self, strengths: list[float]) -> None:
        self._linked = linked = [each for each in strengths if each > 0]
        self.has_unlinked = len(linked) < len(strengths)
        self.high = max(linked, default=1.0)
        self.low = max(min(linked, default=1.0), self.high / 10**DECADES)
        self._last = LAST_BESIDE_NONE if self.has_unlinked else LAST

    def place(self, strength: float) -> float:
        if strength <= 0:
            return NONE
        if self.low == self.high:
            return (FIRST + self._last) / 2
        share = math.log(self.high / max(strength, self.low)) / math.log(self.high / self.low)
        return FIRST + (self._last - FIRST) * share

    def ticks(self) -> list[tuple[float, str]]:
        """Round strengths between the strongest and the weakest, and what they are called."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for digits in ((1,), (1, 3), (1, 2, 5), range(1, 10)):
            round_ones = [digit * 10.0**power for power in reversed(powers) for digit in reversed(digits)]
            inside = [each for each in round_ones if self.low <= each <= self.high]
            if len(inside) > 1:
                break
        most = MOST_TICKS if self.low > LONG else MOST_TICKS - 1
        inside = inside[:: -(-len(inside) // most)] if inside and self._linked else self._linked[:1]
        texts = [
            f"{np.format_float_positional(100 * each, precision=2, fractional=False, trim='-')}%" for each in inside
        ]
        return [*zip(map(self.place, inside), texts, strict=True), *[(NONE, "none")] * self.has_unlinked]


def tree_section(facts: Facts) -> str:
    """The tree; nothing where the method has none, or where there is one cluster."""
    tree = getattr(facts.model, "tree_", None)
    if tree is None or not len(tree):
        return ""
    top = Top.of(tree, facts.moments.count)
    k, n_unlinked = len(tree) + 1, int(np.count_nonzero(tree[:, 2] >= 1))
    lead = "From left to right, those that are linked most join first. The scale is the strength of the links."
    if top.n_left_out:
        lead += f" Of {len(tree):,} joins, the last {len(top.joins)} are drawn."
    if n_unlinked:
        lead += f" Nothing links the last {n_unlinked + 1:,} groups, so that the order in which they join says little."
    n = max(min(5, k // 2), 2, n_unlinked + 1)
    if n < k:
        lead += f" <code>--layers {n}</code>, or <code>model.merged({n})</code>, gives labels of {n:,} groups."
    names = "".join(f"<li>{_leaf(facts, leaf)}</li>" for leaf in top.leaves)
    scale = Scale([join.strength for join in top.joins])
    axis = "".join(
        f'<span class="{"none" if text == "none" else "share"}" style="--x:{at / WIDTH:.4f}">{text}</span>'
        for at, text in scale.ticks()
    )
    body = (
        f'<figure class="tree"><ul>{names}</ul>{_drawing(facts, top, scale)}<div class="axis">{axis}</div></figure>\n'
        f"<details><summary>Joins</summary>{_joins(facts, top)}</details>"
    )
    return section("Tree", "Tree of the clusters", lead, body)


def _leaf(facts: Facts, leaf: Leaf) -> str:
    rows = f'<span class="n">{leaf.n_rows:,}<span class="word"> rows</span></span>'
    if len(leaf.clusters) == 1:
        return f"{_name(facts, leaf)}{rows}"
    return f'<span title="{escape(name_clusters(leaf.clusters).capitalize())}">{_name(facts, leaf)}</span>{rows}'


def _name(facts: Facts, leaf: Leaf) -> str:
    if len(leaf.clusters) == 1:
        return f'<span class="one">{facts.swatch(leaf.clusters[0])}{leaf.clusters[0]}</span>'
    return f'<span class="several">{len(leaf.clusters):,} clusters</span>'


def _drawing(facts: Facts, top: Top, scale: Scale) -> str:
    """Branches as SVG, which is stretched beside the names of its leaves."""
    n, high, low = len(top.leaves), top.joins[0].strength, top.joins[-1].strength
    drawn = [f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{LINE * n}"/>' for at, _ in scale.ticks()]
    places = [(0.0, LINE * (i + 0.5)) for i in range(n)]
    for join in top.joins:
        (x, y), (other_x, other_y), at = places[join.one], places[join.other], scale.place(join.strength)
        drawn.append(
            f'<polyline points="{x:.1f},{y:.1f} {at:.1f},{y:.1f} {at:.1f},{other_y:.1f} {other_x:.1f},{other_y:.1f}"/>'
        )
        for node in (join.one, join.other):
            if node < n and len(top.leaves[node].clusters) == 1:
                colour, height = facts.colour(top.leaves[node].clusters[0]), f"{places[node][1]:.1f}"
                drawn.append(f'<line style="--c:{colour}" x1="0" x2="{at:.1f}" y1="{height}" y2="{height}"/>')
        places.append((at, (y + other_y) / 2))
    end, level = places[-1]
    drawn.append(f'<line x1="{end:.1f}" x2="{WIDTH:.0f}" y1="{level:.1f}" y2="{level:.1f}"/>')
    label = f"Tree of {n} leaves. Links between those that join go from {_percent(high)} to {_percent(low)}."
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {LINE * n}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}">{"".join(drawn)}</svg>'
    )


def _joins(facts: Facts, top: Top) -> str:
    """A table of the joins that are drawn, in order."""
    nodes, lines = list(top.leaves), []
    for done, join in enumerate(top.joins, 1):
        one, other = nodes[join.one], nodes[join.other]
        nodes.append(Leaf(one.clusters + other.clusters, one.n_rows + other.n_rows))
        left = f"{len(top.leaves) - done}"
        lines.append((left, _name(facts, one), _name(facts, other), f"{nodes[-1].n_rows:,}", _percent(join.strength)))
    return table("Joins, in order", ["Groups left", "One", "Other", "Rows", "Links"], lines, "plain")


def _percent(strength: float) -> str:
    return "none" if strength <= 0 else f"{format_number(100 * strength, None if strength < 1e-6 else 4)}%"
