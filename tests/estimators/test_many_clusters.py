"""More than fifty clusters: the promises of the design hold there, too."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.exceptions import ConvergenceWarning

from dncsc import DnCSC, load_model, open_rows, watch
from dncsc.engines.layout import Layout
from dncsc.errors import TooFewRowsError
from dncsc.estimators.base import UnclearClustersWarning
from dncsc.estimators.inputs import size_of
from dncsc.estimators.parameters import check_parameters
from dncsc.metrics import ari
from in_child import too_little_memory
from method_cases import assert_same_partition
from sound import assert_sound

K = 60
MODEL = {"select": "rows", "n_clusters": K, "random_state": 0}
SPARSE = {**MODEL, "n_landmarks": 3200}
"""so many that their graph is added up in a sparse table"""


def groups(n, d=2, k=K, seed=0):
    """Round groups of deviation 1 on a grid, ten apart, and the group of each row."""
    random = np.random.default_rng(seed)
    y = random.permutation(n) % k
    places = np.zeros((k, d))
    places[:, 0], places[:, 1] = 10 * (np.arange(k) % 10), 10 * (np.arange(k) // 10)
    return places[y] + random.standard_normal((n, d)), y


@pytest.fixture(scope="module")
def table():
    return groups(6000)


@pytest.fixture(scope="module")
def fitted(table):
    return DnCSC(**MODEL).fit(table[0])


@pytest.fixture(scope="module")
def two_blocks():
    """Rows in two blocks without clear clusters, where any difference would show, and what is found in memory."""
    X = np.random.default_rng(1).random((70_000, 2)).astype(np.float32)
    assert Layout(*X.shape).n_blocks == 2
    return X, DnCSC(**SPARSE, n_jobs=1).fit(X)


@pytest.fixture(scope="module")
def file(two_blocks, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.npy"
    np.save(path, two_blocks[0])
    return path


def assert_same(model, wanted):
    np.testing.assert_array_equal(model.labels_, wanted.labels_)
    np.testing.assert_array_equal(model.landmarks_, wanted.landmarks_)
    np.testing.assert_array_equal(model.tree_, wanted.tree_)
    assert model.inertia_ == wanted.inertia_


# What is found


@pytest.mark.parametrize(("k", "d"), [(60, 2), (60, 20), (120, 5)])
def test_clusters_that_lie_apart_are_found_exactly(k, d):
    X, y = groups(6000, d, k)
    for seed in range(2):
        model = DnCSC(k, random_state=seed).fit(X)
        assert_same_partition(model.labels_, y)
    assert_sound(model, X, k)
    np.testing.assert_array_equal(model.cluster_sizes_, np.bincount(model.labels_, minlength=k))


@pytest.mark.parametrize("n_neighbors", [1, 2, 3, 5])
def test_clusters_that_fall_apart_in_the_graph_are_found(n_neighbors):
    """On a line, few neighbours leave gaps in the graph: what has no links goes to what is near."""
    random = np.random.default_rng(0)
    y = random.permutation(3000) % K
    X = (30.0 * y + random.standard_normal(3000))[:, None]
    model = DnCSC(**MODEL, n_neighbors=n_neighbors).fit(X)
    assert model.n_graph_components_ >= K
    assert ari(y, model.labels_) > 0.99


def test_far_outliers_take_no_clusters(table):
    X, y = table
    random = np.random.default_rng(0)
    far = np.concatenate([X, 5e3 + 1e3 * random.standard_normal((5, 2))])
    for seed in range(3):
        model = DnCSC(K, random_state=seed).fit(far)
        assert_same_partition(model.labels_[:-5], y)
    assert_sound(model, far, K)


def test_rows_can_be_asked_for_with_few_clusters(table, moons):
    X, y = moons
    model = DnCSC(2, select="rows", random_state=0).fit(X)
    assert model._model.embedding.n_dimensions == 2
    assert len(model.eigenvalues_) == 0
    assert ari(y, model.labels_) > 0.99
    assert_sound(model, X, 2)


def test_fewer_clusters_than_many_have_landmarks_by_divide_and_conquer(table):
    """Many are fifty, or with few features a hundred."""
    asked = {(49, "auto"): True, (50, "auto"): False, (51, "dnc"): True, (5, "rows"): False}
    in_two_dimensions = {(99, "auto"): True, (100, "auto"): False}
    for cases, n_features in ((asked, 16), (in_two_dimensions, 2)):
        for (k, select), is_spectral in cases.items():
            recipe = DnCSC(k, select=select)._recipe(n_features)
            assert (recipe.select.__name__ == "divide_and_conquer") == is_spectral
    model = DnCSC(5, select="rows", n_landmarks=100, random_state=0)
    model.fit(table[0])
    assert {tuple(row) for row in np.round(model.landmarks_, 9)} <= {tuple(row) for row in np.round(table[0], 9)}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("k", [100, 200, 250, 500, 1000])
def test_clusters_may_be_nearly_as_many_as_rows(k):
    X = np.random.default_rng(0).random((1000, 3))
    model = DnCSC(k, random_state=0).fit(X)
    assert model.n_clusters_ == k
    assert len(np.unique(model.labels_)) > 0.85 * k
    assert_sound(model, X, k)


@pytest.mark.parametrize("divisor", [10, 2, 1])
def test_no_cluster_is_empty_where_landmarks_are_many_or_one_each(divisor):
    X = np.random.default_rng(0).random((1000, 3))
    model = DnCSC(1000 // divisor, random_state=0).fit(X)
    assert (model.cluster_sizes_ > 0).all()


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(TooFewRowsError):
        DnCSC(101).fit(np.ones((100, 2)))


@pytest.mark.parametrize("bandwidth", ["mean", "local", "adaptive", 0.5, 1e-3, 1e-12, 1e12])
def test_weights_can_be_asked_for(bandwidth):
    X, y = groups(3000)
    model = DnCSC(**MODEL, bandwidth=bandwidth).fit(X)
    assert_same_partition(model.labels_, y)
    assert_sound(model, X, K)


def test_clusters_beyond_fifty_are_counted():
    X, y = groups(3000)
    for select in ("auto", "rows"):
        model = DnCSC("auto", max_clusters=80, select=select, random_state=0).fit(X)
        assert model.n_clusters_ == K
        assert_same_partition(model.labels_, y)


@pytest.mark.parametrize(("most", "n_landmarks"), [(50, 1000), (51, 3000), (2000, 3000)])
def test_counting_takes_the_landmarks_that_the_most_clusters_need(table, most, n_landmarks):
    model = DnCSC("auto", max_clusters=most, random_state=0)
    assert size_of(model, table[0]).n_landmarks == n_landmarks
    assert check_parameters(model).n_clusters == most


@pytest.mark.parametrize("most", [60, 80, 500])
def test_clusters_that_lie_apart_are_counted(table, most):
    X, y = table
    model = DnCSC("auto", max_clusters=most, random_state=0).fit(X)
    assert model.n_clusters_ == K
    assert_same_partition(model.labels_, y)


def test_without_clusters_to_count_rows_warn_as_ever():
    X = np.random.default_rng(0).random((1000, 8))
    with pytest.warns(UnclearClustersWarning):
        DnCSC("auto", max_clusters=80, select="rows", random_state=0).fit(X)


# The same answer wherever rows are


def test_threads_change_nothing(two_blocks):
    X, wanted = two_blocks
    assert_same(DnCSC(**SPARSE, n_jobs=3).fit(X), wanted)


@pytest.mark.parametrize("mapped", [True, False])
def test_files_change_nothing(two_blocks, file, mapped):
    assert_same(DnCSC(**SPARSE).fit(np.load(file, mmap_mode="r") if mapped else open_rows(file)), two_blocks[1])


def test_scratch_files_change_nothing(two_blocks, file, tmp_path):
    model = DnCSC(**SPARSE, scratch_dir=tmp_path)
    rows = open_rows(file)
    model.set_params(max_memory=too_little_memory(model, rows)).fit(rows)
    assert_same(model, two_blocks[1])
    assert not list(tmp_path.iterdir())


def test_dask_changes_nothing(two_blocks):
    """On threads; tests/engines/test_dask_engine.py has the same on a cluster."""
    X, wanted = two_blocks
    rows = da.from_array(X, chunks=((1, 40_000, 29_999), 2))
    model = DnCSC(**SPARSE).fit(rows)
    assert_same(model, wanted)
    np.testing.assert_array_equal(model.predict(rows[:3000]), wanted.labels_[:3000])


@pytest.mark.parametrize("phase", ["nearest", "discretize"])
def test_an_interrupted_fit_resumes_to_the_same_labels(two_blocks, tmp_path, phase):
    X, wanted = two_blocks

    def stop(now, done, n_rows):
        if now == phase:
            raise InterruptedError

    model = DnCSC(**SPARSE, checkpoint=tmp_path)
    with pytest.raises(InterruptedError), watch(stop):
        model.fit(X)
    seen = []
    with watch(lambda now, done, n_rows: seen.append(now)):
        assert_same(model.fit(X), wanted)
    phases = ["select", "nearest", "partition", "discretize"]
    assert list(dict.fromkeys(seen)) == ["survey", *phases[phases.index(phase) :]]


def test_sparse_rows_are_as_dense_ones(table, fitted):
    model = DnCSC(**MODEL).fit(scipy.sparse.csr_array(table[0]))
    assert_same(model, fitted)
    np.testing.assert_array_equal(model.predict(scipy.sparse.csr_array(table[0])), fitted.labels_)


PRECISION = {"float16": "float32", "float32": "float32", "int8": "float32", "float64": "float64", ">f8": "float64"}


@pytest.mark.parametrize("dtype", PRECISION)
def test_numbers_of_every_type_are_clustered(table, dtype):
    X, y = table[0].astype(dtype), table[1]
    model = DnCSC(**MODEL).fit(X)
    assert_same_partition(model.labels_, y)
    assert model.transform(X).dtype == model.landmarks_.dtype == PRECISION[dtype]
    assert_sound(model, X, K)


@pytest.mark.parametrize("size", [2.0**-600, 2.0**600])
def test_a_power_of_two_changes_nothing(table, fitted, size):
    np.testing.assert_array_equal(DnCSC(**MODEL).fit(table[0] * size).labels_, fitted.labels_)


# Weights of rows


def test_rows_of_no_weight_get_labels_and_count_for_nothing(table):
    X, y = table
    weight = np.ones(len(X))
    weight[::3] = 0
    model = DnCSC(**MODEL, n_landmarks=5000).fit(X, sample_weight=weight)
    assert_same_partition(model.labels_, y)
    assert model.n_landmarks_ == 2000


@pytest.mark.parametrize("size", [2, 2.0**-900])
def test_weights_count_by_their_ratios(two_blocks, size):
    X, _ = two_blocks
    weight = np.random.default_rng(0).integers(1, 4, 5000).astype(float)
    one, other = (DnCSC(**MODEL).fit(X[:5000], sample_weight=weight * times) for times in (1, size))
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_weights_may_be_whole_numbers(table):
    model = DnCSC(**MODEL).fit(table[0], sample_weight=np.arange(6000) % 4 + 1)
    assert_same_partition(model.labels_, table[1])


def test_too_few_rows_of_positive_weight_warn():
    X, _ = groups(3000)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(55\) found smaller than n_clusters \(60\)"):
        DnCSC(**MODEL).fit(X, sample_weight=(np.arange(3000) < 55).astype(float))


# Rows that are alike


@pytest.mark.parametrize("distinct", [1, 2, 20, 59])
def test_fewer_distinct_rows_than_clusters_get_one_cluster_each_and_a_warning(distinct):
    y = np.random.default_rng(0).permutation(2000) % distinct
    X = np.random.default_rng(1).random((distinct, 3))[y]
    with pytest.warns(ConvergenceWarning, match=rf"distinct clusters \({distinct}\) found smaller than n_clusters"):
        model = DnCSC(**MODEL).fit(X)
    assert_same_partition(model.labels_, y)
    assert model.n_landmarks_ == distinct
    assert model.tree_.shape == (distinct - 1, 4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of few rows, some may outvote one
@pytest.mark.parametrize("copies", [2, 100])
def test_copies_of_rows_share_their_clusters(copies):
    X, y = groups(6000)
    X, y = X[np.arange(6000) % (6000 // copies)], y[np.arange(6000) % (6000 // copies)]
    model = DnCSC(len(np.unique(y)), select="rows", random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_[: 6000 // copies], model.labels_[-6000 // copies :])
    assert copies > 2 or ari(y, model.labels_) == 1
    assert_sound(model, X, len(np.unique(y)))


def test_one_row_is_one_cluster():
    model = DnCSC(1, select="rows", random_state=0).fit([[3.0, 4.0]])
    assert model.labels_.tolist() == [0]
    assert model.tree_.shape == (0, 4)


@st.composite
def odd_tables(draw):
    """A table of odd rows, and a number of clusters that it has rows for."""
    n, d = draw(st.integers(1, 300)), draw(st.sampled_from([1, 2, 3, 16, 65]))
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    X = random.standard_normal((n, d)) + draw(st.sampled_from([0.0, 30.0])) * random.integers(0, 4, n)[:, None]
    X = X[random.integers(0, draw(st.sampled_from([n, max(1, n // 2), 5, 1])), n) % n]
    X = X * 10.0 ** draw(st.sampled_from([0, 0, 200, -200])) + draw(st.sampled_from([0.0, 0.0, 1e8]))
    return X, draw(st.integers(1, n))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    table=odd_tables(),
    n_landmarks=st.sampled_from(["auto", 300]),
    n_neighbors=st.sampled_from([1, 2, 5, 12]),
    bandwidth=st.sampled_from(["auto", "auto", "mean", "local", 1e-20, 0.1]),
    nearest=st.sampled_from(["auto", "exact"]),
    weighted=st.booleans(),
)
def test_odd_rows_and_parameters_give_a_sound_model(table, weighted, **given):
    X, k = table
    weight = np.arange(len(X)) % 3 + (len(X) < 3) if weighted else None
    model = DnCSC(k, select="rows", random_state=0, **given).fit(X, sample_weight=weight)
    assert_sound(model, X, k)
    assert is_valid_linkage(model.tree_) if model.n_clusters_ > 1 else model.tree_.shape == (0, 4)
    assert model.merged(model.n_clusters_).tolist() == list(range(model.n_clusters_))


# Directions


def test_directions_are_clustered():
    random = np.random.default_rng(0)
    y = random.permutation(6000) % K
    X = random.standard_normal((K, 10))[y] + 0.05 * random.standard_normal((6000, 10))
    longer = X * random.uniform(0.1, 100, (6000, 1))
    model = DnCSC(**MODEL, metric="cosine").fit(longer)
    assert_same_partition(model.labels_, y)
    np.testing.assert_allclose(np.linalg.norm(model.landmarks_, axis=1), 1)
    assert_sound(model, longer, K)


# New rows, files of models, trees


def test_transform_gives_shares_in_clusters(table, fitted):
    X = table[0]
    shares = fitted.transform(X)
    assert shares.shape == (6000, K)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares.min() >= 0
    np.testing.assert_array_equal(shares.argmax(axis=1), fitted.labels_)
    corner = np.eye(K)[fitted.labels_]
    assert fitted.inertia_ == pytest.approx(((shares - corner) ** 2).sum())
    assert fitted.get_feature_names_out().tolist() == [f"dncsc{i}" for i in range(K)]


def test_affinity_leads_to_the_same_shares(table, fitted):
    weights = fitted.affinity(table[0])
    assert weights.shape == (6000, fitted.n_landmarks_)
    cluster = fitted._model.embedding.cluster
    np.testing.assert_allclose(weights @ np.eye(K)[cluster], fitted.transform(table[0]), atol=1e-12)


def test_new_rows_go_to_the_clusters_around_them(table, fitted):
    new, y = groups(2000, seed=1)
    assert_same_partition(np.append(fitted.labels_, fitted.predict(new)), np.append(table[1], y))


def test_a_saved_model_is_the_same(two_blocks, tmp_path):
    X, model = two_blocks
    model.save(tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(X), model.labels_)
    np.testing.assert_array_equal(loaded.transform(X[:100]), model.transform(X[:100]))
    np.testing.assert_array_equal(loaded.tree_, model.tree_)
    for n in (1, 7, K):
        np.testing.assert_array_equal(loaded.merged(n), model.merged(n))


def test_the_tree_is_a_linkage_matrix_and_its_clusterings_are_nested(two_blocks):
    _, model = two_blocks
    assert is_valid_linkage(model.tree_)
    finer = model.labels_
    for n in (K, 30, 7, 2, 1):
        group = model.merged(n)[model.labels_]
        assert len(np.unique(group)) == n
        assert len(np.unique(np.stack([finer, group]), axis=1).T) == finer.max() + 1
        finer = group
    np.testing.assert_array_equal(model.merged(K), np.arange(K))


def test_coarser_clusterings_are_the_groups_of_clusters():
    """Twelve heaps of five groups that touch."""
    random = np.random.default_rng(0)
    y = random.permutation(12_000) % K
    angle = 2 * np.pi / 5 * (y % 5)
    X = np.column_stack([60.0 * (y // 5) + 4 * np.cos(angle), 4 * np.sin(angle)]) + random.standard_normal((12_000, 2))
    model = DnCSC(**MODEL).fit(X)
    assert ari(y, model.labels_) > 0.8
    assert_same_partition(model.merged(12)[model.labels_], y // 5)


@pytest.mark.parametrize("n", [0, K + 1, 2.5, "all"])
def test_other_numbers_of_groups_are_refused(fitted, n):
    with pytest.raises((ValueError, TypeError), match="n_groups"):
        fitted.merged(n)
