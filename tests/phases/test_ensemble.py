"""Base clusterings of ensembles, their consensus, and how far they agree."""

from __future__ import annotations

import functools
import tracemalloc

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

import naive
import naive_methods
from dncsc import LSEC, USENC
from dncsc.metrics import accuracy
from dncsc.phases.affinity import Gaussian
from dncsc.phases.base_clusterings import BaseClustering
from dncsc.phases.embedding import Lift, Lifted
from method_cases import (
    assert_same_clusters_as_k_means,
    assert_same_partition,
    assert_same_places,
    every_set,
    ring,
    two_moons,
)

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def ensembles():
    """LSEC and U-SENC on two sets: rows, the labels that their members give, and the models."""

    @functools.cache
    def fit(make, data):
        X, k = data()
        model = make(k, n_landmarks=120, n_members=8, random_state=0).fit(X)
        inside = model._model.frame.transform(X)
        return X, np.concatenate(model._model.embedding.graph.lookup(inside), axis=1), model

    return fit


ensemble = pytest.mark.parametrize("make", [LSEC, USENC])


@ensemble
@every_set
def test_base_clusterings_have_twenty_to_sixty_clusters_or_those_sought(ensembles, make, data):
    _, members, model = ensembles(make, data)
    sizes = model._model.embedding.graph.sizes
    assert len(sizes) == members.shape[1] == 8
    assert (members.max(axis=0) < sizes).all()
    fine = sizes[sizes != model.n_clusters]
    assert len(fine) >= 6
    assert fine.min() >= 20
    assert fine.max() <= 60
    assert len(np.unique(fine)) > 1


@pytest.mark.long
def test_base_clusterings_of_many_clusters_are_finer_than_those_and_told_apart():
    random = np.random.default_rng(0)
    centres = np.stack(np.meshgrid(np.arange(20), np.arange(15)), axis=-1).reshape(-1, 2)
    X = np.repeat(centres, 20, axis=0) + 0.05 * random.standard_normal((6_000, 2))
    model = LSEC(300, n_landmarks=2_400, n_members=4, n_graphs=1, random_state=0).fit(X)
    sizes = model._model.embedding.graph.sizes
    assert sizes.min() >= 225
    assert sizes.max() > 256  # more than a byte can number
    assert accuracy(np.repeat(np.arange(300), 20), model.labels_) > 0.9


def test_base_clusterings_of_an_ensemble_come_from_two_kinds_of_weights():
    """Adaptive ones of all neighbours, and narrow ones of few; the first is what `DnCSC` finds."""
    X, k = two_moons()
    model = LSEC(k, n_landmarks=120, n_members=8, n_graphs=1, random_state=0).fit(X)
    [shared] = model._model.embedding.graph.shared
    affinities = [each.embedding.graph.affinity for each in shared.clusterings]
    kinds = [(type(each).__name__, getattr(each, "count", None)) for each in affinities]
    assert kinds == [("Gaussian", None), *[("Adaptive", None)] * 4, *[("Gaussian", 3)] * 3]
    assert [len(each.centroids) == k for each in shared.clusterings] == [True] + [False] * 7


def test_weights_of_few_neighbours_are_those_of_a_smaller_search():
    random = np.random.default_rng(0)
    squared = np.sort(random.random((50, 6)).astype(np.float32), axis=1)
    nearest = np.argsort(random.random((50, 9)), axis=1)[:, :6].astype(np.int32)
    transition, degree = Gaussian(0.4, 3).weigh(nearest, squared)
    expected, of_few = Gaussian(0.4).weigh(nearest[:, :3].copy(), squared[:, :3].copy())
    np.testing.assert_array_equal(transition[:, :3], expected)
    np.testing.assert_array_equal(degree, of_few)
    assert not transition[:, 3:].any()


@pytest.mark.parametrize(("n_members", "n_graphs", "shares"), [(7, 3, [3, 2, 2]), (4, 4, [1] * 4), (2, 5, [1, 1])])
def test_base_clusterings_are_shared_out_among_graphs(n_members, n_graphs, shares):
    X, k = two_moons()
    model = LSEC(k, n_members=n_members, n_graphs=n_graphs, n_landmarks=60, random_state=0).fit(X)
    assert [len(each.clusterings) for each in model._model.embedding.graph.shared] == shares


