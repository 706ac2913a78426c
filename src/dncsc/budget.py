"""What a run needs, before it runs: memory, scratch files, passes over the rows, and roughly how long."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dncsc import memory
from dncsc.engines.base import MOST_VALUES
from dncsc.engines.layout import Layout
from dncsc.errors import Worded
from dncsc.memory import format_bytes, parse_bytes
from dncsc.phases.cell_search import PROBED_CELLS
from dncsc.phases.cut.eigen import MOST_DENSE, WIDEST_BAND
from dncsc.phases.cut.landmark_graph import DENSE_LANDMARKS
from dncsc.phases.discretize import (
    PRELIMINARY_ROWS,
    PRELIMINARY_ROWS_A_CLUSTER,
    PRELIMINARY_RUNS,
)
from dncsc.phases.sample import rows_to_place
from dncsc.phases.search import number_type
from dncsc.phases.select.cells import LANDMARKS_A_CELL
from dncsc.phases.select.divide_and_conquer import ROWS_A_PART
from dncsc.phases.settings import Settings
from dncsc.phases.shared_sample import are_measured_when_read

AT_LEAST = 64 * 2**20
"""Bytes for the interpreter's own needs during a run."""
SQUARES_OF_NYSTROM = 8
"""Matrices of landmarks by landmarks that stand in memory at once when Nyström's problem is solved."""
SQUARES_OF_DENSE = 3
"""The same where a dense solver finds eigenvectors: the matrix, a copy of it, and its work space."""
ITERATIONS = 10
"""Of k-means among the places of rows: 1 where clusters lie apart, some 40 where they touch."""
COPIES_OF_SAMPLE = 3
"""Of the places that k-means sees, at once: peaks that were measured fit two to three."""
TABLES_OF_VECTORS = 4
"""Of the landmarks' vectors, at once, in the solver and in each thread that labels rows: more than are known of."""


COPIES_OF_LANDMARKS = 3
"""Where they are rows, at once: drawn, and sorted by cells."""


BYTES_OF_LINKS = 2_000
"""Of a prototype and its neighbours, both ways, while they are put together."""


class InsufficientMemoryError(Worded, MemoryError):
    """A run that needs more memory or disk than it may have; said before it begins."""


def member_bytes(n_clusters: int) -> int:
    """Bytes of the cluster of a row in a base clustering, which has at most max(60, 3 k) clusters.

    Connected components divide some of these: about k more.

    Examples
    --------
    >>> member_bytes(10), member_bytes(100)
    (1, 2)
    """
    n_base_clusters = 3 * max(20, n_clusters) + n_clusters
    return np.min_scalar_type(n_base_clusters - 1).itemsize


