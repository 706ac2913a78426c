"""Every method by its name: what they share, what they refuse, and each against its naive twin."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone, is_clusterer
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.metrics.cluster import contingency_matrix
from threadpoolctl import threadpool_limits

import naive
import naive_methods
from dncsc import LSC, LSEC, USENC, USPEC, DnCSC, ExactSC, LloydKMeans, NystromSC, clusterer, load_model, methods
from dncsc.engines.layout import Layout
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.metrics import accuracy
from dncsc.phases.affinity import Adaptive, Gaussian, RowNormalised, SelfTuning
from dncsc.phases.exact_graph import self_tuning_graph
from dncsc.phases.select.hubs import _scores

KINDS = {"lsc-k": "kmeans", "lsc-r": "random", "lsc-kh": "kmeans-hubs", "lsc-rh": "random-hubs"}
ABLATIONS = [
    "dnc-sc/bandwidth=mean",
    "dnc-sc/nearest=candidates",
    "dnc-sc/nearest=exact",
    "dnc-sc/select=kmeans/nearest=candidates",
    "dnc-sc/select=kmeans/nearest=exact",
    "dnc-sc/select=dnc-kmeans/nearest=candidates",
    "dnc-sc/select=dnc-kmeans/nearest=exact",
]
NEAREST_LANDMARKS = [*KINDS, "u-spec", "dnc-sc", *ABLATIONS]
ENSEMBLES = ["u-senc", "lsec"]
NAMES = ["k-means", "sc", "nystrom", *NEAREST_LANDMARKS, *ENSEMBLES]
PREDICTING = [name for name in NAMES if name != "sc"]
EMBEDDING = [name for name in PREDICTING if name != "k-means"]

CLASSES = {
    "k-means": LloydKMeans,
    "sc": ExactSC,
    "nystrom": NystromSC,
    **dict.fromkeys(KINDS, LSC),
    "u-spec": USPEC,
    "dnc-sc": DnCSC,
    **dict.fromkeys(ABLATIONS, DnCSC),
    "u-senc": USENC,
    "lsec": LSEC,
}


@pytest.fixture(autouse=True)
def one_thread():
    """As in an engine: what a solver returns may depend on the threads below it."""
    with threadpool_limits(1):
        yield


def small(name, k, **params):
    """A method with parameters that suit a few hundred rows."""
    given = {"random_state": 0}
    if name not in ("k-means", "sc"):
        given["n_landmarks"] = 60
    if name in ENSEMBLES:
        given["n_members"] = 4
    return clusterer(name, k, **{**given, **params})


@pytest.fixture(scope="module")
def mixture():
    """Four Gaussians in five dimensions that overlap, 700 rows, and their classes."""
    random = np.random.default_rng(3)
    places = 1.2 * random.standard_normal((4, 5))
    y = random.integers(4, size=700)
    return places[y] + random.standard_normal((700, 5)), y


@pytest.fixture(scope="module")
def fitted(mixture):
    """The methods fitted to the mixture, each when it is first asked for."""
    return functools.cache(lambda name: small(name, 4).fit(mixture[0]))


@pytest.fixture(scope="module")
def blocks(blobs):
    """A table of several blocks and shards, for what must not depend on threads."""
    X, _ = blobs(5_000, 600, k=5, dtype="float32", apart=6.0)
    assert Layout(*X.shape).n_shards > 1
    return X


def assert_same_partition(labels, expected):
    """The same groups, whatever their names."""
    crossed = contingency_matrix(expected, labels)
    assert np.count_nonzero(crossed) == len(crossed) == crossed.shape[1], crossed


def assert_same_places(places, expected):
    """Rows of two embeddings that differ by a rotation: their inner products are the same."""
    np.testing.assert_allclose(places @ places.T, expected @ expected.T, atol=1e-6)


def assert_same_clusters_as_k_means(model, places):
    """What k-means finds in the twin's embedding, whatever the names."""
    twin = KMeans(model.n_clusters, n_init=10, tol=0, random_state=0)
    assert_same_partition(model.labels_, twin.fit_predict(places))


# The registry


