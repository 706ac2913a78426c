"""Spectral clustering at the price of k-means: divide-and-conquer based large-scale spectral clustering."""

from dncsc import datasets, metrics
from dncsc.budget import DoesNotFit, estimate
from dncsc.engines.watch import watch
from dncsc.estimators.dnc_sc import DnCSC
from dncsc.estimators.ensembles import LSEC, USENC
from dncsc.estimators.exact_sc import ExactSC
from dncsc.estimators.lloyd_kmeans import LloydKMeans
from dncsc.estimators.loading import load_model
from dncsc.estimators.lsc import LSC
from dncsc.estimators.nystrom_sc import NystromSC
from dncsc.estimators.registry import clusterer, methods
from dncsc.estimators.u_spec import USPEC
from dncsc.rows import open_rows
from dncsc.version import __version__

__all__ = [
    "LSC",
    "LSEC",
    "USENC",
    "USPEC",
    "DnCSC",
    "DoesNotFit",
    "ExactSC",
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
    "watch",
]
