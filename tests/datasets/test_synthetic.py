"""Synthetic sets: of the right shape, the same each time, and drawn as they are defined."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.datasets import blocks, load, real

SYNTHETIC = {
    "ts-60k": (600_000, 3),
    "tm-1m": (1_000_000, 2),
    "tc-6m": (6_000_000, 3),
    "cg-10m": (10_000_000, 11),
    "fl-20m": (20_000_000, 13),
    "blobs-500": (100_000, 500),
    "blobs-1000": (100_000, 1000),
    "blobs-1500": (100_000, 1500),
    "blobs-2000": (100_000, 2000),
}


@pytest.mark.parametrize("name", SYNTHETIC)
def test_synthetic_sets_are_flat_single_precision_with_all_their_classes(name):
    n_classes = SYNTHETIC[name][1]
    X, y = load(name, n=20_000)
    assert (X.shape, X.dtype) == ((20_000, 2), np.float32)
    assert (y.shape, y.dtype.kind) == ((20_000,), "i")
    assert np.isfinite(X).all()
    np.testing.assert_array_equal(np.unique(y), np.arange(n_classes))


@pytest.mark.parametrize("name", ["ts-60k", "blobs-500"])
def test_synthetic_sets_have_the_size_of_the_paper_unless_told_otherwise(name):
    assert len(load(name)[0]) == SYNTHETIC[name][0]


@pytest.mark.parametrize("name", SYNTHETIC)
def test_a_small_set_is_the_beginning_of_a_large_one(name):
    large = load(name, n=70_000)
    for n in (1, 65_536, 65_537):
        for whole, part in zip(large, load(name, n=n), strict=True):
            np.testing.assert_array_equal(part, whole[:n])


@pytest.mark.parametrize("name", SYNTHETIC)
def test_blocks_one_after_another_are_the_set(name):
    X, y = load(name, n=70_000, random_state=3)
    some = list(blocks(name, n=70_000, random_state=3))
    assert len(some) > 1
    np.testing.assert_array_equal(np.concatenate([rows for rows, _ in some]), X)
    np.testing.assert_array_equal(np.concatenate([classes for _, classes in some]), y)


def test_blocks_are_made_when_they_are_asked_for():
    rows, classes = next(blocks("fl-20m", n=10**12))
    assert len(rows) == len(classes) < 10**6


@pytest.mark.parametrize("name", SYNTHETIC)
def test_a_seed_makes_a_set_and_another_seed_another(name):
    first, again, other = (load(name, n=1_000, random_state=seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_sets_and_blocks_share_no_random_numbers():
    X, _ = load("tc-6m", n=131_072)
    assert not np.array_equal(X[:65_536], X[65_536:])


def shares(y):
    return np.bincount(y) / len(y)


def test_circles_have_their_radii_and_equal_shares():
    X, y = load("tc-6m", n=100_000)
    radius = np.linalg.norm(X, axis=1)
    for circle in range(3):
        own = radius[y == circle]
        assert own.mean() == pytest.approx(circle + 1, abs=0.01)
        assert own.std() == pytest.approx(0.1, abs=0.005)
    np.testing.assert_allclose(shares(y), 1 / 3, atol=0.01)


def test_moons_lie_around_half_circles():
    X, y = load("tm-1m", n=100_000)
    for moon, (centre, side) in enumerate([((0.0, 0.0), 1), ((1.0, 0.5), -1)]):
        own = X[y == moon] - np.float32(centre)
        radius = np.linalg.norm(own, axis=1)
        assert radius.mean() == pytest.approx(1.0, abs=0.01)  # the noise across adds half its variance
        assert radius.std() == pytest.approx(0.1, abs=0.01)
        assert (own[:, 1] * side > -0.4).all()
        assert own[:, 0].mean() == pytest.approx(0.0, abs=0.01)
    np.testing.assert_allclose(shares(y), 1 / 2, atol=0.01)


def test_spirals_are_one_spiral_turned_by_thirds():
    X, y = load("ts-60k", n=150_000)
    for spiral in range(3):
        turn = -2 * np.pi * spiral / 3
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        own = X[y == spiral] @ rotation.T
        radius, angle = np.linalg.norm(own, axis=1), np.arctan2(own[:, 1], own[:, 0])
        clear = radius > 0.5  # the noise is 0.03: angles mean little near the middle
        expected = 2 * np.pi * radius * 1.09
        off = np.angle(np.exp(1j * (angle - expected)))[clear]
        assert abs(off.mean()) < 0.02
        assert off.std() < 2 * np.pi * 1.09 * 0.03 * 1.3
        assert radius.max() < 1.0 + 6 * 0.03
    np.testing.assert_allclose(shares(y), 1 / 3, atol=0.01)


def test_circles_and_gaussians_have_their_places_and_shares():
    X, y = load("cg-10m", n=200_000)
    np.testing.assert_allclose(np.sort(shares(y))[::-1], [0.3, 0.1, *[0.2 / 3] * 9], atol=0.004)
    centres = np.stack([X[y == c].mean(axis=0) for c in range(11)])
    spread = np.stack([X[y == c].std(axis=0) for c in range(11)])
    rings = np.flatnonzero(spread.max(axis=1) > 0.2)
    radii = sorted((np.linalg.norm(X[y == c], axis=1).mean(), np.linalg.norm(X[y == c], axis=1).std()) for c in rings)
    np.testing.assert_allclose(radii, [(0.4, 0.03), (1.2, 0.03)], atol=0.003)
    gaussians = np.setdiff1d(np.arange(11), rings)
    np.testing.assert_allclose(spread[gaussians], 0.12, atol=0.005)
    distance = np.sort(np.linalg.norm(centres[gaussians], axis=1))
    np.testing.assert_allclose(distance, [0.0, *[0.8] * 8], atol=0.01)


def test_the_flower_has_petals_stems_and_a_centre_with_their_shares():
    X, y = load("fl-20m", n=200_000)
    np.testing.assert_allclose(np.sort(shares(y))[::-1], [*[0.1183] * 6, *[0.0452] * 6, 0.019], atol=0.004)
    petals = np.flatnonzero(shares(y) > 0.1)
    for petal in petals:
        own = X[y == petal]
        middle = own.mean(axis=0)
        middle = middle / np.linalg.norm(middle)
        radius = np.linalg.norm(own - middle, axis=1)
        assert radius.mean() == pytest.approx(0.4, abs=0.01)
        assert radius.std() == pytest.approx(0.042, abs=0.005)
    centre = X[y == np.argmin(shares(y))]
    np.testing.assert_allclose(centre.std(axis=0), 0.035, atol=0.003)


@pytest.mark.parametrize(("name", "letters"), [("cg-10m", "CG"), ("fl-20m", "FL")])
def test_a_generator_draws_the_picture_of_the_figure(name, letters):
    path = real.find("uspec_figure_points")
    if path is None:
        pytest.skip("there is no uspec_figure_points.npz in the folder that DNCSC_DATA names")
    with np.load(path) as figure:
        drawn, classes = figure[f"X_{letters}"], figure[f"y_{letters}"]
    ours, y = load(name, n=10 * len(drawn))
    assert len(np.unique(classes)) == len(np.unique(y))
    np.testing.assert_allclose(np.sort(shares(classes - classes.min())), np.sort(shares(y)), atol=0.012)
    by_chance = distance_of_histograms(load(name, n=len(drawn), random_state=1)[0], ours)
    found = distance_of_histograms(drawn, ours)
    print(f"{name}: {found:.1%} of the figure's points lie in other cells than ours; by chance alone {by_chance:.1%}")
    assert found < 1.4 * by_chance


def distance_of_histograms(first, second):
    return np.abs(histogram(first) - histogram(second)).sum() / 2


def histogram(X, cells=30, reach=1.7):
    counts, _, _ = np.histogram2d(X[:, 0], X[:, 1], bins=cells, range=[(-reach, reach)] * 2)
    return counts / len(X)


@pytest.mark.parametrize("name", ["blobs-500", "blobs-2000"])
def test_blobs_are_round(name):
    X, y = load(name)
    centres = np.stack([np.bincount(y, X[:, f]) / np.bincount(y) for f in range(2)], axis=1)
    np.testing.assert_allclose((X - centres[y]).std(axis=0), (X - centres[y]).std(), rtol=0.02)
    assert len(np.unique(centres.round(3), axis=0)) == SYNTHETIC[name][1]