def test_the_methods_are_those_of_the_paper_its_ablations_and_ensembles():
    assert sorted(methods()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_gives_an_unfitted_estimator_of_its_class(name):
    estimator = clusterer(name, 3, random_state=5)
    assert type(estimator) is CLASSES[name]
    assert is_clusterer(estimator)
    assert (estimator.n_clusters, estimator.random_state) == (3, 5)
    assert not hasattr(estimator, "labels_")
    for choice in name.split("/")[1:]:
        parameter, value = choice.split("=")
        assert getattr(estimator, parameter) == value
    if name in KINDS:
        assert estimator.landmarks == KINDS[name]
    assert clone(estimator).get_params() == estimator.get_params()


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("dnc-cs", "dnc-sc"),
        ("kmeans", "k-means"),
        ("uspec", "u-spec"),
        ("nyström", "nystrom"),
        ("dnc-sc/select=kmeans/exact", "dnc-sc/select=kmeans/nearest=exact"),
        ("LSC-K", "lsc-k"),  # as the paper writes them
        ("DnC-SC", "dnc-sc"),
        ("U-SPEC", "u-spec"),
    ],
)
def test_an_unknown_name_gets_the_list_and_the_nearest(name, nearest):
    with pytest.raises(ValueError, match="there is no method") as error:
        clusterer(name, 3)
    assert repr(name) in str(error.value)
    assert f"Did you mean {nearest!r}?" in str(error.value)
    assert all(each in str(error.value) for each in methods())


@pytest.mark.parametrize("name", ["", "zzz", None, 3])
def test_a_name_that_is_near_nothing_gets_the_list(name):
    with pytest.raises(ValueError, match=f"there is no method {name!r}. There are: k-means, sc,"):
        clusterer(name, 3)


@pytest.mark.parametrize(
    ("name", "params", "nearest", "others"),
    [
        ("dnc-sc", {"n_landmark": 5}, "n_landmarks", ["selection_rate", "nearest", "n_jobs"]),
        ("lsc-r", {"neighbors": 5}, "n_neighbors", ["n_landmarks", "bandwidth"]),
        ("lsec", {"members": 5}, "n_members", ["n_graphs", "random_state"]),
        ("sc", {"max_row": 5}, "max_rows", ["n_neighbors"]),
        ("k-means", {"ninit": 5}, "n_init", ["max_iter"]),
        ("u-senc", {"n_graphs": 4}, None, ["n_members", "n_landmarks"]),
        ("nystrom", {"n_neighbors": 5}, None, ["n_landmarks", "bandwidth"]),
    ],
)
def test_an_unknown_parameter_gets_the_list_and_the_nearest(name, params, nearest, others):
    with pytest.raises(ValueError, match="has no parameter") as error:
        clusterer(name, 3, **params)
    assert f"method {name!r} has no parameter {next(iter(params))!r}" in str(error.value)
    assert nearest is None or f"Did you mean {nearest!r}?" in str(error.value)
    assert all(each in str(error.value) for each in others)


BAD = [
    ("lsec", {"n_members": 0}, "n_members must be an integer of at least 1; got 0"),
    ("lsec", {"n_members": 2.5}, "n_members must be an integer of at least 1; got 2.5"),
    ("lsec", {"n_graphs": 0}, "n_graphs must be an integer of at least 1; got 0"),
    ("u-senc", {"n_members": -3}, "n_members must be an integer of at least 1; got -3"),
    ("lsc-k", {"landmarks": "random"}, "method 'lsc-k' has no parameter 'landmarks'"),
    ("u-spec", {"nearest": "exat"}, r"'candidates', 'exact'; got 'exat'.* Did you mean 'exact'\?"),
    ("dnc-sc", {"select": "k-means"}, "'dnc', 'dnc-kmeans', 'kmeans'; got 'k-means'.* Did you mean '"),
    ("dnc-sc", {"bandwidth": "adaptve"}, r"'mean', 'local', 'adaptive'.*; got 'adaptve'.* Did you mean 'adaptive'\?"),
    ("lsc-rh", {"bandwidth": "locl"}, r"'mean', 'local', 'adaptive'.*; got 'locl'.* Did you mean 'local'\?"),
    ("lsec", {"bandwidth": 0.0}, "bandwidth must be .*; got 0.0"),
    ("nystrom", {"bandwidth": "local"}, "bandwidth must be 'mean' or a positive number; got 'local'"),
    ("nystrom", {"bandwidth": "adaptive"}, "bandwidth must be 'mean' or a positive number; got 'adaptive'"),
    ("nystrom", {"n_landmarks": 3}, "n_landmarks=3 must be at least n_clusters=4"),
    ("lsc-r", {"n_landmarks": 3}, "n_landmarks=3 must be at least n_clusters=4"),
    ("sc", {"n_neighbors": 0}, "n_neighbors must be an integer of at least 1; got 0"),
    ("sc", {"max_rows": "many"}, "max_rows must be an integer of at least 1; got 'many'"),
    ("k-means", {"n_init": 0}, "n_init must be an integer of at least 1; got 0"),
]


