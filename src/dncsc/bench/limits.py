"""What a cell may take, in words as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

TIMES = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
SIZES = {"": 1, "b": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "tb": 2**40}


@dataclass(frozen=True)
class Limits:
    """Of one cell."""

    seconds: float
    """of the fit, and of the small one before it"""
    bytes: int
    """of all its processes together"""


def seconds(text: str) -> float:
    """Seconds of a text.

    Examples
    --------
    >>> seconds("600s"), seconds("1.5 h")
    (600.0, 5400.0)
    """
    return _parse(text, TIMES, "600s, 10m, 1h")


def size(text: str) -> int:
    """Bytes of a text.

    Examples
    --------
    >>> size("8GB")
    8589934592
    """
    return int(_parse(text, SIZES, "800MB, 8GB"))


def _parse(text: str, units: dict[str, int], examples: str) -> float:
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", text.lower())
    if not found or found[2] not in units or not float(found[1]):
        raise ValueError(f"{text!r} is not something like {examples}.")
    return float(found[1]) * units[found[2]]
