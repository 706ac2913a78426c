"""Outlier components and localized eigenvectors take no cluster."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

from dncsc import DnCSC
from dncsc.datasets import load
from dncsc.metrics import ari, nmi
from dncsc.phases.cut.outliers import OutlierTest, join_lightest, participation_ratio, without_outliers
from dncsc.phases.cut.policy import CutPolicy


def test_an_outlier_takes_no_cluster():
    X, y = make_blobs(5_000, random_state=1)
    model = DnCSC(3, random_state=0).fit(X)
    assert ari(y, model.labels_) > 0.95
    assert model.cluster_sizes_.min() > 1_000


@pytest.mark.parametrize("bandwidth", ["auto", "mean", "adaptive"])
def test_far_outliers_go_to_the_nearest_cluster(bandwidth):
    X, y = make_blobs(5_000, centers=4, cluster_std=0.5, center_box=(-10, 10), random_state=3)
    far = np.array([[60.0, 60.0], [-70.0, 50.0], [55.0, -65.0]])
    labels = DnCSC(4, bandwidth=bandwidth, random_state=0).fit_predict(np.concatenate([X, far]))
    assert ari(y, labels[:-3]) > 0.99


@pytest.mark.parametrize(("n", "share"), [(20_000, 0.05), (100_000, 0.005)])
def test_rows_of_uniform_noise_take_no_cluster(n, share):
    X, y = make_moons(n, noise=0.05, random_state=0)
    random = np.random.default_rng(0)
    noise = random.random(n) < share
    X[noise] = random.uniform(-2.5, 3, (noise.sum(), 2))
    labels = DnCSC(2, random_state=0).fit_predict(X)
    assert nmi(y[~noise], labels[~noise]) > 0.99


@pytest.mark.parametrize("n_landmarks", [1_000, 3_000])
def test_circles_among_groups_are_found_whatever_the_seed_and_the_landmarks(n_landmarks):
    X, y = load("cg-10m", n=150_000)
    for seed in range(3):
        assert nmi(y, DnCSC(11, n_landmarks=n_landmarks, random_state=seed).fit_predict(X)) > 0.93


def test_a_small_but_true_cluster_is_kept():
    random = np.random.default_rng(0)
    sizes = [10_000, 9_600, 400]
    X = np.concatenate([random.normal(place, 0.5, (size, 2)) for place, size in zip((0, 8, 16), sizes, strict=True)])
    assert sorted(DnCSC(3, random_state=0).fit(X).cluster_sizes_) == sorted(sizes)


def test_a_vector_extends_over_what_it_is_constant_on():
    mass = np.array([1.0, 2.0, 3.0, 4.0])
    vectors = np.array([[0.0, 5.0, 5.0, 0.0], [1.0, -1.0, 1.0, -1.0]])
    assert [float(participation_ratio(mass, vector)) for vector in vectors] == pytest.approx([5, 10])
    assert participation_ratio(mass, vectors.T) == pytest.approx([5, 10])


def test_a_localized_vector_is_thin_and_light():
    members = np.arange(1_000)

    def is_localized(mass, count):
        vectors = (members < count).astype(float)[:, None]
        return OutlierTest(CutPolicy(), mass, n_clusters=4).are_localized(np.array([count]), members, vectors).item()

    mass = np.ones(1_000)
    assert is_localized(mass, 5)
    assert is_localized(mass, 7)
    assert not is_localized(mass, 9)  # thin, but 3 in 100 of the mean cluster's rows are 7.5
    light = np.where(members < 11, 0.3, 1.0)
    assert not is_localized(light, 11)  # not thin
    assert is_localized(light / 2, 9) is is_localized(light, 9)  # whatever a row weighs


def test_where_rows_are_few_an_outlier_component_has_fewer_than_eight():
    def least(weight, n_clusters, n_rows):
        return OutlierTest(CutPolicy(), weight * np.ones(150), n_clusters, n_rows).least_mass

    assert least(2, 3, 300) == pytest.approx(8)
    assert least(6, 3, 300) == pytest.approx(24)  # rows of weight 3
    assert least(2, 10, 300) == pytest.approx(6)  # a fifth of the mean cluster's
    assert least(60, 3, 9_000) == pytest.approx(90)  # 3 in 100


def test_where_all_components_are_small_none_is_an_outlier():
    core, share, _ = without_outliers(np.arange(40), OutlierTest(CutPolicy(), np.ones(40), n_clusters=2, n_rows=40))
    assert len(core) == 40
    assert share == 1


@pytest.mark.parametrize(
    ("most", "joined"),
    [(5, [0, 0, 1, 1, 2]), (3, [0, 0, 1, 1, 2]), (2, [0, 0, 0, 0, 1]), (1, [0, 0, 0, 0, 0])],
)
def test_the_lightest_component_joins_the_nearest(most, joined):
    component = np.array([0, 0, 1, 1, 2])
    landmarks = np.array([[0.0], [1.0], [10.0], [11.0], [100.0]])
    degree = np.array([5.0, 5.0, 1.0, 1.0, 3.0])
    np.testing.assert_array_equal(join_lightest(component, landmarks, degree, most).component, joined)
    np.testing.assert_array_equal(component, [0, 0, 1, 1, 2])


def test_near_is_who_has_the_nearest_landmark_whatever_its_middle():
    component = np.array([0, 0, 1, 2])
    landmarks = np.array([[-100.0], [0.0], [5.0], [11.0]])
    part = join_lightest(component, landmarks, np.array([5.0, 5.0, 1.0, 5.0]), 2).component
    np.testing.assert_array_equal(part, [0, 0, 0, 1])
