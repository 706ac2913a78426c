"""Nearest points of rows among those of a few cells."""

from __future__ import annotations

from dncsc.kernels._jit import jit
from dncsc.kernels.distance import insert, squared_distance


@jit()
def search_cells(rows, order, cells, points, first, nearest, squared, found):
    """K nearest points of each row in its cells; of equally near ones the first comes first.

    IN: rows (n, d), visited in `order` (n,): neighbours one after another find their cells in the cache; cells
    int32 (n, c), none twice; points (p, d), those of cell c from ``first[c]`` to ``first[c + 1]``. OUT: nearest int32
    (n, K), squared (n, K), found int32 (n,): how many of them there are.
    """
    for place in range(rows.shape[0]):
        r = order[place]
        row = rows[r]
        filled = 0
        for i in range(cells.shape[1]):
            c = cells[r, i]
            for j in range(first[c], first[c + 1]):
                filled = insert(squared_distance(row, points[j]), j, filled, squared[r], nearest[r], True)
        found[r] = filled
