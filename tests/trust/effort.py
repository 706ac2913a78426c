"""How much is tried: a fifth of what `docs/promises.md` counts, or all of it with ``DNCSC_EFFORT=1 make test-long``."""

from __future__ import annotations

import os

EFFORT = float(os.environ.get("DNCSC_EFFORT", "0.2"))


def times(most: int) -> range:
    """So many trials at full effort, and at least two."""
    return range(max(2, round(most * EFFORT)))
