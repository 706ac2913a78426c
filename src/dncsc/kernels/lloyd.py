"""Lloyd's iterations of groups of points with many features, each group from start to end while it is in the cache.

Most points keep their centre in most iterations, and bounds tell so without a distance (Elkan 2003): a point has moved
away from no centre, and come closer to none, by more than that centre has moved. Bounds leave room for rounding, so
that each point gets the centre that comparing all computed distances would give it.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit
from dncsc.kernels.distance import squared_distance


@jit()
def _first_assignment(points, centres, doubt, index, squared, lower):
    """Nearest centre of each point, and lower bounds of the distances to all."""
    for r in range(points.shape[0]):
        squared[r] = np.inf
        for c in range(centres.shape[0]):
            value = squared_distance(points[r], centres[c])
            lower[r, c] = np.sqrt(value) * (1 - doubt)
            if value < squared[r]:
                squared[r] = value
                index[r] = c


@jit()
def _new_assignment(point, own, centres, doubt, lower):
    """Nearest centre of a point whose own may no longer be it, and an upper bound of the distance to that one."""
    best, label = squared_distance(point, centres[own]), own
    lower[own] = np.sqrt(best) * (1 - doubt)
    upper = np.sqrt(best) * (1 + 2 * doubt)
    for c in range(centres.shape[0]):
        if c != own and lower[c] <= upper:
            value = squared_distance(point, centres[c])
            lower[c] = np.sqrt(value) * (1 - doubt)
            if value < best or (value == best and c < label):
                best, label = value, c
    return label, np.sqrt(best) * (1 + 2 * doubt)


@jit()
def _add(point, weight, sums):
    for f in range(point.shape[0]):
        sums[f] += weight * point[f]


@jit()
def _move(sums, mass, count, points, squared, centres, moved):
    """Centres to the means of their points, or, where a centre has none, to the point farthest from its own."""
    for c in range(centres.shape[0]):
        total = 0.0
        farthest = 0
        if count[c] == 0:
            farthest = np.argmax(squared)
            squared[farthest] = 0  # taken: the next empty one looks elsewhere
        for f in range(centres.shape[1]):
            new = points[farthest, f] if count[c] == 0 else centres.dtype.type(sums[c, f] / mass[c])
            difference = np.float64(new) - np.float64(centres[c, f])
            total += difference * difference
            centres[c, f] = new
        moved[c] = np.sqrt(total)


@jit()
def _measure(points, index, centres, squared):
    for r in range(points.shape[0]):
        squared[r] = squared_distance(points[r], centres[index[r]])


@jit()
def lloyd_by_bounds(points, weight, centres, max_iter, mass, residual):
    """Lloyd's iterations until no point changes its centre; return how many.

    IN: points (n, d), positive weights float64 (n,). IN and OUT: centres (k, d). OUT, of each centre's points: the mass
    float64 (k,), and the residual float64 (k,), the weighted sum of their squared distances.
    """
    n, d = points.shape
    k = centres.shape[0]
    doubt = (d + 8) * np.finfo(points.dtype).eps
    index, squared = np.empty(n, np.int32), np.empty(n, points.dtype)
    lower = np.empty((n, k), points.dtype)
    _first_assignment(points, centres, doubt, index, squared, lower)
    upper = np.sqrt(squared) * (1 + 2 * doubt)
    sums, moved, count = np.zeros((k, d)), np.empty(k), np.zeros(k, np.int64)
    mass[:] = 0
    for r in range(n):
        _add(points[r], weight[r], sums[index[r]])
        mass[index[r]] += weight[r]
        count[index[r]] += 1
    n_iter = 0
    exact = True
    while n_iter < max_iter:
        if count.min() == 0 and not exact:
            _measure(points, index, centres, squared)
            exact = True
        if exact and squared.max() == 0:  # each point is a centre: means would only round
            break
        _move(sums, mass, count, points, squared, centres, moved)
        moved *= 1 + doubt
        exact = False
        changed = False
        for r in range(n):
            own = index[r]
            upper[r] += moved[own]
            doubtful = False
            for c in range(k):
                lower[r, c] -= moved[c]
                doubtful |= c != own and lower[r, c] <= upper[r]
            if doubtful:
                label, upper[r] = _new_assignment(points[r], own, centres, doubt, lower[r])
                if label != own:
                    changed = True
                    index[r] = label
                    count[own] -= 1
                    count[label] += 1
                    mass[own] = mass[own] - weight[r] if count[own] > 0 else 0.0
                    mass[label] += weight[r]
                    _add(points[r], -weight[r], sums[own])
                    _add(points[r], weight[r], sums[label])
                    if count[own] == 0:
                        sums[own] = 0
        n_iter += 1
        if not changed:
            break
    _measure(points, index, centres, squared)
    mass[:] = 0
    residual[:] = 0
    for r in range(n):
        mass[index[r]] += weight[r]
        residual[index[r]] += weight[r] * squared[r]
    return n_iter


@jit()
def lloyd_in_groups(points, weight, first, first_centre, centres, max_iter, mass, residual, n_iter):
    """`lloyd_by_bounds` in one group after another; OUT: n_iter int (n_groups,).

    Group g is ``points[first[g]:first[g + 1]]``, and the same for its centres.
    """
    for g in range(n_iter.shape[0]):
        span = slice(first[g], first[g + 1])
        part = slice(first_centre[g], first_centre[g + 1])
        n_iter[g] = lloyd_by_bounds(points[span], weight[span], centres[part], max_iter, mass[part], residual[part])
