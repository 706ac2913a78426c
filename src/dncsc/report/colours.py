"""Colours of clusters that show on light and on dark pages."""

from __future__ import annotations

import numpy as np

from dncsc import plot

NIGHT = np.array([20, 23, 27]) / 255
"""Background of maps on a dark page."""
CONTRAST = 3.0
"""Least contrast of graphics in the accessibility guidelines (WCAG); more would make mixed colours too alike."""


def day_and_night(n: int) -> list[tuple[str, str]]:
    """Colours of n clusters; on dark pages, dark ones are mixed with white until they show."""
    return [(_hex(colour), _hex(_lighten(colour))) for colour in plot.palette(n)]


def _lighten(colour: np.ndarray) -> np.ndarray:
    mixtures = (colour + white * (1 - colour) for white in np.linspace(0, 1, 51))
    bright = (each for each in mixtures if (_luminance(each) + 0.05) / (_luminance(NIGHT) + 0.05) >= CONTRAST)
    return next(bright, np.ones(3))


def _luminance(colour: np.ndarray) -> float:
    """Relative luminance of sRGB, as WCAG defines it."""
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _hex(colour: np.ndarray) -> str:
    return "#" + bytes(np.rint(255 * colour).astype(np.uint8)).hex()
