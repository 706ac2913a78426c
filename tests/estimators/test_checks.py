"""Odd input either works or says what is wrong and where."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from dncsc import LSEC, DnCSC, ExactSC, LloydKMeans
from dncsc.estimators.base import FewerClustersWarning
from dncsc.metrics import accuracy, nmi
from sound import assert_same_partition, assert_sound, fitted

# Values that are not finite

PLAIN = np.arange(2_000.0).reshape(500, 4)


def spoiled(*bad, n=500):
    X = np.resize(PLAIN, (n, 4)).copy()
    for row, column, value in bad:
        X[row, column] = value
    return X


@pytest.fixture(scope="module")
def plain_model():
    return fitted(PLAIN)


NOT_FINITE = {
    "NaN": ([(7, 2, np.nan)], r"1 x NaN; the first is in row 7, column 2\."),
    "inf": ([(499, 0, np.inf)], r"1 x inf; the first is in row 499, column 0\."),
    "-inf": ([(0, 3, -np.inf)], r"1 x -inf; the first is in row 0, column 3\."),
    "inf and -inf, which cancel": ([(5, 1, np.inf), (6, 1, -np.inf)], "1 x inf, 1 x -inf; the first is in row 5"),
    "all kinds": (
        [(9, 1, np.inf), (8, 3, np.nan), (9, 0, np.nan), (400, 0, -np.inf)],
        r"2 x NaN, 1 x inf, 1 x -inf; the first is in row 8, column 3\.",
    ),
}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("case", NOT_FINITE)
def test_values_that_are_not_finite_are_counted_and_the_first_is_located(case, dtype, plain_model):
    bad, words = NOT_FINITE[case]
    X = spoiled(*bad).astype(dtype)
    with pytest.raises(ValueError, match=words):
        fitted(X)
    for method in (plain_model.predict, plain_model.transform, plain_model.affinity):
        with pytest.raises(ValueError, match=words):
            method(X)


def test_values_that_are_not_finite_are_counted_over_all_blocks():
    X = spoiled((70_000, 2, np.nan), (140_000, 1, np.inf), (140_001, 1, np.nan), n=150_000).astype(np.float32)
    words = "2 x NaN, 1 x inf; the first is in row 70000, column 2"
    with pytest.raises(ValueError, match=words):
        fitted(X)
    with pytest.raises(ValueError, match=words):
        fitted(PLAIN).predict(X)


def test_values_that_are_not_finite_are_found_in_rows_of_no_weight():
    with pytest.raises(ValueError, match="row 3, column 0"):
        fitted(spoiled((3, 0, np.nan)), weight=np.where(np.arange(500) == 3, 0.0, 1.0))


def test_values_that_are_not_finite_are_located_by_the_name_of_their_column():
    names = ["width", "height", "depth", "mass"]
    table = pd.DataFrame(spoiled((7, 2, np.nan)), columns=names)
    with pytest.raises(ValueError, match=r"row 7, column 2 \('depth'\)"):
        fitted(table)
    with pytest.raises(ValueError, match=r"row 7, column 2 \('depth'\)"):
        fitted(pd.DataFrame(PLAIN, columns=names)).predict(table)


def test_values_that_are_not_finite_are_found_in_sparse_rows():
    with pytest.raises(ValueError, match="1 x NaN; the first is in row 7, column 2"):
        fitted(scipy.sparse.csr_matrix(spoiled((7, 2, np.nan))))


# Shapes and types

WRONG_TABLES = {
    "no rows": (np.empty((0, 3)), ValueError, r"0 sample\(s\)"),
    "no features": (np.empty((9, 0)), ValueError, r"0 feature\(s\)"),
    "one dimension": (np.arange(9.0), ValueError, "Expected 2D array, got 1D array"),
    "three dimensions": (np.ones((9, 3, 2)), ValueError, "dim 3"),
    "a number": (3.0, ValueError, "Expected 2D array, got scalar"),
    "complex": (np.ones((9, 2)) * 1j, ValueError, "Complex data not supported"),
    "text": (np.array([["a", "b"]] * 9), ValueError, "column 0 holds 'a' in row 0 .<U1. and column 1 holds 'b'"),
    "text in an object": (np.array([[1.0, "red"]] * 9, object), ValueError, "column 1 holds 'red' in row 0 .object."),
    "dates": (np.full((9, 2), "2020-01-01", "datetime64[s]"), (TypeError, ValueError), "datetime64|real numbers"),
    "spans of time": (np.full((9, 2), 3, "timedelta64[s]"), (TypeError, ValueError), "timedelta64|real numbers"),
    "ragged lists": ([[1.0, 2.0], [3.0]] * 5, ValueError, "inhomogeneous"),
    "nothing": (None, ValueError, "Expected 2D array"),
    "masked values": (
        np.ma.masked_array(np.ones((9, 2)), np.eye(9, 2)),
        ValueError,
        "2 of its values are masked. Leave",
    ),
    "equal names": (
        pd.DataFrame(np.ones((9, 2)), columns=["a", "a"]),
        ValueError,
        "one column called 'a'. Rename them",
    ),
    "a path": (Path("rows.csv"), ValueError, r"Open it first: dncsc.open_rows\('rows.csv'\)"),
}


@pytest.mark.parametrize("case", WRONG_TABLES)
def test_what_is_no_table_of_real_numbers_is_refused(case):
    X, kind, words = WRONG_TABLES[case]
    with pytest.raises(kind, match=words):
        fitted(X)


def test_one_row_is_one_cluster_and_no_more():
    one = np.array([[3.0, 4.0]])
    model = fitted(one, 1)
    assert_sound(model, one, 1)
    np.testing.assert_array_equal(model.landmarks_, one)
    with pytest.raises(ValueError, match="n_samples=1 should be >= n_clusters=8"):
        fitted(one, 8)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_as_many_clusters_as_rows_put_each_row_in_its_own(n):
    X = np.arange(n, dtype=float)[:, None] ** 3
    assert_same_partition(fitted(X, n).labels_, np.arange(n))


def test_another_number_of_features_is_refused_at_predict():
    model = fitted(PLAIN)
    for X in (PLAIN[:, :3], np.ones((3, 5))):
        with pytest.raises(ValueError, match=f"X has {X.shape[1]} features, but DnCSC is expecting 4 features"):
            model.predict(X)


@pytest.mark.parametrize("method", ["predict", "transform", "affinity", "get_feature_names_out"])
def test_what_needs_a_fit_says_so(method):
    with pytest.raises(NotFittedError, match="not fitted"):
        getattr(DnCSC(), method)(*([] if "names" in method else [PLAIN]))


def test_a_failed_fit_leaves_an_unfitted_estimator_unfitted():
    model = DnCSC(2, random_state=0)
    with pytest.raises(ValueError, match="not finite"):
        model.fit(spoiled((7, 2, np.nan)))
    with pytest.raises(NotFittedError):
        model.predict(PLAIN)


def test_a_failed_fit_does_not_let_rows_of_another_width_into_the_model_before_it():
    model = fitted(PLAIN)
    with pytest.raises(ValueError, match="not finite"):
        model.fit(spoiled((7, 2, np.nan))[:, :3])
    with pytest.raises(ValueError, match=r"3 features|not fitted"):
        model.predict(PLAIN[:, :3])


WORKING_PRECISION = {
    "bool": "float32",
    "int8": "float32",
    "uint8": "float32",
    "int16": "float32",
    "uint16": "float32",
    "float16": "float32",
    "float32": "float32",
    "int32": "float64",
    "int64": "float64",
    "uint64": "float64",
    "float64": "float64",
    "longdouble": "float64",
    "object": "float64",
    ">f4": "float32",
    ">i2": "float32",
    ">f8": "float64",
}


@pytest.mark.parametrize("dtype", WORKING_PRECISION)
def test_numbers_of_every_type_work_in_the_precision_that_holds_them(dtype):
    random = np.random.default_rng(0)
    y = np.arange(300) % 3
    corners = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 1, 0], [1, 1, 1, 0, 0, 0]])
    flipped = random.random((300, 6)) < 0.02
    X = (corners[y] ^ flipped) * (1 if dtype == "bool" else 100)
    model = fitted(X.astype(dtype), 3, n_landmarks=20)
    assert model.landmarks_.dtype == WORKING_PRECISION[dtype]
    assert model.transform(X.astype(dtype)).dtype == WORKING_PRECISION[dtype]
    assert nmi(y, model.labels_) > 0.8
    assert_sound(model, X.astype(dtype), 3)


def test_a_model_keeps_its_precision_for_rows_of_another_type(blobs):
    X, _ = blobs(400, dtype="float32")
    model = fitted(X, 4)
    assert model.transform(X.astype(np.float64)).dtype == np.float32
    np.testing.assert_array_equal(model.predict(X.astype(np.float64)), model.labels_)


# Rows that are alike


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [0.0, 0.1, -3e7, 1e-30])
def test_identical_rows_are_one_cluster_and_a_warning(value, dtype):
    X = np.full((300, 3), value, dtype)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\) found smaller than n_clusters \(4\)"):
        model = fitted(X, 4)
    assert model.n_landmarks_ == 1
    assert len(np.unique(model.labels_)) == 1
    np.testing.assert_allclose(model.landmarks_, X[:1], rtol=1e-6)
    assert_sound(model, X, 4)
    assert len(np.unique(fitted(X, 1).labels_)) == 1


@pytest.mark.parametrize("n_clusters", [4, "auto"])
def test_identical_rows_are_told_by_one_warning(n_clusters):
    with pytest.warns(FewerClustersWarning) as told:
        model = DnCSC(n_clusters, random_state=0).fit(np.ones((300, 3)))
    assert [warning.category for warning in told] == [FewerClustersWarning]
    assert model.n_clusters_ == 1


@pytest.mark.parametrize("method", [DnCSC, LSEC, LloydKMeans, ExactSC])
def test_a_warning_names_the_line_of_the_caller(method):
    with pytest.warns(ConvergenceWarning) as told:
        method(4, random_state=0).fit(np.ones((300, 3)))
    assert {warning.filename for warning in told} == {__file__}


@pytest.mark.parametrize("distinct", [2, 3, 5])
def test_fewer_distinct_rows_than_clusters_get_one_cluster_each_and_a_warning(distinct):
    y = np.random.default_rng(0).permutation(400) % distinct
    X = np.array([[0.1, 7.0], [0.3, -2.0], [9.0, 9.0], [-5.0, 0.7], [100.0, 0.0]])[y]
    with pytest.warns(ConvergenceWarning, match=f"distinct clusters .{distinct}. found smaller"):
        model = fitted(X, 8)
    assert model.n_landmarks_ == distinct
    assert_same_partition(model.labels_, y)
    assert_sound(model, X, 8)


@pytest.mark.filterwarnings("ignore:There is no clear gap")  # among a hundredth of the rows
@pytest.mark.parametrize("where", ["first", "last", "anywhere"])
def test_duplicates_of_one_row_do_not_hide_the_others(blobs, where):
    few, y = blobs(100, k=3)
    X = np.concatenate([few, np.full((9_900, 2), 200.0)])
    y = np.concatenate([y, np.full(9_900, 3)])
    order = {
        "first": np.arange(10_000),
        "last": np.arange(10_000)[::-1],
        "anywhere": np.random.default_rng(0).permutation(10_000),
    }[where]
    model = fitted(X[order], 4)
    assert_same_partition(model.labels_, y[order])
    assert_sound(model, X[order], 4)


def test_a_constant_feature_changes_nothing(moons):
    X, _ = moons
    expected = fitted(X).labels_
    with_constant = np.column_stack([X, np.full(len(X), 0.3)])
    assert accuracy(expected, fitted(with_constant).labels_) > 0.995
    assert_sound(fitted(with_constant), with_constant, 2)


# Where the data lies


@pytest.mark.parametrize("offset", [1e8, -1e8, 2.0**30])
def test_an_offset_changes_nothing_in_double_precision(moons, offset):
    X, _ = moons
    model = fitted(X + offset)
    assert accuracy(fitted(X).labels_, model.labels_) > 0.999
    np.testing.assert_allclose(model.bandwidth_, fitted(X).bandwidth_, rtol=1e-2)
    assert_sound(model, X + offset, 2)


def test_an_offset_leaves_clear_groups_clear_in_both_precisions(blobs):
    X, y = blobs(3_000, 8, apart=100.0)
    for dtype, offset in (("float64", 1e10), ("float32", 1e4), ("float32", 1e5)):
        table = (X + offset).astype(dtype)
        model = fitted(table, 4)
        assert_same_partition(model.labels_, y)
        assert_sound(model, table, 4)


@pytest.mark.parametrize(
    ("dtype", "powers"), [("float64", [600, 660, -600, 1, -1]), ("float32", [100, -80, 10])], ids=["float64", "float32"]
)
def test_a_power_of_two_changes_nothing_at_all(moons, dtype, powers):
    X = moons[0].astype(dtype)
    expected = fitted(X)
    for power in powers:
        scaled = np.ldexp(X, power)
        model = fitted(scaled)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.landmarks_, np.ldexp(expected.landmarks_, power))
        assert_sound(model, scaled, 2)


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e300, 1e-310])
def test_huge_and_tiny_rows_are_clustered_like_any_others(moons, scale):
    X, _ = moons
    model = fitted(X * scale)
    assert accuracy(fitted(X).labels_, model.labels_) > 0.995
    assert_sound(model, X * scale, 2)


def test_features_that_overflow_when_summed_are_clustered_like_any_others(blobs):
    X, y = blobs(600, 3, k=2)
    table = X / np.abs(X).max() * np.finfo(np.float64).max
    model = fitted(table, 2)
    assert_same_partition(model.labels_, y)
    assert_sound(model, table, 2)


@pytest.mark.parametrize("far", [1e6, 1e20])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_far_outlier_does_not_hide_the_other_rows(blobs, dtype, far):
    X, y = blobs(2_000, dtype=dtype, apart=60.0)
    table = np.concatenate([X, np.array([[far, -far]], dtype)])
    model = fitted(table, 4)
    assert nmi(y, model.labels_[:-1]) > 0.95
    assert_sound(model, table, 4)


@pytest.mark.parametrize(
    ("dtype", "far"),
    [("float64", 1e300), ("float64", -1.7e308), ("float32", np.finfo("float32").max), ("float32", -1e32)],
)
@pytest.mark.parametrize("kind", [DnCSC, LloydKMeans])
def test_a_row_so_far_that_the_others_would_vanish_is_named_with_its_value(blobs, dtype, far, kind):
    X = blobs(2_000, dtype=dtype, apart=60.0)[0].copy()
    X[1_234, 1] = far
    said = re.escape(f"row 1234 has the value {far:.6g} in column 1 ('b')")
    with pytest.raises(ValueError, match=said) as caught:
        kind(4).fit(pd.DataFrame(X, columns=["a", "b"]))
    assert ("give all as float64" in str(caught.value)) == (dtype == "float32")
    if dtype == "float32":
        assert_sound(fitted(X.astype(np.float64), 4), X, 4)


def test_features_of_very_different_scale_work_and_the_largest_decides(blobs):
    X, y = blobs(1_000, 1)
    table = np.column_stack([X * 1e12, np.random.default_rng(0).standard_normal(1_000)])
    model = fitted(table, 4)
    assert_same_partition(model.labels_, y)
    assert_sound(model, table, 4)


@pytest.mark.parametrize(
    ("groups", "k", "dtype"), [(40, 3, "float32"), (40, 39, "float64"), (15, 14, "float32"), (120, 2, "float64")]
)
def test_more_components_than_clusters_keep_every_group_whole(groups, k, dtype):
    random = np.random.default_rng(0)
    y = random.permutation(groups * 30) % groups
    centres = random.permutation(groups)[:, None] * [1_000.0, 0.0]
    X = (centres[y] + random.standard_normal((len(y), 2))).astype(dtype)
    model = fitted(X, k, n_landmarks=1_000)
    assert model.n_graph_components_ > k
    assert len(np.unique(model.labels_)) == k
    for group in range(groups):
        assert len(np.unique(model.labels_[y == group])) == 1
    assert_sound(model, X, k)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("bandwidth", ["mean", 1.0, 0.05, 1e-8, 1e8])
def test_groups_without_a_link_between_them_are_the_clusters_for_any_bandwidth(blobs, bandwidth, dtype):
    X, y = blobs(2_000, apart=200.0, dtype=dtype)
    model = fitted(X, 4, bandwidth=bandwidth)
    assert model.n_graph_components_ >= 4
    assert_same_partition(model.labels_, y)


# Sample weights


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.full(500, -1.0), "[Nn]egative"),
        (np.where(np.arange(500) == 3, -1e-9, 1.0), "[Nn]egative"),
        (np.zeros(500), "sample_weight is 0 for every row|at least one non-zero"),  # ours, or a newer scikit-learn's
        (np.ones(499), r"sample_weight.shape == \(499,\), expected \(500,\)"),
        (np.ones((500, 2)), "[Ss]ample weights must be 1D"),
        (np.full(500, np.nan), "NaN"),
        (np.full(500, np.inf), "inf"),
    ],
    ids=["negative", "one negative", "all zero", "too few", "two columns", "NaN", "inf"],
)
def test_wrong_weights_are_refused(weight, words):
    with pytest.raises(ValueError, match=words):
        fitted(PLAIN, weight=weight)


def test_a_weight_of_two_counts_as_two_rows(moons, blobs):
    for X, k in ((moons[0][:200], 2), (blobs(3_000)[0], 4)):
        twice = np.arange(len(X)) % 3 == 0
        weighted = fitted(X, k, weight=np.where(twice, 2.0, 1.0))
        repeated = fitted(np.concatenate([X, X[twice]]), k)
        assert_same_partition(weighted.labels_, repeated.labels_[: len(X)])
        np.testing.assert_array_equal(weighted.predict(X), weighted.labels_)


def test_a_weight_shared_by_all_rows_changes_nothing(moons):
    X, _ = moons
    expected = fitted(X).labels_
    for weight in (1.0, 4.0, 0.5, 2.0**-40):
        np.testing.assert_array_equal(fitted(X, weight=np.full(len(X), weight)).labels_, expected)


def test_rows_of_no_weight_get_labels_and_nothing_else(blobs):
    X, y = blobs(1_000)
    noise = np.random.default_rng(0).uniform(-500, 500, (2_000, 2))
    table = np.concatenate([X, noise])
    model = fitted(table, 4, weight=np.repeat([1.0, 0.0], [1_000, 2_000]))
    assert_same_partition(model.labels_[:1_000], y)
    assert_sound(model, table, 4)
    low, high = X.min(axis=0), X.max(axis=0)
    assert ((model.landmarks_ >= low) & (model.landmarks_ <= high)).all()


def test_fewer_rows_of_weight_than_clusters_get_a_warning(blobs):
    X, _ = blobs(300)
    with pytest.warns(ConvergenceWarning, match="found smaller than n_clusters"):
        model = fitted(X, 4, weight=(np.arange(300) < 2).astype(float))
    assert_sound(model, X, 4)


# Sparse rows

SPARSE = ["csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "csc_array", "lil_array"]


@pytest.fixture(scope="module")
def dense():
    """Two blocks of mostly zeros and their groups, in each precision with the labels they get."""
    random = np.random.default_rng(0)
    y = random.permutation(9_000) % 4
    X = np.where(random.random((9_000, 120)) < 0.1, random.random((9_000, 120)), 0.0)
    X[np.arange(9_000), y] += 5.0
    tables = {dtype: X.astype(dtype) for dtype in ("float32", "float64")}
    return {dtype: (table, y, fitted(table, 4).labels_) for dtype, table in tables.items()}


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_rows_give_what_the_same_dense_rows_give(kind, dense):
    dense, y, labels = dense["float32" if SPARSE.index(kind) % 2 else "float64"]
    sparse = getattr(scipy.sparse, kind)(dense)
    model = fitted(sparse, 4)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_array_equal(model.predict(sparse), model.labels_)
    np.testing.assert_array_equal(model.predict(dense), model.labels_)
    np.testing.assert_array_equal(model.transform(sparse), model.transform(dense))
    assert_same_partition(model.labels_, y)


# All of it together


@st.composite
def tables(draw):
    """A table of odd rows and a number of clusters that it has rows for."""
    n = draw(st.integers(1, 400))
    d = draw(st.sampled_from([1, 2, 3, 5, 15, 16, 17, 63, 64, 65, 130]))
    random = np.random.default_rng(draw(st.integers(0, 1_000)))
    X = random.standard_normal((n, d))
    X += draw(st.sampled_from([0.0, 3.0, 30.0])) * random.integers(0, 4, n)[:, None]
    distinct = draw(st.sampled_from([n, max(1, n // 2), min(n, 5), 1]))
    X = X[random.integers(0, distinct, n)] if distinct < n else X
    dtype = draw(st.sampled_from(["float32", "float64", "float16", "int8", "int64", "bool", ">f8"]))
    if np.dtype(dtype).kind == "f" and dtype != "float16":
        highest = 30 if dtype == "float32" else 250
        X = X * 10.0 ** draw(st.sampled_from([0, 0, 3, -3, highest, -highest]))
        X = X + draw(st.sampled_from([0.0, 0.0, 1.0, 1e4, -1e8]))
    X = np.asarray(X.astype(dtype), order=draw(st.sampled_from("CF")))
    return X, draw(st.integers(1, min(n, 12)))


@st.composite
def choices(draw, k):
    """Parameters of an estimator."""
    return {
        "n_landmarks": draw(st.integers(k, 60)),
        "n_neighbors": draw(st.integers(1, 12)),
        "selection_rate": draw(st.sampled_from(["auto", 2, 3, 10])),
        "sample_size": draw(st.sampled_from(["auto", 2, 20])),
        "n_candidates": draw(st.sampled_from(["auto", 1, 7])),
        "bandwidth": draw(st.sampled_from(["mean", "mean", 0.5, 1e-20, 1e20])),
        "nearest": draw(st.sampled_from(["auto", "candidates", "exact"])),
        "normalize": draw(st.sampled_from(["l2", "l1"])),
        "n_jobs": draw(st.sampled_from([1, 2])),
    }


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_combination_of_the_above_gives_a_sound_model(data):
    X, k = data.draw(tables(), "table and k")
    assert_sound(fitted(X, k, **data.draw(choices(k), "parameters")), X, k)
