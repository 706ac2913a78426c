"""Single linkage of rows: the spanning tree by which near rows join first, and how many large groups it has had.

The length of a link is the mutual reachability of two rows: their distance, or that of either to its m-th nearest row,
if this is larger. So stray rows form no bridges (robust single linkage). Rows come feature by feature, (d, n), so that
lanes run across rows.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit()
def _squared_distances(features, n, place, squared):
    """From one place (d,) to the first n rows, OUT (n,)."""
    for j in range(n):
        squared[j] = 0
    for f in range(features.shape[0]):
        x, line = place[f], features[f]
        for j in range(n):
            squared[j] += (line[j] - x) * (line[j] - x)


@jit()
def reach_of_rows(features, n_neighbors, start, reach):
    """Squared distance of rows from `start` on to their m-th nearest other row, or the farthest; OUT float64 (count,).

    IN: float64 features (d, n).
    """
    n = features.shape[1]
    squared, nearest = np.empty(n), np.empty(n_neighbors)
    for i in range(start, start + reach.shape[0]):
        _squared_distances(features, n, features[:, i].copy(), squared)
        squared[i] = np.inf
        nearest[:] = np.inf
        for each in squared:
            if each < nearest[-1]:
                place = n_neighbors - 1
                while place > 0 and nearest[place - 1] > each:
                    nearest[place] = nearest[place - 1]
                    place -= 1
                nearest[place] = each
        reach[i - start] = nearest[min(n_neighbors, n - 1) - 1]


@jit()
def spanning_tree(features, reach, first, second, squared):
    """The links that hold all rows together at the least length, OUT (n - 1,) each: both ends, and squared lengths.

    Prim's algorithm: the row nearest to the tree joins it. IN: float64 features (d, n), what `reach_of_rows` gives.
    """
    n = features.shape[1]
    left, of_left = features.copy(), reach.copy()  # of rows that are not in the tree, in front of others
    number, end, shortest, length = np.arange(n), np.zeros(n, np.int64), np.full(n, np.inf), np.empty(n)
    nearest = 0
    for count in range(n - 1, 0, -1):
        last, place, own = number[nearest], left[:, nearest].copy(), of_left[nearest]
        for line in left:
            line[nearest] = line[count]
        number[nearest], end[nearest] = number[count], end[count]
        of_left[nearest], shortest[nearest] = of_left[count], shortest[count]
        _squared_distances(left, count, place, length)
        least = np.inf
        for j in range(count):
            long = max(max(length[j], of_left[j]), own)
            if long < shortest[j]:
                shortest[j], end[j] = long, last
            least = min(least, shortest[j])
        nearest = 0
        while shortest[nearest] > least:
            nearest += 1
        first[n - 1 - count], second[n - 1 - count], squared[n - 1 - count] = end[nearest], number[nearest], least


@jit()
def _root(parent, i):
    """The row that stands for the group of a row; paths to it get shorter."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@jit()
def count_large(first, second, weight, least, large):
    """How many groups have at least so much weight once each link has joined two of them; OUT int64 (n - 1,)."""
    parent, mass, count = np.arange(weight.shape[0]), weight.copy(), 0
    for each in mass:
        count += each >= least
    for link in range(first.shape[0]):
        a, b = _root(parent, first[link]), _root(parent, second[link])
        count -= (mass[a] >= least) + (mass[b] >= least)
        parent[b] = a
        mass[a] += mass[b]
        count += mass[a] >= least
        large[link] = count


@jit()
def label_by_links(first, second, label):
    """Rows without a label (-1) get that of the group that links, one after another, lead to; IN and OUT int64 (n,).

    A link between groups of different labels joins nothing.
    """
    parent, of_group = np.arange(label.shape[0]), label.copy()
    for link in range(first.shape[0]):
        a, b = _root(parent, first[link]), _root(parent, second[link])
        if of_group[a] < 0 or of_group[b] < 0 or of_group[a] == of_group[b]:
            parent[b] = a
            of_group[a] = max(of_group[a], of_group[b])
    for i in range(label.shape[0]):
        label[i] = of_group[_root(parent, i)]
