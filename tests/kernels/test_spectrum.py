"""Embedding and labels of rows."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.spectrum import embed_rows, label_rows

BLOCKS = (1, 7, 63, 64, 65, 511, 513, 1000)
ROUNDING = {np.float32: 2e-5, np.float64: 1e-12}

neighbours = pytest.mark.parametrize("n_nearest", [1, 2, 5, 17])
norms = pytest.mark.parametrize("norm", ["l1", "l2"])
precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@precisions
@norms
@neighbours
@pytest.mark.parametrize("k", [1, 2, 13])
def test_embedded_rows_are_lifted_eigenvectors_of_norm_one(some_links, n_nearest, k, norm, dtype):
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
def test_labels_are_the_nearest_centroids_of_the_embedding(some_links, n_nearest, k, n_centroids, norm, dtype):
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
def test_of_equal_centroids_the_first_gets_the_rows(some_links, norm, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, 200, 20, 5, dtype)
    centroids = np.repeat(random.standard_normal((2, 3)).astype(dtype), 2, axis=0)
    labels, _ = labelled(nearest, transition, random.standard_normal((20, 3)).astype(dtype), centroids, norm)
    assert set(labels.tolist()) == {0, 2}


@precisions
@norms
@pytest.mark.parametrize("k", [1, 2, 13, 40])
def test_a_row_gets_the_same_embedding_and_label_in_any_block(some_links, k, norm, dtype):
    random = np.random.default_rng(0)
    nearest, transition = some_links(random, 400, 60, 5, dtype)
    vectors, centroids = random.standard_normal((60, k)).astype(dtype), random.standard_normal((k, k)).astype(dtype)
    embedding = np.empty((400, k), dtype)
    embed_rows(nearest, transition, vectors, norm == "l2", embedding)
    whole = labelled(nearest, transition, vectors, centroids, norm)
    for start, stop in [(r, r + 1) for r in range(400)] + [(0, 7), (7, 70), (70, 400)]:
        part, found = slice(start, stop), np.empty((stop - start, k), dtype)
        embed_rows(nearest[part].copy(), transition[part].copy(), vectors, norm == "l2", found)
        np.testing.assert_array_equal(found, embedding[part])
        for alone, together in zip(
            labelled(nearest[part].copy(), transition[part].copy(), vectors, centroids, norm), whole, strict=True
        ):
            np.testing.assert_array_equal(alone, together[part])
