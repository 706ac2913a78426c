"""Rows are placed by their shares in clusters of landmarks: the largest share is the nearest corner."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.phases.affinity import Adaptive
from dncsc.phases.cell_search import CellSearch
from dncsc.phases.embedding import RowsAndLandmarks, Voted
from dncsc.phases.nearest import Links
from dncsc.phases.select.tree import Cells, Tree


@pytest.fixture(scope="module", params=[np.float32, np.float64])
def voted(request):
    """Sixty landmarks in seven clusters, linked to rows by adaptive weights."""
    random = np.random.default_rng(0)
    landmarks = random.standard_normal((60, 3)).astype(request.param)
    cells = Cells(landmarks[:1], np.array([0, 60], np.int32))
    links = Links(Tree(()), CellSearch(landmarks, 6, cells, 1), 1.0, 1.0, np.ones(6))
    cluster = (random.permutation(60) % 7).astype(np.int32)
    return Voted(RowsAndLandmarks(links, Adaptive()), cluster, 7), random.standard_normal((300, 3)).astype(
        request.param
    )


def shares_of(embedding, rows):
    nearest, squared = naive.search_all(rows, embedding.graph.points, 6)
    return nearest, naive.adaptive(squared)


def test_places_are_shares_in_clusters(voted):
    embedding, rows = voted
    places = embedding.transform(*embedding.lookup(rows))
    expected = naive.dense(*shares_of(embedding, rows), 60) @ np.eye(7)[embedding.cluster]
    assert places.dtype == embedding.dtype == rows.dtype
    np.testing.assert_allclose(places, expected, atol=1e-5 if rows.dtype == np.float32 else 1e-12)


def test_labels_are_the_nearest_corners_without_centroids(voted):
    embedding, rows = voted
    labels, squared = embedding.label(np.empty((7, 0)), *embedding.lookup(rows))
    expected, distance = naive.vote(*shares_of(embedding, rows), embedding.cluster)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_allclose(squared, distance, atol=1e-5)
    corners, _ = naive.labels(embedding.transform(*embedding.lookup(rows)), np.eye(7))
    np.testing.assert_array_equal(labels, corners)


def test_landmarks_have_the_clusters_that_they_vote_for(voted):
    embedding, _ = voted
    np.testing.assert_array_equal(embedding.label_points(np.empty((7, 0))), embedding.cluster)