@ensemble
@every_set
def test_the_consensus_or_an_own_choice_is_that_of_the_twin(ensembles, make, data):
    X, members, model = ensembles(make, data)
    assert model.n_graph_components_ == 1
    places = naive_methods.consensus(members, model.n_clusters, weighted=make is LSEC)
    if make is LSEC:
        labels = KMeans(model.n_clusters, n_init=10, tol=0, random_state=0).fit_predict(places)
        own = naive_methods.own_choice(members, [0, 4], labels)
        places = places if own is None else np.eye(model.n_clusters)[own]
        labels = naive.gaussian_clusters(X, labels if own is None else own)
        assert_same_partition(model.labels_, labels)
    assert_same_places(model.transform(X), places)
    if model._model.classifier is None:
        assert_same_clusters_as_k_means(model, places)


@ensemble
@every_set
def test_confidence_is_the_share_of_the_own_label_in_the_members_clusters(ensembles, make, data):
    X, members, model = ensembles(make, data)
    assert model.confidence_.shape == (len(X),)
    assert model.confidence_.min() >= 0
    assert model.confidence_.max() <= 1
    np.testing.assert_allclose(model.confidence_, naive_methods.confidence(members, model.labels_), atol=1e-6)


@ensemble
def test_confidence_is_lower_between_two_clusters_than_in_their_middle(make):
    random = np.random.default_rng(0)
    y = np.arange(3_000) % 2
    X = np.column_stack([4 * y, np.zeros(3_000)]) + random.standard_normal((3_000, 2))
    model = make(2, n_landmarks=100, n_members=8, random_state=0).fit(X)
    assert accuracy(y, model.labels_) > 0.95
    between = np.abs(X[:, 0] - 2) < 0.2
    middle = np.abs(np.abs(X[:, 0] - 2) - 2) < 0.5
    assert model.confidence_[between].mean() < 0.9 * model.confidence_[middle].mean()
    assert model.confidence_[middle].mean() > 0.95


@ensemble
def test_base_clusterings_differ_from_each_other(ensembles, make):
    _, members, _ = ensembles(make, ring)
    assert all(accuracy(members[:, 0], other) < 1 for other in members.T[1:])


def test_landmarks_of_base_clusters_are_the_nearest_and_found_in_bounded_memory():
    """At once, differences of 2,000 landmarks to 150 centroids in 150 dimensions take 360 MB."""
    random = np.random.default_rng(0)
    vectors, centroids = (random.standard_normal((n, 150)).astype(np.float32) for n in (2000, 150))
    component = np.arange(2000) % 2
    clusters = np.arange(300, dtype=np.int32).reshape(150, 2)
    base = BaseClustering(Lifted(None, Lift(vectors, True)), centroids, clusters)
    tracemalloc.start()
    found = base.landmarks(component)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
    places = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for one in range(2):
        distance = cdist(centroids, places[component == one])
        assert np.array_equal(found[clusters[:, one]], np.flatnonzero(component == one)[distance.argmin(axis=1)])


def test_a_base_cluster_of_rows_between_landmarks_keeps_its_centroid():
    """Rows that have a share in two landmarks each are nearest to a centroid that neither landmark is nearest to."""
    vectors = np.eye(3, dtype=np.float32)
    between = (vectors[1] + vectors[2]) / np.sqrt(2)
    centroids = np.stack([vectors[0], vectors[1], vectors[2], between])
    clusters = np.arange(4, dtype=np.int32)[:, None]
    base = BaseClustering(Lifted(None, Lift(vectors, True)), centroids, clusters)
    nearest, shares = np.array([[1, 2]], np.uint16), np.full((1, 2), 0.5, np.float32)
    [cluster] = base.label(nearest, shares, np.zeros(1, np.int32))
    assert cluster == 3
    assert base.centroid_of(np.zeros(3, np.int32)).tolist() == [0, 1, 2, 3]
