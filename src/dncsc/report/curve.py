"""The curve of eigenvalues as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dncsc.report.html import escape

WIDTH, HEIGHT = 720, 300
RIGHT, TOP, BOTTOM = WIDTH - 16, 22, HEIGHT - 40
MARGIN, LETTER = 14, 15
"""Space left of the numbers on the y axis, and for each of their letters: they are large on a phone."""
LABELS = 12
"""Numbers below the curve, about."""
FEW = 60
"""Fewer points than this are large."""

Axis = Callable[[float], float]
"""Maps a value to its place in the drawing."""


def curve(values: Sequence[float], k: int, described: str) -> str:
    """Eigenvalues in ascending order; those in use are filled, and the gap after the k-th is marked."""
    high = max(values[-1], 1e-12) * 1.06
    left = MARGIN + LETTER * max(len(_short(tick)) for tick in _ticks(high))
    step = (RIGHT - left) / max(len(values) - 1, 1)

    def x(number: float) -> float:
        return left + step * (number - 1)

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * value / high

    line = " ".join(f"{x(number):.1f},{y(value):.1f}" for number, value in enumerate(values, 1))
    radius = 5 if len(values) < FEW else 3
    dots = [
        f'<circle class="{"used" if number <= k else "unused"}" cx="{x(number):.1f}" cy="{y(value):.1f}" r="{radius}"/>'
        for number, value in enumerate(values, 1)
    ]
    gap = _gap(values, k, x, y) if len(values) > k and values[-1] > 0 else []
    inner = "\n".join([*_axes(len(values), k, high, x, y), *gap, f'<polyline points="{line}"/>', *dots])
    label = f"Curve of {len(values)} eigenvalues from {values[0]:.3g} to {values[-1]:.3g}. {described}"
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">\n{inner}\n</svg>'
    )


def _axes(n_values: int, k: int, high: float, x: Axis, y: Axis) -> list[str]:
    found, left = [], x(1)
    for tick in _ticks(high):
        found.append(f'<line class="grid" x1="{left}" x2="{RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        found.append(f'<text x="{left - 10}" y="{y(tick) + 4:.1f}" text-anchor="end">{_short(tick)}</text>')
    every = -(-n_values // LABELS)
    for number in sorted({1, k, *range(every, n_values + 1, every)}):
        if number == k or (abs(number - k) >= every and (number == 1 or number > every / 2 + 1)):
            kind = ' class="strong"' if number == k else ""
            found.append(f'<text{kind} x="{x(number):.1f}" y="{HEIGHT - 14}" text-anchor="middle">{number}</text>')
    return found


def _gap(values: Sequence[float], k: int, x: Axis, y: Axis) -> list[str]:
    left, upper, lower, middle = x(1), y(values[k]), y(values[k - 1]), x(k + 0.5)
    text = f"gap after {k}: {values[k] - values[k - 1]:.3g}"
    anchor, place = ("end", middle - 8) if middle > WIDTH / 2 else ("start", middle + 8)
    return [
        f'<rect class="gap" x="{left}" y="{upper:.1f}" width="{RIGHT - left}" height="{max(lower - upper, 1):.1f}"/>',
        f'<line class="cut" x1="{middle:.1f}" x2="{middle:.1f}" y1="{TOP}" y2="{BOTTOM}"/>',
        f'<text class="strong" x="{place:.1f}" y="{TOP - 6}" text-anchor="{anchor}">{text}</text>',
    ]


def _short(tick: float) -> str:
    """A number without leading zeros in its exponent."""
    return f"{tick:.3g}".replace("e-0", "e-").replace("-", "\N{MINUS SIGN}")


def _ticks(high: float) -> list[float]:
    """Three to six round numbers from 0."""
    power = 10.0 ** np.floor(np.log10(high / 3))
    step = max(power * each for each in (1, 2, 5) if power * each <= high / 3 or each == 1)
    return [float(each) for each in np.arange(0, high, step)]
