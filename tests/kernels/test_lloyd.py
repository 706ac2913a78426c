"""Lloyd's iterations in one kernel, by bounds or by all distances: what the naive twin finds."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.lloyd import lloyd_by_bounds, lloyd_by_distances
from dncsc.phases.kmeans import _lloyd, _Points, one_by_one

features = pytest.mark.parametrize("d", [1, 64, 257])
kernels = pytest.mark.parametrize("kernel", [lloyd_by_bounds, lloyd_by_distances], ids=["bounds", "distances"])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def run(kernel, points, weight, start, max_iter):
    """Centres that have points, the sum of squares, and the number of iterations."""
    centres, mass, residual = start.copy(), np.empty(len(start)), np.empty(len(start))
    n_iter = kernel(points, weight, centres, max_iter, mass, residual)
    np.testing.assert_allclose(mass.sum(), weight.sum())
    return centres[mass > 0], residual.sum(), n_iter


def block_by_block(points, weight, start, max_iter):
    return _lloyd(_Points(points, weight), start, max_iter, one_by_one)


@kernels
@features
@precisions
@pytest.mark.parametrize("max_iter", [0, 1, 2, 30])
@pytest.mark.parametrize("spread", [0.0, 1.0, 10.0])
def test_a_kernel_gives_what_points_in_blocks_give(kernel, d, dtype, max_iter, spread):
    random = np.random.default_rng(0)
    places = spread * random.standard_normal((7, d))
    points = (places[random.integers(0, 7, 600)] + random.standard_normal((600, d))).astype(dtype)
    weight = random.integers(1, 4, 600).astype(float)
    centres, inertia, n_iter = run(kernel, points, weight, points[:7], max_iter)
    found = block_by_block(points, weight, points[:7].copy(), max_iter)
    twin_centres, twin_inertia = naive.lloyd(points, weight, points[:7], max_iter)
    rounding = 1e-4 if dtype == np.float32 else 1e-10
    np.testing.assert_allclose(centres, twin_centres, rtol=rounding, atol=rounding)
    np.testing.assert_allclose(inertia, twin_inertia, rtol=rounding, atol=rounding)
    np.testing.assert_allclose(centres, found.centres, rtol=4 * np.finfo(dtype).eps, atol=1e-13)
    assert max(n_iter, 1) == found.n_iter


@kernels
@precisions
@pytest.mark.parametrize("d", [1, 64])
@pytest.mark.parametrize("max_iter", [1, 2, 50])
def test_of_equally_near_centres_the_first_gets_the_point(kernel, d, dtype, max_iter):
    """On few places and with sums that are exact, ties are frequent, and the same to the bit."""
    random = np.random.default_rng(0)
    points = random.integers(0, 4, (400, d)).astype(dtype)
    points[:, 3:] = 0
    start = np.unique(points, axis=0)[:: 2 if d == 1 else 9].copy()
    centres, inertia, n_iter = run(kernel, points, np.ones(400), start, max_iter)
    found = block_by_block(points, np.ones(400), start.copy(), max_iter)
    np.testing.assert_array_equal(centres, found.centres)
    assert (inertia, n_iter) == (pytest.approx(found.inertia, rel=1e-6), found.n_iter)


@kernels
@features
@precisions
@pytest.mark.parametrize("max_iter", [1, 10])
def test_a_centre_without_points_moves_to_the_point_farthest_from_its_own(kernel, d, dtype, max_iter):
    random = np.random.default_rng(0)
    points, weight = random.standard_normal((513, d)).astype(dtype), random.random(513) + 0.5
    start = np.concatenate([points[:6], 1e3 + points[:3]])
    centres, inertia, _ = run(kernel, points, weight, start, max_iter)
    twin_centres, twin_inertia = naive.lloyd(points, weight, start, max_iter)
    np.testing.assert_allclose(centres, twin_centres, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(inertia, twin_inertia, rtol=1e-5)


@kernels
@precisions
def test_points_that_are_centres_stay_as_they_are(kernel, dtype):
    random = np.random.default_rng(0)
    distinct = random.standard_normal((6, 64)).astype(dtype)
    points, weight = distinct[np.arange(300) % 6], random.random(300) + 0.1
    centres, inertia, n_iter = run(kernel, points, weight, distinct, 20)
    assert (inertia, n_iter) == (0, 0)
    np.testing.assert_array_equal(centres, distinct)
    start = np.concatenate([distinct[:3], distinct[:3] + 100])
    centres, inertia, _ = run(kernel, points, weight, start, 20)
    np.testing.assert_allclose(np.unique(centres, axis=0), np.unique(distinct, axis=0), rtol=1e-6)


@kernels
def test_a_far_outlier_leaves_no_trace_in_the_sums_of_a_centre_that_it_left(kernel):
    random = np.random.default_rng(0)
    points = random.standard_normal((200, 64)).astype(np.float32)
    points[0] = 2.0**30
    start = points[[1, 2, 3]]
    centres, inertia, _ = run(kernel, points, np.ones(200), start, 30)
    twin_centres, twin_inertia = naive.lloyd(points, np.ones(200), start, 30)
    np.testing.assert_allclose(centres, twin_centres, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(inertia, twin_inertia, rtol=1e-4)
