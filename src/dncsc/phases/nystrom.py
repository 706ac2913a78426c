"""Nyström: phases 2 to 4 in one, with every landmark linked to every row (Fowlkes et al. 2004).

The similarity matrix of all rows, ``[[A, B], [B^T, B^T A^+ B]]`` with A among landmarks and B to the other rows, is
never formed. Degrees and the one p x p problem come from two passes, and a row's place is a linear map of its
similarities to the landmarks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from dncsc.engines.base import Block, Column, Engine, Pass
from dncsc.engines.frame import with_a_square
from dncsc.engines.layout import block_rows
from dncsc.phases.affinity import mean_distance
from dncsc.phases.cut.eigen import with_positive_peaks
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.embedding import nearest_centroids, to_norm_one
from dncsc.phases.inputs import ROWS
from dncsc.phases.kmeans import added
from dncsc.phases.select.tree import Selection
from dncsc.phases.settings import Settings

NEGLIGIBLE = 1e-6
"""of A, relative to its largest: below that the pseudo-inverse would amplify rounding"""


@dataclass(frozen=True)
class Kernel:
    """Gaussian similarity of rows to all landmarks."""

    landmarks: np.ndarray
    bandwidth: float

    def chunks(self, rows: np.ndarray) -> Iterator[slice]:
        """Parts of a block whose similarities may stand in memory at once."""
        size = block_rows(len(self.landmarks))
        return (slice(start, start + size) for start in range(0, len(rows), size))

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """(n, p), float64."""
        wide, points = rows.astype(np.float64), self.landmarks.astype(np.float64)
        squared = np.sum(wide**2, axis=1)[:, None] + np.sum(points**2, axis=1) - 2 * wide @ points.T
        with np.errstate(over="ignore"):  # far away, for a narrow bandwidth: the similarity is 0
            return np.exp(np.maximum(squared, 0) * (-0.5 / self.bandwidth**2))


@dataclass(frozen=True)
class ByAllLandmarks:
    """Places rows by their similarities to all landmarks."""

    kernel: Kernel
    reach: np.ndarray
    """(p,): a row's degree is its similarities times this"""
    root: np.ndarray
    """(p,): square roots of the landmarks' degrees"""
    lines: np.ndarray
    """(p, k): from normalised similarities to places"""
    by_length: bool
    inputs: ClassVar[Sequence[str]] = (ROWS,)
    columns: ClassVar[Sequence[Column]] = ()

    @property
    def n_dimensions(self) -> int:
        return self.lines.shape[1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.kernel.landmarks.dtype

    def normalised(self, rows: np.ndarray) -> np.ndarray:
        """Similarities (n, p) divided by the roots of both degrees."""
        similar = self.kernel(rows)
        degree = np.maximum(similar @ self.reach, np.finfo(np.float64).tiny)
        return similar / np.sqrt(degree)[:, None] / self.root

    def lookup(self, rows: np.ndarray) -> list[np.ndarray]:
        return [rows]

    def transform(self, *values: np.ndarray) -> np.ndarray:
        [rows] = values
        places = np.empty((len(rows), self.n_dimensions), self.dtype)
        for some in self.kernel.chunks(rows):
            places[some] = to_norm_one(self.normalised(rows[some]) @ self.lines, self.by_length)
        return places

    def label(self, centroids: np.ndarray, *values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return nearest_centroids(self.transform(*values), centroids)


@dataclass(frozen=True)
class _AddSimilarities(Pass[np.ndarray]):
    """Sum of all rows' similarities to each landmark."""

    kernel: Kernel

    def begin(self) -> np.ndarray:
        return np.zeros(len(self.kernel.landmarks))

    def visit(self, total: np.ndarray, block: Block) -> None:
        for some in self.kernel.chunks(block.rows):
            total += block.weight[some] @ self.kernel(block.rows[some])


@dataclass(frozen=True)
class _AddProducts(Pass[np.ndarray]):
    """Sum of the products of all rows' normalised similarities."""

    embedding: ByAllLandmarks

    def begin(self) -> np.ndarray:
        p = len(self.embedding.root)
        return np.zeros((p, p))

    def visit(self, total: np.ndarray, block: Block) -> None:
        for some in self.embedding.kernel.chunks(block.rows):
            similar = self.embedding.normalised(block.rows[some])
            total += similar.T @ (similar * block.weight[some, None])


def nystrom_extension(
    engine: Engine, settings: Settings, selection: Selection, links: None, affinity: None
) -> Partition:
    """Eigenvectors of all rows from those of the landmarks, orthogonalised in one shot."""
    landmarks = selection.landmarks
    p = len(landmarks)
    kernel = Kernel(landmarks, _bandwidth(engine, settings, landmarks))
    among = kernel(landmarks)
    inverse_root = _inverse_root(among)
    to_others = added(engine.sweep(_AddSimilarities(kernel))) - among.sum(axis=0)
    # A row's degree is a.1 + a.A^+ B1 with a its similarities: to the landmarks, and through them to the others.
    reach = 1 + inverse_root @ (inverse_root @ to_others)
    root = np.sqrt(np.maximum(among @ reach, np.finfo(np.float64).tiny))
    flat = ByAllLandmarks(kernel, reach, root, np.zeros((p, 0)), settings.by_length)
    inner = flat.normalised(landmarks)
    inner_inverse_root = _inverse_root(inner)
    products = added(engine.sweep(_AddProducts(flat))) - inner.T @ inner
    one_shot = inner + inner_inverse_root @ products @ inner_inverse_root
    count = min(settings.n_clusters + settings.policy.spare_eigenvalues, p)
    values, vectors = scipy.linalg.eigh((one_shot + one_shot.T) / 2, subset_by_index=[p - count, p - 1])
    values, vectors = values[::-1], with_positive_peaks(vectors[:, ::-1])
    used = min(settings.n_clusters, int(np.count_nonzero(values > NEGLIGIBLE)))
    lines = inner_inverse_root @ vectors[:, :used] / np.sqrt(values[:used])
    return Partition(ByAllLandmarks(kernel, reach, root, lines, settings.by_length), 1 - values, 1)


def _bandwidth(engine: Engine, settings: Settings, landmarks: np.ndarray) -> float:
    if not isinstance(settings.bandwidth, str):
        return settings.bandwidth
    return with_a_square(mean_distance(engine, landmarks, np.ones(len(landmarks)), landmarks) or 1.0)


def _inverse_root(matrix: np.ndarray) -> np.ndarray:
    """Pseudo-inverse of the square root of a symmetric matrix, without its negligible and negative eigenvalues."""
    values, vectors = scipy.linalg.eigh((matrix + matrix.T) / 2)
    kept = values > NEGLIGIBLE * values[-1]
    return (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
