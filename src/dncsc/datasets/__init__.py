"""The paper's data sets by name: five real ones and synthetic ones of any size."""

from dncsc.datasets.load import blocks, load, names

__all__ = ["blocks", "load", "names"]
