"""All that the page tells, as plain data."""

from __future__ import annotations

import copy
import platform
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from dncsc import memory
from dncsc.engines.pool import available_cores
from dncsc.report import maps, moments, trust
from dncsc.report.colours import day_and_night
from dncsc.report.reader import BlockReader, sample_numbers
from dncsc.version import __version__


@dataclass(frozen=True)
class ReportOptions:
    """What the caller asked for."""

    title: str | None = None
    data: Any = None
    command: str | None = None
    reruns: int = 3
    sample_rows: int = 200_000


@dataclass(frozen=True)
class Facts:
    """Everything on the page."""

    title: str
    options: ReportOptions
    method: str
    about: str
    """first line of the method's documentation"""
    parameters: list[tuple[str, str, str]]
    """name, value and default of each"""
    seed: int | None
    container: str
    """what the rows are kept in"""
    peak_memory: int
    """bytes, before the report itself; 0 where the system does not tell"""
    n_rows: int
    n_features: int
    names: list[str]
    n_clusters: int
    moments: moments.Moments
    eigenvalues: list[float]
    n_components: int
    exact_fraction: float | None
    n_landmarks: int | None
    bandwidth: float | None
    timings: dict[str, float]
    views: list[maps.View]
    pairs: maps.Pairs | None
    trust: trust.Trust | None
    can_predict: bool

    @property
    def seconds(self) -> float:
        """Total time of the fit."""
        return sum(self.timings.values())

    @property
    def n_found(self) -> int:
        """Clusters that have rows."""
        return int(np.count_nonzero(self.moments.count))

    @cached_property
    def colours(self) -> list[tuple[str, str]]:
        """Colour of each cluster on a light and on a dark page."""
        return day_and_night(len(self.moments.count))

    def colour(self, cluster: int) -> str:
        """Colour of a cluster as a CSS value."""
        return f"light-dark({','.join(self.colours[cluster])})"


def gather(model: Any, reader: BlockReader, options: ReportOptions) -> Facts:
    """Two passes over the rows, and re-runs on a sample."""
    given, defaults, peak_memory = model.get_params(), type(model)().get_params(), memory.peak()
    model = copy.copy(model).set_params(max_memory=None)  # a limit for the fit; the process has grown since
    k = max(trust.sought(model), int(np.max(model.labels_)) + 1)
    chosen = sample_numbers(reader.n_rows, reader.n_features, options.sample_rows)
    found = moments.gather(reader, model.labels_, k, chosen)
    return Facts(
        title=options.title or f"{np.count_nonzero(found.count):,} clusters in {reader.n_rows:,} rows",
        options=options,
        method=type(model).__name__,
        about=(type(model).__doc__ or "").strip().partition("\n")[0].rstrip("."),
        parameters=[(name, repr(value), repr(defaults[name])) for name, value in given.items()],
        seed=given.get("random_state"),
        container=reader.container,
        peak_memory=peak_memory,
        n_rows=reader.n_rows,
        n_features=reader.n_features,
        names=reader.names,
        n_clusters=trust.sought(model),
        moments=found,
        eigenvalues=[float(value) for value in model.eigenvalues_],
        n_components=int(model.n_graph_components_),
        exact_fraction=getattr(model, "exact_fraction_", None),
        n_landmarks=getattr(model, "n_landmarks_", None),
        bandwidth=getattr(model, "bandwidth_", None),
        timings={phase: float(seconds) for phase, seconds in model.timings_.items()},
        views=maps.views(model, reader, found),
        pairs=maps.pairs(model, reader, found),
        trust=trust.examine(model, found, options.reruns, reader.progress) if options.reruns else None,
        can_predict=hasattr(model, "predict"),
    )


def environment() -> dict[str, str]:
    """Versions, processor, cores, memory and system; nothing that names the machine or its user."""
    return {
        "dncsc": __version__,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
        "Processor": _processor(),
        "Cores": str(available_cores()),
        "Memory": memory.format_bytes(psutil.virtual_memory().total),
        "System": f"{platform.system()} {platform.release()}",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    known = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(known, "") or platform.processor() or platform.machine()
