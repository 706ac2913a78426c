"""Shapes, Gaussians and tables that were made without a look at any result, when most rules were chosen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from small_shapes import Set, arc, blob, box, disc, joined, path, rng


def in_noise(r, X, y, n):
    """As many uniform rows over a box a little larger, of class -1."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.08 * (high - low)
    return np.vstack([X, r.uniform(low - margin, high + margin, (n, X.shape[1]))]), np.append(y, np.full(n, -1))


def standardised(*parts):
    X, y = joined(*parts)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def rotated(X, angle, centre=(0.0, 0.0)):
    return X @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) + centre


def scattered(r, k, d, size):
    """Random places, each the farthest from those before of a dozen."""
    chosen = r.uniform(0, size, (1, d))
    while len(chosen) < k:
        some = r.uniform(0, size, (12, d))
        gap = np.linalg.norm(some[:, None] - chosen, axis=2).min(axis=1)
        chosen = np.vstack([chosen, some[gap.argmax()]])
    return chosen


def root(r, d, spread):
    """Axes in any direction, lengths lognormal around 1."""
    return np.linalg.qr(r.normal(0, 1, (d, d)))[0] * np.exp(r.normal(0, spread, d))


def grown(r, place, way, depth, spread):
    """Straight pieces of a tree that forks again and again."""
    place, way = np.asarray(place, float), np.asarray(way, float)
    pieces = [(place, place + way)]
    if depth:
        length = np.linalg.norm(way)
        side = r.normal(0, 1, len(way))
        side -= side @ way * way / length**2
        side *= spread / np.linalg.norm(side)
        for sign in (1, -1):
            turn = way / length + sign * side * r.uniform(0.8, 1.2)
            pieces += grown(r, place + way, 0.75 * length * turn / np.linalg.norm(turn), depth - 1, spread)
    return pieces


def strands(r, n, pieces, sd):
    start, stop = np.array(pieces).swapaxes(0, 1)
    length = np.linalg.norm(stop - start, axis=1)
    at, along = r.choice(len(length), n, p=length / length.sum()), r.random(n)[:, None]
    return start[at] * (1 - along) + stop[at] * along + r.normal(0, sd, (n, start.shape[1]))


