"""Spectral clustering at the price of k-means: divide-and-conquer based large-scale spectral clustering."""

from dncsc.estimators.dnc_sc import DnCSC

__version__ = "0.1.0.dev0"
__all__ = ["DnCSC", "__version__"]
