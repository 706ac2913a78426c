"""Made-up embeddings: unit vectors in topics, the same each time, neither trivial nor hopeless to cluster."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from sklearn.cluster import MiniBatchKMeans
from sklearn.neighbors import NearestNeighbors

from dncsc.datasets import embeddings
from dncsc.datasets.topics import BLOCK
from dncsc.metrics import nmi


def test_rows_are_unit_vectors_of_single_precision_with_their_topics():
    X, y = embeddings(3000, n_features=40, n_clusters=12)
    assert (X.shape, X.dtype) == ((3000, 40), np.float32)
    assert (y.shape, y.dtype) == ((3000,), np.int32)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(np.unique(y), np.arange(12))


@pytest.mark.parametrize("n_clusters", [3, 2000])
def test_a_small_set_is_the_beginning_of_a_large_one_to_the_last_bit(n_clusters):
    large = embeddings(BLOCK + 500, 16, n_clusters)
    for n in (1, 2, BLOCK - 1, BLOCK, BLOCK + 1):
        for whole, part in zip(large, embeddings(n, 16, n_clusters), strict=True):
            np.testing.assert_array_equal(part, whole[:n])


def test_a_seed_makes_a_set_and_another_seed_another():
    first, again, other = (embeddings(500, 16, random_state=seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_blocks_share_topics_and_no_random_numbers():
    X, y = embeddings(2 * BLOCK, 16, 4)
    first, second = slice(BLOCK), slice(BLOCK, None)
    assert not np.array_equal(X[first], X[second])
    for topic in range(4):
        means = [X[part][y[part] == topic].mean(axis=0) for part in (first, second)]
        np.testing.assert_allclose(*means, atol=0.05)


def test_topics_are_of_uneven_size():
    counts = np.bincount(embeddings(20_000, 8, 50)[1], minlength=50)
    assert counts.max() > 5 * counts.min() > 0
    assert counts.max() < 0.15 * 20_000


def test_some_topics_are_near_each_other_and_others_are_not():
    still = {"width": 0, "noise": 0}
    cosines = {}
    for near in (0.0, 0.8):
        X, y = embeddings(5000, 1000, 40, near=near, **still)
        centres = X[np.unique(y, return_index=True)[1]]
        cosines[near] = (centres @ centres.T)[np.triu_indices(len(centres), 1)]
    assert np.abs(cosines[0.0]).max() < 0.2
    close = cosines[0.8] > 0.35
    assert 0.1 < close.mean() < 0.5
    np.testing.assert_allclose(cosines[0.8][close], 0.8**2, atol=0.15)
    assert np.abs(cosines[0.8][~close]).max() < 0.35


def test_topics_lie_in_a_dozen_directions_and_bend_into_a_dozen_others():
    for bend, directions in ((0.0, 12), (0.5, 24)):
        X, _ = embeddings(2000, 200, 1, bend=bend, noise=0)
        # Length 1 takes rows to the cone through the topic: its centre is one direction more.
        values = np.linalg.svd(X.astype(np.float64), compute_uv=False)
        assert (values > 1e-3 * values[0]).sum() == directions + 1


@pytest.mark.parametrize(("n_features", "n_clusters"), [(64, 50), (256, 50), (256, 500)])
def test_neighbours_tell_topics_apart_and_k_means_does_not(n_features, n_clusters):
    X, y = embeddings(20_000, n_features, n_clusters)
    some = slice(0, 20_000, 40)
    nearest = NearestNeighbors(n_neighbors=2, algorithm="brute").fit(X).kneighbors(X[some], return_distance=False)
    assert (y[nearest[:, 1]] == y[some]).mean() > 0.9
    found = MiniBatchKMeans(n_clusters, n_init=1, random_state=0).fit_predict(X)
    assert 0.4 < nmi(y, found) < 0.92


def test_memory_is_for_the_rows_and_the_directions_of_topics():
    n, d, k = 4 * BLOCK, 64, 100
    tracemalloc.start()
    embeddings(n, d, k)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * (n * d + 24 * k * d) + 4 * BLOCK * 100 + 2**20  # a block's places and topics come on top


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"n": 0}, "n must be a number of at least 1; got 0"),
        ({"n_features": 0}, "n_features must be a number of at least 1; got 0"),
        ({"n_clusters": -1}, "n_clusters must be a number of at least 1; got -1"),
        ({"random_state": -1}, "random_state must be a number of at least 0; got -1"),
        ({"width": float("nan")}, "width must be a number of at least 0; got nan"),
        ({"noise": float("inf")}, "noise must be a number of at least 0; got inf"),
        ({"near": 1.5}, "near must be at most 1; got 1.5"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        embeddings(**{"n": 10, **wrong})
