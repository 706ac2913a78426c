"""Spectral clustering at the price of k-means: divide-and-conquer based large-scale spectral clustering."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from dncsc.version import __version__

if TYPE_CHECKING:
    from dncsc import datasets, metrics, plot, report, scanpy
    from dncsc.budget import InsufficientMemoryError
    from dncsc.engines.watch import watch
    from dncsc.estimators.base import UnclearClustersWarning
    from dncsc.estimators.baselines import LSC, USPEC, ExactSC, LloydKMeans, NystromSC
    from dncsc.estimators.dnc_sc import DnCSC
    from dncsc.estimators.ensembles import LSEC, USENC
    from dncsc.estimators.registry import clusterer, estimate, methods
    from dncsc.estimators.saving import load_model
    from dncsc.rows import open_rows
    from dncsc.tables.encoder import TableEncoder

_MODULE_OF = {
    **dict.fromkeys(("ExactSC", "LSC", "LloydKMeans", "NystromSC", "USPEC"), "estimators.baselines"),
    **dict.fromkeys(("clusterer", "estimate", "methods"), "estimators.registry"),
    **dict.fromkeys(("LSEC", "USENC"), "estimators.ensembles"),
    **{"DnCSC": "estimators.dnc_sc", "load_model": "estimators.saving", "open_rows": "rows"},
    **{"InsufficientMemoryError": "budget", "watch": "engines.watch", "TableEncoder": "tables.encoder"},
    **{"UnclearClustersWarning": "estimators.base"},
}
_MODULES = ("datasets", "metrics", "plot", "report", "scanpy")

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
    "TableEncoder",
    "UnclearClustersWarning",
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
    "scanpy",
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
    """What is public, and nothing of how it is made."""
    return list(__all__)
