"""metric="cosine" sees directions alone, the same wherever rows are, and is Euclidean on rows of length 1."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.metrics.pairwise import cosine_distances

import naive
from dncsc import DnCSC, LloydKMeans, clusterer, estimate, load_model, open_rows
from dncsc.errors import ParameterError
from dncsc.estimators.base import ZeroRowsWarning
from dncsc.metrics import accuracy
from method_cases import EMBEDDING, NAMES, NEAREST_LANDMARKS, PREDICTING, assert_same_partition, small

K = 4


def directions(n: int = 900, d: int = 6, k: int = K, dtype: str = "float64") -> tuple[np.ndarray, np.ndarray]:
    """Cones around k directions that lie apart, in lengths from 1 to 1000."""
    random = np.random.default_rng(0)
    y = random.integers(k, size=n)
    rows = np.eye(k, d)[y] + 0.12 * random.standard_normal((n, d))
    return (rows * 10 ** random.uniform(0, 3, (n, 1))).astype(dtype), y


X, Y = directions()
LENGTHS = {
    "1e-30": lambda n: np.full(n, 1e-30),
    "1e30": lambda n: np.full(n, 1e30),
    "all": lambda n: 10 ** np.random.default_rng(1).uniform(-30, 30, n),
}


def cosine(name: str = "dnc-sc", **params):
    return small(name, K, metric="cosine", **params)


@pytest.mark.parametrize("lengths", LENGTHS)
@pytest.mark.parametrize("name", NAMES)
def test_labels_do_not_change_with_the_lengths_of_rows(name, lengths):
    scaled = X * LENGTHS[lengths](len(X))[:, None]
    expected = cosine(name).fit(X)
    model = cosine(name).fit(scaled)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert_same_partition(model.labels_, Y)
    if name in PREDICTING:
        np.testing.assert_array_equal(model.predict(X), expected.labels_)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whole_multiples_and_powers_of_two_change_no_bit(dtype):
    random = np.random.default_rng(0)
    counts = random.poisson(0.3 + 8 * np.eye(K, 7)[random.integers(K, size=700)]).astype(dtype) + np.eye(1, 7)
    multiples = (counts * random.integers(1, 50, (700, 1))).astype(dtype)
    expected = cosine(bandwidth="mean").fit(counts.astype(dtype))
    for other in (multiples, (multiples * 2.0**-60).astype(dtype)):
        model = cosine(bandwidth="mean").fit(other)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.landmarks_, expected.landmarks_)
        np.testing.assert_array_equal(model.eigenvalues_, expected.eigenvalues_)


@pytest.mark.parametrize("name", NAMES)
def test_the_cosine_is_euclidean_between_rows_of_length_one(name):
    twin = small(name, K).fit(naive.unit_rows(X))
    assert_same_partition(cosine(name).fit(X).labels_, twin.labels_)


def test_weights_are_those_of_cosine_distances():
    model = cosine(bandwidth=0.4, nearest="exact").fit(X)
    squared = 2 * cosine_distances(X, model.landmarks_)
    nearest = np.argsort(squared, axis=1)[:, :5]
    found = model.affinity(X)
    np.testing.assert_array_equal(np.sort(found.indices.reshape(-1, 5), axis=1), np.sort(nearest, axis=1))
    weights = np.take_along_axis(found.toarray(), nearest, axis=1)
    expected = np.exp(-np.take_along_axis(squared, nearest, axis=1) / (2 * 0.4**2))
    np.testing.assert_allclose(weights / weights[:, :1], expected / expected[:, :1], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["nystrom", *NEAREST_LANDMARKS])
def test_landmarks_have_length_one(name, dtype):
    landmarks = cosine(name).fit(X.astype(dtype)).landmarks_
    np.testing.assert_allclose(np.linalg.norm(landmarks, axis=1), 1, rtol=4 * np.finfo(dtype).eps)


def test_k_means_is_spherical():
    model = cosine("k-means").fit(X)
    unit = naive.unit_rows(X)
    means = naive.unit_rows(np.array([unit[model.labels_ == cluster].mean(axis=0) for cluster in range(K)]))
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-9)
    np.testing.assert_array_equal(model.labels_, np.argmax(unit @ means.T, axis=1))
    assert model.inertia_ == pytest.approx(2 * np.sum(1 - np.max(unit @ means.T, axis=1)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PREDICTING)
def test_predict_on_training_rows_gives_their_labels_also_from_a_file(name, dtype, tmp_path):
    rows = X.astype(dtype)
    model = cosine(name).fit(rows)
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert again.metric == "cosine"
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    np.testing.assert_array_equal(again.predict(rows), model.labels_)
    if name in EMBEDDING:
        np.testing.assert_array_equal(again.transform(rows), model.transform(rows))


def test_a_model_of_float32_rows_labels_longer_and_shorter_rows_than_float32_has():
    model = cosine().fit(X.astype("float32"))
    for size in (1e100, 1e-100):
        np.testing.assert_array_equal(model.predict(size * X), model.labels_)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_sparse_rows_are_as_dense_ones(kind):
    rows = np.where(np.abs(X) < np.abs(X).max(axis=1, keepdims=True) / 8, 0, X)
    expected, model = cosine().fit(rows), cosine().fit(kind(rows))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.landmarks_, expected.landmarks_)
    np.testing.assert_array_equal(model.predict(kind(rows)), expected.labels_)


@pytest.fixture(scope="module")
def several_blocks():
    """Rows of two blocks and more, a model of them, and its labels."""
    rows = directions(8_000, 700, dtype="float32")[0]
    return rows, cosine(n_jobs=1).fit(rows)


def assert_same_model(model, expected):
    np.testing.assert_array_equal(np.asarray(model.labels_), expected.labels_)
    np.testing.assert_array_equal(model.landmarks_, expected.landmarks_)
    np.testing.assert_array_equal(model.eigenvalues_, expected.eigenvalues_)


def test_threads_change_nothing(several_blocks):
    rows, expected = several_blocks
    assert_same_model(cosine(n_jobs=3).fit(rows), expected)


@pytest.mark.parametrize("suffix", [".npy", ".csv"])
def test_files_change_nothing(several_blocks, suffix, tmp_path):
    rows, expected = several_blocks
    path = tmp_path / f"rows{suffix}"
    if suffix == ".npy":
        np.save(path, rows)
    else:
        rows = rows[:900, :20]
        expected = cosine().fit(rows.astype(float))
        np.savetxt(path, rows, delimiter=",", fmt="%.17g")
    model = cosine().fit(open_rows(path), labels_to=tmp_path / "labels.npy")
    assert_same_model(model, expected)
    np.testing.assert_array_equal(model.predict(open_rows(path)), expected.labels_)


def test_scratch_files_and_checkpoints_change_nothing(several_blocks, tmp_path, capsys):
    rows, expected = several_blocks
    np.save(tmp_path / "rows.npy", rows)
    for _ in range(2):
        model = cosine(max_memory="2GB", scratch_dir=tmp_path, checkpoint=tmp_path / "kept", verbose=1)
        assert_same_model(model.fit(open_rows(tmp_path / "rows.npy")), expected)
    assert "select         kept" in capsys.readouterr().out


def test_weights_of_two_are_rows_twice():
    weight = np.random.default_rng(0).integers(1, 3, len(X))
    twice = cosine("k-means").fit(np.repeat(X, weight, axis=0))
    weighted = cosine("k-means").fit(X, sample_weight=weight)
    np.testing.assert_allclose(weighted.cluster_centers_, twice.cluster_centers_, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_zero", [1, 25])
def test_rows_of_zeros_are_counted_in_one_warning_and_stay_at_the_origin(name, n_zero):
    rows = X.copy()
    rows[7 : 7 + n_zero] = 0
    with pytest.warns(ZeroRowsWarning, match=f"^{n_zero} rows? (is|are) all zeros .* metric='cosine'") as said:
        model = cosine(name).fit(rows)
    assert len(said) == 1
    assert said[0].message.n_rows == n_zero
    others = np.r_[0:7, 7 + n_zero : len(X)]
    # rows of zeros are as near to any group, and may take a row along
    assert accuracy(Y[others], model.labels_[others]) > 0.998
    if name in PREDICTING:
        np.testing.assert_array_equal(model.predict(rows), model.labels_)
    if name in EMBEDDING:
        assert np.isfinite(model.transform(rows)).all()
    if hasattr(model, "landmarks_"):
        lengths = np.linalg.norm(model.landmarks_, axis=1)
        assert ((np.abs(lengths - 1) < 1e-12) | (lengths < 1e-12)).all()


def test_nothing_is_said_of_zeros_where_the_metric_is_euclidean():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DnCSC(K, n_landmarks=60, random_state=0).fit(np.concatenate([X, np.zeros((3, 6))]))


def test_rows_that_are_all_zeros_are_one_cluster():
    with pytest.warns(ZeroRowsWarning, match="^50 rows are"):
        model = DnCSC(1, metric="cosine", n_landmarks=5, random_state=0).fit(np.zeros((50, 3)))
    np.testing.assert_array_equal(model.labels_, 0)
    np.testing.assert_array_equal(model.landmarks_, [[0, 0, 0]])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_counted_as_ever(value):
    rows, kind = X.copy(), str(value)
    rows[5, 2] = rows[9, 1] = value
    expected = f"2 x {'NaN' if kind == 'nan' else kind}; the first is in row 5, column 2"
    with pytest.raises(ValueError, match=expected):
        cosine().fit(rows)
    with pytest.raises(ValueError, match=expected):
        cosine().fit(X).predict(rows)


@pytest.mark.parametrize("name", NAMES)
def test_another_metric_is_refused_by_name_before_any_work(name):
    with pytest.raises(ParameterError, match=r"metric must be one of 'euclidean', 'cosine'; got 'cosin'.*'cosine'"):
        clusterer(name, K, metric="cosin").fit(None)


@pytest.mark.parametrize(("dtype", "width"), [("float32", 1e-5), ("float64", 1e-11)])
def test_rows_far_from_a_narrow_cone_are_labelled_too(dtype, width):
    random = np.random.default_rng(0)
    side = random.integers(2, size=400)
    cone = np.column_stack([np.ones(400), width * (side + 0.1 * random.random(400)), np.zeros(400)]).astype(dtype)
    model = DnCSC(2, metric="cosine", n_landmarks=30, random_state=0).fit(cone)
    assert_same_partition(model.labels_, side)
    far = np.array([[0, -1, 0], [0, 1, 0], [-1, -1, 5], [0, 0, 0]], dtype)
    assert model.predict(far)[:2].tolist() == [model.labels_[side == 0][0], model.labels_[side == 1][0]]
    assert np.isfinite(model.transform(far)).all()


def test_in_one_feature_there_are_two_directions():
    rows = np.random.default_rng(0).standard_normal((300, 1))
    labels = DnCSC(2, metric="cosine", n_landmarks=20, random_state=0).fit_predict(rows)
    assert_same_partition(labels, rows[:, 0] > 0)


def test_directions_are_counted():
    assert cosine().set_params(n_clusters="auto").fit(X).n_clusters_ == K


def test_estimate_takes_the_metric():
    assert estimate(10**6, 20, metric="cosine") == estimate(10**6, 20)
    with pytest.raises(ParameterError, match="metric must be one of"):
        estimate(10**6, 20, metric="manhattan")


def test_what_was_fitted_decides_and_not_what_the_parameter_is_now():
    model = LloydKMeans(K, metric="cosine", random_state=0).fit(X)
    np.testing.assert_array_equal(model.set_params(metric="euclidean").predict(1e-9 * X), model.labels_)
