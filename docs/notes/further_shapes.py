"""Kinds of sets that well-known collections have. The last thresholds of single linkage were chosen on them, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from small_shapes import Set, arc, blob, box, disc, joined, path, rng


def noisy(r, X, y, share):
    """Uniform noise of a share of all rows over a box a little larger than that of X: class -1."""
    low, high = X.min(axis=0), X.max(axis=0)
    extra = box(r, int(share / (1 - share) * len(X)), low - 0.05 * (high - low), high + 0.05 * (high - low))
    return np.vstack([X, extra]), np.append(y, np.full(len(extra), -1))


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def turned(X, angle, place=(0, 0)):
    return X @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) + place


def apart_centres(r, k, gap, d=2, size=1.0):
    """As many random places, no two nearer than a gap, which shrinks where they do not fit."""
    places = [r.uniform(0, size, d)]
    while len(places) < k:
        each = r.uniform(0, size, d)
        if np.linalg.norm(np.array(places) - each, axis=1).min() > gap:
            places.append(each)
        gap *= 0.9995
    return np.array(places)


def interleaved_forks(seed, sd=0.05):
    """Two thin combs, the teeth of one between those of the other."""
    r = rng(seed, "forks")
    up, down = [(0, 0)], [(0.5, 3)]
    for i in range(4):
        up += [(i, 0), (i, 2.4), (i, 0)]
        down += [(i + 0.5, 3), (i + 0.5, 0.6), (i + 0.5, 3)]
    return joined(path(r, 500, up, sd), path(r, 500, down, sd))


def labyrinth(seed):
    """Square corridors that wind into each other, a bar outside and a room in the middle."""
    r = rng(seed, "labyrinth")
    first = [(0, 0), (0, 10), (10, 10), (10, 2), (3, 2), (3, 7), (6, 7)]
    second = [(1.5, 0), (11.5, 0), (11.5, 11.5), (-1.5, 11.5), (-1.5, 0)]
    third = [(1.5, 1.5), (1.5, 8.5), (8.2, 8.5), (8.2, 3.5)]
    parts = [path(r, n, p, 0.0) for n, p in [(900, first), (1100, second), (450, third)]]
    parts = [each + r.uniform(-0.35, 0.35, each.shape) for each in parts]
    return joined(*parts, box(r, 250, (4.4, 3.6), (6.8, 5.6)), box(r, 150, (13, 2), (13.8, 9)))


def word(seed, sd=0.09):
    """The letters S, A, U and E: strokes of some width, close to each other."""
    r = rng(seed, "word")
    s = [(1.8, 3.6), (0.4, 4), (0, 3), (1.8, 1.2), (1.4, 0.1), (0, 0.4)]
    a = [(2.4, 0), (3.4, 4), (3.9, 1.9), (2.9, 1.9), (3.9, 1.9), (4.4, 0)]
    u = [(5, 4), (5, 0.6), (5.5, 0), (6.2, 0), (6.7, 0.6), (6.7, 4)]
    e = [(9, 4), (7.4, 4), (7.4, 2), (8.6, 2), (7.4, 2), (7.4, 0), (9, 0)]
    return joined(*[path(r, n, p, sd) for n, p in [(350, s), (400, a), (450, u), (450, e)]])


def window(seed):
    r = rng(seed, "window")
    panes = [box(r, 250, (x, y), (x + 2, y + 2)) for x in (-2.2, 0.2) for y in (-2.2, 0.2)]
    frame = path(r, 900, [(-3, -3), (3, -3), (3, 3), (-3, 3), (-3, -3)], 0.0) + r.uniform(-0.25, 0.25, (900, 2))
    wall = box(r, 3000, (-7, -7), (7, 7))
    return joined(*panes, frame, wall[np.abs(wall).max(axis=1) > 4.2])


def chameleon_bands(seed, n=3600):
    """Slanted bars, a hollow box around a bar, a bent band and two filled shapes in 8 % noise."""
    r = rng(seed, "chameleon bands")
    x = r.uniform(0, 9, n // 6)
    hollow = path(r, n // 6, [(10.5, 0), (15, 0), (15, 5), (10.5, 5), (10.5, 0)], 0.0)
    X, y = joined(
        np.stack([x, 1.2 * np.sin(1.4 * x) + 7.5 + r.uniform(-0.4, 0.4, len(x))], axis=1),
        hollow + r.uniform(-0.3, 0.3, hollow.shape),
        box(r, n // 14, (12.2, 1.2), (13.2, 3.9)),
        *[turned(box(r, n // 8, (-2.5, -0.45), (2.5, 0.45)), 0.7, each) for each in [(2, 3), (4.3, 2.8)]],
        disc(r, n // 9, (7.8, 1.5), 1.4),
        arc(r, n // 8, (13, 8), 2, -0.1 * np.pi, 1.1 * np.pi, 0.0) + r.uniform(-0.3, 0.3, (n // 8, 2)),
    )
    return noisy(r, X, y, 0.08)


def golf_caps(seed, gap=0.3):
    """A sphere's shell in two caps of unequal size, a band between them empty."""
    r = rng(seed, "golf")
    X = r.normal(0, 1, (2400, 3))
    X *= r.normal(1, 0.01, (2400, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X[:, 2] - 0.2) > gap / 2]
    return X, (X[:, 2] > 0.2).astype(int)


