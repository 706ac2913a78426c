"""Measure one cell: time, memory and scores of a fit."""

from __future__ import annotations

import hashlib
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
from numba.core.event import install_recorder
from threadpoolctl import threadpool_limits

from dncsc import datasets, memory, metrics
from dncsc.bench import methods
from dncsc.bench.engines import ENGINES, WARM_ROWS, UnavailableError
from dncsc.bench.shapes import OUTLIER, SHAPES

STATUS = {UnavailableError: "skipped", MemoryError: "memory"}

Say = Callable[[str], None]


def measure(cell: dict[str, Any], say: Say) -> dict[str, Any]:
    """Load, warm up, fit, score; only the fit is timed."""
    say("loading")
    X, y = _load(cell["set"], cell["rows"])
    k = len(np.unique(y[y != OUTLIER]))
    shape = {"n_rows": len(X), "n_features": X.shape[1], "n_classes": k}
    held = [X]
    del X
    with threadpool_limits(cell["threads"]):
        return {**shape, **_fit(cell, held, y, k, say)}


def _load(name: str, rows: int | None) -> tuple[np.ndarray, np.ndarray]:
    if name in SHAPES:
        return SHAPES[name](rows or 0)
    try:
        X, y = datasets.load(name, n=rows)
    except (OSError, ValueError) as error:
        raise UnavailableError(str(error)) from error
    return np.ascontiguousarray(X, np.float32), y


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
            cpu, start = _cpu_seconds(), time.perf_counter()
            labels = np.asarray(model.fit(rows).labels_)
            seconds = time.perf_counter() - start
            cpu = _cpu_seconds() - cpu
        peak = _peak()
    say("scoring")
    counts = y != OUTLIER
    return {
        "status": "ok",
        **metrics.scores(y[counts], labels[counts]),
        "seconds": seconds,
        "cpu_seconds": cpu,
        "phases": getattr(model, "timings_", {}),
        "peak_bytes": peak,
        "extra_bytes": max(0, peak - before),
        "compiled": len(compiled.buffer),
        "labels": hashlib.blake2b(labels.astype(np.int32).tobytes(), digest_size=8).hexdigest(),
        "exact_fraction": getattr(model, "exact_fraction_", None),
    }


def _cpu_seconds() -> float:
    """Of this process and of those that it has started, such as Dask workers."""
    me = psutil.Process()
    times = [each.cpu_times() for each in (me, *me.children(recursive=True))]
    return float(sum(each.user + each.system for each in times))


def _forget_peak() -> int:
    """Bytes that the process holds now, input included; from here on, its peak counts anew where the system can."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return memory.resident()
    except OSError:
        return _peak()


def _peak() -> int:
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
    except OSError:
        return memory.peak()


def outcome(cell: dict[str, Any], say: Say) -> dict[str, Any]:
    """What a cell gave, or why it gave nothing."""
    try:
        return measure(cell, say)
    except Exception as error:
        traceback.print_exc()
        status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), "failed")
        reason = str(error) if status == "skipped" else f"{type(error).__name__}: {error}"
        # A refusal is certain to come again with the next seed; anything else might not.
        return {"status": status, "reason": reason, "refused": isinstance(error, ValueError | TypeError | ImportError)}
