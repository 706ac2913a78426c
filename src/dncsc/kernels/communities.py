"""Communities of a graph: nodes that move to where most of their links lead, and rows that take the side of most."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit

LEAST_GAIN = 1e-12
"""of modularity, relative to a node's degree: a smaller one is rounding"""


@jit()
def move_nodes(start, neighbor, weight, degree, resolution, kept, order, max_rounds, community):
    """Move each node to the neighbouring community that gains most modularity, until hardly any moves.

    IN: the graph's rows ``neighbor[start[i]:start[i + 1]]`` and their `weight`, float64; degree float64 (n,), of which
    links to itself are a part; kept float64 (n,): the volume that each community may have at no loss; order int (n,).
    IN/OUT: community int32 (n,), from 0 to n - 1. Returns how many moved.
    """
    n = degree.shape[0]
    total = degree.sum()
    if total == 0:
        return 0
    volume = -kept
    for i in range(n):
        volume[community[i]] += degree[i]
    links = np.zeros(n)
    touched = np.empty(n, np.int32)
    moved = 0
    for _ in range(max_rounds):
        changed = 0
        for place in range(n):
            i = order[place]
            own = community[i]
            n_touched = 0
            for e in range(start[i], start[i + 1]):
                c = community[neighbor[e]]
                if neighbor[e] != i and weight[e] > 0:
                    if links[c] == 0:
                        touched[n_touched] = c
                        n_touched += 1
                    links[c] += weight[e]
            volume[own] -= degree[i]
            pull = resolution * degree[i] / total
            best, gain = own, links[own] - pull * volume[own]
            for t in range(n_touched):
                c = touched[t]
                value = links[c] - pull * volume[c]
                if value > gain + LEAST_GAIN * degree[i]:
                    best, gain = c, value
            volume[best] += degree[i]
            if best != own:
                community[i] = best
                changed += 1
            for t in range(n_touched):
                links[touched[t]] = 0
        moved += changed
        if changed <= n // 1000:
            break
    return moved


@jit()
def vote_rows(nearest, shares, cluster, labels, squared):
    """Cluster in which each row has the largest share, the first of equal ones.

    IN: nearest int32 (n, K), shares (n, K), which sum to 1; cluster int32 (p,) of each landmark. OUT: labels int32
    (n,), squared (n,): squared distance of the row's shares in all clusters from those of a row of that one alone.
    """
    n, n_nearest = nearest.shape
    for r in range(n):
        best = shares.dtype.type(-1)
        length = shares.dtype.type(0)
        for i in range(n_nearest):
            c = cluster[nearest[r, i]]
            share = shares.dtype.type(0)
            is_first = True
            for j in range(n_nearest):
                if cluster[nearest[r, j]] == c:
                    share += shares[r, j]
                    is_first = is_first and j >= i
            if is_first:
                length += share * share
                if share > best or (share == best and c < labels[r]):
                    best = share
                    labels[r] = c
        squared[r] = max(length - 2 * best + 1, 0)