def chain(seed, links=2, n=400, sd=0.08):
    """Rings in three dimensions, each through the next."""
    r = rng(seed, "chain")
    parts = []
    for i in range(links):
        flat = arc(r, n, (0, 0), 1, 0, 2 * np.pi, 0)
        flat = np.insert(flat, 2 - i % 2, 0, axis=1)
        parts.append(flat + blob(r, n, (1.15 * i, 0, 0), sd))
    return joined(*parts)


def seven_in_space(seed, n=32):
    r = rng(seed, "hepta")
    ends = np.vstack([np.eye(3), -np.eye(3)]) * 3
    return joined(*[blob(r, n, each, 0.75) for each in ends], blob(r, n, (0, 0, 0), 0.35))


def a_set(seed, k=20, n=150):
    r = rng(seed, "a set")
    return joined(*[blob(r, n, each, 0.038) for each in apart_centres(r, k, 0.17)])


def shapes_and_sizes(seed, k=10):
    """Gaussians of any covariance, of 30 to 900 rows."""
    r = rng(seed, "sizes")
    parts = []
    for place in apart_centres(r, k, 4.5, size=18):
        n, sd = int(np.exp(r.uniform(np.log(30), np.log(900)))), np.exp(r.uniform(np.log(0.25), np.log(1.2), 2))
        parts.append(turned(r.normal(0, sd, (n, 2)), r.uniform(0, np.pi), place))
    return joined(*parts)


def sixteen_on_grid(seed, sd=0.2, n=200):
    r = rng(seed, "birch")
    return joined(*[blob(r, n, (i, j), sd) for i in range(4) for j in range(4)])


def s_set(seed, overlap=1.0, k=12):
    """Groups of uneven rows and bent covariances that overlap."""
    r = rng(seed, "s set")
    parts = []
    for place in apart_centres(r, k, 0.2):
        mix = np.eye(2) + r.uniform(-0.5, 0.5, (2, 2))
        parts.append(r.normal(0, 0.05 * overlap, (int(r.uniform(120, 420)), 2)) @ mix + place)
    return joined(*parts)


def touching_rings(seed):
    """Four thick rings of different radius that touch in a row, a disc in the largest."""
    r = rng(seed, "touching rings")
    large = [(500, (0, 0), 2, 1.5), (400, (4.7, 1.8), 1.35, 0.95)]
    small = [(250, (3.1, 0), 1, 0.65), (150, (4.4, -1.1), 0.65, 0.35), (120, (0.1, 0), 0.6)]
    return joined(*[disc(r, *each) for each in large + small])


