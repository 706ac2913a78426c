"""The whole method against what the paper says, written out naively."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_random_state

import naive
from dncsc import DnCSC, UnclearClustersWarning
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.select import divide_and_conquer
from method_cases import assert_same_partition

pytestmark = pytest.mark.usefixtures("one_thread")


def petals(random):
    """Five petals that meet in the middle."""
    angle, radius = random.uniform(0, 2 * np.pi, 2000), np.sqrt(random.random(2000))
    reach = radius * (1 + 0.6 * np.cos(5 * angle))
    return np.column_stack([reach * np.cos(angle), reach * np.sin(angle)]), 5


def moons(random):
    return make_moons(2000, noise=0.1, random_state=0)[0], 2


def mixture(random):
    """Four Gaussians in five dimensions."""
    places = 2.5 * random.standard_normal((4, 5))
    return places[random.integers(4, size=2000)] + random.standard_normal((2000, 5)), 4


@pytest.mark.parametrize("data", [petals, moons, mixture])
@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize(
    ("rate", "sample_size", "rounds", "settle"),
    [(20, 300, 2, False), (5, 200, 3, False), (100, 1000, 1, False), (5, 200, 1, True)],
)
def test_the_method_is_the_one_of_the_paper(monkeypatch, data, norm, rate, sample_size, rounds, settle):
    """Where rows are few, landmarks settle after the last round, and rows find their own at once."""
    if not settle:
        monkeypatch.setattr(divide_and_conquer, "MOST_DISTANCES", 0)
    X, k = data(np.random.default_rng(1))
    sizes = {"n_landmarks": 100, "selection_rate": rate, "sample_size": sample_size}
    model = DnCSC(k, **sizes, bandwidth="mean", normalize=norm, random_state=0, n_jobs=1).fit(X)
    assert (len(model._model.embedding.graph.links.tree.levels), model.n_graph_components_) == (rounds, 1)
    seed = check_random_state(0).randint(np.iinfo(np.int32).max)
    landmarks, nearest, eigenvalues, labels = naive.dnc_sc(X, k, 100, 5, rate, sample_size, settle, norm, seed)
    np.testing.assert_allclose(model.landmarks_, landmarks, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model._model.link(X)[0], nearest)
    np.testing.assert_array_equal(model.affinity(X).indices.reshape(2000, 5), np.sort(nearest, axis=1))
    np.testing.assert_allclose(model.eigenvalues_, eigenvalues, atol=1e-6)
    assert np.count_nonzero(contingency_matrix(model.labels_, labels)) == k


def touching_groups(random):
    """Six Gaussians in ten dimensions that touch: their spectrum has no gap."""
    places = 1.1 * random.standard_normal((6, 10))
    return places[random.integers(6, size=2000)] + random.standard_normal((2000, 10)), 6


def moons_in_noise(random):
    """Two moons, and rows all around that are no cluster."""
    return np.concatenate([make_moons(1900, noise=0.05, random_state=0)[0], random.uniform(-2, 3, (100, 2))]), 2


def few_moons_in_noise(random):
    """The same with fewer than four rows a landmark."""
    return np.concatenate([make_moons(900, noise=0.05, random_state=0)[0], random.uniform(-1.5, 2.5, (50, 2))]), 2


def table(random):
    """Three groups in four numbers, and a category of six values that has nothing to do with them."""
    places = 3.0 * np.eye(3, 4)
    numbers = places[random.integers(3, size=4000)] + random.standard_normal((4000, 4))
    return np.concatenate([numbers, 1.2 * np.eye(6)[random.integers(6, size=4000)]], axis=1), 3


@pytest.mark.parametrize(
    ("data", "n_landmarks", "is_adaptive"),
    [
        (petals, 300, True),
        (moons, 300, False),
        (mixture, 300, True),
        (touching_groups, 300, False),
        (moons_in_noise, 300, True),
        (few_moons_in_noise, 300, False),
        (table, 600, False),
    ],
)
def test_by_default_the_cut_is_that_of_the_twin(data, n_landmarks, is_adaptive):
    """Weights that suit the data, inflation, outliers, eigenvalue weighting, coarser cuts, from the rows to labels."""
    X, k = data(np.random.default_rng(1))
    model = DnCSC(k, n_landmarks=n_landmarks, nearest="exact", n_jobs=1, random_state=0).fit(X)
    nearest, _ = naive.search_all(X, model.landmarks_, 5)
    squared = ((X[:, None] - model.landmarks_[nearest]) ** 2).sum(axis=2)
    seed = check_random_state(0).randint(np.iinfo(np.int32).max)
    places, eigenvalues, bandwidth = naive.default_cut(nearest, squared, model.landmarks_, k, seed)
    assert (model.bandwidth_ is None) == (bandwidth is None) == is_adaptive
    np.testing.assert_allclose(model.eigenvalues_, eigenvalues[: len(model.eigenvalues_)], atol=1e-5)
    np.testing.assert_allclose(model.transform(X) @ model.transform(X[:50]).T, places @ places[:50].T, atol=1e-4)


@pytest.mark.parametrize("data", [moons, mixture])
def test_by_default_labels_are_those_of_the_twin(data):
    X, k = data(np.random.default_rng(1))
    model = DnCSC(k, n_landmarks=100, selection_rate=20, sample_size=300, n_jobs=1, random_state=0).fit(X)
    seed = check_random_state(0).randint(np.iinfo(np.int32).max)
    *_, labels = naive.dnc_sc(X, k, 100, 5, 20, 300, True, "l2", seed, bandwidth="auto")
    assert np.count_nonzero(contingency_matrix(model.labels_, labels)) == k


@pytest.mark.parametrize("select", ["dnc", "dnc-kmeans"])
def test_of_few_rows_each_has_the_nearest_of_all_landmarks_for_its_own(select):
    """No trace is left of the borders between subsets."""
    X, k = mixture(np.random.default_rng(1))
    model = DnCSC(k, n_landmarks=100, selection_rate=5, select=select, random_state=0).fit(X)
    [level] = model._model.embedding.graph.links.tree.levels
    own = naive.search_all(X, model._model.frame.inverse_transform(level.centres), 1)[0][:, 0]
    np.testing.assert_allclose(model.landmarks_, [X[own == i].mean(axis=0) for i in range(100)], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("data", [moons, mixture])
def test_neighbours_called_exact_are_the_nearest_of_all_landmarks(data):
    X, k = data(np.random.default_rng(0))
    model = DnCSC(k, n_landmarks=100, n_candidates=12, random_state=0).fit(X)._model
    inside = model.frame.transform(X)
    links = model.embedding.graph.links
    found = links.search.find(inside, links.tree.locate(inside))
    nearest, _ = naive.search_all(inside, links.search.landmarks, 5)
    assert 0 < found.exact.mean() < 1
    np.testing.assert_array_equal(found.nearest[found.exact], nearest[found.exact])


@pytest.mark.parametrize(("data", "bandwidth"), [(petals, 0.0046), (moons, 0.003), (mixture, 0.0693)])
def test_a_narrow_bandwidth_still_gives_clusters(data, bandwidth):
    """Weights between most landmarks then vanish nearly, but not all of them quite."""
    X, k = data(np.random.default_rng(0))
    for narrow in (bandwidth, bandwidth / 10, bandwidth / 1000):
        model = DnCSC(k, n_landmarks=300, bandwidth=narrow, random_state=0).fit(X)
        assert np.array_equal(np.unique(model.labels_), np.arange(k))


def test_few_clusters_are_labelled_alike_however_many_there_might_have_been():
    """What is asked of rows after the count is asked of the landmarks of few clusters, not of those of many."""
    random = np.random.default_rng(0)
    X = 10 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[random.integers(4, size=20_000)]
    X = X + random.standard_normal((20_000, 2))
    few, many = (DnCSC("auto", max_clusters=most, random_state=0).fit(X) for most in (50, 200))
    assert few.n_clusters_ == 4
    assert (many.diagnosis_.is_gaussian, many.n_landmarks_) == (few.diagnosis_.is_gaussian, few.n_landmarks_)
    np.testing.assert_array_equal(few.labels_, many.labels_)


def test_components_between_few_landmarks_join_those_that_they_touch():
    """Two groups of Gaussians, far apart: coarser clusterings keep them apart, whichever has a landmark of its own."""
    for seed, n_landmarks in ((22, 10), (202, 10), (338, 9)):
        random = np.random.default_rng(seed)
        X, is_right, k = two_groups_of_gaussians(random)
        model = DnCSC(k, n_landmarks=n_landmarks, random_state=0).fit(X)
        assert model.diagnosis_.is_gaussian
        own = model._model.classifier.label(model._model.graph.points)
        assert len(np.unique(own)) < k
        assert_same_partition(model.merged(2)[model.labels_], is_right)


@pytest.mark.parametrize("seed", [0, 10, 100, 103])
def test_clusters_between_few_landmarks_join_those_that_they_touch_without_a_mixture_too(seed):
    random = np.random.default_rng(seed)
    X, is_right, k = two_groups_of_gaussians(random)
    model = DnCSC(k, n_landmarks=k + 2, bandwidth="adaptive", random_state=0).fit(X)
    own = model._model.embedding.label_points(model.cluster_centers_)
    assert len(np.unique(own)) < k
    assert_same_partition(model.merged(2)[model.labels_], is_right)


def two_groups_of_gaussians(random):
    k, d, n = int(random.integers(3, 9)), int(random.integers(1, 4)), int(10 ** random.uniform(2, 3.5))
    y, places = random.choice(k, n, p=random.dirichlet(np.ones(k))), random.normal(0, 2, (k, d))
    places[k // 2 :, 0] += 40
    return places[y] + random.standard_normal((n, d)) * random.uniform(0.2, 2, (k, d))[y], y >= k // 2, k


def test_a_mixture_is_sought_of_few_clusters_only_also_where_they_were_counted():
    random = np.random.default_rng(0)
    places = 5 * np.stack(np.divmod(np.arange(56), 8), axis=1)
    X = places[random.integers(56, size=10_000)] + random.standard_normal((10_000, 2))
    with pytest.warns(UnclearClustersWarning):
        counted = DnCSC("auto", max_clusters=60, select="dnc", random_state=0).fit(X)
    assert counted.n_clusters_ > CutPolicy.many_clusters
    asked = DnCSC(counted.n_clusters_, select="dnc", random_state=0).fit(X)
    assert not asked.diagnosis_.is_gaussian
    assert not counted.diagnosis_.is_gaussian
