"""The process of one cell: ``python -m dncsc.bench.cell``, which a suite starts for each.

The cell comes as a line of JSON on stdin. What it is doing (``{"stage": ...}``) and at last its outcome
(``{"outcome": ...}``) go to stdout, a line of JSON each; everything else that is printed goes to stderr.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any


def _end_with_suite() -> None:
    """Wait until stdin is closed, which happens when the suite ends, and end everything that this cell started."""
    while os.read(0, 1):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main(run: Callable[[dict[str, Any], Callable[[str], None]], dict[str, Any]] | None = None) -> None:
    """Read a cell, run it, print the outcome; a function to run it with is for tests."""
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asked = sys.stdin.buffer.readline()
    if not asked.endswith(b"\n"):  # the suite has ended
        return
    threading.Thread(target=_end_with_suite, daemon=True).start()

    def tell(line: dict[str, Any]) -> None:
        print(json.dumps(line), file=results, flush=True)

    if run is None:
        from dncsc.bench.measure import outcome

        run = outcome
    tell({"outcome": run(json.loads(asked), lambda stage: tell({"stage": stage}))})


if __name__ == "__main__":
    main()
