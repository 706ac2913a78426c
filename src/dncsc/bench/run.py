"""Run the cells of a plan that have no result yet, one after the other, and keep each as soon as it is there."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import time
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from dncsc.bench.live import LiveProgress
from dncsc.bench.process import Limits, run_cell
from dncsc.bench.results import Plan, Results
from dncsc.bench.rivals import RIVALS
from dncsc.version import __version__

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
RIVAL_PACKAGES = tuple(dict.fromkeys(rival.package for rival in RIVALS.values()))
LIMITED = {"timeout": "seconds", "memory": "bytes"}
"""Limit that a status speaks of."""

Record = dict[str, Any]


def run_plan(plan: Plan, results: Results, limits: Limits, progress: LiveProgress, retry: bool = False) -> None:
    """Run what is left of a plan, and tell `progress` how it goes.

    Cells that have a result are not run again, except those that were skipped, or exceeded a limit that is now
    higher; with `retry` also those that failed or exceeded a limit.
    """
    results.add_plan(plan)
    hopeless: dict[str, str] = {}
    for cell in plan.cells():
        known = results.runs.get(cell.key)
        record, anew = known or {}, False
        if known is None or _worth_another_try(known, limits, retry):
            if cell.kind in hopeless:
                record = {"status": "skipped", "reason": hopeless[cell.kind]}
            else:
                load = round(os.getloadavg()[0], 2)
                record = {"load": load, **run_cell(cell, limits, partial(progress.begin, cell))}
            anew = known is None or any(known.get(name) != record.get(name) for name in ("status", "reason"))
            if anew:
                results.add_run(cell, {**asdict(cell), **record, **_circumstances(limits)})
        if record["status"] in LIMITED or record.get("refused"):
            hopeless.setdefault(cell.kind, f"repeat {cell.repeat + 1}: {record['reason']}")
        progress.finish(cell, record, anew)


def _worth_another_try(known: Record, limits: Limits, retry: bool) -> bool:
    status = known["status"]
    higher = status in LIMITED and known["limits"][LIMITED[status]] < asdict(limits)[LIMITED[status]]
    return status == "skipped" or higher or (retry and status != "ok")


def _circumstances(limits: Limits) -> Record:
    """Where, when and with what it ran."""
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    for name in RIVAL_PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    info = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*:\s*(.*\S)", info.read_text()) if info.exists() else None
    return {
        "limits": asdict(limits),
        "versions": {"dncsc": __version__, "python": platform.python_version(), **versions},
        "machine": {
            "processor": named[1] if named else platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "memory_bytes": psutil.virtual_memory().total,
            "system": platform.system(),
        },
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
