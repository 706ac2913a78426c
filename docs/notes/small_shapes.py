"""Plane shapes of a few hundred to a few thousand rows, each a function of a seed; rules may be chosen on them."""

from __future__ import annotations

import numpy as np

Set = tuple[np.ndarray, np.ndarray]


def rng(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng([seed, *name.encode()])


def joined(*parts: np.ndarray) -> Set:
    return np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])


def blob(r, n, centre, sd):
    return r.normal(centre, sd, (n, len(centre)))


def disc(r, n, centre, radius, inner=0.0):
    turn, far = 2 * np.pi * r.random(n), np.sqrt(r.uniform((inner / radius) ** 2, 1, n)) * radius
    return np.stack([np.cos(turn), np.sin(turn)], axis=1) * far[:, None] + centre


def arc(r, n, centre, radius, start, stop, sd):
    turn = r.uniform(start, stop, n)
    return np.stack([np.cos(turn), np.sin(turn)], axis=1) * radius + np.asarray(centre) + r.normal(0, sd, (n, 2))


def box(r, n, low, high):
    return r.uniform(low, high, (n, 2))


def path(r, n, corners, sd):
    """Along a line of straight pieces."""
    corners = np.asarray(corners, float)
    length = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    piece = r.choice(len(length), n, p=length / length.sum())
    along = r.random(n)[:, None]
    return corners[piece] * (1 - along) + corners[piece + 1] * along + r.normal(0, sd, (n, 2))


def crossing_bars(seed, n=1000, k=2, fuzzy=0.0, angle=0.6):
    """Two long bars that cross: each bar a cluster, or the left and right half, or each arm."""
    r = rng(seed, "cross")
    bar = r.integers(0, 2, n)
    along = r.normal(0, 0.5, n) if fuzzy else r.uniform(-1, 1, n)
    across = r.normal(0, fuzzy or 0.06, n)
    turn = np.where(bar == 0, angle, -angle)
    X = np.stack([along * np.cos(turn) - across * np.sin(turn), along * np.sin(turn) + across * np.cos(turn)], axis=1)
    return X, {1: bar, 2: (along > 0).astype(int), 4: 2 * bar + (along > 0)}[k]


def tight_and_wide(seed):
    """Two of equal rows, one ten times as wide, touching."""
    r = rng(seed, "tight")
    return joined(blob(r, 100, (0, 0), 0.12), blob(r, 100, (1.6, 0), 0.55))


def ring_around_two(seed, n=100, sd=1.6):
    r = rng(seed, "ring around two")
    return joined(
        arc(r, n, (0, 0), 10, -0.3 * np.pi, 1.3 * np.pi, 0.5), blob(r, n, (-4, 0), sd), blob(r, n, (4, 0), sd)
    )


def nested_densities(seed):
    """A dense group in a sparse one; a ring with a disc inside; two that touch."""
    r = rng(seed, "nested")
    return joined(
        blob(r, 90, (0, 0), 0.35),
        disc(r, 60, (0, 0), 4, 1.6),
        arc(r, 120, (10, 0), 2.5, 0, 2 * np.pi, 0.15),
        blob(r, 40, (10, 0), 0.4),
        disc(r, 45, (0, 9), 1.5),
        disc(r, 40, (3.2, 9), 1.5),
    )


def seven_touching(seed):
    """Discs of very different sizes, some with a bridge."""
    r = rng(seed, "seven")
    parts = [
        disc(r, 170, (9, 22), 5),
        disc(r, 34, (9, 8), 2.2),
        disc(r, 270, (33, 22), 6.2),
        disc(r, 100, (33, 8), 3.6),
        disc(r, 130, (21, 8), 4),
        disc(r, 45, (2, 8), 2.4),
        disc(r, 40, (22.5, 18), 2),
    ]
    return joined(*parts)


def bowl(seed):
    r = rng(seed, "bowl")
    return joined(
        np.concatenate([disc(r, 85, (0, 2), 3), blob(r, 2, (-7, 4), 0.2)]),
        arc(r, 153, (0, 2.5), 5.6, 1.05 * np.pi, 1.95 * np.pi, 0.8),
    )


def crescents_of_two_densities(seed):
    r = rng(seed, "crescents")
    return joined(arc(r, 97, (0, 0), 10, 0.02 * np.pi, np.pi, 0.7), arc(r, 276, (9, 5), 9.5, np.pi, 1.95 * np.pi, 0.7))


def gaussians_on_a_grid(seed, k=31, n=100, sd=0.16):
    r = rng(seed, "grid")
    side = int(np.ceil(np.sqrt(k)))
    place = np.stack(np.divmod(np.arange(k), side), axis=1) + r.normal(0, 0.18, (k, 2))
    return joined(*[blob(r, n, each, sd) for each in place])


def many_overlapping(seed, k=15, n=333, sd=0.07):
    r = rng(seed, "overlap")
    centres = np.empty((0, 2))
    while len(centres) < k:
        each = r.random(2)
        if not len(centres) or np.linalg.norm(centres - each, axis=1).min() > 0.17:
            centres = np.vstack([centres, each])
    return joined(
        *[
            r.multivariate_normal(c, sd**2 * 0.5 * (lambda a: a @ a.T)(r.normal(0, 1, (2, 2)) * 0.5 + np.eye(2)), n)
            for c in centres
        ]
    )


def unbalanced(seed):
    r = rng(seed, "unbalanced")
    dense = [blob(r, 1500, c, 0.02) for c in [(0, 0), (0.15, 0.02), (0.07, 0.14)]]
    return joined(*dense, *[blob(r, 80, c, 0.03) for c in [(0.6, 0), (0.75, 0.1), (0.6, 0.2), (0.72, 0.3), (0.9, 0.2)]])


