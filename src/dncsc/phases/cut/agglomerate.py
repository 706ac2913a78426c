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
    volume = np.asarray(links.sum(axis=1), np.float64).ravel().tolist()
    near: list[dict[int, float]] = [{} for _ in volume]
    entries = links.tocoo()
    for i, j, weight in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True):
        if i != j and weight > 0:
            near[i][j] = weight

    def strength(i: int, j: int) -> float:
        return near[i][j] / (volume[i] ** 0.5 * volume[j] ** 0.5)  # a product of tiny volumes would be 0

    waiting = [(-strength(i, j), i, j) for i in range(len(near)) for j in near[i] if i < j]
    heapq.heapify(waiting)
    merges: list[tuple[int, int, float]] = []
    alive = set(range(len(near)))
    while waiting:
        value, i, j = heapq.heappop(waiting)
        if j not in near[i] or value != -strength(i, j):
            continue  # joined meanwhile, or linked otherwise
        if len(near[i]) < len(near[j]):
            i, j = j, i
        merges.append((i, j, -value))
        alive.discard(j)
        volume[i] += volume[j]
        del near[i][j]
        for other, weight in near[j].items():
            if other != i:
                del near[other][j]
                near[i][other] = near[other][i] = near[i].get(other, 0.0) + weight
        near[j] = {}
        for other in near[i]:
            low, high = min(i, other), max(i, other)
            heapq.heappush(waiting, (-strength(low, high), low, high))
    rest = sorted(alive, key=lambda i: (volume[i], i))
    merges += [(rest[-1], i, 0.0) for i in rest[:-1]]
    table = np.array(merges, np.float64).reshape(-1, 3)
    return Merges(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2])
