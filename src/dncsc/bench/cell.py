"""Run one cell: ``python -m dncsc.bench.cell``, which a suite starts for each.

The cell comes as a line of JSON on stdin. What it is doing (``{"stage": ...}``) and at last its outcome
(``{"outcome": ...}``) go to stdout, a line of JSON each; whatever else is printed goes to stderr.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core.event import install_recorder
from threadpoolctl import threadpool_limits

from dncsc import datasets, memory, metrics
from dncsc.bench import methods
from dncsc.bench.engines import ENGINES, WARM_ROWS, UnavailableError

STATUS = {UnavailableError: "skipped", MemoryError: "memory"}

Say = Callable[[str], None]


def measure(cell: dict[str, Any], say: Say) -> dict[str, Any]:
    """Load, warm up, fit, score; only the fit is timed."""
    say("loading")
    try:
        X, y = datasets.load(cell["set"], n=cell["rows"])
    except (OSError, ValueError) as error:
        raise UnavailableError(str(error)) from error
    k = len(np.unique(y))
    shape = {"n_rows": len(X), "n_features": X.shape[1], "n_classes": k}
    held = [np.ascontiguousarray(X, np.float32)]
    del X
    with threadpool_limits(cell["threads"]):
        return {**shape, **_fit(cell, held, y, k, say)}


def _fit(cell: dict[str, Any], held: list[np.ndarray], y: np.ndarray, k: int, say: Say) -> dict[str, Any]:
    def make() -> Any:
        return methods.make(cell["method"], k, cell["params"], cell["seed"], cell["threads"])

    say("warming up")
    make().fit(held[0][: max(WARM_ROWS, 2 * cell["params"].get("n_landmarks", 0), 2 * k)].copy())
    model = make()
    with ENGINES[cell["engine"]](held, model, cell["threads"]) as rows:
        before = _forget_peak()
        say("fitting")
        with install_recorder("numba:compile") as compiled:
            start = time.perf_counter()
            labels = np.asarray(model.fit(rows).labels_)
            seconds = time.perf_counter() - start
        peak = _peak()
    say("scoring")
    return {
        "status": "ok",
        **metrics.scores(y, labels),
        "seconds": seconds,
        "phases": getattr(model, "timings_", {}),
        "peak_bytes": peak,
        "extra_bytes": max(0, peak - before),
        "compiled": len(compiled.buffer),
        "labels": hashlib.blake2b(labels.astype(np.int32).tobytes(), digest_size=8).hexdigest(),
        "exact_fraction": getattr(model, "exact_fraction_", None),
    }


def _forget_peak() -> int:
    """Bytes that the process holds now, input included; from here on, its peak counts anew where the system can."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return _status("VmRSS")
    except OSError:
        return _peak()


def _peak() -> int:
    try:
        return _status("VmHWM")
    except OSError:
        return memory.peak()


def _status(name: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


def outcome(cell: dict[str, Any], say: Say) -> dict[str, Any]:
    """What a cell gave, or why it gave nothing."""
    try:
        return measure(cell, say)
    except Exception as error:
        traceback.print_exc()
        status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), "failed")
        named = str(error) if status == "skipped" else f"{type(error).__name__}: {error}"
        # A refusal is certain to come again with the next seed; anything else might not.
        return {"status": status, "reason": named, "refused": isinstance(error, ValueError | TypeError | ImportError)}


def _end_with_suite() -> None:
    """Wait for the suite to close stdin, which it never does but by ending, and end everything this cell started."""
    while os.read(0, 1):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main() -> None:
    """Read a cell, run it, tell."""
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asked = b""
    while not asked.endswith(b"\n"):
        some = os.read(0, 1)
        if not some:  # whoever started this has ended
            return
        asked += some
    threading.Thread(target=_end_with_suite, daemon=True).start()

    def tell(line: dict[str, Any]) -> None:
        results.write(json.dumps(line) + "\n")
        results.flush()

    tell({"outcome": outcome(json.loads(asked), lambda stage: tell({"stage": stage}))})


if __name__ == "__main__":
    main()
