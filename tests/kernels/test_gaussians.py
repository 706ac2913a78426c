"""Gaussian components: densities at rows, and sums that they are made from."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.gaussians import TILE, add_scatter, densest, log_densities

BLOCKS = (1, 7, TILE - 1, TILE, TILE + 1, 500)

features = pytest.mark.parametrize("d", [1, 2, 5, 32])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def components(random, k, d):
    """Rows, means, covariances and shares; and the lower triangles that whiten the components."""
    rows, means, shares = random.standard_normal((500, d)), random.standard_normal((k, d)), random.dirichlet(np.ones(k))
    roots = np.tril(random.standard_normal((k, d, d))) * 0.2 + np.eye(d)
    covariances = roots @ roots.transpose(0, 2, 1)
    return rows, means, covariances, shares, np.linalg.inv(roots)


def constants(factors, shares):
    return np.log(shares) + np.log(np.abs(np.diagonal(factors, axis1=1, axis2=2))).sum(axis=1)


@precisions
@features
@pytest.mark.parametrize("k", [1, 3, 20])
def test_densities_are_those_of_the_twin_in_any_block(k, d, dtype):
    rows, means, covariances, shares, factors = components(np.random.default_rng(0), k, d)
    rows = rows.astype(dtype)
    twin = naive.log_densities(rows.astype(float), means, covariances, shares) + d / 2 * np.log(2 * np.pi)
    whole = np.empty((500, k))
    log_densities(rows, means, factors, constants(factors, shares), whole)
    np.testing.assert_allclose(whole, twin, rtol=1e-9, atol=1e-9)
    for n in BLOCKS:
        part = np.empty((n, k))
        log_densities(rows[-n:], means, factors, constants(factors, shares), part)
        np.testing.assert_array_equal(part, whole[-n:])


@precisions
@features
def test_a_row_has_its_densest_component_in_any_block(d, dtype):
    rows, means, _, shares, factors = components(np.random.default_rng(1), 7, d)
    rows, density = rows.astype(dtype), np.empty((500, 7))
    log_densities(rows, means, factors, constants(factors, shares), density)
    for n in BLOCKS:
        labels = np.empty(n, np.int32)
        densest(rows[-n:], means, factors, constants(factors, shares), labels)
        np.testing.assert_array_equal(labels, density[-n:].argmax(axis=1))


def test_of_equal_components_and_of_those_too_far_for_a_number_the_first_is_taken():
    rows = np.concatenate([np.zeros((5, 2)), np.full((TILE, 2), 1e200)])
    labels = np.empty(len(rows), np.int32)
    densest(rows, np.zeros((3, 2)), np.repeat(np.eye(2)[None], 3, axis=0), np.zeros(3), labels)
    assert not labels.any()


@features
def test_scatter_is_that_of_the_twin_and_adds_to_what_is_there(d):
    random = np.random.default_rng(2)
    rows, means, shares = random.standard_normal((500, d)), random.standard_normal((4, d)), random.random((500, 4))
    shares[:300, 1] = 0  # so that whole tiles say nothing of a component
    twin = np.einsum("nk,nki,nkj->kij", shares, rows[:, None] - means, rows[:, None] - means)
    scatter = np.ones((4, d, d))
    add_scatter(rows, shares, means, scatter)
    np.testing.assert_allclose(np.tril(scatter), np.tril(twin + 1), rtol=1e-12, atol=1e-9)


@precisions
def test_features_that_say_nothing_have_no_say_and_take_no_time(dtype):
    """However large they are: no product with them is made."""
    random, used = np.random.default_rng(3), np.array([1, 4, 5])
    rows, means, _, shares, factors = components(random, 4, 3)
    within, all_means, all_factors = np.full((500, 8), 1e30), np.zeros((4, 8)), np.zeros((4, 8, 8))
    within[:, used], all_means[:, used], all_factors[np.ix_(np.arange(4), used, used)] = rows, means, factors
    alone, among_others = np.empty((500, 4)), np.empty((500, 4))
    log_densities(rows.astype(dtype), means, factors, constants(factors, shares), alone)
    log_densities(within.astype(dtype), all_means, all_factors, constants(factors, shares), among_others)
    np.testing.assert_array_equal(alone, among_others)
    labels = np.empty(500, np.int32)
    within[:, 0] = np.inf
    densest(within.astype(dtype), all_means, all_factors, constants(factors, shares), labels)
    np.testing.assert_array_equal(labels, alone.argmax(axis=1))
