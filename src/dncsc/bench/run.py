"""Run the cells of a plan that have no result yet, one after the other, and keep each as soon as it is there."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import psutil

from dncsc.bench.cells import Cell, Plan
from dncsc.bench.process import Limits, run_cell
from dncsc.bench.results import Results
from dncsc.version import __version__

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn")
LIMITED = {"timeout": "seconds", "memory": "bytes"}
"""Limit that a status speaks of."""

Record = dict[str, Any]


class CellProgress(Protocol):
    """Is told how the cells of a plan are going."""

    def begin(self, cell: Cell, stage: str) -> None:
        """A cell is in some stage; told several times a second."""

    def finish(self, cell: Cell, record: Record, anew: bool) -> None:
        """A cell is over, or was before (not anew)."""


def run_plan(plan: Plan, results: Results, limits: Limits, progress: CellProgress, retry: bool = False) -> None:
    """Run what is left of a plan.

    Parameters
    ----------
    plan : Plan
    results : Results
        Open. Cells that it has are not run again, except those that were skipped, or exceeded a limit that is now
        higher.
    limits : Limits
    progress : CellProgress
    retry : bool
        Run again also what failed or exceeded a limit.
    """
    results.add_plan(plan)
    hopeless: dict[str, str] = {}
    for cell in plan.cells():
        known = results.runs.get(cell.key)
        if known is None or _worth_another_try(known, limits, retry):
            reason = hopeless.get(cell.kind)
            record = {"status": "skipped", "reason": reason} if reason else _run(cell, limits, progress)
            record = {**asdict(cell), **record, **_circumstances(limits)}
            anew = known is None or (known["status"], known.get("reason")) != (record["status"], record.get("reason"))
            if anew:
                results.add_run(cell, record)
        else:
            record, anew = known, False
        if record["status"] in LIMITED or record.get("refused"):
            hopeless.setdefault(cell.kind, f"repeat {cell.repeat + 1}: {record['reason']}")
        progress.finish(cell, record, anew)


def _worth_another_try(known: Record, limits: Limits, retry: bool) -> bool:
    status = known["status"]
    if status in LIMITED:
        which = LIMITED[status]
        return retry or bool(known["limits"][which] < asdict(limits)[which])
    return status == "skipped" or (retry and status == "failed")


def _run(cell: Cell, limits: Limits, progress: CellProgress) -> Record:
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    return {"load": load, **run_cell(cell, limits, lambda stage: progress.begin(cell, stage))}


def _circumstances(limits: Limits) -> Record:
    """Where, when and with what it ran."""
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "limits": asdict(limits),
        "versions": {"dncsc": __version__, "python": platform.python_version(), **versions},
        "machine": machine(),
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def machine() -> Record:
    """Processor, cores, memory, system."""
    info = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*:\s*(.*\S)", info.read_text()) if info.exists() else None
    return {
        "processor": named[1] if named else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "system": platform.system(),
    }