def hooks(seed):
    """Two pairs of hooks that grip into each other, the second pair sparser and thicker."""
    r, parts = rng(seed, "hooks"), []
    for n, sd, shift in ((350, 0.05, 0.0), (160, 0.09, 4.0)):
        for turn in (0, 1):
            X = np.vstack(
                [path(r, n * 2 // 5, [(0, 1.2), (0, 0)], sd), arc(r, n * 3 // 5, (-1, 0), 1, np.pi, 2 * np.pi, sd)]
            )
            parts.append((np.array([-1, 0.7]) - X if turn else X) + [shift, 0.3 * shift])
    return joined(*parts)


def galaxy(seed):
    """A bulge and two arms that open and fade, in noise."""
    r, parts = rng(seed, "galaxy"), []
    for k in range(2):
        turn = 3.6 * r.random(600) ** 1.2
        far = 1.3 * np.exp(0.33 * turn)
        X = np.stack([np.cos(turn + k * np.pi), np.sin(turn + k * np.pi)], axis=1) * far[:, None]
        parts.append(X + r.normal(0, 1, X.shape) * (0.08 + 0.05 * turn[:, None]))
    return in_noise(r, *joined(blob(r, 500, (0, 0), 0.33), *parts), 130)


def archipelago(seed, k=9):
    """Islands of ragged outline, of any size and density, and a few ships."""
    r, parts = rng(seed, "archipelago"), []
    for place in scattered(r, k, 2, 9):
        size, n = r.uniform(0.5, 1.25), int(np.exp(r.uniform(np.log(60), np.log(450))))
        turn, phase, high = r.uniform(0, 2 * np.pi, n), r.uniform(0, 2 * np.pi, 4), r.uniform(0, 0.18, 4)
        edge = size * (1 + sum(high[i] * np.cos((i + 2) * turn + phase[i]) for i in range(4)))
        parts.append(np.stack([np.cos(turn), np.sin(turn)], axis=1) * (edge * np.sqrt(r.random(n)))[:, None] + place)
    return in_noise(r, *joined(*parts), 60)


def yin_yang(seed, n=2400, gap=0.13):
    r = rng(seed, "yin yang")
    X = disc(r, n, (0, 0), 2)
    up, down = (np.linalg.norm(X - np.array([0, side]), axis=1) for side in (1, -1))
    left = (up < 1) | ((X[:, 0] < 0) & (down > 1))
    cut = ((X[:, 0] > 0) & (np.abs(up - 1) < gap)) | ((X[:, 0] < 0) & (np.abs(down - 1) < gap))
    cut |= (np.minimum(up, down) > 0.32) & (np.minimum(up, down) < 0.5)
    cut |= ~left & (r.random(n) < 0.5)
    y = np.where(up <= 0.32, 2, np.where(down <= 0.32, 3, left.astype(int)))
    return X[~cut], y[~cut]


def two_rivers(seed):
    """Two systems of branches toward each other and a straight canal below."""
    r = rng(seed, "rivers")
    first = strands(r, 700, grown(r, (-3.6, 0), (1.1, 0), 3, 0.55), 0.04)
    second = strands(r, 400, grown(r, (3.6, 0.4), (-1.1, 0.1), 3, 0.5), 0.04)
    return joined(first, second, path(r, 150, [(-3, -3.2), (3, -2.8)], 0.05))


def tiles(seed, gap=0.1):
    r, parts = rng(seed, "tiles"), []
    for row in range(3):
        edges = np.concatenate([[0], np.cumsum(r.uniform(0.7, 1.8, 3))])
        for low, high in pairwise(edges):
            n = int((high - low) * r.choice([100, 160, 240]))
            parts.append(box(r, n, (low + gap, row + gap), (high - gap, row + 1 - gap)))
    return joined(*parts)


def families(seed):
    """Small groups near each other in one corner, wide ones far apart elsewhere."""
    r = rng(seed, "families")
    near = [blob(r, n, c, 0.13) for n, c in ((90, (0, 0)), (140, (0.9, 0.1)), (60, (0.2, 0.9)), (110, (1, 1)))]
    wide = [blob(r, 300, (8, 1), 1.0), blob(r, 150, (1.5, 9), 1.2), blob(r, 220, (9, 8.5), 0.7)]
    return joined(*near, *wide)


def nested_cups(seed):
    """Two paraboloids, one in the other, and a ball inside."""
    r, parts = rng(seed, "cups"), []
    for n, lift in ((900, 0.0), (500, 1.2)):
        X = disc(r, n, (0, 0), 1.6)
        parts.append(np.column_stack([X, (X**2).sum(axis=1) + lift]) + r.normal(0, 0.07, (n, 3)))
    return joined(*parts, blob(r, 200, (0, 0, 2.8), 0.2))


def knot_and_rod(seed):
    r = rng(seed, "knot")
    t, s = r.uniform(0, 2 * np.pi, 900), r.uniform(-3, 3, 200)
    knot = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -1.4 * np.sin(3 * t)], axis=1)
    rod = np.stack([0 * s, 0 * s, s], axis=1)
    return joined(knot + r.normal(0, 0.1, knot.shape), rod + r.normal(0, 0.1, rod.shape))


def corals(seed):
    r = rng(seed, "corals")
    bases = ((500, (0, 0, 0)), (300, (3.2, 0, 0)), (180, (1.5, 3, 0)))
    return joined(*[strands(r, n, grown(r, base, (0, 0, 1), 3, 0.5), 0.06) for n, base in bases])


