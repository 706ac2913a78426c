"""Made-up sets of a few hundred to a few thousand rows: shapes and groups in a plane and in up to 50 dimensions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons

LabelledRows = tuple[np.ndarray, np.ndarray]
Maker = Callable[[int], LabelledRows]

OUTLIER = -1
"""Label of rows that belong to no cluster and do not count in scores."""


def _gaussians(d: int, k: int, width: float | list[float] = 0.5, box: float = 10.0, seed: int = 0) -> Maker:
    options = {"cluster_std": width, "center_box": (-box, box), "random_state": seed}
    return partial(make_blobs, n_features=d, centers=k, **options)


def _uneven(n: int, d: int) -> LabelledRows:
    """90, 7 and 3 rows of 100."""
    random = np.random.default_rng(0)
    label = np.repeat([0, 1, 2], [n - n // 10, n // 10 - n // 33, n // 33])
    centres, width = np.zeros((3, d)), np.array([1, 0.5, 0.5])
    centres[1, 0] = centres[2, 1] = 8
    return random.normal(centres[label], width[label][:, None]), label


def _with_noise(n: int, make: Maker, box: float) -> LabelledRows:
    """And 5 outliers for 100 rows, uniform in a box."""
    X, label = make(n)
    noise = np.random.default_rng(0).uniform(-box, box, (len(X) // 20, X.shape[1]))
    return np.concatenate([X, noise]), np.append(label, np.full(len(noise), OUTLIER))


def _lines(n: int) -> LabelledRows:
    random = np.random.default_rng(0)
    label = random.integers(0, 3, n)
    return np.stack([20 * random.random(n), label + random.normal(0, 0.1, n)], axis=1), label


def _spirals(n: int) -> LabelledRows:
    random = np.random.default_rng(0)
    turn, label = 0.5 + 3 * np.pi * np.sqrt(random.random(n)), random.integers(0, 2, n)
    place = np.stack([np.cos(turn + np.pi * label), np.sin(turn + np.pi * label)], axis=1) * turn[:, None]
    return place + random.normal(0, 0.3, (n, 2)), label


def _linked_rings(n: int) -> LabelledRows:
    random = np.random.default_rng(0)
    turn, label = 2 * np.pi * random.random(n), random.integers(0, 2, n)
    first = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    second = np.stack([1 + np.cos(turn), 0 * turn, np.sin(turn)], axis=1)
    return np.where(label[:, None] == 0, first, second) + random.normal(0, 0.07, (n, 3)), label


def _integers(n: int) -> LabelledRows:
    X, label = _gaussians(2, 4, 1.5, box=15, seed=5)(n)
    return np.round(X), label


def _answers(n: int) -> LabelledRows:
    """Of a questionnaire: six whole numbers from 1 to 5."""
    random = np.random.default_rng(0)
    label = random.integers(0, 3, n)
    centres = np.array([[1, 1, 1, 1, 1, 1], [3, 3, 3, 3, 3, 3], [5, 1, 5, 1, 5, 1]])
    return np.clip(np.round(random.normal(centres[label], 0.7)), 1, 5), label


def _pairs(n: int) -> LabelledRows:
    """Ten groups in five pairs; the pairs are the clusters."""
    random = np.random.default_rng(0)
    group, centres = random.integers(0, 10, n), np.zeros((10, 8))
    centres[:, 0], centres[1::2, 1] = np.repeat(50.0 * np.arange(5), 2), 6
    return random.normal(centres[group], 0.5), group // 2


_MOONS = partial(make_moons, noise=0.05, random_state=0)

SHAPES: dict[str, Maker] = {
    **{f"{k}-gaussians-2d": _gaussians(2, k, box=4.5 * np.sqrt(k)) for k in (2, 3, 5, 10)},
    **{f"5-gaussians-{d}d": _gaussians(d, 5, seed=1) for d in (3, 10, 50)},
    "3-overlapping-2d": _gaussians(2, 3, 1.0),
    "8-overlapping-2d": _gaussians(2, 8, 1.0),
    "3-widths-2d": _gaussians(2, 3, [1, 2.5, 0.5], seed=170),
    "uneven-2d": partial(_uneven, d=2),
    "uneven-8d": partial(_uneven, d=8),
    "moons": _MOONS,
    "moons-wide": partial(make_moons, noise=0.1, random_state=0),
    "moons-outliers": partial(_with_noise, make=_MOONS, box=3.0),
    "gaussians-outliers-2d": partial(_with_noise, make=_gaussians(2, 4, 0.6, seed=3), box=30.0),
    "gaussians-outliers-6d": partial(_with_noise, make=_gaussians(6, 4, 0.6, seed=3), box=30.0),
    "circles": partial(make_circles, factor=0.5, noise=0.05, random_state=0),
    "spirals": _spirals,
    "lines": _lines,
    "linked-rings-3d": _linked_rings,
    "integers-2d": _integers,
    "answers-6d": _answers,
    "pairs-8d": _pairs,
}
"""By name: a function of the number of rows that gives rows and labels, always the same."""
