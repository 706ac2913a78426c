"""Other shapes than those of `small_shapes`, to check rules on that were chosen there."""

from __future__ import annotations

import numpy as np
from small_shapes import arc, blob, disc, joined, path, rng


def plus_sign(seed, n=900):
    """Two bars of a plus, of unequal length; the four arms are classes."""
    r = rng(seed, "plus")
    along, bar = r.uniform(-1, 1, n), r.integers(0, 2, n)
    across = r.uniform(-0.07, 0.07, n)
    X = np.where(bar[:, None] == 0, np.stack([1.3 * along, across], axis=1), np.stack([across, along], axis=1))
    return X, 2 * bar + (along > 0)


def hourglass(seed, n=600):
    """Two triangles that meet in a point."""
    r = rng(seed, "hourglass")
    far = np.sqrt(r.random(n)) * np.where(r.random(n) < 0.5, 1, -1)
    return np.stack([far, 0.7 * np.abs(far) * r.uniform(-1, 1, n)], axis=1), (far > 0).astype(int)


def horseshoe(seed):
    """A U around a bar and a group."""
    r = rng(seed, "horseshoe")
    shoe = path(r, 120, [(-5, 6), (-5, -4), (5, -4), (5, 6)], 0.35)
    return joined(shoe, path(r, 60, [(-2, 5), (-2, 0)], 0.5), blob(r, 90, (2, 1), 0.8))


def steps_of_density(seed):
    """Groups each twice as wide as the one before, same rows."""
    r = rng(seed, "steps")
    return joined(*[blob(r, 120, (x, 0.3 * x), sd) for x, sd in [(0, 0.1), (1, 0.2), (2.6, 0.4), (6, 0.8)]])


def dumbbells(seed):
    """Two pairs of discs; the discs of a pair have a bridge of a few rows."""
    r = rng(seed, "dumbbells")
    parts = [disc(r, 150, c, 1) for c in [(0, 0), (4, 0), (0, 4), (4, 4)]]
    X, y = joined(*parts)
    bridge = np.concatenate([path(r, 15, [(1, 0), (3, 0)], 0.05), path(r, 15, [(1, 4), (3, 4)], 0.05)])
    return np.vstack([X, bridge]), np.append(y, np.full(30, -1))


def smile(seed):
    r = rng(seed, "smile")
    return joined(
        arc(r, 400, (0, 0), 5, 0, 2 * np.pi, 0.15),
        blob(r, 100, (-1.8, 1.6), 0.35),
        blob(r, 100, (1.8, 1.6), 0.35),
        arc(r, 150, (0, 0), 2.8, 1.15 * np.pi, 1.85 * np.pi, 0.15),
    )


def stripes(seed):
    r = rng(seed, "stripes")
    x = r.uniform(0, 10, (2, 1000))
    return joined(
        *[np.stack([each, np.sin(each) + 1.2 * i + r.normal(0, 0.15, 1000)], axis=1) for i, each in enumerate(x)]
    )


def frames(seed):
    """Square frames inside each other, of a density that falls."""
    r = rng(seed, "frames")

    def frame(n, s, sd):
        return path(r, n, [(-s, -s), (s, -s), (s, s), (-s, s), (-s, -s)], sd)

    return joined(frame(400, 1, 0.08), frame(300, 2, 0.1), frame(200, 3.2, 0.14), disc(r, 100, (0, 0), 0.3))


def two_overlapping(seed, n=1500, apart=2.5, sds=(1.0, 1.0)):
    r = rng(seed, "two overlapping")
    return joined(blob(r, n, (0, 0), sds[0]), blob(r, n, (apart, 0), sds[1]))


def simplex(seed, d=3, k=4, n=100, sd=0.3):
    r = rng(seed, "simplex")
    return joined(*[blob(r, n, each, sd) for each in np.eye(max(k, d))[:k, :d] * 1.2])


def s_curves(seed):
    """Two sheets in three dimensions, one behind the other."""
    r = rng(seed, "sheets")
    turn, high = r.uniform(-1.4 * np.pi, 1.4 * np.pi, 900), r.uniform(0, 2, 900)
    sheet = np.stack([np.sin(turn), high, np.sign(turn) * (np.cos(turn) - 1)], axis=1) + r.normal(0, 0.06, (900, 3))
    return sheet, (turn > 0).astype(int)


def rings_of_densities(seed):
    r = rng(seed, "rings")
    return joined(
        arc(r, 100, (0, 0), 1, 0, 2 * np.pi, 0.05),
        arc(r, 300, (0, 0), 2, 0, 2 * np.pi, 0.08),
        arc(r, 100, (0, 0), 3, 0, 2 * np.pi, 0.12),
    )


def flat_gaussians(seed, k=6, n=150):
    """Long thin groups in any direction, side by side."""
    r = rng(seed, "flat")
    parts = []
    for i in range(k):
        turn = r.uniform(0, np.pi)
        axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        parts.append(r.normal(0, 1, (n, 2)) * [1.6, 0.2] @ axes + [4 * (i % 3), 4 * (i // 3)])
    return joined(*parts)


def parallel(seed, n=300):
    """Thin parallel groups in three dimensions: k-means halves them."""
    r = rng(seed, "parallel")
    return joined(*[r.normal(0, 1, (n, 3)) * [3, 0.3, 0.3] + [0, 1.8 * i, 0] for i in range(3)])


def comets(seed, k=5):
    """A dense head and a thin tail each."""
    r = rng(seed, "comets")
    parts = []
    for i in range(k):
        far = r.exponential(1, 160)
        way = r.uniform(0, 2 * np.pi)
        parts.append(
            np.stack([np.cos(way) * far, np.sin(way) * far], axis=1)
            + r.normal(0, 0.2, (160, 2)) * (1 + far[:, None])
            + [4.5 * (i % 3), 5 * (i // 3)]
        )
    return joined(*parts)


def outlying_groups(seed):
    """Three of 200 rows, two of 12 far away."""
    r = rng(seed, "outlying")
    return joined(
        *[blob(r, 200, c, 0.5) for c in [(0, 0), (3, 0), (1.5, 2.5)]],
        blob(r, 12, (12, 12), 0.3),
        blob(r, 12, (-11, 9), 0.3),
    )


def letters_of_lines(seed):
    """Strokes of different length in noise."""
    r = rng(seed, "strokes")
    strokes = [
        [(0, 0), (0, 4)],
        [(1.2, 0), (1.2, 4), (3, 0), (3, 4)],
        [(4.5, 0), (6.5, 0), (6.5, 3)],
        [(4.3, 2), (5.4, 4)],
    ]
    X, y = joined(*[path(r, 220, each, 0.1) for each in strokes])
    return np.vstack([X, r.uniform((-1, -1), (7.5, 5), (60, 2))]), np.append(y, np.full(60, -1))
