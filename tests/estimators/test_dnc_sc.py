"""DnCSC lives among scikit-learn's estimators: common checks, tools, and attributes that mean what they say."""

from __future__ import annotations

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone, is_clusterer
from sklearn.datasets import make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dncsc import DnCSC
from dncsc.metrics import accuracy, nmi

PHASES = ["survey", "select", "nearest", "affinity", "partition", "discretize"]


@pytest.fixture(scope="module")
def model(moons):
    return DnCSC(2, n_landmarks=100, random_state=0).fit(moons[0])


@pytest.fixture(scope="module")
def named(moons):
    """The moons with names for their columns."""
    return pd.DataFrame(moons[0], columns=["east", "north"])


def test_a_clone_is_unfitted_and_gives_the_same_labels(model, moons):
    copy = clone(model)
    assert not hasattr(copy, "labels_")
    assert copy.get_params() == model.get_params()
    np.testing.assert_array_equal(copy.fit_predict(moons[0]), model.labels_)


def pickled(model):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize("send", [pickled, through_joblib])
@pytest.mark.parametrize("nearest", ["candidates", "exact"])
def test_a_model_that_was_stored_predicts_the_same(moons, send, nearest):
    X, _ = moons
    kept = DnCSC(2, n_landmarks=100, nearest=nearest, random_state=0).fit(X)
    restored = send(kept)
    new = np.random.default_rng(0).uniform(-2, 3, (1_000, 2))
    np.testing.assert_array_equal(restored.labels_, kept.labels_)
    np.testing.assert_array_equal(restored.predict(X), kept.labels_)
    np.testing.assert_array_equal(restored.predict(new), kept.predict(new))
    np.testing.assert_array_equal(restored.transform(new), kept.transform(new))


def test_parameters_can_be_read_and_set():
    estimator = DnCSC(3, n_landmarks=50)
    assert estimator.get_params()["n_landmarks"] == 50
    assert estimator.set_params(n_clusters=5, nearest="exact") is estimator
    assert (estimator.n_clusters, estimator.nearest) == (5, "exact")
    with pytest.raises(ValueError, match="Invalid parameter 'landmarks'"):
        estimator.set_params(landmarks=3)


def test_defaults_are_those_that_are_documented():
    assert DnCSC().get_params() == {
        "n_clusters": 8,
        "metric": "euclidean",
        "n_landmarks": "auto",
        "n_neighbors": 5,
        "selection_rate": "auto",
        "sample_size": "auto",
        "n_candidates": "auto",
        "bandwidth": "auto",
        "select": "auto",
        "nearest": "auto",
        "noise": 0.0,
        "refine": False,
        "normalize": "l2",
        "n_init": DnCSC().n_init,
        "max_iter": 100,
        "random_state": None,
        "n_jobs": None,
        "max_clusters": 50,
        "max_memory": None,
        "scratch_dir": None,
        "checkpoint": None,
        "verbose": 0,
    }
    with pytest.raises(TypeError, match="positional"):
        DnCSC(3, 50)


def test_the_representation_shows_what_differs_from_the_defaults():
    assert repr(DnCSC(3, random_state=0)) == "DnCSC(n_clusters=3, random_state=0)"
    assert is_clusterer(DnCSC())