@pytest.mark.parametrize(
    ("name", "params", "words"), BAD, ids=lambda each: each if isinstance(each, str) else str(each)
)
def test_an_impossible_parameter_is_refused_before_any_row_is_looked_at(name, params, words):
    endless = np.broadcast_to(np.float32(1), (10**12, 2))  # a pass over this would never end
    with pytest.raises((ValueError, TypeError), match=words):
        clusterer(name, 4, **params).fit(endless)


@pytest.mark.parametrize(
    ("landmarks", "words"),
    [
        ("kmean", r"'kmeans', 'random', .*'random-hubs'; got 'kmean'.* Did you mean 'kmeans'\?"),
        (None, "landmarks must be one of 'kmeans', .*; got None"),
    ],
)
def test_impossible_landmarks_of_lsc_are_refused(landmarks, words):
    with pytest.raises((ValueError, TypeError), match=words):
        LSC(4, landmarks=landmarks).fit(np.eye(9))


# What all methods share


@pytest.mark.parametrize("name", NAMES)
def test_every_row_gets_a_label_in_range(fitted, mixture, name):
    X, y = mixture
    labels = fitted(name).labels_
    assert (labels.shape, labels.dtype) == ((700,), np.int32)
    np.testing.assert_array_equal(np.unique(labels), np.arange(4))
    assert accuracy(y, labels) > 0.8
    np.testing.assert_array_equal(small(name, 4).fit_predict(X), labels)


@pytest.mark.parametrize("name", PREDICTING)
def test_predict_on_the_training_rows_returns_the_labels(fitted, mixture, name):
    X, _ = mixture
    model = fitted(name)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    for chosen in (slice(None, None, -1), slice(17, 123), np.random.default_rng(0).permutation(len(X))):
        np.testing.assert_array_equal(model.predict(X[chosen]), model.labels_[chosen])
    one_by_one = [model.predict(X[i : i + 1])[0] for i in range(0, len(X), 25)]
    np.testing.assert_array_equal(one_by_one, model.labels_[::25])


