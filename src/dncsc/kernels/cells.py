"""Nearest points of rows among those of a few cells."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit
from dncsc.kernels.distance import insert, squared_distance


@jit()
def search_cells(rows, order, cells, away, points, first, radius, nearest, squared, found):
    """K nearest points of each row in its cells; of equally near ones the first comes first.

    IN: rows (n, d), visited in `order` (n,): neighbours one after another find their cells in the cache; cells
    int (n, c), none twice, and `away` (n, c), squared distances to their centres; points (p, d), those of cell c from
    ``first[c]`` to ``first[c + 1]``, at most ``radius[c]`` from its centre: a cell all of whose points are surely
    farther than K others is left out. OUT: nearest int32 (n, K), squared (n, K), found int32 (n,): how many there are.
    """
    n_nearest = nearest.shape[1]
    doubt = 4 * (rows.shape[1] + 8) * np.finfo(rows.dtype).eps
    for place in range(rows.shape[0]):
        r = order[place]
        row = rows[r]
        filled = 0
        for i in range(cells.shape[1]):
            c = cells[r, i]
            least = np.sqrt(np.float64(away[r, i])) * (1 - doubt) - radius[c]
            if filled == n_nearest and least > 0 and least * least * (1 - doubt) > squared[r, n_nearest - 1]:
                continue
            for j in range(first[c], first[c + 1]):
                filled = insert(squared_distance(row, points[j]), j, filled, squared[r], nearest[r], True)
        found[r] = filled
