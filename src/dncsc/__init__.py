"""Spectral clustering at the price of k-means: divide-and-conquer based large-scale spectral clustering."""

from dncsc import datasets, metrics
from dncsc.estimators.dnc_sc import DnCSC
from dncsc.estimators.ensembles import LSEC, USENC
from dncsc.estimators.others import LSC, USPEC, ExactSC, LloydKMeans, NystromSC
from dncsc.estimators.registry import clusterer, methods

__version__ = "0.1.0.dev0"
__all__ = [
    "LSC",
    "LSEC",
    "USENC",
    "USPEC",
    "DnCSC",
    "ExactSC",
    "LloydKMeans",
    "NystromSC",
    "__version__",
    "clusterer",
    "datasets",
    "methods",
    "metrics",
]
