"""Many features: projections of points to a few directions, which bound inner products.

In an orthonormal basis B of a few directions, ``x.y = Bx.By + x'.y'`` with x' and y' what B leaves of them, and
``x'.y' <= |x'| |y'|``. So (Bx, |x'|) has inner products that are never smaller than those of the points:
distances come out too short, by little where B has the directions in which the points differ most. That leaves out most
of many centres at a fraction of what their distances cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dncsc.kernels._jit import jit
from dncsc.kernels.distance import sum_of_squares

PROJECTION_SIZE = 32
"""Numbers of a projection: 31 directions and what they leave. The margins for rounding rest on this number."""


class Projections(NamedTuple):
    """Of some points, in one basis."""

    numbers: np.ndarray
    """(n, PROJECTION_SIZE), in the points' precision"""
    length: np.ndarray
    """float64 (n,): the points' own lengths"""

    def part(self, span: slice) -> Projections:
        return Projections(self.numbers[span], self.length[span])


@jit(fastmath={"reassoc", "contract"})
def project_rows(rows, directions, places):
    """Products of each row with each direction, OUT (n, m): the same for a row whichever others are beside it."""
    count = directions.shape[0]
    whole = count // 4 * 4
    zero = rows.dtype.type(0)
    for r in range(rows.shape[0]):
        row = rows[r]
        for m in range(0, whole, 4):  # four at a time: each value of the row is read once for all of them
            first, second, third, fourth = directions[m], directions[m + 1], directions[m + 2], directions[m + 3]
            a, b, c, d = zero, zero, zero, zero
            for f in range(row.shape[0]):
                value = row[f]
                a += value * first[f]
                b += value * second[f]
                c += value * third[f]
                d += value * fourth[f]
            places[r, m], places[r, m + 1], places[r, m + 2], places[r, m + 3] = a, b, c, d
        for m in range(whole, count):
            direction, total = directions[m], zero
            for f in range(row.shape[0]):
                total += row[f] * direction[f]
            places[r, m] = total


def projected(rows: np.ndarray, directions: np.ndarray | None) -> np.ndarray:
    """Rows in some directions, or as they are; each by itself, so that it is the same in any block."""
    if directions is None:
        return rows
    places = np.empty((len(rows), len(directions)), rows.dtype)
    project_rows(rows, directions, places)
    return places


@jit()
def complete_projections(points, numbers, length):
    """Fill the last of the numbers of each point, OUT (n, m), and its length, OUT float64 (n,).

    Products with the m - 1 directions are there already. The last becomes the length of what they leave, or a little
    more: never less, however the products were rounded.
    """
    n, d = points.shape
    m = numbers.shape[1]
    eps = np.finfo(points.dtype).eps
    for r in range(n):
        whole = sum_of_squares(points[r])
        length[r] = np.sqrt(whole)
        # m - 1 products, each off by d eps / 2 times the length, make the square of their length off by less than this
        slack = np.sqrt(m) * (d + 8) * eps * whole
        left = max(whole - sum_of_squares(numbers[r, : m - 1]), 0.0) + slack
        numbers[r, m - 1] = np.sqrt(left) * (1 + 2 * eps)


def directions_of(points: np.ndarray, count: int = PROJECTION_SIZE - 1) -> np.ndarray:
    """Orthonormal directions (count, d) in which points extend farthest, nearly; d > count."""
    basis = np.random.Generator(np.random.PCG64(0)).standard_normal((points.shape[1], count))
    for _ in range(3):  # subspace iterations turn it towards the directions of the largest extent
        extended = points.T @ (points @ basis.astype(points.dtype))
        basis, _ = np.linalg.qr(extended.astype(np.float64))  # in float64: the basis is then orthonormal beyond doubt
    return np.ascontiguousarray(basis.T, points.dtype)


def leading_directions(points: np.ndarray, most: int, left: float) -> np.ndarray:
    """The first principal directions (count, d): as many as leave no more than a share of the squares, or `most`."""
    directions = directions_of(points, most)
    places = (points @ directions.T).astype(np.float64)
    squares, turn = np.linalg.eigh(places.T @ places)
    held = np.cumsum(squares[::-1]) / np.sum(points**2, dtype=np.float64)
    count = 1 + int(np.count_nonzero(held[:-1] < 1 - left))
    return np.ascontiguousarray(turn[:, ::-1][:, :count].T @ directions, points.dtype)


def project(points: np.ndarray, directions: np.ndarray) -> Projections:
    """Projections of points."""
    found = Projections(np.empty((len(points), PROJECTION_SIZE), points.dtype), np.empty(len(points)))
    found.numbers[:, :-1] = points @ directions.T
    complete_projections(points, *found)
    return found
