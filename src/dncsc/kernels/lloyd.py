"""Lloyd's iterations of points that fit in the cache, from start to end without the interpreter.

With few features all distances are computed, lane by lane. Where there are many features or many iterations, most
points keep their centre in most of these, and bounds tell so without a distance (Elkan 2003): a point has moved away
from no centre, and come closer to none, by more than that centre has moved. Bounds leave room for rounding, so that
each point gets the centre that comparing all computed distances would give it.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit
from dncsc.kernels.across_rows import nearest_across_rows
from dncsc.kernels.distance import squared_distance
from dncsc.kernels.sums import add_by_group


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
def lloyd_by_distances(points, weight, centres, max_iter, mass, residual):
    """`lloyd_by_bounds` without bounds: all distances, in every iteration."""
    n, d = points.shape
    k = centres.shape[0]
    order, first, first_centre = np.arange(n).astype(np.int32), np.array([0, n], np.int32), np.array([0, k], np.int32)
    index, before = np.empty(n, np.int32), np.empty(n, np.int32)
    squared = np.empty(n, points.dtype)
    sums, moved, count = np.empty((k, d)), np.empty(k), np.empty(k, np.int64)
    n_iter = 0
    while True:
        nearest_across_rows(points, order, first, centres, first_centre, index, squared)
        sums[:], mass[:], residual[:], count[:] = 0, 0, 0, 0
        add_by_group(points, weight, index, squared, sums, mass, residual, count)
        # without any residual each point is a centre: means would only round
        if n_iter == max_iter or not residual.any() or (n_iter > 0 and np.array_equal(index, before)):
            return n_iter
        index, before = before, index
        _move(sums, mass, count, points, squared, centres, moved)
        n_iter += 1
