"""Small tables of many features, made up or drawn from real sets, each a function of a seed."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter
from sklearn import datasets
from small_shapes import joined, rng

from dncsc.datasets import load


def patches(seed, n=330, k=7, size=96, tail=0.0):
    """Statistics of 3 x 3 patches of images of k textures: 18 features of very different scale, some repeated."""
    r = rng(seed, "patches")
    rows, y = [], []
    for number in range(k):
        colour = r.uniform(10, 120, 3) * (3 if number == 0 else 1)
        grain, strength = r.uniform(0.4, 2.5), r.uniform(0.05, 0.5)
        image = np.empty((size, size, 3))
        texture = gaussian_filter(r.normal(0, 1, (size, size)), grain)
        light = gaussian_filter(r.normal(0, 1, (size, size)), 20)
        for c in range(3):
            own = gaussian_filter(r.normal(0, 1, (size, size)), grain)
            level = 1 + strength * (texture / texture.std() + 0.3 * own / own.std()) + 0.25 * light / light.std()
            image[..., c] = np.clip(colour[c] * np.maximum(level, 0), 0, 150)
        image = np.round(image)
        row_low = r.integers(11, 120)
        for _ in range(n):
            i, j = r.integers(1, size - 1, 2)
            rows.append(
                _patch(image[i - 1 : i + 2, j - 1 : j + 2], r, r.integers(1, 254), row_low + r.integers(0, 130))
            )
            y.append(number)
    X = np.array(rows)
    X[:, 4:8] *= np.exp(tail * r.normal(0, 1, (len(X), 4)))  # edges
    return X, np.array(y)


def _patch(p, r, column, line):
    grey = p.mean(axis=2)
    v, h = np.abs(grey[:, 2] - grey[:, 0]) / 2, np.abs(grey[2] - grey[0]) / 2
    red, green, blue = p.reshape(-1, 3).mean(axis=0)
    mean = (red + green + blue) / 3
    high, low = max(red, green, blue), min(red, green, blue)
    hue = np.arctan2(np.sqrt(3) * (green - blue), 2 * red - green - blue)
    short = [0.0, 0.111][int(r.random() < 0.03)], [0.0, 0.111][int(r.random() < 0.02)]
    return [
        column,
        line,
        *short,
        v.mean(),
        v.var(),
        h.mean(),
        h.var(),
        mean,
        red,
        blue,
        green,
        2 * (red - mean),
        2 * (blue - mean),
        2 * (green - mean),
        high,
        (high - low) / max(high, 1),
        hue,
    ]


def patches_some_far(seed):
    """The same, where up to two groups of 10 to 50 patches of each texture show something else."""
    X, y = patches(seed, tail=0.5)
    r = rng(seed, "far")
    for number in range(7):
        own = np.flatnonzero(y == number)
        for _ in range(r.integers(0, 3)):
            some = r.choice(own, int(r.uniform(0.03, 0.15) * len(own)), replace=False)
            colour = np.clip(0.2 * X[some, 9:12] + 60 + r.normal(0, 80, 3), 0, 255)
            mean = colour.mean(axis=1, keepdims=True)
            edges = r.exponential(120 * r.random(), 4) * r.uniform(0.8, 1.2, (len(some), 4))
            X[some, 4:16] = np.hstack([edges, mean, colour, 2 * (colour - mean), colour.max(axis=1, keepdims=True)])
    return X, y


def uneven_classes(seed, n=336, d=7, k=8, apart=2.2, bounded=True, decay=0.62):
    """Very uneven overlapping classes in features between 0 and 1, one or two of them nearly constant."""
    r = rng(seed, f"uneven {n} {d}")
    share = decay ** np.arange(k)
    size = np.maximum((share / share.sum() * n).astype(int), 4)
    parts = []
    for each in size:
        turn = np.linalg.qr(r.normal(0, 1, (d, d)))[0] * r.uniform(0.4, 1.4, d)
        parts.append(r.normal(0, 1, (each, d)) @ turn.T + r.normal(0, apart / np.sqrt(2), d))
    X, y = joined(*parts)
    if bounded:
        X = 1 / (1 + np.exp(-X * 0.6))
        X[:, -1] = np.where(r.random(len(X)) < 0.97, 0.48, 1.0)
    return X, y


def few_tables(seed, name="wine", scaled=True):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1) if scaled else X, y


def part_of(seed, name, n, k=None, scaled=False):
    X, y = load(name)[:2]
    kept = np.flatnonzero(np.isin(y, np.unique(y)[: k or None]))
    some = rng(seed, name).choice(kept, n, replace=False)
    X = np.asarray(X[some], float)
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1) if scaled else X, y[some]


def sounds(seed, n=208, d=60, k=2):
    """Smooth curves of 60 bands whose peak differs a little."""
    r = rng(seed, "sounds")
    y = r.integers(0, k, n)
    band = np.arange(d)
    peak = r.normal(20 + 9 * y, 7)
    curve = np.exp(-0.5 * ((band - peak[:, None]) / r.uniform(5, 12, n)[:, None]) ** 2) * r.uniform(0.5, 1, n)[:, None]
    return np.clip(curve + 0.12 * gaussian_filter(r.normal(0, 1, (n, d)), (0, 2)) * 3, 0, 1), y


def returns(seed, n=351, d=34):
    """Pulses: regular ones near each other, and others spread over the whole box, one feature constant."""
    r = rng(seed, "returns")
    good = r.random(n) < 0.64
    phase = r.normal(0, 0.25, n)[:, None] * np.arange(d // 2)
    decay = np.exp(-r.exponential(0.04, n)[:, None] * np.arange(d // 2))
    regular = np.stack([np.cos(phase) * decay, np.sin(phase) * decay], axis=2).reshape(n, d)
    spread = np.clip(r.normal(0, 0.7, (n, d)), -1, 1) * (r.random((n, d)) < 0.8)
    X = np.where(good[:, None], regular + r.normal(0, 0.05, (n, d)), spread)
    X[:, 1] = 0
    return X, good.astype(int)


def measurements(seed, n=600, k=5, d=12):
    """Lognormal measurements of five kinds in units of 0.01 to 1000."""
    r = rng(seed, "measurements")
    y = r.integers(0, k, n)
    common = r.normal(0, 0.5, n)[:, None]
    X = np.exp(r.normal(0, 1.0, (k, d))[y] + common + r.normal(0, 0.25, (n, d)))
    return X * 10 ** r.uniform(-2, 3, d), y


def soils(seed, n=1800, k=6):
    """Four bands of 3 x 3 neighbouring pixels: 36 features that depend on each other; classes in turn along a line."""
    r = rng(seed, "soils")
    share = np.array([0.24, 0.11, 0.21, 0.1, 0.11, 0.23])
    y = r.choice(k, n, p=share)
    centre = np.array(
        [
            [63, 95, 108, 88],
            [49, 40, 114, 118],
            [88, 105, 111, 87],
            [77, 90, 96, 75],
            [60, 62, 83, 70],
            [69, 77, 82, 64],
        ]
    )
    pixel = centre[y] + r.normal(0, 6, (n, 4)) + r.normal(0, 5, (n, 1))
    return np.round(np.repeat(pixel[:, None], 9, axis=1) + r.normal(0, 3.5, (n, 9, 4))).reshape(n, 36), y


def counts(seed, n=1000, d=20, k=6):
    """Poisson counts of six kinds, many of them 0."""
    r = rng(seed, "counts")
    y = r.integers(0, k, n)
    return r.poisson(r.gamma(0.5, 3, (k, d))[y] * r.gamma(8, 1 / 8, n)[:, None]).astype(float), y


def t_groups(seed, n=900, d=6, k=6):
    """Heavy-tailed groups of different width."""
    r = rng(seed, "t groups")
    y = r.integers(0, k, n)
    return r.normal(0, 5, (k, d))[y] + r.standard_t(3, (n, d)) * r.uniform(0.5, 1.6, k)[y][:, None], y
