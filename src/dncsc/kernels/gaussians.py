"""Gaussian components: how dense each is at a row, and which is densest there.

A tile of rows is held feature by feature, and all its lanes are worked on, also idle ones: what comes out for a row
depends on that row alone, never on its block or tile.
"""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit

TILE = 64
"""Rows a tile: a few features of them fit the L1 cache beside the numbers of a component."""
NEGLIGIBLE = 1e-12
"""Share of a row in a component: where no row of a tile has more, the tile adds nothing to it."""


@jit()
def _fill_tile(rows, start, tile):
    """Rows from `start` on, as many as there are lanes, OUT float64 (d, TILE); how many there were."""
    count = min(TILE, rows.shape[0] - start)
    for r in range(count):
        for f in range(rows.shape[1]):
            tile[f, r] = rows[start + r, f]
    return count


@jit()
def _log_density(tile, mean, factor, constant, along, density):
    """``constant - |factor (x - mean)|^2 / 2`` for the rows of a tile, OUT (TILE,); `factor` is a lower triangle.

    Of a feature that says nothing it has zeros, on the diagonal as well, and these take no time.
    """
    for r in range(TILE):
        density[r] = constant
    for i in range(mean.shape[0]):
        if factor[i, i] == 0:
            continue
        for r in range(TILE):
            along[r] = 0
        for j in range(i + 1):
            x, m, f = tile[j], mean[j], factor[i, j]
            if f == 0:
                continue
            for r in range(TILE):
                along[r] += f * (x[r] - m)
        for r in range(TILE):
            density[r] -= 0.5 * along[r] * along[r]


@jit()
def log_densities(rows, means, factors, constants, densities):
    """Logarithm of the density of each component at each row, OUT float64 (n, k).

    IN: rows (n, d); float64 means (k, d), lower triangles (k, d, d) that whiten each component, and constants (k,).
    """
    tile = np.zeros((rows.shape[1], TILE))
    along, density = np.empty(TILE), np.empty(TILE)
    for start in range(0, rows.shape[0], TILE):
        count = _fill_tile(rows, start, tile)
        for c in range(means.shape[0]):
            _log_density(tile, means[c], factors[c], constants[c], along, density)
            for r in range(count):
                densities[start + r, c] = density[r]


@jit()
def densest(rows, means, factors, constants, labels):
    """The component of the largest density at each row, OUT int32 (n,): of equal ones the first."""
    tile = np.zeros((rows.shape[1], TILE))
    along, density, best = np.empty(TILE), np.empty(TILE), np.empty(TILE)
    label = np.zeros(TILE, np.int32)
    for start in range(0, rows.shape[0], TILE):
        count = _fill_tile(rows, start, tile)
        best[:] = -np.inf
        label[:] = 0  # where densities are too small for a number
        for c in range(means.shape[0]):
            _log_density(tile, means[c], factors[c], constants[c], along, density)
            for r in range(TILE):
                denser = density[r] > best[r]
                best[r] = density[r] if denser else best[r]
                label[r] = np.int32(c) if denser else label[r]
        for r in range(count):
            labels[start + r] = label[r]


@jit(fastmath={"reassoc", "contract"})
def add_scatter(rows, shares, means, scatter):
    """Add ``share (x - mean)(x - mean)^T`` of all rows to the lower triangles of each component, OUT (k, d, d).

    IN: rows (n, d), float64 shares of the rows in each component (n, k), and means (k, d).
    """
    d = rows.shape[1]
    tile, off = np.zeros((d, TILE)), np.zeros((d, TILE))
    share = np.zeros(TILE)
    for start in range(0, rows.shape[0], TILE):
        count = _fill_tile(rows, start, tile)
        for c in range(means.shape[0]):
            share[count:] = 0
            largest = 0.0
            for r in range(count):
                share[r] = shares[start + r, c]
                largest = max(largest, share[r])
            if largest < NEGLIGIBLE:
                continue
            for i in range(d):
                for r in range(TILE):
                    off[i, r] = tile[i, r] - means[c, i]
                for j in range(i + 1):
                    total = 0.0
                    for r in range(TILE):
                        total += share[r] * off[i, r] * off[j, r]
                    scatter[c, i, j] += total