@pytest.mark.parametrize("name", NAMES)
def test_one_seed_one_answer_for_any_number_of_threads(blocks, name):
    one, two = (small(name, 5, n_jobs=jobs).fit(blocks) for jobs in (1, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    if name in PREDICTING:
        np.testing.assert_array_equal(two.predict(blocks), one.labels_)
    if name in ENSEMBLES:
        np.testing.assert_array_equal(one.confidence_, two.confidence_)


@pytest.mark.parametrize("name", ["nystrom", *NEAREST_LANDMARKS])
def test_another_seed_gives_other_landmarks(fitted, mixture, name):
    assert not np.array_equal(small(name, 4, random_state=1).fit(mixture[0]).landmarks_, fitted(name).landmarks_)


@pytest.mark.parametrize("name", NAMES)
def test_timings_name_the_phases_in_order(fitted, name):
    phases = {
        "select": name not in ("k-means", "sc"),
        "nearest": name in [*NEAREST_LANDMARKS, *ENSEMBLES],
        "affinity": name in [*NEAREST_LANDMARKS, *ENSEMBLES],
        "partition": True,
        "discretize": True,
        "confidence": name in ENSEMBLES,
    }
    assert list(fitted(name).timings_) == ["survey", *(phase for phase, runs in phases.items() if runs)]
    assert all(seconds >= 0 for seconds in fitted(name).timings_.values())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", EMBEDDING)
def test_the_embedding_has_the_precision_of_the_rows(mixture, name, dtype):
    X = mixture[0].astype(dtype)
    model = small(name, 4).fit(X)
    places = model.transform(X)
    faded = getattr(model, "bandwidth", None) == "auto"  # with eigenvectors behind the first k
    assert (places.dtype, len(places)) == (dtype, 700)
    assert 4 <= places.shape[1] <= 4 + 3 * faded
    np.testing.assert_allclose(np.linalg.norm(places, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(model.transform(X[100:200]), places[100:200], atol=1e-5)
    squared = ((places[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared[np.arange(700), model.labels_], squared.min(axis=1), atol=1e-5)
    if name in NEAREST_LANDMARKS:
        assert model.affinity(X).dtype == dtype


@pytest.mark.parametrize("name", NAMES)
def test_sparse_rows_give_what_dense_rows_give(mixture, name):
    X = np.where(np.abs(mixture[0]) < 1, 0, mixture[0])
    dense, sparse = (small(name, 4).fit(each) for each in (X, scipy.sparse.csr_array(X)))
    np.testing.assert_array_equal(sparse.labels_, dense.labels_)
    if name in PREDICTING:
        np.testing.assert_array_equal(sparse.predict(scipy.sparse.csc_matrix(X)), dense.labels_)


@pytest.mark.parametrize("weight", [1.0, 0.01, 1000.0])
@pytest.mark.parametrize("name", PREDICTING)
def test_equal_weights_change_nothing(fitted, mixture, name, weight):
    labels = small(name, 4).fit(mixture[0], sample_weight=np.full(700, weight)).labels_
    assert accuracy(fitted(name).labels_, labels) == 1.0


@pytest.mark.parametrize("name", PREDICTING)
def test_rows_of_weight_zero_count_for_nothing_but_get_a_label(mixture, name):
    X, _ = mixture
    far = np.random.default_rng(0).uniform(50, 1000, (20, 5))
    model = small(name, 4).fit(np.concatenate([X, far]), sample_weight=np.repeat([1.0, 0.0], [700, 20]))
    without = small(name, 4).fit(X)
    np.testing.assert_array_equal(model.labels_[:700], without.labels_)
    if hasattr(model, "confidence_"):
        np.testing.assert_array_equal(model.confidence_[:700], without.confidence_)
    assert len(np.unique(model.labels_[:700])) == 4
    if hasattr(model, "landmarks_"):
        assert model.landmarks_.max() <= X.max()


@pytest.mark.parametrize("name", PREDICTING)
def test_a_row_of_weight_two_is_the_row_twice(mixture, name):
    X, _ = mixture
    weight = 1 + (np.arange(700) % 3 == 0)

    def agreement(seed):
        weighted = small(name, 4, random_state=seed).fit(X, sample_weight=weight)
        repeated = small(name, 4, random_state=seed).fit(np.repeat(X, weight, axis=0))
        return accuracy(weighted.labels_, repeated.predict(X))

    alike = np.median([agreement(seed) for seed in range(3)])
    assert alike > (0.99 if name in ("k-means", "nystrom") else 0.88)  # rows are drawn anew, and so landmarks differ


# What sc cannot do


def test_exact_sc_does_not_predict_and_says_why(fitted):
    for estimator in (ExactSC(), fitted("sc")):
        assert not hasattr(estimator, "predict")
        assert not hasattr(estimator, "transform")
        with pytest.raises(AttributeError, match=r"no predict: .*no landmarks through which new rows could be placed"):
            estimator.predict([[0.0]])


@pytest.mark.parametrize(("n", "params"), [(10**12, {}), (20_001, {}), (501, {"max_rows": 500})])
def test_too_many_rows_for_exact_sc_are_refused_before_any_work(n, params):
    X = np.broadcast_to(np.float32(1), (n, 2))
    with pytest.raises(ValueError, match=rf"n_samples={n} is more than max_rows=\d+: .* distances. Use DnCSC"):
        ExactSC(**params).fit(X)


def test_exact_sc_takes_no_weights(mixture):
    with pytest.raises(TypeError, match="sample_weight"):
        ExactSC(4).fit(mixture[0], sample_weight=np.ones(700))


# Each recipe against its naive twin. Landmarks and members are the package's own.


def ring():
    """Five groups on a circle that touch their neighbours."""
    random = np.random.default_rng(0)
    angle = 2 * np.pi / 5 * random.integers(5, size=800)
    return 4 * np.column_stack([np.cos(angle), np.sin(angle)]) + random.standard_normal((800, 2)), 5


def two_moons():
    return make_moons(800, noise=0.1, random_state=0)[0], 2


def gaussians():
    """Four Gaussians in twenty dimensions."""
    random = np.random.default_rng(1)
    return (1.2 * random.standard_normal((4, 20)))[random.integers(4, size=600)] + random.standard_normal((600, 20)), 4


every_set = pytest.mark.parametrize("data", [ring, two_moons, gaussians])


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


# Weights


LINKING = [
    functools.partial(DnCSC, nearest="exact"),
    functools.partial(USPEC, nearest="exact"),
    functools.partial(LSC, landmarks="random"),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("unit", [1e-25, 1.0, 1e25])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["dnc-sc", "u-spec", "lsc-k", "nystrom", "lsec", "u-senc"])
def test_no_bandwidth_is_too_narrow_or_too_wide(tmp_path, blobs, name, dtype, unit):
    X = (blobs(400, 3, k=2)[0] * unit).astype(dtype)
    few = {"n_members": 2} if name in ENSEMBLES else {}
    for bandwidth in (1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300):
        model = clusterer(name, 2, n_landmarks=30, bandwidth=bandwidth, random_state=0, **few).fit(X)
        assert np.isfinite(model.eigenvalues_).all()
        assert getattr(model, "bandwidth_", bandwidth) == bandwidth
        model.save(tmp_path / "model.npz")
        kept = load_model(tmp_path / "model.npz")
        np.testing.assert_array_equal(kept.predict(X), model.labels_)
        if hasattr(model, "affinity") and bandwidth > 1:
            weight = model.affinity(X).data
            np.testing.assert_array_equal(weight, weight[0])


@every_set
@pytest.mark.parametrize("make", LINKING, ids=["dnc-sc", "u-spec", "lsc-r"])
@pytest.mark.parametrize("bandwidth", ["local", "adaptive"])
def test_weights_without_a_bandwidth_are_those_of_the_twin(data, make, bandwidth):
    X, k = data()
    model = make(k, n_landmarks=100, n_neighbors=4, bandwidth=bandwidth, random_state=0).fit(X)
    assert model.bandwidth_ is None
    nearest, squared = naive.search_all(X, model.landmarks_, 4 + (bandwidth == "adaptive"))
    if bandwidth == "local":
        weights = naive_methods.self_tuning_weights(nearest, squared, model.landmarks_)
    else:
        weights = naive_methods.adaptive_weights(squared)
    if isinstance(model, LSC):
        weights = weights / weights.sum(axis=1, keepdims=True)
    expected = naive.dense(nearest, weights, model.n_landmarks_)
    graph = model.affinity(X)
    np.testing.assert_allclose(graph.toarray(), expected, atol=1e-9)
    assert (np.count_nonzero(graph.toarray(), axis=1) == 4).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 2e-5), ("float64", 1e-12)])
@pytest.mark.parametrize("n_nearest", [2, 5, 8])
def test_weigh_gives_shares_that_sum_to_one_and_the_degrees(n_nearest, dtype, rtol):
    random = np.random.default_rng(0)
    rows, landmarks = random.standard_normal((300, 3)).astype(dtype), random.standard_normal((40, 3)).astype(dtype)
    nearest, squared = naive.search_all(rows, landmarks, n_nearest)
    nearest, squared = nearest.astype(np.int32), squared.astype(dtype)
    among = np.sort(np.sqrt(naive.squared_distances(landmarks, landmarks)), axis=1)[:, 1 : n_nearest + 1].mean(axis=1)
    twins = [
        (Gaussian(0.7), naive.gaussian(squared, 0.7)[0]),
        (SelfTuning(among.astype(dtype)), naive_methods.self_tuning_weights(nearest, squared, landmarks)),
        (Adaptive(), naive_methods.adaptive_weights(squared.astype(float))),
    ]
    for affinity, weights in twins:
        for weigh, degree in ((affinity.weigh, weights.sum(axis=1)), (RowNormalised(affinity).weigh, np.ones(300))):
            shares, found = weigh(nearest, squared)
            assert (shares.dtype, found.dtype) == (dtype, dtype)
            np.testing.assert_allclose(shares, weights / weights.sum(axis=1, keepdims=True), rtol=rtol, atol=rtol)
            np.testing.assert_allclose(found, degree, rtol=10 * rtol)
    assert RowNormalised(Gaussian(0.7)).bandwidth == 0.7


@pytest.mark.parametrize(("n_neighbors", "n_candidates"), [(4, 40), (4, 5), (4, 4), (1, 1)])
def test_scales_of_landmarks_do_not_depend_on_the_number_of_candidates(n_neighbors, n_candidates):
    X, k = two_moons()
    parameters = {"n_neighbors": n_neighbors, "n_candidates": n_candidates, "bandwidth": "local"}
    model = DnCSC(k, n_landmarks=100, random_state=0, **parameters).fit(X)
    nearest, weights = model._model.link(X)
    squared = np.take_along_axis(naive.squared_distances(X, model.landmarks_), nearest, axis=1)
    expected = naive_methods.self_tuning_weights(nearest, squared, model.landmarks_)
    np.testing.assert_allclose(weights, expected, atol=1e-9)


def test_adaptive_weights_of_landmarks_at_one_distance_are_equal():
    shares, degree = Adaptive().weigh(np.arange(4, dtype=np.int32)[None], np.full((1, 4), 2.0))
    np.testing.assert_array_equal(shares, np.full((1, 4), 0.25))
    np.testing.assert_array_equal(degree, [1.0])


@pytest.mark.parametrize("bandwidth", ["local", "adaptive"])
@pytest.mark.parametrize("name", ["dnc-sc", "u-spec", "lsc-k", "lsec"])
def test_weights_without_a_bandwidth_do_not_depend_on_units(name, bandwidth):
    X, k = gaussians()
    labels = [small(name, k, bandwidth=bandwidth).fit_predict(X * unit) for unit in (1.0, 2.0**-30, 2.0**20)]
    np.testing.assert_array_equal(labels[1], labels[0])
    np.testing.assert_array_equal(labels[2], labels[0])


# Hubs


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


# Ensembles


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
def test_members_have_twenty_to_sixty_clusters_or_those_sought(ensembles, make, data):
    _, members, model = ensembles(make, data)
    sizes = model._model.embedding.graph.sizes
    assert len(sizes) == members.shape[1] == 8
    assert (members.max(axis=0) < sizes).all()
    fine = sizes[sizes != model.n_clusters]
    assert len(fine) >= 6
    assert fine.min() >= 20
    assert fine.max() <= 60
    assert len(np.unique(fine)) > 1


def test_members_of_many_clusters_are_finer_than_those_and_told_apart():
    random = np.random.default_rng(0)
    centres = np.stack(np.meshgrid(np.arange(20), np.arange(15)), axis=-1).reshape(-1, 2)
    X = np.repeat(centres, 20, axis=0) + 0.05 * random.standard_normal((6_000, 2))
    model = LSEC(300, n_landmarks=2_400, n_members=4, n_graphs=1, random_state=0).fit(X)
    sizes = model._model.embedding.graph.sizes
    assert sizes.min() >= 225
    assert sizes.max() > 256  # more than a byte can number
    assert accuracy(np.repeat(np.arange(300), 20), model.labels_) > 0.9


def test_members_of_an_ensemble_come_from_two_kinds_of_weights():
    """In a plane tight ones of all and of few neighbours, where one member each has the clusters that are sought.

    Elsewhere adaptive ones and tight ones of few, and one member of the weights that a single clustering would have.
    """
    flat, k = two_moons()
    deep = np.random.default_rng(0).standard_normal((2_000, 16))
    kinds = {}
    for name, X in {"flat": flat, "deep": deep}.items():
        model = LSEC(k, n_landmarks=120, n_members=8, n_graphs=1, random_state=0).fit(X)
        [group] = model._model.embedding.graph.groups
        affinities = [member.embedding.graph.affinity for member in group.members]
        kinds[name] = [(type(each).__name__, getattr(each, "count", None)) for each in affinities]
        coarse = [len(member.centroids) == k for member in group.members]
        assert coarse == ([True] * 2 + [False] * 6 if name == "flat" else [True] + [False] * 7)
    assert kinds["flat"] == [("Gaussian", 5), ("Gaussian", 3), *[("Gaussian", 5)] * 3, *[("Gaussian", 3)] * 3]
    assert kinds["deep"][1:] == [*[("Adaptive", None)] * 4, *[("Gaussian", 3)] * 3]
    assert kinds["deep"][0] in {("Adaptive", None), ("Gaussian", 5)}


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
def test_members_are_shared_out_among_graphs(n_members, n_graphs, shares):
    X, k = two_moons()
    model = LSEC(k, n_members=n_members, n_graphs=n_graphs, n_landmarks=60, random_state=0).fit(X)
    assert [len(group.members) for group in model._model.embedding.graph.groups] == shares


@ensemble
@every_set
def test_the_consensus_is_that_of_the_twin(ensembles, make, data):
    X, members, model = ensembles(make, data)
    assert model.n_graph_components_ == 1
    places = naive_methods.consensus(members, model.n_clusters, faded=make is LSEC and X.shape[1] > 2)
    assert_same_places(model.transform(X), places)
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
def test_members_differ_from_each_other(ensembles, make):
    _, members, _ = ensembles(make, ring)
    assert all(accuracy(members[:, 0], other) < 1 for other in members.T[1:])
