"""How rows find their nearest landmarks: near their own landmark, or among all.

A search is plain data: it is part of a model, and finds the landmarks of new rows as it found those of others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dncsc.engines.base import Column, RecomputeRule
from dncsc.kernels.across_rows import measure_links
from dncsc.kernels.nearest import (
    CENTRES_ALONG,
    LANDMARKS_ALONG,
    PrunedSearch,
    pruning_helps,
    search_all,
    search_candidates,
)
from dncsc.phases.kmeans import Each, one_by_one
from dncsc.phases.select.tree import SUBSET

NEAREST = "nearest"
"""Column: the K nearest landmarks of a row, by distance."""
SQUARED = "squared"
"""Column: squared distances to them."""


def number_type(n_landmarks: int) -> type[np.integer[Any]]:
    """What the numbers of so many landmarks fit in."""
    return np.uint16 if n_landmarks <= 2**16 else np.int32


class Found(NamedTuple):
    """Nearest landmarks of some rows (n, K), squared distances to them, and whether no other landmark is nearer."""

    nearest: np.ndarray
    squared: np.ndarray
    exact: np.ndarray


class Search(ABC):
    """How rows find their nearest landmarks, given what it reads: mostly their own landmark."""

    landmarks: np.ndarray
    n_neighbors: int
    makes: ClassVar[Sequence[str]] = (NEAREST, SQUARED)

    @property
    def reads(self) -> Sequence[str]:
        return (SUBSET,)

    @abstractmethod
    def _find(self, rows: np.ndarray, *own: np.ndarray) -> Found: ...

    def find(self, rows: np.ndarray, *own: np.ndarray) -> Found:
        found = self._find(rows, *own)
        return found._replace(nearest=found.nearest.astype(number_type(len(self.landmarks)), copy=False))

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        return self.find(rows, *values)[:2]

    @property
    def measure(self) -> RecomputeRule:
        """How squared distances follow, to the last bit: by the search, or where that is less work, from its result."""
        return self

    @property
    def columns(self) -> Sequence[Column]:
        return (
            Column(NEAREST, number_type(len(self.landmarks)), self.n_neighbors, self),
            Column(SQUARED, self.landmarks.dtype, self.n_neighbors, self.measure),
        )

    @property
    def kept_columns(self) -> Sequence[Column]:
        """Those that only a search gives."""
        return [column for column in self.columns if column.rule is self]


@dataclass(frozen=True)
class LinkDistances:
    """The rule of squared distances to the nearest landmarks, once these are known."""

    landmarks: np.ndarray
    makes: ClassVar[Sequence[str]] = (SQUARED,)
    reads: ClassVar[Sequence[str]] = (NEAREST,)

    def make(self, rows: np.ndarray, *values: np.ndarray) -> Sequence[np.ndarray]:
        squared = np.empty(values[0].shape, rows.dtype)
        measure_links(rows, values[0], self.landmarks, squared)
        return [squared]


@dataclass(frozen=True)
class CandidateSearch(Search):
    """Search among the K' landmarks nearest to the row's own landmark, which is one of them."""

    landmarks: np.ndarray
    n_neighbors: int
    candidates: np.ndarray
    reach: np.ndarray
    """Distance of each candidate from the landmark whose it is, less a margin for rounding."""
    horizon: np.ndarray
    """The same for the nearest landmark that is not a candidate."""

    @property
    def measure(self) -> RecomputeRule:
        return LinkDistances(self.landmarks) if self.landmarks.shape[1] < LANDMARKS_ALONG else self

    def _find(self, rows: np.ndarray, *own: np.ndarray) -> Found:
        [own_landmark] = own
        nearest, squared, distance = search_candidates(
            rows, own_landmark, self.landmarks, self.candidates, self.reach, self.n_neighbors
        )
        return Found(nearest, squared, distance + np.sqrt(squared[:, -1]) < self.horizon[own_landmark])


@dataclass(frozen=True)
class ExactSearch(Search):
    """Search among the candidates, and among all landmarks where that is not proven to be enough."""

    among_candidates: CandidateSearch

    @property
    def reads(self) -> Sequence[str]:
        """With many features next to nothing is proven by a row's own landmark: nobody need know it."""
        return (SUBSET,) if self.landmarks.shape[1] < CENTRES_ALONG else ()

    @property
    def landmarks(self) -> np.ndarray:  # type: ignore[override]
        return self.among_candidates.landmarks

    @property
    def n_neighbors(self) -> int:  # type: ignore[override]
        return self.among_candidates.n_neighbors

    def _find(self, rows: np.ndarray, *own: np.ndarray) -> Found:
        if self.pruned is not None:
            nearest = self.pruned.search(rows, self.n_neighbors, self.among_candidates.candidates)
            return Found(*nearest, np.ones(len(rows), bool))
        if not self.reads:
            return Found(*search_all(rows, self.landmarks, self.n_neighbors), np.ones(len(rows), bool))
        found = self.among_candidates._find(rows, *own)
        rest = np.flatnonzero(~found.exact)
        if len(rest):
            found.nearest[rest], found.squared[rest] = search_all(rows[rest], self.landmarks, self.n_neighbors)
            found.exact[rest] = True
        return found

    @cached_property
    def pruned(self) -> PrunedSearch | None:
        """Projections of the landmarks, where those save time."""
        p, d = self.landmarks.shape
        return PrunedSearch.of(self.landmarks) if pruning_helps(d, p) else None


def candidate_search(
    landmarks: np.ndarray, n_neighbors: int, n_candidates: int, each: Each = one_by_one
) -> CandidateSearch:
    """The same for so many neighbours and candidates, or as many as there are."""
    p, d = landmarks.shape
    n_neighbors = min(n_neighbors, p)
    n_candidates = min(max(n_candidates, n_neighbors), p)
    block = 256
    parts = each(
        lambda start: _by_distance(landmarks, start, min(start + block, p), min(n_candidates + 1, p)),
        range(0, p, block),
    )
    order, distance = (np.concatenate(each) for each in zip(*parts, strict=True))
    # A computed squared distance is off by at most (d + 3) eps, relatively; a search may end only beyond all doubt.
    reach = distance * landmarks.dtype.type(1 - 4 * (d + 8) * np.finfo(landmarks.dtype).eps)
    horizon = reach[:, n_candidates] if n_candidates < p else np.full(p, np.inf, landmarks.dtype)
    candidates = np.ascontiguousarray(order[:, :n_candidates])
    return CandidateSearch(landmarks, n_neighbors, candidates, np.ascontiguousarray(reach[:, :n_candidates]), horizon)


def _by_distance(landmarks: np.ndarray, start: int, stop: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nearest landmarks of landmarks start to stop, each itself first, also where another one equals it."""
    order, squared = search_all(landmarks[start:stop], landmarks, count)
    for i in np.flatnonzero(order[:, 0] != np.arange(start, stop)):
        others = order[i][order[i] != start + i]
        order[i] = [start + i, *others[: count - 1]]
    return order, np.sqrt(squared)
