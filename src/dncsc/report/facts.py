"""All that the page tells, as plain data."""

from __future__ import annotations

import copy
import platform
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from dncsc import memory, plot
from dncsc.engines.pool import available_cores
from dncsc.plot.coordinates import has_embedding
from dncsc.report import maps
from dncsc.report.reader import BlockReader, Moments, gather_moments, sample_numbers
from dncsc.report.trust import Trust, examine, sought
from dncsc.version import __version__

LEAST_LUMINANCE = 0.1252
"""Of colours on dark pages: 3 times the contrast with their background, the least for graphics in the accessibility
guidelines (WCAG). More would make mixed colours too alike."""


@dataclass(frozen=True)
class Facts:
    """Everything on the page."""

    model: Any
    reader: BlockReader
    peak_memory: int
    """bytes, before the report itself; 0 where the system does not tell"""
    n_clusters: int
    seed: int | None
    eigenvalues: list[float]
    n_landmarks: int | None
    exact_fraction: float | None
    moments: Moments
    views: list[maps.View]
    pairs: maps.View | None
    trust: Trust | None

    @property
    def n_noise(self) -> int:
        """Rows that are in no cluster."""
        return self.reader.n_rows - int(self.moments.count.sum())

    @property
    def seconds(self) -> float:
        """Total time of the fit."""
        return float(sum(self.model.timings_.values()))

    @cached_property
    def profiles(self) -> Moments:
        """The moments in the units that features are shown in."""
        return self.moments.shown_in(self.reader.units)

    @cached_property
    def colours(self) -> list[tuple[str, str]]:
        """Colour of each cluster on a light and on a dark page."""
        day = plot.palette(len(self.moments.count))
        return list(zip(_hex(day), _hex(_lighten(day)), strict=True))

    def colour(self, cluster: int) -> str:
        """Colour of a cluster as a CSS value."""
        return f"light-dark({','.join(self.colours[cluster])})"

    def swatch(self, cluster: int) -> str:
        """A dot of a cluster's colour, as HTML."""
        return f'<span class="swatch" style="--c:{self.colour(cluster)}"></span>'


def gather(model: Any, reader: BlockReader, reruns: int, sample_rows: int) -> Facts:
    """Two passes over the rows, and re-runs on a sample."""
    peak_memory, k = memory.peak(), max(sought(model), int(np.max(model.labels_)) + 1)
    free = copy.copy(model).set_params(max_memory=None)  # a limit for the fit; the process has grown since
    chosen = sample_numbers(reader.n_rows, reader.n_features, sample_rows)
    chosen = chosen[np.asarray(model.labels_[chosen]) >= 0]
    moments = gather_moments(reader, model.labels_, k, chosen)
    return Facts(
        model=model,
        reader=reader,
        peak_memory=peak_memory,
        n_clusters=sought(model),
        seed=model.get_params().get("random_state"),
        eigenvalues=[float(value) for value in model.eigenvalues_],
        n_landmarks=getattr(model, "n_landmarks_", None),
        exact_fraction=getattr(model, "exact_fraction_", None) if has_embedding(model) else None,  # cells prove nothing
        moments=moments,
        views=maps.views(free, reader, moments),
        pairs=maps.pairs(model, reader, moments),
        trust=examine(free, moments, reruns, reader.progress) if reruns and len(chosen) >= sought(model) else None,
    )


def _lighten(colours: np.ndarray) -> np.ndarray:
    """Mix dark colours with white until they show on dark pages."""
    mixed = colours + np.linspace(0, 1, 51)[:, None, None] * (1 - colours)
    linear = np.where(mixed <= 0.04045, mixed / 12.92, ((mixed + 0.055) / 1.055) ** 2.4)  # sRGB, as WCAG defines it
    first = (linear @ (0.2126, 0.7152, 0.0722) >= LEAST_LUMINANCE).argmax(axis=0)
    return mixed[first, np.arange(len(colours))]


def _hex(colours: np.ndarray) -> list[str]:
    return [f"#{bytes(each).hex()}" for each in np.rint(255 * colours).astype(np.uint8)]


def environment() -> dict[str, str]:
    """Versions, processor, cores, memory and system; nothing that names the machine or its user."""
    return {
        "dncsc": __version__,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
        "Processor": processor(),
        "Cores": str(available_cores()),
        "Memory": memory.format_bytes(psutil.virtual_memory().total),
        "System": f"{platform.system()} {platform.release()}",
    }


def processor() -> str:
    """Name of the processor."""
    info = Path("/proc/cpuinfo")
    named = re.search(r"model name\s*:\s*(.*\S)", info.read_text()) if info.exists() else None
    return named[1] if named else platform.processor() or platform.machine()
