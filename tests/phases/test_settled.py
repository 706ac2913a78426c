"""What landmarks settle is what placing the row would have given, to the last row."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.phases.affinity import Gaussian
from dncsc.phases.embedding import Lift, Lifted, RowsAndLandmarks
from dncsc.phases.kmeans_baseline import IdentityEmbedding
from dncsc.phases.nearest import Links
from dncsc.phases.search import CandidateSearch, candidate_search
from dncsc.phases.select.tree import Tree
from dncsc.phases.settled import UNSETTLED, Settled, settled

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
    known = settled(embedding, centroids)
    near = np.argsort(known.cluster, kind="stable")[(random.integers(P, size=(N, 1)) + np.arange(5)) % P].astype(
        np.int32
    )
    shares = random.random((N, 5)) ** random.choice([1, 20], size=(N, 1))
    shares = (shares / shares.sum(axis=1, keepdims=True)).astype(dtype)
    expected, _ = embedding.lift.label(centroids, near, shares)
    labels = np.empty(N, np.int32)
    rest = known.by_links(near, labels)
    assert len(rest) < 0.9 * N
    labels[rest] = expected[rest]
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("by_length", [True, False])
def test_landmarks_half_way_between_centroids_settle_nothing(by_length):
    vectors = np.ones((P, 2), np.float32)
    assert (settled(embedding_of(vectors, by_length), np.eye(2, dtype=np.float32)).cluster == UNSETTLED).all()


@pytest.mark.parametrize("size", [0, 1e-30, 1e30])
def test_vectors_whose_squares_vanish_or_overflow_settle_nothing(size):
    vectors = np.full((P, 2), size, np.float32) * np.array([1, 0], np.float32)
    assert (settled(embedding_of(vectors, True), np.eye(2, dtype=np.float32)).cluster == UNSETTLED).all()


def test_rows_that_have_no_landmarks_are_not_settled():
    assert settled(IdentityEmbedding(2, np.dtype(np.float32)), np.eye(2, dtype=np.float32)) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("n_candidates", [5, 50, P])
def test_rows_near_their_own_landmark_have_landmarks_of_its_cluster_alone(d, dtype, n_candidates):
    """Whichever landmark is called their own, and however few candidates are searched."""
    random = np.random.default_rng(d)
    landmarks = np.sort(random.standard_normal((P, d)), axis=0).astype(dtype)
    cluster = np.where(np.arange(P) % 50 == 0, UNSETTLED, np.arange(P) // 100).astype(np.int32)
    search = candidate_search(landmarks, 5, n_candidates)
    own = random.integers(P, size=N).astype(np.int32)
    rows = (landmarks[own] + 0.1 * random.standard_normal((N, d)) * random.random((N, 1)) ** 4).astype(dtype)
    labels = np.empty(N, np.int32)
    rest = Settled(cluster, search).by_own(rows, own, labels)
    near = np.setdiff1d(np.arange(N), rest)
    assert len(near) > 0.05 * N
    of_links = cluster[search.find(rows, own).nearest]
    np.testing.assert_array_equal(of_links[near], np.repeat(labels[near, None], 5, axis=1))
    assert (labels[near] != UNSETTLED).all()


def test_landmarks_that_lie_on_each_other_settle_no_row_of_another_cluster():
    landmarks = np.zeros((P, 2), np.float32)
    search = candidate_search(landmarks, 5, 50)
    labels = np.empty(P, np.int32)
    rest = Settled(np.arange(P, dtype=np.int32), search).by_own(landmarks, np.arange(P, dtype=np.int32), labels)
    assert len(rest) == P
