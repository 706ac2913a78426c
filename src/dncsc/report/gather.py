"""All that a page tells, as plain data."""

from __future__ import annotations

import copy
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from dncsc import memory
from dncsc.engines.pool import available_cores
from dncsc.report import maps, moments, trust
from dncsc.report.source import Source, choose
from dncsc.version import __version__

Progress = Callable[[str, float], None]
"""Told the step, and which share of it is done."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of the estimator."""

    name: str
    value: str
    default: str


@dataclass(frozen=True)
class Run:
    """What was run, on what, where and when."""

    method: str
    about: str
    parameters: list[Parameter]
    seed: str | None
    data: list[str]
    kind: str
    command: str | None
    versions: dict[str, str]
    machine: dict[str, str]
    when: datetime
    peak_memory: int | None
    """bytes, before the report itself"""


@dataclass(frozen=True)
class Facts:
    """Everything on the page."""

    title: str
    run: Run
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


@dataclass(frozen=True)
class Wishes:
    """What the caller asked for."""

    title: str | None
    data: Any
    command: str | None
    reruns: int
    sample_rows: int


def gather(model: Any, source: Source, wishes: Wishes, progress: Progress) -> Facts:
    """Two passes over the rows, and re-runs on a sample."""
    run = describe(model, source, wishes)
    model = copy.copy(model).set_params(max_memory=None)  # a limit of the fit, since which the process has grown
    k = max(trust.sought(model), int(np.max(model.labels_)) + 1)
    chosen = choose(source.n_rows, source.n_features, wishes.sample_rows)
    found = moments.gather(source, model.labels_, k, chosen, lambda done: progress("profiles", done))
    seen = maps.views(model, source, found, lambda done: progress("map", done))
    again = (
        trust.examine(model, found, wishes.reruns, lambda done: progress("re-runs", done)) if wishes.reruns else None
    )
    return Facts(
        title=wishes.title or f"{np.count_nonzero(found.count):,} clusters in {source.n_rows:,} rows",
        run=run,
        n_rows=source.n_rows,
        n_features=source.n_features,
        names=source.names,
        n_clusters=trust.sought(model),
        moments=found,
        eigenvalues=[float(value) for value in model.eigenvalues_],
        n_components=int(model.n_graph_components_),
        exact_fraction=getattr(model, "exact_fraction_", None),
        n_landmarks=getattr(model, "n_landmarks_", None),
        bandwidth=getattr(model, "bandwidth_", None),
        timings={phase: float(seconds) for phase, seconds in model.timings_.items()},
        views=seen,
        pairs=maps.pairs(model, source, found),
        trust=again,
        can_predict=hasattr(model, "predict"),
    )


def describe(model: Any, source: Source, wishes: Wishes) -> Run:
    """Method, parameters, data, versions and machine."""
    defaults = type(model)().get_params()
    parameters = [Parameter(name, repr(value), repr(defaults[name])) for name, value in model.get_params().items()]
    seed = model.get_params().get("random_state")
    return Run(
        method=type(model).__name__,
        about=(type(model).__doc__ or "").strip().partition("\n")[0].rstrip("."),
        parameters=parameters,
        seed=None if seed is None else str(seed),
        data=_listed(wishes.data),
        kind=source.kind,
        command=wishes.command,
        versions={"dncsc": __version__, "NumPy": np.__version__, "Python": platform.python_version()},
        machine=_machine(),
        when=datetime.now().astimezone(),
        peak_memory=memory.peak() or None,
    )


def _listed(data: Any) -> list[str]:
    if data is None:
        return []
    return [str(data)] if isinstance(data, str | os.PathLike) else [str(each) for each in data]


def _machine() -> dict[str, str]:
    """Cores, memory and system; nothing that names the machine or its user."""
    found = {"Processor": _processor(), "Cores": str(available_cores())}
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        found["Memory"] = f"{size / 2**30:,.0f} GiB"
    except (AttributeError, ValueError, OSError):  # not every system tells
        pass
    found["System"] = f"{platform.system()} {platform.release()}"
    return found


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
