"""Shapes that were made when all rules were chosen."""

from __future__ import annotations

import numpy as np
from small_shapes import arc, blob, disc, joined, path, rng


def star(s, n=700, k=5):
    r = rng(s, "star")
    a = r.integers(0, k, n)
    u = r.uniform(0.05, 1, n)
    t = 2 * np.pi * a / k
    return np.stack([u * np.cos(t), u * np.sin(t)], 1) + r.normal(0, 0.035, (n, 2)), a


def tee(s):
    r = rng(s, "tee")
    return joined(
        path(r, 250, [(-2, 0), (-0.1, 0)], 0.07),
        path(r, 250, [(0.1, 0), (2, 0)], 0.07),
        path(r, 250, [(0, -0.2), (0, -2)], 0.07),
    )


def two_lines(s, n=300, gap=0.5, sd=0.06):
    r = rng(s, "two lines")
    return joined(path(r, n // 2, [(0, 0), (8, 0)], sd), path(r, n // 2, [(0, gap), (8, gap)], sd))


def waves(s, n=400):
    r = rng(s, "waves")
    return joined(
        *[
            np.stack([x := r.uniform(0, 12, n // 3), 0.8 * np.sin(x) + i * 0.9 + r.normal(0, 0.1, n // 3)], 1)
            for i in range(3)
        ]
    )


def helices(s, n=450):
    r = rng(s, "helices")
    P = []
    for i in range(3):
        t = r.uniform(0, 3 * np.pi, n // 3)
        P.append(
            np.stack([np.cos(t + 2 * np.pi * i / 3), np.sin(t + 2 * np.pi * i / 3), t / 2.5], 1)
            + r.normal(0, 0.07, (n // 3, 3))
        )
    return joined(*P)


def comb(s):
    r = rng(s, "comb")
    return joined(*[path(r, 80, [(i, 0), (i, 5)], 0.12) for i in range(5)])


def c_and_dot(s):
    r = rng(s, "c")
    return joined(arc(r, 180, (0, 0), 2, 0.3 * np.pi, 1.7 * np.pi, 0.12), blob(r, 60, (0.2, 0), 0.35))


def arcs(s):
    r = rng(s, "arcs")
    return joined(*[arc(r, int(60 * R), (0, 0), R, 0, np.pi, 0.1) for R in (1, 1.7, 2.4)])


def walks(s):
    r = rng(s, "walks")
    start = [np.array([6 * (i % 3), 6 * (i // 3)]) for i in range(5)]
    return joined(*[np.cumsum(r.normal(0, 0.18, (150, 2)), axis=0) + each for each in start])


def heavy_tails(s):
    r = rng(s, "tails")
    return joined(*[r.standard_t(2.5, (150, 2)) * 0.5 + c for c in [(0, 0), (5, 0), (0, 5), (5, 5)]])


def roll(s):
    r = rng(s, "roll")
    t = 1.5 * np.pi * (1 + 2 * r.random(800))
    X = np.stack([t * np.cos(t), 12 * r.random(800), t * np.sin(t)], 1) + r.normal(0, 0.3, (800, 3))
    return X, np.digitize(t, np.quantile(t, [0.33, 0.67]))


def strip(s):
    r = rng(s, "strip")
    X = r.uniform((0, 0), (6, 1), (500, 2))
    return X, (X[:, 0] > 3).astype(int)


def ellipses(s):
    r = rng(s, "ell")
    return joined(
        *[
            r.normal(0, 1, (200, 2)) * [1.5, 0.3] @ np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) + c
            for t, c in [(0, (0, 0)), (1.2, (2.5, 1.5)), (-0.6, (-2, 2.2))]
        ]
    )


def small_rings(s):
    r = rng(s, "sr")
    return joined(*[arc(r, 90, c, 1, 0, 2 * np.pi, 0.08) for c in [(0, 0), (2.6, 0), (1.3, 2.3)]])


def eight(s):
    r = rng(s, "eight")
    return joined(arc(r, 300, (-1.05, 0), 1, 0, 2 * np.pi, 0.06), arc(r, 300, (1.05, 0), 1, 0, 2 * np.pi, 0.06))


def density3(s):
    r = rng(s, "d3")
    return joined(disc(r, 600, (0, 0), 1), disc(r, 150, (2.3, 0), 1), disc(r, 40, (0, 2.4), 1))


def tree(s):
    r = rng(s, "tree")
    return joined(
        path(r, 200, [(0, 0), (0, 2)], 0.08),
        path(r, 200, [(0.1, 2.2), (2, 4)], 0.08),
        path(r, 200, [(-0.1, 2.2), (-2, 4)], 0.08),
    )


def cube(s):
    r = rng(s, "cube")
    y = r.integers(0, 8, 640)
    return np.array([[(i >> j) & 1 for j in range(3)] for i in range(8)])[y] * 1.0 + r.normal(0, 0.24, (640, 3)), y


def mix10(s):
    r = rng(s, "mix10")
    y = r.integers(0, 5, 500)
    return r.normal(0, 1.3, (5, 10))[y] + r.normal(0, 1, (500, 10)) * r.uniform(0.5, 1.3, 5)[y][:, None], y


def mix30(s):
    r = rng(s, "mix30")
    y = r.integers(0, 4, 250)
    return r.normal(0, 0.6, (4, 30))[y] + r.normal(0, 1, (250, 30)), y