def trajectories(seed, k=6, n=400):
    """Smooth random curves from left to right above each other, with bends of their own."""
    r = rng(seed, "trajectories")
    parts, common = [], r.uniform(0, 2 * np.pi, 2)
    for i in range(k):
        x, own, high = r.uniform(0, 10, n), r.uniform(0, 2 * np.pi, 3), r.uniform(0.03, 0.13, 3)
        y = 1.3 * np.sin(0.6 * x + common[0]) + 0.5 * np.sin(1.3 * x + common[1]) + 0.75 * i
        y += sum(h * np.sin((j + 1) * 0.9 * x + o) for j, (h, o) in enumerate(zip(high, own, strict=True)))
        parts.append(np.stack([x, y + r.normal(0, 0.07, n)], axis=1))
    return joined(*parts)


def fuzzy_x(seed, n=240):
    """Four arms that widen outward and a dense round centre, five classes."""
    r = rng(seed, "fuzzy x")
    parts = [blob(r, n, (0, 0), 0.28)]
    for i in range(4):
        far = r.uniform(1.1, 5, n)
        parts.append(turned(np.stack([far, r.normal(0, 0.12 + 0.07 * far)], axis=1), np.pi * (0.25 + 0.5 * i)))
    return joined(*parts)


def cut_curves(seed, gap=0.35):
    """Two waves that cross, cut away near the crossings: each piece is a class."""
    r = rng(seed, "cut curves")
    x, which = r.uniform(0, 3 * np.pi, 1600), r.integers(0, 2, 1600)
    near = np.abs(x / np.pi - np.round(x / np.pi)) * np.pi
    X = np.stack([x, np.where(which, 1, -1) * 1.5 * np.sin(x)], axis=1) + r.normal(0, 0.07, (1600, 2))
    kept = near > gap / 2
    return X[kept], (2 * np.floor(x / np.pi) + which).astype(int)[kept]


def correlated(seed, n=800, d=5, k=4, apart=3.2):
    """Standardised features that share a few factors, which differ by class; classes of uneven rows."""
    r = rng(seed, f"correlated {d}")
    y = r.choice(k, n, p=r.dirichlet(np.full(k, 3.0)) * 0.8 + 0.2 / k)
    f = min(d - 1, 4)
    factors = r.normal(0, apart / np.sqrt(2), (k, f))[y] + r.normal(0, 1, (n, f)) * r.uniform(0.5, 1.3, (k, f))[y]
    return standard(factors @ r.normal(0, 1, (f, d)) + r.normal(0, 0.5, (n, d)) * r.uniform(0.5, 1.5, d)), y


def gamma_groups(seed, n=900, d=4, k=5):
    """Skewed groups: every feature gamma distributed, its shape and scale by class."""
    r = rng(seed, "gamma groups")
    y = r.integers(0, k, n)
    return r.gamma(r.uniform(1.5, 9, (k, d))[y], r.uniform(0.4, 1.6, (k, d))[y]) + r.uniform(0, 6, (k, d))[y], y


def uniform_boxes(seed, n=700, d=10, k=6):
    """Boxes of different sides in ten features, some of which overlap in each one."""
    r = rng(seed, "boxes")
    y = r.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    return r.uniform(0, 4, (k, d))[y] + r.uniform(-1, 1, (n, d)) * r.uniform(0.5, 2, (k, d))[y], y


def proteins(seed, sizes=(143, 77, 52, 35, 20, 9), d=7, sure=9.0, signals=2):
    """Scores between 0 and 1, of which each class has a few high ones; very uneven classes."""
    r = rng(seed, f"proteins {d}")
    parts = []
    for each in sizes:
        mean = r.uniform(0.3, 0.5, d)
        mean[r.choice(d, signals, replace=False)] = r.uniform(0.65, 0.85, signals)
        parts.append(r.beta(mean * sure, (1 - mean) * sure, (each, d)))
    return joined(*parts)


