"""Powers of two that keep sums of weights within what floats hold. They cost no precision, and are taken out again."""

from __future__ import annotations

import math
import sys

import numpy as np

LIGHTEST, HEAVIEST = 2.0**-64, 2.0**64
"""The largest weight may be as it is between these: times squared distances in a frame it can be summed."""


def scale_for(heaviest: float) -> float:
    """What to multiply weights by, the largest of which is given: 1, or what brings that to between 1 and 2."""
    if LIGHTEST <= heaviest <= HEAVIEST:
        return 1.0
    return math.ldexp(1.0, min(1 - math.frexp(heaviest)[1], 1000))  # its power is still a number


def scaled(weight: np.ndarray, scale: float) -> np.ndarray:
    """Weights times a scale; those that are positive stay so, since rows of weight 0 are not counted."""
    if scale == 1.0:
        return weight
    return np.where(weight > 0, np.maximum(weight * scale, np.finfo(np.float64).tiny), 0.0)


def unscaled(total: float, *scales: float) -> float:
    """A sum of what was multiplied by powers of two, without these; the largest number where it is beyond all numbers.

    Exponents are added up: quotients could overflow one after the other, and yet lead back to a number.
    """
    try:
        return math.ldexp(total, -sum(math.frexp(scale)[1] - 1 for scale in scales))
    except OverflowError:
        return sys.float_info.max
