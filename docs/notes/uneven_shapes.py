"""Clusters of very uneven sizes, and moons and circles in noise, each by its name and a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import make_circles, make_moons
from small_shapes import Set, arc, blob, joined, path, rng


def ring(r, n, radius, sd):
    return arc(r, n, (0, 0), radius, 0, 2 * np.pi, sd)


def ring_and_dot(seed):
    r = rng(seed, "ring and dot")
    return joined(ring(r, 400, 3, 0.15), blob(r, 40, (0, 0), 0.3))


def rings_and_dot(seed):
    r = rng(seed, "rings and dot")
    return joined(ring(r, 400, 3, 0.12), ring(r, 250, 2, 0.1), blob(r, 50, (0, 0), 0.3))


def open_ring_and_dot(seed, n_dot=40):
    r = rng(seed, "open ring and dot")
    return joined(arc(r, 180, (0, 0), 2, 0.3 * np.pi, 1.7 * np.pi, 0.12), blob(r, n_dot, (0.2, 0), 0.35))


def long_and_short(seed):
    r = rng(seed, "long and short")
    return joined(path(r, 600, [(0, 0), (12, 0)], 0.1), path(r, 80, [(4, 0.9), (7, 0.9)], 0.1))


def three_lines(seed):
    r = rng(seed, "three lines")
    lengths = zip((600, 200, 60), (12, 12, 5), (0.1, 0.1, 0.08), strict=True)
    return joined(*[path(r, n, [(0, 0.9 * i), (end, 0.9 * i)], sd) for i, (n, end, sd) in enumerate(lengths)])


def three_groups(seed):
    r = rng(seed, "three groups")
    return joined(blob(r, 700, (0, 0), 1), blob(r, 80, (4.5, 0), 0.5), blob(r, 40, (0, 4.5), 0.4))


def bend_and_dot(seed):
    r = rng(seed, "bend and dot")
    return joined(path(r, 1000, [(0, 0), (4, 4), (8, 0)], 0.3), blob(r, 60, (4, 1.2), 0.3))


def sparse_and_dense(seed):
    r = rng(seed, "sparse and dense")
    return joined(blob(r, 60, (0, 0), 1), blob(r, 600, (6, 0), 0.6))


def five_groups(seed):
    r, places = rng(seed, "five groups"), [(500, (0, 0)), (100, (3, 0)), (60, (0, 3)), (40, (3, 3)), (300, (6, 0))]
    return joined(*[blob(r, n, centre, 0.5) for n, centre in places])


UNEVEN: dict[str, Callable[[int], Set]] = {
    "ring and dot": ring_and_dot,
    "rings and dot": rings_and_dot,
    "open ring and dot": open_ring_and_dot,
    "open ring and larger dot": partial(open_ring_and_dot, n_dot=60),
    "long and short": long_and_short,
    "three lines": three_lines,
    "three groups": three_groups,
    "bend and dot": bend_and_dot,
    "sparse and dense": sparse_and_dense,
    "five groups": five_groups,
}


def moons(seed, n, noise):
    return make_moons(n, noise=noise, random_state=seed)


def circles(seed, n, noise):
    return make_circles(n, noise=noise, factor=0.4, random_state=seed)


NOISY: dict[str, Callable[[int], Set]] = {
    f"moons {noise}, {n} rows": partial(moons, n=n, noise=noise)
    for noise in (0.1, 0.15, 0.2)
    for n in (500, 1500, 6000)
} | {f"circles {noise}, {n} rows": partial(circles, n=n, noise=noise) for noise in (0.1, 0.15) for n in (500, 3000)}