def grains(seed, n=70):
    """Area, outline, roundness, length, width, asymmetry and groove of three sorts of grain, standardised."""
    r = rng(seed, "grains")
    y = np.repeat(np.arange(3), n)
    long = np.array([5.2, 5.5, 6.15])[y] + r.normal(0, 0.21, 3 * n)
    wide = 0.58 * long + np.array([-0.16, 0.06, 0.11])[y] + r.normal(0, 0.1, 3 * n)
    area = np.pi / 4 * long * wide * r.normal(1, 0.01, 3 * n)
    outline = np.pi * (0.75 * (long + wide) - 0.5 * np.sqrt(long * wide)) * r.normal(1, 0.005, 3 * n)
    groove = long - np.array([0.1, 0.45, 0.12])[y] + r.normal(0, 0.12, 3 * n)
    skew = r.gamma(5, np.array([0.9, 0.55, 0.75])[y])
    return standard(np.stack([area, outline, 4 * np.pi * area / outline**2, long, wide, skew, groove], axis=1)), y


def dense_and_diffuse(seed, n=350, d=30):
    """One class near a curve in 30 features, the other spread around it with long tails."""
    r = rng(seed, "diffuse")
    y = (r.random(n) < 0.38).astype(int)
    at, step = r.normal(0, 0.5, (n, 2)), np.arange(d) / 6
    dense = np.cos(step + at[:, :1]) * 0.7 + at[:, 1:] * 0.3 + r.normal(0, 0.15, (n, d))
    wide = r.normal(0, 0.75, (n, d)) + r.standard_t(3, (n, 1)) * 0.4
    return np.where(y[:, None] == 1, wide, dense), y


def notes(seed, n=1300):
    """Two bent classes in four features that lie against each other: the third falls as the second rises."""
    r = rng(seed, "notes")
    y = (r.random(n) < 0.45).astype(int)
    second = np.where(r.random(n) < 0.6, r.normal(5, 2.6, n), r.normal(-4, 3, n)) - 1.5 * y
    first = np.where(y, -1.9, 2.3) + 0.045 * (second - 1) ** 2 * np.where(y, -1, 1) * 0.8 + r.normal(0, 1.3, n)
    third = 2 - 0.75 * second + 0.05 * second**2 - 1.1 * y + r.normal(0, 1.6, n)
    return np.stack([first, second, third, -1 - 0.3 * second + 0.04 * third**2 * -1 + r.normal(0, 1.2, n)], axis=1), y


def grades(seed, n=680, d=9):
    """Whole grades from 1 to 10: mostly 1 and 2 in one class, anything in the other."""
    r = rng(seed, "grades")
    y = (r.random(n) < 0.35).astype(int)
    ill = 6 + r.normal(0, 1.4, (n, 1)) + r.uniform(-1.5, 1.5, d) + r.normal(0, 2.4, (n, d))
    return np.clip(np.round(np.where(y[:, None] == 1, ill, 1 + r.exponential(0.7, (n, d)))), 1, 10), y


FURTHER: dict[str, Callable[[int], Set]] = {
    "interleaved forks": interleaved_forks,
    "labyrinth": labyrinth,
    "word": word,
    "window": window,
    "chameleon bands": chameleon_bands,
    "golf caps": golf_caps,
    "chain of 2": chain,
    "chain of 4": partial(chain, links=4, n=250, sd=0.05),
    "seven in space": seven_in_space,
    "a set": a_set,
    "shapes and sizes": shapes_and_sizes,
    "16 on a grid": sixteen_on_grid,
    "s set": s_set,
    "s set, overlapping": partial(s_set, overlap=1.5),
    "touching rings": touching_rings,
    "trajectories": trajectories,
    "fuzzy x": fuzzy_x,
    "cut curves": cut_curves,
    "correlated 5": correlated,
    "correlated 12": partial(correlated, n=500, d=12, k=5),
    "correlated 20": partial(correlated, n=1500, d=20, k=7),
    "gamma groups": gamma_groups,
    "uniform boxes": uniform_boxes,
    "proteins 336x7": proteins,
    "proteins 1484x8": partial(proteins, sizes=(463, 429, 244, 163, 51, 44, 35, 30, 20, 5), d=8, sure=14.0),
    "grains": grains,
    "dense and diffuse": dense_and_diffuse,
    "notes": notes,
    "grades": grades,
}
