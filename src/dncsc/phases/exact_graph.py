"""Spectral clustering proper: the graph of all rows with their t nearest rows (Chen et al. 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.kernels.nearest import search_others
from dncsc.phases.cut.eigenpairs import Wanted
from dncsc.phases.cut.landmark_graph import LandmarkGraph
from dncsc.phases.cut.spectrum import Spectrum, bottom_of_spectrum
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.embedding import nearest_centroids, to_norm_one
from dncsc.phases.settings import Settings

PLACE = "place"
"""Column: a row's entries in the eigenvectors."""

BLOCK = 512


@dataclass(frozen=True)
class Placed:
    """Places that rows were given once; there is no way to place others."""

    n_dimensions: int
    dtype: np.dtype[Any]
    inputs: ClassVar[Sequence[str]] = (PLACE,)

    @property
    def columns(self) -> Sequence[Column]:
        return (Column(PLACE, self.dtype, self.n_dimensions),)

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        raise NotImplementedError(
            "spectral clustering on the graph of all rows has no landmarks through which new rows could be placed; "
            "use a landmark method, such as DnCSC, to predict."
        )

    def transform(self, *values: np.ndarray) -> np.ndarray:
        return values[0]

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return nearest_centroids(values[0], centroids)


@dataclass(frozen=True)
class _Gather(Pass[list[np.ndarray]]):
    def begin(self) -> list[np.ndarray]:
        return []

    def visit(self, total: list[np.ndarray], block: Block) -> None:
        total.append(block.rows.copy())


@dataclass(frozen=True)
class _Write(Pass[None]):
    places: np.ndarray

    @property
    def writes(self) -> Sequence[Column]:
        return (Column(PLACE, self.places.dtype, self.places.shape[1]),)

    def begin(self) -> None:
        return None

    def visit(self, total: None, block: Block) -> None:
        block.columns[PLACE][:] = self.places[block.start : block.stop]


def cut_graph_of_rows(engine: Engine, settings: Settings, selection: None, links: None, affinity: None) -> Partition:
    """Eigenvectors of the symmetric, self-tuning t-nearest-neighbour graph; fills the column `PLACE`."""
    rows = np.concatenate([part for total in engine.sweep(_Gather()) for part in total])
    similarity = self_tuning_graph(engine, rows, settings.n_neighbors)
    degree = np.asarray(similarity.sum(axis=1))
    wanted = Wanted(settings.n_clusters, policy=settings.policy)
    spectrum = bottom_of_spectrum(LandmarkGraph(similarity, degree, len(rows)), rows, wanted, factorise=False)
    assert isinstance(spectrum, Spectrum)  # without a limit any graph is cut
    # Coordinates are v = D^-1/2 y / sqrt(mu); the method wants the rows of y itself.
    kept = np.sqrt(1 - spectrum.eigenvalues[: spectrum.coordinates.shape[1]])
    vectors = spectrum.coordinates * np.sqrt(degree)[:, None] * kept
    places = to_norm_one(vectors, settings.by_length).astype(engine.frame.dtype)
    engine.sweep(_Write(places))
    return Partition(Placed(places.shape[1], places.dtype), spectrum.eigenvalues, spectrum.n_components)


def self_tuning_graph(engine: Engine, rows: np.ndarray, n_neighbors: int) -> csr_array:
    """Weights ``exp(-d^2 / sigma_i sigma_j)`` of rows that are among each other's t nearest, either way."""
    n, t = len(rows), min(n_neighbors, len(rows) - 1)
    parts = engine.each(lambda start: search_others(rows, start, start + BLOCK, t), range(0, n, BLOCK))
    nearest = np.concatenate([part[0] for part in parts])
    squared = np.concatenate([part[1] for part in parts]).astype(np.float64)
    scale = np.sqrt(squared).mean(axis=1) if t else np.ones(n)
    scale = np.where(scale > 0, scale, 1.0)  # t rows equal to this one: all weights are 1, whatever the scale
    weight = np.exp(-squared / (scale[:, None] * scale[nearest]))
    graph = csr_array((weight.ravel(), nearest.ravel(), np.arange(n + 1) * t), shape=(n, n))
    either = graph.maximum(graph.T)
    isolated = scipy.sparse.diags_array((np.asarray(either.sum(axis=1)) == 0).astype(float))
    return csr_array(either + isolated)
