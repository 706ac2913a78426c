"""Gaussian weights: those of the naive twin, however far a row is."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.weights import gaussian_transition, local_transition

BLOCKS = (1, 7, 63, 64, 65, 511, 513, 1000)
ROUNDING = {np.float32: 2e-5, np.float64: 1e-12}

neighbours = pytest.mark.parametrize("n_nearest", [1, 2, 5, 17])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@precisions
@neighbours
@pytest.mark.parametrize("bandwidth", [0.1, 1.0, 30.0])
def test_shares_and_degrees_are_those_of_the_gaussian(n_nearest, bandwidth, dtype):
    random = np.random.default_rng(0)
    distance = bandwidth * random.random((1000, n_nearest)) * 4
    squared = np.sort(distance**2, axis=1).astype(dtype)
    _, twin, twin_degree = naive.gaussian(squared, bandwidth)
    for n in BLOCKS:
        transition, degree = gaussian_transition(squared[:n], 0.5 / bandwidth**2)
        assert transition.dtype == degree.dtype == dtype
        np.testing.assert_allclose(transition, twin[:n], rtol=ROUNDING[dtype])
        np.testing.assert_allclose(degree, twin_degree[:n], rtol=ROUNDING[dtype])


@precisions
@pytest.mark.parametrize("far", [10.0, 100.0, 1e4, 1e15])
def test_a_row_far_from_its_landmarks_keeps_shares_and_a_degree(far, dtype):
    squared = np.array([[far**2, far**2 + far, 2 * far**2], [0, far, far**2]], dtype)
    transition, degree = gaussian_transition(squared, 0.5)
    np.testing.assert_allclose(transition.sum(axis=1), 1, rtol=1e-6)
    exponents = (squared[:, :1] - squared).astype(float) / 2
    twin = np.exp(exponents) / np.exp(exponents).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(transition, twin, rtol=1e-4, atol=1e-30)
    assert np.all(degree > 0)
    assert np.all(np.isfinite(degree))


@precisions
@pytest.mark.parametrize("far", [10.0, 1e6, 1e12, 1e15])
def test_self_tuning_weights_of_a_row_far_from_its_landmarks_are_shares(far, dtype):
    """Rounded to single precision before they were compared, exponents of 1e9 and more gave negative shares."""
    squared = np.array([[far**2, 1.01 * far**2, 2 * far**2], [0, far, far**2]], dtype)
    nearest, scales = np.array([[0, 1, 2], [2, 1, 0]], np.uint16), np.array([1, 1.1, 1.3], dtype)
    transition, degree = local_transition(nearest, squared, scales)
    wide, own = squared.astype(float), np.sqrt(squared.astype(float)).mean(axis=1, keepdims=True)
    exponents = -wide / (own * scales[nearest].astype(float))
    relative = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    np.testing.assert_allclose(transition, relative / relative.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-30)
    assert np.all(degree > 0)


@precisions
def test_equal_distances_get_equal_shares(dtype):
    transition, degree = gaussian_transition(np.zeros((7, 4), dtype), 0.5)
    assert np.all(transition == 0.25)
    assert np.all(degree == 4)


@precisions
@neighbours
def test_a_row_gets_the_same_weights_in_any_block(n_nearest, dtype):
    random = np.random.default_rng(0)
    squared = np.sort(random.exponential(3, (513, n_nearest)), axis=1).astype(dtype)
    transition, degree = gaussian_transition(squared, 0.5)
    pieces = [(r, r + 1) for r in range(513)] + [(0, 7), (7, 70), (70, 513)]
    for start, stop in pieces:
        part, part_degree = gaussian_transition(squared[start:stop].copy(), 0.5)
        np.testing.assert_array_equal(part, transition[start:stop])
        np.testing.assert_array_equal(part_degree, degree[start:stop])