def three_spirals(seed):
    r = rng(seed, "three spirals")
    turn = np.linspace(2, 8, 104)
    parts = []
    for k in range(3):
        place = np.stack([np.cos(turn + 2 * np.pi * k / 3), np.sin(turn + 2 * np.pi * k / 3)], axis=1) * turn[:, None]
        parts.append(place + r.normal(0, 0.05, place.shape))
    return joined(*parts)


def ball_in_shell(seed):
    r = rng(seed, "atom")
    far = r.normal(0, 1, (400, 3))
    return joined(
        blob(r, 400, (0, 0, 0), 3), far / np.linalg.norm(far, axis=1, keepdims=True) * 50 + r.normal(0, 1, far.shape)
    )


def l_and_sun(seed):
    r = rng(seed, "lsun")
    return joined(disc(r, 200, (3.2, 3.2), 0.8), box(r, 100, (0, 0), (4.4, 0.6)), box(r, 100, (0, 1.1), (0.7, 4)))


def target(seed):
    r = rng(seed, "target")
    far = [blob(r, 3, c, 0.05) for c in [(3, 3), (-3, 3), (3, -3), (-3, -3)]]
    return joined(disc(r, 363, (0, 0), 0.6), arc(r, 395, (0, 0), 2, 0, 2 * np.pi, 0.1), *far)


def two_diamonds(seed):
    r = rng(seed, "diamonds")
    parts = []
    for centre in (-1.03, 1.03):
        square = box(r, 400, (-1, -1), (1, 1)) / np.sqrt(2)
        parts.append(square @ np.array([[1, 1], [-1, 1]]) / np.sqrt(2) + [centre, 0])
    return joined(*parts)


def wingnut(seed):
    """Two blocks, each dense toward the other's end."""
    r = rng(seed, "wingnut")

    def wing():
        return np.stack([1.9 * np.sqrt(r.random(500)), 1.5 * r.random(500)], axis=1)

    return joined(wing() * [1, 1] + [0.25, 0.3], -(wing()) + [-0.25, -0.3])


def line_and_group(seed):
    r = rng(seed, "line")
    return joined(path(r, 50, [(-3, 0), (3, 0)], 0.02), blob(r, 200, (0, 2), 0.5))


def parabolas(seed):
    r = rng(seed, "parabolas")
    x = r.uniform(-1, 1, (2, 500))
    first = np.stack([x[0] * 2, x[0] ** 2 * 2], axis=1) + r.normal(0, 0.15, (500, 2))
    second = np.stack([x[1] * 2 + 2, 2.2 - x[1] ** 2 * 2], axis=1) + r.normal(0, 0.15, (500, 2))
    return joined(first, second)


def ring(seed, noise=0):
    r = rng(seed, "ring")
    X, y = joined(arc(r, 500, (0, 0), 1, 0, 2 * np.pi, 0.06), blob(r, 500, (0, 0), 0.2))
    if not noise:
        return X, y
    extra = r.uniform(-1.4, 1.4, (noise, 2))
    return np.vstack([X, extra]), np.append(y, np.full(noise, -1))


def zigzag(seed, noise=0, sd=0.05):
    """Three zigzags that do not touch, one of them thin; two groups more."""
    r = rng(seed, "zigzag")
    zig = np.array([(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)])
    X, y = joined(
        path(r, 80, zig, sd),
        path(r, 80, zig + np.array([0, 1]), sd),
        path(r, 80, zig + np.array([0, 2]), sd / 2),
        blob(r, 10, (5, 0), 0.1),
    )
    if not noise:
        return X, y
    return np.vstack([X, r.uniform((-0.5, -0.5), (5.5, 3.5), (noise, 2))]), np.append(y, np.full(noise, -1))


def olympic(seed):
    """Five rings that cross."""
    r = rng(seed, "olympic")
    centres = [(0, 0), (2.4, 0), (4.8, 0), (1.2, -1.1), (3.6, -1.1)]
    return joined(*[arc(r, 400, c, 1, 0, 2 * np.pi, 0.04) for c in centres])


def worms(seed, k=8, n=200):
    """Random curves whose noise grows."""
    r = rng(seed, "worms")
    parts = []
    for _ in range(k):
        place, way = r.uniform(0, 30, 2), r.uniform(0, 2 * np.pi)
        bend, places = r.normal(0, 0.06), []
        for i in range(n):
            way += bend + r.normal(0, 0.03)
            place = place + 0.07 * np.array([np.cos(way), np.sin(way)])
            places.append(place + r.normal(0, 0.15 + 0.3 * i / n, 2))
        parts.append(np.array(places))
    return joined(*parts)


def shapes_in_noise(seed, n=2000, noise=0.08):
    """Bars, a crescent and an arch in uniform noise, which counts as no class."""
    r = rng(seed, "chameleon")
    parts = [
        path(r, n // 6, [(0, 0), (6, 1)], 0.25),
        path(r, n // 6, [(1, 3), (5, 3.2)], 0.3),
        arc(r, n // 6, (10, 1), 2, 0, 1.2 * np.pi, 0.2),
        arc(r, n // 6, (10, 1.5), 0.4, 0, 2 * np.pi, 0.2),
        path(r, n // 6, [(1, 6), (3, 5), (5, 6), (7, 5)], 0.2),
        blob(r, n // 6, (11, 5.5), 0.5),
    ]
    X, y = joined(*parts)
    extra = r.uniform((-1, -1), (13.5, 7.5), (int(noise * n), 2))
    return np.vstack([X, extra]), np.append(y, np.full(len(extra), -1))
