"""Join groups of a graph, those linked most by normalised weight first: a tree of all groups."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array


class Merges(NamedTuple):
    """Which group took in which other one, in order, and how strongly they were linked: from 1 to 0."""

    into: np.ndarray
    other: np.ndarray
    strength: np.ndarray


def agglomerate(links: csr_array) -> Merges:
    """Join the two groups with the largest ``w / sqrt(v v')``, until one is left.

    w is the weight between them, v and v' are the sums of their weights, so that size counts for nothing. Groups
    without links are joined last, the smallest first.

    Parameters
    ----------
    links : csr_array (c, c)
        Symmetric weights between groups; the diagonal is that within.
    """
    groups = _Groups(links)
    merges: list[tuple[int, int, float]] = []
    waiting = [(-value, i) for i, value in enumerate(groups.best) if value > 0]
    heapq.heapify(waiting)
    while waiting:
        value, i = heapq.heappop(waiting)
        if -value != groups.best[i]:
            continue  # it was joined, or found a stronger link
        j, true = groups.strongest(i)
        if true < -value:  # what it knew of was joined to others, and is weaker now
            groups.best[i] = true
            if true > 0:
                heapq.heappush(waiting, (-true, i))
            continue
        if (len(groups.near[i]), j) < (len(groups.near[j]), i):  # the one with more neighbours stays, or the first
            i, j = j, i
        merges.append((i, j, true))
        for other in groups.join(i, j):
            heapq.heappush(waiting, (-groups.best[other], other))
    alive, volume = groups.alive, groups.volume
    rest = sorted(alive, key=lambda i: (volume[i], i))
    merges += [(rest[-1], i, 0.0) for i in rest[:-1]]
    table = np.array(merges, np.float64).reshape(-1, 3)
    return Merges(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2])


class _Groups:
    """Groups that are left, the weights between them, and how strong the strongest link of each is at most."""

    def __init__(self, links: csr_array) -> None:
        self.volume: list[float] = np.asarray(links.sum(axis=1), np.float64).ravel().tolist()
        self.root = [volume**0.5 for volume in self.volume]
        self.near: list[dict[int, float]] = [{} for _ in self.volume]
        entries = links.tocoo()
        for i, j, weight in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
            if i != j and weight > 0:
                self.near[i][j] = weight
        self.alive = set(range(len(self.near)))
        self.best = [self.strongest(i)[1] for i in range(len(self.near))]

    def strongest(self, i: int) -> tuple[int, float]:
        """The group that one is linked to most, the first of equal ones, and how strongly."""
        root = self.root
        found, most = -1, 0.0
        for j, weight in self.near[i].items():
            value = weight / root[j]
            if value > most or (value == most and j < found):
                found, most = j, value
        return found, most / root[i] if most > 0 else 0.0

    def join(self, i: int, j: int) -> list[int]:
        """Join j to i; which groups may have a stronger link than they knew of."""
        near, root = self.near, self.root
        self.alive.discard(j)
        self.best[j] = 0.0
        del near[i][j]
        self.volume[i] += self.volume[j]
        root[i] = self.volume[i] ** 0.5
        stronger = []
        for other, weight in near[j].items():
            if other != i:
                del near[other][j]
                total = near[i].get(other, 0.0) + weight
                near[i][other] = near[other][i] = total
                value = total / root[i] / root[other]
                if value > self.best[other]:
                    self.best[other] = value
                    stronger.append(other)
        near[j] = {}
        self.best[i] = self.strongest(i)[1]
        return [*stronger, i] if near[i] else stronger
