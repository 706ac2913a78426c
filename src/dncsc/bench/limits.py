"""What a cell may take, in words as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dncsc.memory import parse_bytes

UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Limits:
    """Of one cell."""

    seconds: float
    """of the fit, and of the small one before it"""
    bytes: int
    """of all its processes together"""

    @classmethod
    def parse(cls, time: str, memory: str) -> Limits:
        """From texts.

        Examples
        --------
        >>> Limits.parse("10m", "8GB")
        Limits(seconds=600.0, bytes=8000000000)
        """
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", time.lower())
        if not found or found[2] not in UNITS or not float(found[1]):
            raise ValueError(f"a limit of time is something like 600s, 10m or 1h; got {time!r}.")
        try:
            return cls(float(found[1]) * UNITS[found[2]], parse_bytes(memory))
        except ValueError:
            raise ValueError(f"a limit of memory is something like 800MB or 8GB; got {memory!r}.") from None
