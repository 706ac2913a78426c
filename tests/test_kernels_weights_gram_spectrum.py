"""Weights, the similarity of landmarks, embedding and labels: each kernel against its naive twin."""

from __future__ import annotations

from itertools import starmap

import numpy as np
import pytest

import naive
from dncsc.kernels.gram import EMPTY, add_rows_dense, add_rows_sparse, entries_of_dense, entries_of_table
from dncsc.kernels.spectrum import embed_rows, label_rows
from dncsc.kernels.weights import gaussian_transition

BLOCKS = (1, 7, 63, 64, 65, 511, 513, 1000)
ROUNDING = {np.float32: 2e-5, np.float64: 1e-12}

precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])
neighbours = pytest.mark.parametrize("n_nearest", [1, 2, 5, 17])
norms = pytest.mark.parametrize("norm", ["l1", "l2"])


def some_links(random, n, p, n_nearest, dtype):
    """Different landmarks for each row, and shares that add up to 1."""
    nearest = np.argsort(random.random((n, p)), axis=1)[:, :n_nearest].astype(np.int32)
    share = random.random((n, n_nearest)) + 0.01
    return nearest, (share / share.sum(axis=1, keepdims=True)).astype(dtype)


# Gaussian weights


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


# W_R


def gram(nearest, transition, mass, p, width):
    """Upper triangle that the kernels give, with tables of some width or, for None, a dense array; in two blocks."""
    square, upper = np.zeros((p, p)), np.zeros((p, p))
    tables = [empty_table(p, width or 1)]
    for part in (slice(0, len(nearest) // 3), slice(len(nearest) // 3, None)):
        links = nearest[part], transition[part], mass[part]
        if width is None:
            add_rows_dense(*links, square)
            continue
        begin = 0
        while (begin := add_rows_sparse(*links, begin, *tables[-1])) < len(links[0]):
            tables.append(empty_table(p, 2 * tables[-1][0].shape[1]))
    for start, column, value in [entries_of_dense(square)] if width is None else starmap(entries_of_table, tables):
        line = np.repeat(np.arange(p), np.diff(start))
        np.add.at(upper, (np.minimum(line, column), np.maximum(line, column)), value)
    return upper


def empty_table(p, width):
    return np.full((p, width), EMPTY, np.int32), np.zeros((p, width)), np.zeros(p, np.int32)


@precisions
@pytest.mark.parametrize("width", [None, 1, 32, 256])
@pytest.mark.parametrize(
    ("n", "p", "n_nearest"),
    [(1000, 40, 5), (513, 300, 5), (65, 40, 1), (7, 9, 9), (100, 1, 1), (300, 200, 150), (1, 3, 2)],
)
def test_similarity_of_landmarks_is_the_sum_over_rows(n, p, n_nearest, width, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, n, p, n_nearest, dtype)
    degree, weight = random.random(n) + 0.1, random.integers(0, 3, n)
    weights = naive.dense(nearest, transition * degree[:, None], p)
    upper = gram(nearest, transition, weight * degree, p, width)
    np.testing.assert_array_equal(upper, np.triu(upper))
    twin = np.triu(naive.landmark_similarity(weights, weight))
    np.testing.assert_allclose(upper, twin, rtol=1e-10 if dtype == np.float64 else 1e-5, atol=1e-300)


@pytest.mark.parametrize("width", [None, 4])
def test_landmarks_without_rows_have_no_similarity(width):
    nearest = np.array([[5, 2], [2, 5], [5, 9]], np.int32)
    upper = gram(nearest, np.full((3, 2), 0.5), np.ones(3), 12, width)
    assert {(i, j) for i, j in zip(*np.nonzero(upper), strict=True)} == {(2, 2), (2, 5), (5, 5), (5, 9), (9, 9)}


# Embedding and labels


@precisions
@norms
@neighbours
@pytest.mark.parametrize("k", [1, 2, 13])
def test_embedded_rows_are_lifted_eigenvectors_of_norm_one(n_nearest, k, norm, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, 1000, 40, n_nearest, dtype)
    vectors = random.standard_normal((40, k)).astype(dtype)
    eigenvalues = np.sort(random.random(k) * 0.9)
    twin = naive.embedding(naive.dense(nearest, transition, 40), vectors.astype(float), eigenvalues, norm)
    scaled = (vectors / np.sqrt(1 - eigenvalues)).astype(dtype)
    for n in BLOCKS:
        embedding = np.empty((n, k), dtype)
        embed_rows(nearest[:n], transition[:n], scaled, norm == "l2", embedding)
        np.testing.assert_allclose(embedding, twin[:n], atol=20 * ROUNDING[dtype])


@norms
def test_a_row_that_is_lifted_to_zero_stays_there(norm):
    nearest, transition = np.array([[0, 1]], np.int32), np.array([[0.5, 0.5]])
    embedding = np.empty((1, 2))
    embed_rows(nearest, transition, np.array([[1.0, -1.0], [-1.0, 1.0]]), norm == "l2", embedding)
    assert not embedding.any()


def labelled(nearest, transition, vectors, centroids, norm):
    """Labels and squared distances by the kernel."""
    table = np.concatenate([vectors, vectors @ centroids.T], axis=1)
    labels, squared = np.empty(len(nearest), np.int32), np.empty(len(nearest), vectors.dtype)
    half = (centroids**2).sum(axis=1) / 2
    label_rows(nearest, transition, table, vectors.shape[1], half, norm == "l2", labels, squared)
    return labels, squared


@precisions
@norms
@neighbours
@pytest.mark.parametrize(("k", "n_centroids"), [(1, 1), (2, 3), (13, 13)])
def test_labels_are_the_nearest_centroids_of_the_embedding(n_nearest, k, n_centroids, norm, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, 1000, 40, n_nearest, dtype)
    vectors = random.standard_normal((40, k)).astype(dtype)
    centroids = (random.standard_normal((n_centroids, k)) / np.sqrt(k)).astype(dtype)
    points = naive.embedding(naive.dense(nearest, transition, 40), vectors.astype(float), np.zeros(k), norm)
    twin, twin_squared = naive.labels(points, centroids)
    two_nearest = np.sort(naive.squared_distances(points, centroids), axis=1)[:, :2]
    clear = np.ptp(two_nearest, axis=1) > 1e-4 if n_centroids > 1 else np.full(1000, True)
    assert clear.mean() > 0.99
    for n in BLOCKS:
        labels, squared = labelled(nearest[:n], transition[:n], vectors, centroids, norm)
        np.testing.assert_array_equal(labels[clear[:n]], twin[:n][clear[:n]])
        np.testing.assert_allclose(squared, twin_squared[:n], atol=20 * ROUNDING[dtype])


@precisions
@norms
def test_of_equal_centroids_the_first_gets_the_rows(norm, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, 200, 20, 5, dtype)
    centroids = np.repeat(random.standard_normal((2, 3)).astype(dtype), 2, axis=0)
    labels, _ = labelled(nearest, transition, random.standard_normal((20, 3)).astype(dtype), centroids, norm)
    assert set(labels.tolist()) == {0, 2}


@precisions
@norms
@pytest.mark.parametrize("k", [1, 2, 13, 40])
def test_a_row_gets_the_same_embedding_and_label_in_any_block(k, norm, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, 400, 60, 5, dtype)
    vectors, centroids = random.standard_normal((60, k)).astype(dtype), random.standard_normal((k, k)).astype(dtype)
    embedding = np.empty((400, k), dtype)
    embed_rows(nearest, transition, vectors, norm == "l2", embedding)
    whole = labelled(nearest, transition, vectors, centroids, norm)
    for start, stop in [(r, r + 1) for r in range(400)] + [(0, 7), (7, 70), (70, 400)]:
        part, room = slice(start, stop), np.empty((stop - start, k), dtype)
        embed_rows(nearest[part].copy(), transition[part].copy(), vectors, norm == "l2", room)
        np.testing.assert_array_equal(room, embedding[part])
        for alone, together in zip(
            labelled(nearest[part].copy(), transition[part].copy(), vectors, centroids, norm), whole, strict=True
        ):
            np.testing.assert_array_equal(alone, together[part])