def test_a_pipeline_scales_before_it_clusters(moons):
    X, y = moons
    stretched = X * [1.0, 1e5] + [0.0, 3e6]
    chain = make_pipeline(StandardScaler(), DnCSC(2, n_landmarks=100, random_state=0))
    labels = chain.fit_predict(stretched)
    assert nmi(y, labels) > 0.9
    np.testing.assert_array_equal(chain.predict(stretched), labels)
    weights = {"dncsc__sample_weight": np.ones(len(X))}
    np.testing.assert_array_equal(chain.fit(stretched, **weights).predict(stretched), labels)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_names_of_columns_are_kept_and_compared(named, library):
    table = library.DataFrame({name: named[name].to_numpy() for name in named})
    kept = DnCSC(2, n_landmarks=100, random_state=0).fit(table)
    assert kept.feature_names_in_.tolist() == ["east", "north"]
    assert kept.n_features_in_ == 2
    np.testing.assert_array_equal(kept.predict(table), kept.labels_)
    with pytest.raises(ValueError, match="feature names should match"):
        kept.predict(table[["north", "east"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        kept.predict(named.to_numpy())


def test_columns_of_the_embedding_have_names(named):
    kept = DnCSC(2, n_landmarks=100, random_state=0).fit(named)
    assert kept.get_feature_names_out().tolist() == ["dncsc0", "dncsc1"]
    embedding = kept.set_output(transform="pandas").transform(named)
    assert isinstance(embedding, pd.DataFrame)
    assert embedding.columns.tolist() == ["dncsc0", "dncsc1"]
    assert embedding.index.equals(named.index)
    plain = kept.set_output(transform="default").transform(named)
    np.testing.assert_array_equal(embedding.to_numpy(), plain)


@pytest.mark.parametrize(("normalize", "order"), [("l2", 2), ("l1", 1)])
def test_embedded_rows_have_norm_one(moons, normalize, order):
    X, y = moons
    kept = DnCSC(2, n_landmarks=100, normalize=normalize, random_state=0).fit(X)
    embedding = kept.transform(X)
    assert embedding.shape == (len(X), 2)
    np.testing.assert_allclose(np.linalg.norm(embedding, order, axis=1), 1, rtol=1e-9)
    assert nmi(y, kept.labels_) > 0.9


def test_a_row_belongs_to_the_nearest_centre_of_the_embedding(model, moons):
    X, _ = moons
    squared = ((model.transform(X)[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(squared.argmin(axis=1), model.labels_)
    np.testing.assert_allclose(model.inertia_, squared.min(axis=1).sum(), rtol=1e-6)


def test_fit_transform_and_fit_predict_are_fit_and_the_other(model, moons):
    X, _ = moons
    np.testing.assert_array_equal(clone(model).fit_transform(X), model.transform(X))
    np.testing.assert_array_equal(clone(model).fit_predict(X), model.labels_)


@pytest.mark.parametrize(
    ("d", "dtype", "rtol", "nearest"),
    [
        (2, "float32", 1e-4, "candidates"),
        (16, "float64", 1e-6, "candidates"),
        (100, "float32", 1e-4, "candidates"),
        (2, "float64", 1e-6, "exact"),
        (16, "float32", 1e-4, "exact"),
        (100, "float64", 1e-6, "exact"),
    ],
)
def test_affinity_holds_gaussian_weights_of_the_nearest_landmarks(blobs, d, dtype, rtol, nearest):
    X, _ = blobs(1_500, d, dtype=dtype, apart=8.0)
    kept = DnCSC(4, n_landmarks=80, n_neighbors=6, bandwidth="mean", nearest=nearest, random_state=0).fit(X)
    graph = kept.affinity(X[:700])
    assert scipy.sparse.issparse(graph)
    assert graph.format == "csr"
    assert graph.shape == (700, kept.n_landmarks_)
    assert graph.dtype == dtype
    assert (np.diff(graph.indptr) == 6).all()
    assert graph.has_sorted_indices
    rows, columns = graph.nonzero()
    squared = ((X[rows].astype(np.float64) - kept.landmarks_[columns].astype(np.float64)) ** 2).sum(axis=1)
    expected = np.exp(-squared / (2 * kept.bandwidth_**2))
    np.testing.assert_allclose(graph.data, expected, rtol=rtol)


@pytest.mark.parametrize("d", [2, 16, 100, 300])
def test_exact_search_finds_the_nearest_of_all_landmarks(blobs, d):
    X, _ = blobs(1_500, d, apart=4.0)
    kept = DnCSC(4, n_landmarks=200, n_neighbors=4, nearest="exact", n_candidates=4, random_state=0).fit(X)
    assert kept.exact_fraction_ == 1.0
    squared = ((X[:, None] - kept.landmarks_) ** 2).sum(axis=2)
    expected = np.sort(np.argsort(squared, axis=1)[:, :4], axis=1)
    np.testing.assert_array_equal(kept.affinity(X).indices.reshape(-1, 4), expected)


@pytest.mark.parametrize(
    ("n_features", "n_free", "as_if"), [(300, 8, "exact"), (300, 300, "candidates"), (40, 8, "candidates")]
)
def test_all_landmarks_are_searched_where_features_are_many_and_depend_on_each_other(n_features, n_free, as_if):
    random = np.random.default_rng(0)
    X = random.standard_normal((3_000, n_free)) @ random.standard_normal((n_free, n_features))
    by_itself, given = (
        DnCSC(4, n_landmarks=300, nearest=nearest, random_state=0).fit(X) for nearest in ("auto", as_if)
    )
    assert (by_itself.exact_fraction_ == 1) == (as_if == "exact")
    np.testing.assert_array_equal(by_itself.labels_, given.labels_)


@pytest.mark.parametrize("d", [2, 16])
def test_the_exact_fraction_never_claims_more_than_is_true(blobs, d):
    X, _ = blobs(3_000, d, apart=4.0)
    kept = DnCSC(4, n_landmarks=200, n_neighbors=4, n_candidates=12, random_state=0).fit(X)
    squared = ((X[:, None] - kept.landmarks_) ** 2).sum(axis=2)
    nearest = np.sort(np.argsort(squared, axis=1)[:, :4], axis=1)
    found = kept.affinity(X).indices.reshape(-1, 4)
    assert 0 <= kept.exact_fraction_ <= (found == nearest).all(axis=1).mean()


def test_the_bandwidth_is_the_mean_distance_to_the_nearest_landmarks(moons):
    X, _ = moons
    model = DnCSC(2, n_landmarks=100, bandwidth="mean", random_state=0).fit(X)
    rows, columns = model.affinity(X).nonzero()
    distance = np.linalg.norm(X[rows] - model.landmarks_[columns], axis=1)
    np.testing.assert_allclose(model.bandwidth_, distance.mean(), rtol=1e-6)


def test_a_bandwidth_is_given_in_the_units_of_the_data(model, moons):
    X, _ = moons
    for unit in (1.0, 1000.0, 1e-6):
        kept = DnCSC(2, n_landmarks=100, bandwidth=0.2 * unit, random_state=0).fit(X * unit)
        np.testing.assert_allclose(kept.bandwidth_, 0.2 * unit, rtol=1e-12)
        assert accuracy(model.labels_, kept.labels_) > 0.99
    same = DnCSC(2, n_landmarks=100, bandwidth=model.bandwidth_, random_state=0).fit(X)
    np.testing.assert_array_equal(same.labels_, model.labels_)


def test_a_landmark_is_the_mean_of_its_rows(moons):
    X, _ = moons
    kept = DnCSC(2, n_landmarks=100, random_state=0).fit(X)
    assert kept.landmarks_.shape == (100, 2)
    assert kept.n_landmarks_ == 100
    assert kept.landmarks_.dtype == X.dtype
    squared = ((X[:, None] - kept.landmarks_) ** 2).sum(axis=2)
    assert squared.min(axis=1).mean() < 4 * X.var(axis=0).sum() / 100  # 100 landmarks leave a hundredth or so


def test_eigenvalues_ascend_from_zero_beyond_the_clusters(model):
    values = model.eigenvalues_
    assert len(values) > 2
    assert abs(values[0]) < 1e-9
    assert (np.diff(values) >= 0).all()
    assert values.max() <= 1


def test_the_gap_of_the_eigenvalues_shows_the_number_of_groups(blobs):
    X, _ = blobs(3_000, k=5, apart=60.0)
    values = DnCSC(5, n_landmarks=200, random_state=0).fit(X).eigenvalues_
    assert np.argmax(np.diff(values)) == 4


def test_timings_name_the_phases_in_order(model):
    assert list(model.timings_) == PHASES
    assert all(seconds >= 0 for seconds in model.timings_.values())
    assert model.n_iter_ >= 1


def test_verbose_prints_a_line_a_phase_and_silence_is_the_default(moons, capsys):
    DnCSC(2, n_landmarks=50, random_state=0).fit(moons[0])
    assert capsys.readouterr().out == ""
    DnCSC(2, n_landmarks=50, random_state=0, verbose=1).fit(moons[0])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == PHASES
    assert all(line.startswith("[dncsc]") for line in lines)


def test_verbose_prints_a_line_for_each_phase_of_a_refined_fit(capsys):
    X, _ = make_moons(2000, noise=0.2, random_state=0)
    model = DnCSC(2, n_landmarks=100, refine=True, random_state=0, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == list(model.timings_) == [*PHASES, "refine"]


def test_a_fit_does_not_change_its_input(moons):
    X = moons[0].copy()
    weight = np.linspace(1, 2, len(X))
    DnCSC(2, n_landmarks=50, random_state=0).fit(X, sample_weight=weight).predict(X)
    np.testing.assert_array_equal(X, moons[0])
    np.testing.assert_array_equal(weight, np.linspace(1, 2, len(X)))


def test_the_example_of_the_readme_works(flower):
    X, y = flower
    fitted = DnCSC(n_clusters=13, random_state=0).fit(X)
    assert fitted.labels_.shape == y.shape
    assert fitted.predict(X[:10]).shape == (10,)
    assert fitted.transform(X[:10]).shape == (10, 13)