@dataclass(frozen=True)
class Size:
    """What decides how much a run needs."""

    n_rows: int
    n_features: int
    n_landmarks: int = 1000
    n_neighbors: int = 5
    n_members: int = 0
    n_clusters: int = 8
    """the most there may be, where they are counted"""
    value_bytes: int = 4
    """of a value in working precision"""
    n_threads: int = 1
    row_bytes: int | None = None
    """of what is made for each row, where nothing is fitted"""
    keeps_products: bool = False
    """whether each shard keeps products of all landmarks with all, as Nyström's do"""
    places_rows: bool = True
    """whether clusters are sought among places in an embedding, and not among the rows themselves"""
    is_multilevel: bool = False
    """whether landmarks are rows, and nothing grows with landmarks times clusters"""
    n_prototypes: int = 0
    """rows that refine labels"""
    searches_all: bool = False
    """whether links are found among all landmarks: their lengths are then kept, however many rows there are"""
    chooses_weights: bool = False
    """whether one graph is made, with weights that suit the data: some rows may then tell it"""
    divides: bool = False
    """whether landmarks are selected by divide and conquer, which the same rows may tell"""

    @property
    def sample(self) -> int:
        """Rows that centroids are found with."""
        return min(rows_to_place(self.n_clusters), self.n_rows)

    @property
    def places(self) -> int:
        """Bytes of what grows with the clusters: vectors of the landmarks, and the places of a sample of rows."""
        if not self.places_rows or self.is_multilevel:
            return 0
        sample = COPIES_OF_SAMPLE * self.sample if self.row_bytes is None else 0
        solved = TABLES_OF_VECTORS * 8 * self.n_landmarks
        labelled = self.n_threads * TABLES_OF_VECTORS * self.value_bytes * self.n_landmarks
        return self.n_clusters * (sample * self.value_bytes + solved + labelled)

    @property
    def working(self) -> int:
        """Bytes of blocks, totals and samples, which do not grow with the rows."""
        layout = Layout(self.n_rows, self.n_features)
        block = layout.block_rows * (2 * self.n_features * self.value_bytes + 4 * self.n_neighbors * 8 + 64)
        p, shards = self.n_landmarks, layout.n_shards
        square = 8 * p * p if p <= DENSE_LANDMARKS or self.keeps_products else 64 * 12 * p
        selected = p // LANDMARKS_A_CELL if self.is_multilevel else p
        pairs = min(shards * p * 24, self.n_rows * self.n_neighbors * (self.n_neighbors + 1) // 2 + shards * p)
        kept = shards * selected * self.n_features * 8 + pairs * 12
        if self.keeps_products:
            kept += (shards + SQUARES_OF_NYSTROM) * 8 * p * p
        row = self.n_features * self.value_bytes + 24
        sample = 2 * min(min(ROWS_A_PART * selected, self.n_rows) * row, 4 * MOST_VALUES)
        drawn = COPIES_OF_LANDMARKS * p * row if self.is_multilevel else 0
        passes = max(self.n_threads * square, self.solver)  # one after the other
        drawn += self.n_prototypes * (COPIES_OF_LANDMARKS * row + BYTES_OF_LINKS)
        drawn += self.n_sampled * 2 * (row + self.n_neighbors * (self._number_bytes + self.value_bytes))
        return int(AT_LEAST + self.n_threads * 2 * block + passes + kept + sample + drawn + self.places)

    @property
    def solver(self) -> int:
        """Bytes of matrices that eigenvectors are found with, at most: dense ones, or of more landmarks bands."""
        if not self.places_rows or self.is_multilevel or self.row_bytes is not None:
            return 0
        p = self.n_landmarks
        dense = SQUARES_OF_DENSE * min(p, MOST_DENSE) ** 2
        return 8 * max(dense, WIDEST_BAND * p if p > MOST_DENSE else 0)

    @property
    def columns(self) -> int:
        """Bytes of all that is kept for each row at one time at most: its K nearest landmarks too, unless some tell."""
        if self.row_bytes is not None:
            return self.must_keep
        if self.n_sampled:
            return self.must_keep
        link = self._number_bytes if self.measures_again else self._number_bytes + self.value_bytes
        return self.must_keep + self.n_rows * self.n_neighbors * link

    @property
    def _number_bytes(self) -> int:
        return np.dtype(number_type(self.n_landmarks)).itemsize

    @property
    def n_sampled(self) -> int:
        """Rows that tell the graph, where links of others are not kept; else 0."""
        wanted = max(Settings.policy.sampled_rows(self.n_landmarks), rows_to_place(self.n_clusters))
        return wanted if self.measures_again and self.chooses_weights and wanted < self.n_rows else 0

    @property
    def is_sampled(self) -> bool:
        """Whether some rows tell all but the labels."""
        return self.n_sampled > 0 and self.divides

    @property
    def measures_again(self) -> bool:
        """Whether lengths of links are not kept."""
        return are_measured_when_read(self.n_rows, self.n_features) and not (self.searches_all or self.is_multilevel)

    @property
    def must_keep(self) -> int:
        """Bytes of what cannot be made again: a row's subset, unless some rows tell, its label, and its members'."""
        subset = 0 if self.is_sampled else 4
        fitted = subset + 4 + (self.n_members * member_bytes(self.n_clusters) + 4 if self.n_members else 0)
        return self.n_rows * (fitted if self.row_bytes is None else self.row_bytes)


@dataclass(frozen=True)
class ResourceLimits:
    """What a run may use."""

    memory: int
    """bytes beyond what the process has now"""
    folder: Path
    disk: int
    """bytes that are free in the folder for scratch files"""

    @classmethod
    def given(
        cls, max_memory: str | int | None, scratch_dir: str | os.PathLike[str] | None, held: int = 0
    ) -> ResourceLimits:
        """Half of the memory that is free, or what is left of `max_memory`, which does not count `held` bytes."""
        folder = Path(scratch_dir or tempfile.gettempdir())
        if not folder.is_dir():
            raise FileNotFoundError(f"scratch_dir={str(folder)!r} is not a folder.")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(f"scratch_dir={str(folder)!r} cannot be written to.")
        if max_memory is None:
            allowed = memory.free() // 2
        else:
            allowed = parse_bytes(max_memory) - max(memory.resident() - held, 0)
        return cls(allowed, folder, shutil.disk_usage(folder).free * 9 // 10)


@dataclass(frozen=True)
class Estimate:
    """What a run is going to need. Times are rough: two cores of a laptop, data in the cache of the system."""

    data: int
    """bytes of the rows as they are, which the others do not count; so large is the copy of files that are costly to
    read (Parquet, CSV, compressed)"""
    memory: int
    """bytes, of columns and blocks, beyond the input, where everything is kept in memory"""
    least_memory: int
    """bytes with which it runs as well, with columns in scratch files"""
    scratch: int
    """bytes of scratch files it then needs"""
    passes: int
    """over all rows"""
    seconds: float

    def __str__(self) -> str:
        time = f"{self.seconds:.1f} s" if self.seconds < 100 else f"{self.seconds / 60:.0f} min"
        return (
            f"{format_bytes(self.memory)} of memory beyond the data ({format_bytes(self.data)}), or "
            f"{format_bytes(self.least_memory)} and "
            f"{format_bytes(self.scratch)} of scratch files; {self.passes} passes over the rows; about {time}"
        )


def seconds_of_passes(size: Size, alpha: int, rounds: int) -> float:
    """A rough model, fitted to the table in docs/benchmarks.md: nanoseconds of one core."""
    n, d = size.n_rows, size.n_features
    seen = 45 if size.is_sampled else 200 + 10 * size.n_neighbors
    row = seen + 0.35 * d * (alpha * rounds + 10 * size.n_neighbors) / 4
    sampled = min(n, 10 * size.n_landmarks * min(rounds, 2)) * alpha * d * 10 * 0.05
    return (n * row + sampled) * 1e-9 / size.n_threads + 0.05


def seconds_of_clusters(size: Size, n_init: int) -> float:
    """What k clusters add, roughly, from runs with 100 to 500: differences of places, in nanoseconds of one core."""
    k, p = size.n_clusters, size.n_landmarks
    if size.is_multilevel:
        searched = p / LANDMARKS_A_CELL + PROBED_CELLS * LANDMARKS_A_CELL
        return (0.1 * size.n_rows * searched * size.n_features / size.n_threads + 20_000 * p) * 1e-9
    preliminary = PRELIMINARY_RUNS * n_init * min(max(PRELIMINARY_ROWS, PRELIMINARY_ROWS_A_CLUSTER * k), size.n_rows)
    rows = preliminary * (1 + ITERATIONS) + n_init * size.sample * ITERATIONS + size.n_rows
    solved = min(10.0 * p * k**2, 0.4 * p**3)  # a dense solve, where that is less work
    return (0.027 * rows * k**2 / size.n_threads + solved) * 1e-9


def seconds_of_prototypes(size: Size) -> float:
    """What refinement adds, roughly: each row is compared with the prototypes of some cells."""
    compared = min(size.n_prototypes, 2000) * min(size.n_features, Settings.policy.prototype_features)
    return (size.n_rows + size.n_prototypes) * (compared * 0.2 + 2 * size.n_features) * 1e-9 / size.n_threads
