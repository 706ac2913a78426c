"""Join groups of a graph, those linked most for their size first: a tree of all groups."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array


class Merges(NamedTuple):
    """Which group took in which other one, in order, and how strongly they were linked, ``w / sqrt(v v')``: 0 to 1."""

    into: np.ndarray
    other: np.ndarray
    strength: np.ndarray


def agglomerate(links: csr_array, power: float) -> Merges:
    """Join the two groups with the largest ``w / (v v')^power``, until one is left.

    w is the weight between them, v and v' are the sums of their weights. Groups without links are joined last, the
    smallest first.

    Parameters
    ----------
    links : csr_array (c, c)
        Symmetric weights between groups; the diagonal is that within.
    power : float
        Between 1/2, with which one group swallows all others where clusters are not clear, and 1, with which large
        clusters are divided and small ones joined.
    """
    groups = _Groups(links, power)
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
        merges.append((i, j, groups.strength(i, j)))
        for other in groups.join(i, j):
            heapq.heappush(waiting, (-groups.best[other], other))
    alive, volume = groups.alive, groups.volume
    rest = sorted(alive, key=lambda i: (volume[i], i))
    merges += [(rest[-1], i, 0.0) for i in rest[:-1]]
    table = np.array(merges, np.float64).reshape(-1, 3)
    return Merges(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2])


class _Groups:
    """Groups that are left, the weights between them, and what the link that each would join by is worth at most."""

    def __init__(self, links: csr_array, power: float) -> None:
        self.power = power
        self.volume: list[float] = np.asarray(links.sum(axis=1), np.float64).ravel().tolist()
        self.scale = [volume**power for volume in self.volume]
        self.near: list[dict[int, float]] = [{} for _ in self.volume]
        entries = links.tocoo()
        for i, j, weight in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
            if i != j and weight > 0:
                self.near[i][j] = weight
        self.alive = set(range(len(self.near)))
        self.best = [self.strongest(i)[1] for i in range(len(self.near))]

    def strongest(self, i: int) -> tuple[int, float]:
        """The group that one would join, the first of equal ones, and what their link is worth."""
        scale = self.scale
        found, most = -1, 0.0
        for j, weight in self.near[i].items():
            value = weight / scale[j]
            if value > most or (value == most and j < found):
                found, most = j, value
        return found, most / scale[i] if most > 0 else 0.0

    def strength(self, i: int, j: int) -> float:
        """Of the link of two groups, whatever their size."""
        return self.near[i][j] / self.volume[i] ** 0.5 / self.volume[j] ** 0.5

    def join(self, i: int, j: int) -> list[int]:
        """Join j to i; which groups may have a stronger link than they knew of."""
        near, scale = self.near, self.scale
        self.alive.discard(j)
        self.best[j] = 0.0
        del near[i][j]
        self.volume[i] += self.volume[j]
        scale[i] = self.volume[i] ** self.power
        stronger = []
        for other, weight in near[j].items():
            if other != i:
                del near[other][j]
                total = near[i].get(other, 0.0) + weight
                near[i][other] = near[other][i] = total
                value = total / scale[i] / scale[other]
                if value > self.best[other]:
                    self.best[other] = value
                    stronger.append(other)
        near[j] = {}
        self.best[i] = self.strongest(i)[1]
        return [*stronger, i] if near[i] else stronger
