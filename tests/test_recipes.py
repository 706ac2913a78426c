"""Each recipe against its naive twin; landmarks are the package's own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

import naive
import naive_methods
from dncsc import LSC, USPEC, ExactSC, LloydKMeans, NystromSC, clusterer, load_model
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.metrics import accuracy
from dncsc.phases.exact_graph import self_tuning_graph
from method_cases import (
    KINDS,
    assert_same_clusters_as_k_means,
    assert_same_places,
    every_set,
    gaussians,
    two_moons,
)

pytestmark = pytest.mark.usefixtures("one_thread")


def links(model):
    return model._model.embedding.graph.links


@every_set
@pytest.mark.parametrize(("p", "n_neighbors"), [(100, 5), (150, 3)])
def test_u_spec_is_its_twin(data, p, n_neighbors):
    X, k = data()
    model = USPEC(k, n_landmarks=p, n_neighbors=n_neighbors, random_state=0).fit(X)
    groups = model._model.frame.inverse_transform(links(model).tree.levels[0].centres)
    assert len(groups) == int(np.sqrt(model.n_landmarks_))
    nearest, bandwidth, eigenvalues, places = naive_methods.u_spec(X, groups, model.landmarks_, n_neighbors, k)
    np.testing.assert_array_equal(model._model.link(X)[0], nearest)
    np.testing.assert_array_equal(model.affinity(X).indices.reshape(nearest.shape), np.sort(nearest, axis=1))
    np.testing.assert_allclose(model.bandwidth_, bandwidth, rtol=1e-9)
    np.testing.assert_allclose(model.eigenvalues_[:k], eigenvalues, atol=1e-8)
    assert_same_places(model.transform(X), places)
    assert_same_clusters_as_k_means(model, places)


def test_u_spec_searches_among_the_neighbours_of_one_landmark_only():
    """Not a search among all: with a few candidates some neighbours are missed, by the twin too."""
    X, k = gaussians()
    model = USPEC(k, n_landmarks=200, n_neighbors=2, random_state=0).fit(X)
    groups = model._model.frame.inverse_transform(links(model).tree.levels[0].centres)
    found = naive_methods.grouped_search(X, groups, model.landmarks_, 2)
    exact, _ = naive.search_all(X, model.landmarks_, 2)
    assert 0.3 < np.mean(found == exact) < 0.99
    np.testing.assert_array_equal(model._model.link(X)[0], found)


@every_set
@pytest.mark.parametrize("kind", KINDS.values())
def test_lsc_is_its_twin(data, kind):
    X, k = data()
    model = LSC(k, landmarks=kind, n_landmarks=100, random_state=0).fit(X)
    assert model.n_graph_components_ == 1
    bandwidth, squares, places = naive_methods.lsc(X, model.landmarks_, 5, k)
    np.testing.assert_allclose(model.bandwidth_, bandwidth, rtol=1e-9)
    np.testing.assert_allclose(model.eigenvalues_, 1 - squares[: len(model.eigenvalues_)], atol=1e-8)
    assert_same_places(model.transform(X), places)
    assert_same_clusters_as_k_means(model, places)


@pytest.mark.parametrize("name", KINDS)
def test_lsc_finds_groups_without_any_link_between_them(blobs, name):
    """The vector to leave out is the constant one; each group has an indicator besides, which has to stay."""
    X, y = blobs(1_000, 2, k=4, apart=100.0)
    for seed in range(3):
        model = clusterer(name, 4, n_landmarks=100, random_state=seed).fit(X)
        assert model.n_graph_components_ == 4
        assert accuracy(y, model.labels_) == 1.0


@pytest.mark.parametrize("d", [2, 20, 100])
@pytest.mark.parametrize("kind", KINDS.values())
def test_lsc_links_rows_to_the_nearest_of_all_landmarks(blobs, kind, d):
    X, _ = blobs(1_000, d, apart=4.0)
    model = LSC(4, landmarks=kind, n_landmarks=200, random_state=0).fit(X)
    assert model.exact_fraction_ == 1.0
    nearest, squared = naive.search_all(X, model.landmarks_, 5)
    graph = model.affinity(X)
    np.testing.assert_array_equal(graph.indices.reshape(-1, 5), np.sort(nearest, axis=1))
    _, shares, _ = naive.gaussian(squared, model.bandwidth_)
    np.testing.assert_allclose(graph.toarray(), naive.dense(nearest, shares, model.n_landmarks_), atol=1e-9)


def test_a_bandwidth_of_lsc_can_be_given():
    X, _ = two_moons()
    model = LSC(2, landmarks="random", n_landmarks=80, bandwidth=0.07, random_state=0).fit(X)
    assert model.bandwidth_ == pytest.approx(0.07, rel=1e-12)
    nearest, squared = naive.search_all(X, model.landmarks_, 5)
    expected = naive.dense(nearest, naive.gaussian(squared, 0.07)[1], 80)
    np.testing.assert_allclose(model.affinity(X).toarray(), expected, atol=1e-9)


@every_set
@pytest.mark.parametrize("times_mean", [0.5, 1, 3])
def test_nystrom_is_its_twin(data, times_mean):
    """With the wide Gaussian A is singular, and the pseudo-inverse has to do."""
    X, k = data()
    model = NystromSC(k, n_landmarks=60, random_state=0).fit(X)
    distance = np.sqrt(naive.squared_distances(model.landmarks_, model.landmarks_))
    np.testing.assert_allclose(model.bandwidth_, distance.mean(), rtol=1e-9)
    if times_mean != 1:
        model.set_params(bandwidth=times_mean * model.bandwidth_).fit(X)
    values, places = naive_methods.nystrom(X, model.landmarks_, model.bandwidth_, k)
    np.testing.assert_allclose(model.eigenvalues_, 1 - values[: len(model.eigenvalues_)], atol=1e-5)
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(places), atol=1e-4)
    assert_same_clusters_as_k_means(model, places)


def test_nystrom_on_all_rows_is_the_eigenproblem_of_all_rows():
    X, k = gaussians()
    model = NystromSC(k, n_landmarks=600, bandwidth=3.0, random_state=0).fit(X)
    similar = naive_methods.similarity(X, X, 3.0)
    degree = similar.sum(axis=1)
    values, vectors = np.linalg.eigh(similar / np.sqrt(np.outer(degree, degree)))
    np.testing.assert_allclose(model.eigenvalues_, 1 - values[::-1][: len(model.eigenvalues_)], atol=1e-6)
    assert_same_places(model.transform(X), naive_methods.unit_rows(vectors[:, -k:]))


@every_set
@pytest.mark.parametrize("t", [10, 20])
def test_sc_is_its_twin(data, t):
    X, k = data()
    model = ExactSC(k, n_neighbors=t, random_state=0).fit(X)
    values, places = naive_methods.spectral_clustering(X, t, k)
    assert model.n_graph_components_ == 1
    np.testing.assert_allclose(model.eigenvalues_, values[: len(model.eigenvalues_)], atol=1e-8)
    assert_same_clusters_as_k_means(model, places)


@every_set
def test_k_means_ends_where_no_row_is_nearer_to_another_mean(data):
    X, k = data()
    model = LloydKMeans(k, n_init=3, random_state=0).fit(X)
    squared = naive.squared_distances(X, model.cluster_centers_)
    np.testing.assert_array_equal(squared.argmin(axis=1), model.labels_)
    np.testing.assert_allclose(model.inertia_, squared.min(axis=1).sum(), rtol=1e-9)
    means = np.array([X[model.labels_ == i].mean(axis=0) for i in range(k)])
    np.testing.assert_allclose(model.cluster_centers_, means, atol=0.02 * X.std())
    assert squared.min(axis=1).sum() < 1.1 * KMeans(k, n_init=10, random_state=0).fit(X).inertia_


def test_k_means_ends_at_once_where_every_row_is_a_mean():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 5.0]], 50, axis=0)
    model = LloydKMeans(3, random_state=0).fit(X)
    assert (model.n_iter_, model.inertia_) == (1, 0)


def test_rows_equal_to_others_are_not_their_own_neighbours():
    X = np.random.default_rng(0).integers(0, 6, (300, 2)).astype(float)
    with LocalEngine(ArraySource(X), n_jobs=1) as engine:
        graph = self_tuning_graph(engine, X, 20).toarray()
    assert not graph.diagonal().any()
    assert (np.count_nonzero(graph, axis=1) >= 20).all()


@pytest.mark.parametrize("unit", [2.0**-300, 1.0, 2.0**300])
def test_inertia_of_k_means_has_the_units_of_the_rows_also_when_loaded(mixture, tmp_path, unit):
    model = LloydKMeans(4, random_state=0).fit(mixture[0] * unit)
    wanted = KMeans(4, init=model.cluster_centers_ / unit, n_init=1).fit(mixture[0]).inertia_
    assert model.inertia_ / unit / unit == pytest.approx(wanted, rel=1e-4)
    model.save(tmp_path / "model.npz")
    assert load_model(tmp_path / "model.npz").inertia_ == model.inertia_


@pytest.mark.parametrize("unit", [2.0**-900, 2.0**900])
def test_an_inertia_that_no_number_holds_does_not_keep_a_model_from_being_saved(mixture, tmp_path, unit):
    model = LloydKMeans(4, random_state=0).fit(mixture[0] * unit)
    assert 0 <= model.inertia_ < np.inf
    model.save(tmp_path / "model.npz")
    assert load_model(tmp_path / "model.npz").inertia_ == model.inertia_
