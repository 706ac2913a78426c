"""Distances between two points, and lists of the nearest: what searches share.

Sums along the features may be reassociated by the compiler, once and for all callers alike, so a distance depends on
its two points only.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit


@jit(fastmath={"reassoc", "contract"})
def squared_distance(x, y):
    """In the precision of the points."""
    total = x.dtype.type(0)
    for f in range(x.shape[0]):
        difference = x[f] - y[f]
        total += difference * difference
    return total


@jit(fastmath={"reassoc", "contract"})
def sum_of_squares(x):
    """In float64."""
    total = 0.0
    for f in range(x.shape[0]):
        total += np.float64(x[f]) * np.float64(x[f])
    return total


@jit()
def insert(value, label, filled, values, labels, by_label):
    """Put a value into the first `filled` slots of an ascending list; return the slots then used.

    It stands behind its equals, or, `by_label`, where its label belongs among theirs.
    """
    size = values.shape[0]
    if filled == size:
        last = values[size - 1]
        if value > last or (value == last and (not by_label or label > labels[size - 1])):
            return filled
    else:
        filled += 1
    j = filled - 1
    while j > 0 and (values[j - 1] > value or (by_label and values[j - 1] == value and labels[j - 1] > label)):
        values[j] = values[j - 1]
        labels[j] = labels[j - 1]
        j -= 1
    values[j] = value
    labels[j] = label
    return filled
