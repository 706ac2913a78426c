"""What the map in the page is drawn from: counts as compact JSON, colours for light and dark."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from dncsc import plot
from dncsc.report.gather import Facts
from dncsc.report.maps import COLUMNS, LINES, Pairs, View

NIGHT = np.array([20, 23, 27]) / 255
"""What maps are drawn on in the dark."""
CONTRAST = 3.0
"""Least contrast of graphics that the guidelines ask for; more would make mixed colours too alike."""


def payload(facts: Facts) -> str:
    """JSON that can stand inside a script element: nothing in it can end that."""
    data = {
        "clusters": len(facts.moments.count),
        "counts": facts.moments.count.tolist(),
        "rows": facts.n_rows,
        "colours": list(zip(*colours(len(facts.moments.count)), strict=True)),
        "columns": COLUMNS,
        "lines": LINES,
        "views": [_view(view) for view in facts.views],
        "pairs": None if facts.pairs is None else _pairs(facts.pairs, facts.names),
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def colours(n: int) -> tuple[list[str], list[str]]:
    """Colours of n clusters by day, and by night, when dark ones are mixed with white until they can be seen."""
    day = plot.palette(n)
    return [_hex(each) for each in day], [_hex(_lifted(each)) for each in day]


def _lifted(colour: np.ndarray) -> np.ndarray:
    for white in np.linspace(0, 1, 51):
        mixed = colour + white * (1 - colour)
        if (_luminance(mixed) + 0.05) / (_luminance(NIGHT) + 0.05) >= CONTRAST:
            return np.asarray(mixed)
    return np.ones(3)


def _luminance(colour: np.ndarray) -> float:
    """Relative luminance of sRGB, as the guidelines on contrast define it."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _hex(colour: np.ndarray) -> str:
    return "#" + bytes(np.rint(255 * colour).astype(np.uint8)).hex()


def _view(view: View) -> dict[str, Any]:
    return {
        "key": view.key,
        "axes": view.axes,
        "low": view.frame.low.tolist(),
        "high": view.frame.high.tolist(),
        "rows": view.n_rows,
        "outside": view.n_outside,
        "gap": _packed(np.diff(view.cell, prepend=0)),
        "cluster": _packed(view.cluster),
        "count": _packed(view.count),
        "landmarks": _packed(view.landmarks.ravel()),
    }


def _pairs(pairs: Pairs, names: list[str]) -> dict[str, Any]:
    """Values feature by feature."""
    return {
        "names": names,
        "low": pairs.frame.low.tolist(),
        "high": pairs.frame.high.tolist(),
        "values": _packed(pairs.values.T.ravel()),
        "cluster": _packed(pairs.labels),
        "landmarks": _packed(pairs.landmarks.T.ravel()),
    }


def _packed(values: np.ndarray) -> dict[str, Any]:
    """Non-negative integers in as few bits as hold the largest, low byte first, in base64."""
    largest = int(values.max(initial=0))
    bits = 8 if largest < 2**8 else 16 if largest < 2**16 else 32
    return {"bits": bits, "data": base64.b64encode(values.astype(f"<u{bits // 8}").tobytes()).decode("ascii")}