def cigars_and_pancakes(seed):
    r, parts = rng(seed, "cigars"), []
    kinds = [(3, 0.3, 0.3), (2, 2, 0.2), (0.8, 0.8, 0.8)] * 3
    for place, axes in zip(scattered(r, len(kinds), 3, 14), kinds, strict=True):
        n = r.integers(70, 420)
        parts.append(r.normal(0, axes, (n, 3)) @ np.linalg.qr(r.normal(0, 1, (3, 3)))[0] + place)
    return joined(*parts)


def narrow_in_wide(seed):
    """A narrow Gaussian within a wide one, off its centre; two of middle width that overlap it at the edge."""
    r = rng(seed, "narrow in wide")
    return joined(blob(r, 600, (0, 0), 2), blob(r, 250, (1, 0.7), 0.2), blob(r, 300, (6, 0), 1), blob(r, 90, (0, 6), 1))


def gaussians(seed, d, sizes, size, spread=0.3, noise=0):
    """Any covariance, uneven rows, random places: some overlap."""
    r = rng(seed, f"gaussians {d}")
    places = zip(sizes, scattered(r, len(sizes), d, size), strict=True)
    return in_noise(r, *joined(*[r.normal(0, 1, (n, d)) @ root(r, d, spread).T + c for n, c in places]), noise)


def hormones(seed):
    """Two roughly normal and three skewed blood values: healthy, too much, too little."""
    r, parts = rng(seed, "hormones"), []
    for n, mean, sd, middle, width in (
        (150, (110, 9.2), (8, 2), (1.7, 1.3, 2.5), (0.25, 0.35, 0.6)),
        (35, (96, 16), (15, 4), (3.8, 1.0, 0.6), (0.5, 0.3, 0.7)),
        (30, (122, 4), (9, 2), (1.0, 9.0, 16), (0.4, 0.9, 0.8)),
    ):
        parts.append(np.hstack([r.normal(mean, sd, (n, 2)), r.lognormal(np.log(middle), width, (n, 3))]))
    return standardised(*parts)


def spending(seed):
    """Shares of six kinds of goods, which sum to one, for four kinds of buyers."""
    r = rng(seed, "spending")
    kinds = ((400, (8, 5, 3, 2, 1, 1)), (220, (3, 3, 8, 4, 1, 2)), (120, (2, 2, 2, 3, 7, 3)), (60, (4, 1, 1, 9, 2, 6)))
    return standardised(*[r.dirichlet(np.array(a) * 1.6, n) for n, a in kinds])


def shells_of_crabs(seed):
    """Five lengths that all follow the size of the animal; kind and sex show in their ratios."""
    r, parts = rng(seed, "crabs"), []
    for n, shape in ((90, (0, 0, 0, 0, 0)), (70, (0.02, 0.14, 0, 0, 0)), (50, (0.1, -0.04, 0.02, 0.03, 0.13)),
                     (40, (0.12, 0.12, 0.02, 0.05, 0.15))):  # fmt: skip
        growth = r.normal(0, 0.2, (n, 1)) * [1, 0.9, 1.05, 1.05, 1.15]
        parts.append(np.exp(np.array([2.7, 2.5, 3.4, 3.6, 2.6]) + shape + growth + r.normal(0, 0.025, (n, 5))))
    return standardised(*parts)


def oxides(seed, sizes=(76, 70, 29, 17, 13, 9)):
    """Parts of nine oxides, some of which a kind of glass lacks; a few samples hold a trace."""
    r, parts = rng(seed, "oxides"), []
    base = np.array([70, 13, 3, 1.5, 0.5, 9, 0.3, 0.1, 0.1])
    for n in sizes:
        middle, has = base * np.exp(r.normal(0, 0.45, 9)), r.random(9) < np.where(base > 5, 1, 0.65)
        X = middle * r.lognormal(0, 0.22, (n, 9)) * np.where(has, 1, (r.random((n, 9)) < 0.12) * 0.5)
        parts.append(100 * X / X.sum(axis=1, keepdims=True))
    return standardised(*parts)


