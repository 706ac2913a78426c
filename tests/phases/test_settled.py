"""What landmarks settle is what placing the row would have given, to the last row."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.kernels.settle import settle_rows
from dncsc.phases.affinity import Gaussian
from dncsc.phases.embedding import Lift, Lifted, RowsAndLandmarks
from dncsc.phases.kmeans_baseline import IdentityEmbedding
from dncsc.phases.nearest import CandidateSearch, Links
from dncsc.phases.select.tree import Tree
from dncsc.phases.settled import UNSETTLED, settled_points

P, N = 300, 20_000


def embedding_of(vectors, by_length):
    dtype = vectors.dtype
    none = np.empty((P, 0), dtype)
    search = CandidateSearch(np.zeros((P, 2), dtype), 5, none.astype(np.int32), none, np.empty(P, dtype))
    graph = RowsAndLandmarks(Links(Tree(()), search, 1.0, 1.0, np.ones(5)), Gaussian(1.0))
    return Lifted(graph, Lift(vectors, by_length))


def some_vectors(random, k, spread, dtype):
    """Vectors around k directions, of any length; the lower the spread, the more are settled."""
    around = random.standard_normal((k, k))
    lengths = 10.0 ** random.uniform(-3, 3, (P, 1))
    return ((around[random.integers(k, size=P)] + spread * random.standard_normal((P, k))) * lengths).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("by_length", [True, False])
@pytest.mark.parametrize("k", [1, 2, 5, 20])
@pytest.mark.parametrize("spread", [0.1, 0.5])
def test_labels_are_those_of_places(k, by_length, dtype, spread):
    random = np.random.default_rng(k)
    embedding = embedding_of(some_vectors(random, k, spread, dtype), by_length)
    lengths = random.uniform(0.1, 1, (k, 1))  # uneven, so that norms count
    centroids = (random.standard_normal((k, k)) * lengths).astype(dtype)
    settled = settled_points(embedding, centroids)
    near = np.argsort(settled, kind="stable")[(random.integers(P, size=(N, 1)) + np.arange(5)) % P].astype(np.int32)
    shares = random.random((N, 5)) ** random.choice([1, 20], size=(N, 1))
    shares = (shares / shares.sum(axis=1, keepdims=True)).astype(dtype)
    expected, _ = embedding.lift.label(centroids, near, shares)
    labels = np.empty(N, np.int32)
    rest = settle_rows(near, settled, labels)
    assert len(rest) < 0.9 * N
    labels[rest] = expected[rest]
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("by_length", [True, False])
def test_landmarks_half_way_between_centroids_settle_nothing(by_length):
    vectors = np.ones((P, 2), np.float32)
    assert (settled_points(embedding_of(vectors, by_length), np.eye(2, dtype=np.float32)) == UNSETTLED).all()


@pytest.mark.parametrize("size", [0, 1e-30, 1e30])
def test_vectors_whose_squares_vanish_or_overflow_settle_nothing(size):
    vectors = np.full((P, 2), size, np.float32) * np.array([1, 0], np.float32)
    assert (settled_points(embedding_of(vectors, True), np.eye(2, dtype=np.float32)) == UNSETTLED).all()


def test_rows_that_have_no_landmarks_are_not_settled():
    assert settled_points(IdentityEmbedding(2, np.dtype(np.float32)), np.eye(2, dtype=np.float32)) is None
