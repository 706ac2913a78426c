"""What all methods share."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import scipy.sparse

from dncsc import ExactSC
from dncsc.engines.layout import Layout
from dncsc.metrics import accuracy
from method_cases import (
    EMBEDDING,
    ENSEMBLES,
    NAMES,
    NEAREST_LANDMARKS,
    PREDICTING,
    small,
)

pytestmark = pytest.mark.usefixtures("one_thread")


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


@pytest.mark.filterwarnings("ignore:Nothing is told apart")  # in rows at random
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
    if model._model.classifier is None:
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


def test_rows_that_no_other_is_near_are_clusters_of_the_exact_graph():
    """Weights of far rows to their neighbours are next to nothing, and so they have no links at all."""
    X = np.random.default_rng(0).standard_cauchy((252, 17)).astype(np.float32)
    model = ExactSC(3, random_state=0).fit(X)
    assert model.n_graph_components_ > 1
    assert np.isfinite(model.cluster_centers_).all()
    np.testing.assert_array_equal(np.unique(model.labels_), np.arange(3))
