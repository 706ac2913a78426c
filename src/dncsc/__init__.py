"""Spectral clustering at the price of k-means: divide-and-conquer based large-scale spectral clustering."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from dncsc.version import __version__

if TYPE_CHECKING:
    from dncsc import datasets, metrics, plot, report
    from dncsc.budget import InsufficientMemoryError
    from dncsc.engines.watch import watch
    from dncsc.estimators.dnc_sc import DnCSC
    from dncsc.estimators.ensembles import LSEC, USENC
    from dncsc.estimators.estimate import estimate
    from dncsc.estimators.exact_sc import ExactSC
    from dncsc.estimators.lloyd_kmeans import LloydKMeans
    from dncsc.estimators.loading import load_model
    from dncsc.estimators.lsc import LSC
    from dncsc.estimators.nystrom_sc import NystromSC
    from dncsc.estimators.registry import clusterer, methods
    from dncsc.estimators.u_spec import USPEC
    from dncsc.rows import open_rows

_MODULE_OF = {
    "DnCSC": "estimators.dnc_sc",
    "InsufficientMemoryError": "budget",
    "ExactSC": "estimators.exact_sc",
    "LSC": "estimators.lsc",
    "LSEC": "estimators.ensembles",
    "LloydKMeans": "estimators.lloyd_kmeans",
    "NystromSC": "estimators.nystrom_sc",
    "USENC": "estimators.ensembles",
    "USPEC": "estimators.u_spec",
    "clusterer": "estimators.registry",
    "estimate": "estimators.estimate",
    "load_model": "estimators.loading",
    "methods": "estimators.registry",
    "open_rows": "rows",
    "watch": "engines.watch",
}
_MODULES = ("datasets", "metrics", "plot", "report")

__all__ = [
    "LSC",
    "LSEC",
    "USENC",
    "USPEC",
    "DnCSC",
    "ExactSC",
    "InsufficientMemoryError",
    "LloydKMeans",
    "NystromSC",
    "__version__",
    "clusterer",
    "datasets",
    "estimate",
    "load_model",
    "methods",
    "metrics",
    "open_rows",
    "plot",
    "report",
    "watch",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: a command line that prints its help needs none of it."""
    if name in _MODULES:
        return importlib.import_module(f"dncsc.{name}")
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"dncsc.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module 'dncsc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