def exams(seed):
    r, ability = rng(seed, "exams"), ((190, 2.0, 0.5), (310, 0.5, 0.4), (90, -1.1, 0.6))
    hard = np.array([0.3, 0, -0.3, -0.6])
    return standardised(
        *[100 / (1 + np.exp(-(r.normal(m, s, (n, 1)) + hard + r.normal(0, 0.45, (n, 4))))) for n, m, s in ability]
    )


def days_of_weather(seed):
    """Temperature, dew point, pressure, humidity, wind, rain and cloud of five sorts of day."""
    r, parts = rng(seed, "weather"), []
    for n, warm, dry, press, wind, rain, cloud in (
        (420, 22, 11, 1019, 2.5, 0.02, 0.2), (310, 13, 3, 1008, 6, 3.5, 0.85), (220, 2, 2, 1024, 1.5, 0.05, 0.7),
        (170, -5, 6, 1016, 4.5, 0.3, 0.3), (80, 17, 2, 998, 12, 12, 0.95)):  # fmt: skip
        heat, gap = r.normal(warm, 3.5, n), r.gamma(4, dry / 4, n)
        damp = np.clip(100 - 5 * gap + r.normal(0, 3, n), 5, 100)
        sky = r.beta(8 * cloud, 8 * (1 - cloud), n)
        blown, wet = r.gamma(4, wind / 4, n), np.log1p(r.gamma(0.8, rain / 0.8, n))
        parts.append(np.stack([heat, heat - gap, r.normal(press, 4.5, n) - 0.2 * blown, damp, blown, wet, sky], axis=1))
    return standardised(*parts)


def silhouettes(seed, sizes=(260, 220, 190, 130), d=12):
    """Twelve bent functions of three hidden measures, in which the classes overlap."""
    r = rng(seed, "silhouettes")
    mix, shift = r.normal(0, 0.5, (3, d)), r.normal(0, 0.5, d)
    places = zip(sizes, scattered(r, 4, 3, 6) - 3, strict=True)
    hidden = [r.normal(0, 1, (n, 3)) @ root(r, 3, 0.3).T + c for n, c in places]
    bent = [np.where(np.arange(d) % 2, np.exp(0.5 * (h @ mix + shift)), np.tanh(h @ mix + shift)) for h in hidden]
    return standardised(*[X + r.normal(0, 0.15, X.shape) for X in bent])


def wares(seed, sizes=(500, 330, 210, 140, 90, 60, 35)):
    r, parts = rng(seed, "wares"), []
    for n, place in zip(sizes, scattered(r, len(sizes), 3, 6), strict=True):
        price, weight = (r.normal(0, 1, (n, 2)) @ root(r, 2, 0.4).T * 0.6 + place[:2]).T
        parts.append(np.stack([price, weight, r.gamma(3, (place[2] + 0.5) / 3, n)], axis=1))
    return standardised(*parts)


LATER: dict[str, Callable[[int], Set]] = {
    each.__name__.replace("_", " "): each
    for each in (
        hooks,
        galaxy,
        archipelago,
        yin_yang,
        two_rivers,
        tiles,
        families,
        nested_cups,
        knot_and_rod,
        corals,
        cigars_and_pancakes,
        narrow_in_wide,
        hormones,
        spending,
        shells_of_crabs,
        oxides,
        exams,
        days_of_weather,
        silhouettes,
        wares,
    )
} | {
    "gaussians 2": partial(gaussians, d=2, sizes=(400, 300, 220, 150, 100, 60), size=10, spread=0.4),
    "gaussians 4": partial(gaussians, d=4, sizes=(500, 260, 120, 120, 60), size=6),
    "gaussians 6": partial(gaussians, d=6, sizes=(150,) * 8, size=5, spread=0.4),
    "gaussians 8 in noise": partial(gaussians, d=8, sizes=(700, 400, 250, 150), size=5, noise=150),
    "gaussians 10": partial(gaussians, d=10, sizes=(900, 600, 400, 250, 150, 80, 40), size=4),
}
