"""Numbers, durations and lists as people write them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dncsc.errors import enumerated


def decimals(spread: float) -> int | None:
    """Decimals that show a spread to three figures; None where only powers of ten would."""
    if not 1e-6 < spread < 1e7:
        return None
    return max(0, 2 - math.floor(math.log10(spread)))


def format_number(value: float, places: int | None = None) -> str:
    """A number with thousands separators and a true minus sign."""
    if places is not None and abs(value) < 1e12:
        text = f"{value:,.{places}f}"
        text = text.lstrip("-") if not float(text.replace(",", "")) else text
    else:
        text = f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.4g}"
    return text.replace("-", "\N{MINUS SIGN}")


def format_date(days: float, spread: float) -> str:
    """A date from days since 1970-01-01, and the time where dates spread over less than two days."""
    if 0 < spread < 2:
        return str(np.datetime64(round(86_400 * days), "s")).replace("T", " ")
    return str(np.datetime64(math.floor(days), "D"))


def format_seconds(value: float) -> str:
    """A duration to about three figures."""
    if value < 0.0995:
        return f"{1000 * value:.1f} ms" if value >= 5e-5 or not value else "< 0.1 ms"
    if value < 99.5:
        return f"{value:.2f} s" if value < 9.95 else f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def format_share(part: float, whole: float) -> str:
    """Per cent; a part that exists is never 0."""
    if not part:
        return "0%"
    return "< 0.1%" if part / whole < 0.001 else f"{part / whole:.1%}"


def name_clusters(clusters: Sequence[int]) -> str:
    """Cluster 3, or clusters 3 and 5; the first six of many."""
    shown = [str(cluster) for cluster in clusters[:6]]
    if len(clusters) > len(shown):
        shown.append(f"{len(clusters) - len(shown)} more")
    return f"cluster{'s' * (len(shown) > 1)} {enumerated(shown)}"
