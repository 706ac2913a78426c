"""Spectral clustering at the price of k-means: divide-and-conquer based large-scale spectral clustering."""

from dncsc import datasets, metrics
from dncsc.estimators.dnc_sc import DnCSC
from dncsc.estimators.ensembles import LSEC, USENC
from dncsc.estimators.exact_sc import ExactSC
from dncsc.estimators.lloyd_kmeans import LloydKMeans
from dncsc.estimators.lsc import LSC
from dncsc.estimators.nystrom_sc import NystromSC
from dncsc.estimators.registry import clusterer, methods
from dncsc.estimators.u_spec import USPEC

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
