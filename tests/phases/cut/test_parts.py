"""A cluster in one piece is told from a group of clusters."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from dncsc import DnCSC
from dncsc.datasets import embeddings
from dncsc.estimators.base import UnclearClustersWarning
from dncsc.kernels.nearest import search_all
from dncsc.phases.cut.parts import count_parts, intrinsic_dimension
from dncsc.phases.cut.policy import CutPolicy


def neighbor_graph(points: np.ndarray, count: int = 10) -> csr_array:
    """Each point linked to its nearest, both ways."""
    n = len(points)
    nearest = search_all(points, points, count + 1)[0][:, 1:]
    links = csr_array((np.ones(n * count), (np.repeat(np.arange(n), count), nearest.ravel())), shape=(n, n))
    return csr_array(links + links.T)


def groups(random: np.random.Generator, places: np.ndarray, each: int = 150) -> np.ndarray:
    return np.repeat(places, each, axis=0) + random.standard_normal((each * len(places), places.shape[1]))


@pytest.mark.parametrize("n_groups", [1, 2, 4])
@pytest.mark.parametrize("stretch", [1.0, 4.0])
def test_parts_of_one_cluster_are_counted(n_groups, stretch):
    random = np.random.default_rng(n_groups)
    points = groups(random, 8 * np.eye(8)[:n_groups]) * np.linspace(1, stretch, 8)
    assert count_parts(neighbor_graph(points, 40), np.zeros(len(points), np.int32), points, CutPolicy()) == n_groups


def test_clusters_that_are_whole_have_a_part_each():
    points = groups(np.random.default_rng(0), 8 * np.eye(8)[:3])
    assert count_parts(neighbor_graph(points, 40), np.repeat([0, 1, 2], 150), points, CutPolicy()) == 3


def test_a_bend_is_no_part_where_dimensions_are_few():
    random = np.random.default_rng(0)
    angle = random.uniform(0, 4 * np.pi, 600)
    spiral = np.stack([angle * np.cos(angle), angle * np.sin(angle)], axis=1) + random.normal(0, 0.2, (600, 2))
    assert count_parts(neighbor_graph(spiral), np.zeros(600, np.int32), spiral, CutPolicy()) == 1


@pytest.mark.parametrize(("apart", "n_parts"), [(4.0, 2), (1.0, 1)])
@pytest.mark.parametrize("rows", [2, 20])
def test_two_groups_that_touch_are_parts_in_a_plane_however_few_rows_there_are(apart, n_parts, rows):
    points = groups(np.random.default_rng(1), np.array([[0, 0], [apart, 0]]), 300)
    links = neighbor_graph(points)
    links *= rows * len(points) / links.sum()
    assert count_parts(links, np.zeros(600, np.int32), points, CutPolicy()) == n_parts


def test_clusters_of_few_landmarks_are_left_as_they_are():
    points = groups(np.random.default_rng(0), 20 * np.eye(8)[:2], each=8)
    assert count_parts(neighbor_graph(points, 9), np.zeros(16, np.int32), points, CutPolicy()) == 1


@pytest.mark.parametrize(("n_rows", "n_parts"), [(10_000, 2), (100, 1)])
def test_a_small_part_counts_if_it_has_more_rows_than_outliers(n_rows, n_parts):
    random = np.random.default_rng(0)
    points = np.concatenate([random.standard_normal((300, 8)), 4 + random.standard_normal((8, 8))])
    links = neighbor_graph(points, 7)
    links = csr_array(links + csr_array(([0.1, 0.1], ([0, 300], [300, 0])), shape=links.shape))
    links *= n_rows / links.sum()
    assert count_parts(links, np.zeros(len(points), np.int32), points, CutPolicy()) == n_parts


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_dimension_is_that_of_the_rows_and_not_of_the_space(dimension):
    random = np.random.default_rng(0)
    inside = random.uniform(0, 1, (2000, dimension)) @ random.standard_normal((dimension, 20))
    assert intrinsic_dimension(inside) == pytest.approx(dimension, rel=0.3)


def test_points_that_are_all_alike_have_no_dimension():
    assert intrinsic_dimension(np.ones((50, 3))) == 0


@pytest.mark.parametrize("seed", [0, 1])
def test_topics_in_groups_are_never_counted_as_the_groups_in_silence(seed):
    X, _ = embeddings(12_000, 64, 20, seed, near=0.9)
    with pytest.warns(UnclearClustersWarning, match=r"2 were taken.*parts, about 1\d in all"):
        model = DnCSC("auto", metric="cosine", random_state=0).fit(X)
    assert 14 <= model.diagnosis_.n_parts <= 22


def test_a_topic_of_few_landmarks_is_not_missed_in_silence():
    X, y = embeddings(20_000, 128, 10, 149, near=0.85)
    assert np.bincount(y).min() == 92
    with pytest.warns(UnclearClustersWarning, match="about 10 in all"):
        model = DnCSC("auto", metric="cosine", random_state=0).fit(X)
    assert model.n_clusters_ == 9


def test_topics_that_are_counted_are_whole():
    X, _ = embeddings(12_000, 256, 10, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DnCSC("auto", metric="cosine", random_state=0).fit(X)
    assert model.n_clusters_ == 10
    assert model.diagnosis_.n_parts is None
