"""Hubs are rows that are often among the neighbours of others."""

from __future__ import annotations

import numpy as np
import pytest

import naive
import naive_methods
from dncsc import LSC
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.phases.select.hubs import _scores


@pytest.mark.parametrize("d", [2, 20])
def test_hub_scores_count_how_often_a_row_is_a_neighbour(d):
    parts = [np.random.default_rng(i).standard_normal((n, d)) for i, n in enumerate((700, 30, 4, 1))]
    with LocalEngine(ArraySource(parts[0]), n_jobs=2) as engine:
        scores = _scores(engine, parts, 5)
    for part, score in zip(parts, scores, strict=True):
        np.testing.assert_array_equal(score, naive_methods.hub_scores(part, 5))


@pytest.mark.parametrize("kind", ["random", "random-hubs", "kmeans-hubs"])
def test_landmarks_are_distinct_rows(blobs, kind):
    X, _ = blobs(2_000, 10, apart=6.0, dtype="float32")
    landmarks = LSC(4, landmarks=kind, n_landmarks=150, random_state=0).fit(X).landmarks_
    assert len(landmarks) == len(np.unique(landmarks, axis=0)) == 150
    assert np.sqrt(naive.squared_distances(landmarks, X)).min(axis=1).max() < 1e-5


@pytest.mark.parametrize("kind", ["random-hubs", "kmeans-hubs"])
def test_hubs_are_neighbours_more_often_than_random_rows(blobs, kind):
    X, _ = blobs(2_000, 20, apart=6.0)
    score = naive_methods.hub_scores(X, 5)

    def mean_score(of):
        landmarks = [LSC(4, landmarks=of, n_landmarks=150, random_state=seed).fit(X).landmarks_ for seed in range(3)]
        return score[naive.squared_distances(np.concatenate(landmarks), X).argmin(axis=1)].mean()

    assert mean_score(kind) > 1.3 * mean_score("random")


def test_each_part_gives_hubs_in_proportion_to_its_rows(blobs):
    X, _ = blobs(3_000, 2, k=3, apart=300.0)
    X = np.concatenate([X, X[:1_000] + 1000])  # a quarter far away
    landmarks = LSC(3, landmarks="kmeans-hubs", n_landmarks=200, random_state=0).fit(X).landmarks_
    assert abs(np.count_nonzero(landmarks[:, 0] > 700) - 50) <= 5  # ten parts, each rounded
