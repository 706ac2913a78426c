"""`TableEncoder` takes the tables that people have in memory, and keeps what scikit-learn promises."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import dncsc
from dncsc import DnCSC, TableEncoder

DATA = {
    "age": [20.0, 40.0, None, 60.0, 80.0],
    "member": [True, False, True, None, False],
    "city": ["Oslo", "Rome", "Oslo", None, "Rome"],
}
NAMES = ["age", "member", "city=Oslo", "city=Rome", "city is missing"]
MAKERS = {
    "pandas": pd.DataFrame,
    "categories": lambda data: pd.DataFrame(data).astype({"city": "category"}),
    "polars": pl.DataFrame,
    "polars categories": lambda data: pl.DataFrame(data, schema_overrides={"city": pl.Categorical}),
    "pyarrow": pa.table,
}


@parametrize_with_checks([TableEncoder()])
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_of_table_gives_the_same_features(kind):
    encoder = TableEncoder()
    found = encoder.fit_transform(MAKERS[kind](DATA))
    np.testing.assert_allclose(found, TableEncoder().fit_transform(pa.table(DATA)))
    assert encoder.get_feature_names_out().tolist() == NAMES
    assert encoder.feature_names_in_.tolist() == list(DATA)
    assert found[:, 0].mean() == pytest.approx(0)
    turned = MAKERS[kind]({name: DATA[name] for name in reversed(DATA)})
    np.testing.assert_array_equal(encoder.transform(turned), found)


def test_numbers_that_pandas_calls_categories_are_categories():
    frame = pd.DataFrame({"age": [20.0, 40, 30, 60], "plan": pd.Categorical([1, 2, None, 1])})
    encoder = TableEncoder(scale="none").fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["age", "plan=1", "plan=2", "plan is missing"]
    np.testing.assert_array_equal(encoder.transform(frame.astype({"plan": "Int64"})), encoder.transform(frame))
    of_arrow = pa.Table.from_pandas(frame)
    np.testing.assert_array_equal(TableEncoder(scale="none").fit_transform(of_arrow), encoder.transform(frame))


def test_categories_of_any_kind_of_pandas_are_categories():
    age = [20.0, 40.0, 30.0, 60.0] * 5
    for plan in (pd.cut(age, [0, 25, 50, 75]), pd.Categorical(pd.PeriodIndex(["2024-01", "2024-02"] * 10, freq="M"))):
        frame = pd.DataFrame({"age": age, "plan": plan})
        encoder = TableEncoder(scale="none").fit(frame)
        codes = encoder.transform(frame)[:, 1:].argmax(axis=1)
        np.testing.assert_array_equal(codes, pd.factorize(plan, sort=True)[0])
        np.testing.assert_array_equal(encoder.transform(frame.head(3)), encoder.transform(frame)[:3])


def test_sparse_columns_of_pandas_are_as_others():
    frame = pd.DataFrame({"age": [20.0, 40, 30, 60], "plan": [0, 1, 0, 1], "is_new": [True, False, False, False]})
    sparse = frame.astype({"plan": pd.SparseDtype(int), "is_new": pd.SparseDtype(bool)})
    np.testing.assert_array_equal(TableEncoder().fit_transform(sparse), TableEncoder().fit_transform(frame))


def test_it_stands_in_a_pipeline_and_is_cloned_pickled_and_asked_for_frames(blobs):
    X, y = blobs(300, k=3)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.array(["u", "v", "w"])[y], when=pd.Timestamp(0))
    model = make_pipeline(TableEncoder(dates="drop"), DnCSC(3, n_landmarks=40, random_state=0))
    labels = model.fit_predict(frame)
    assert dncsc.metrics.nmi(y, labels) > 0.95
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(frame), labels)
    encoder = clone(model[0]).set_output(transform="pandas").fit(frame)
    assert encoder.get_params() == {"categorical": "one-hot", "dates": "drop", "missing": "median", "scale": "standard"}
    found = encoder.transform(frame.set_index(frame.index + 7))
    assert found.columns.tolist() == ["a", "b", "kind=u", "kind=v", "kind=w"]
    assert found.index[0] == 7


def test_arrays_are_tables_without_names():
    X = np.array([[1.0, np.nan], [3.0, 4.0], [5.0, 6.0]])
    encoder = TableEncoder(missing="mean", scale="none").fit(X)
    np.testing.assert_array_equal(encoder.transform(X), [[1, 5], [3, 4], [5, 6]])
    assert encoder.get_feature_names_out().tolist() == ["x0", "x1"]
    mixed = np.array([[1, "a"], [2, "b"], [3, "a"]], object)
    assert TableEncoder().fit(mixed).get_feature_names_out().tolist() == ["x0", "x1=a", "x1=b"]
    assert TableEncoder().fit(mixed.tolist()).get_feature_names_out().tolist() == ["x0", "x1=a", "x1=b"]
    with pytest.raises(ValueError, match="column 'x1' holds values of several types"):
        TableEncoder().fit([[1, "a"], [2, [3]], [3, "a"]])


def test_an_array_of_objects_stands_for_the_table_that_it_was_fitted_to():
    frame = pd.DataFrame(DATA).assign(city=["Oslo", "Rome", "Oslo", np.nan, "Rome"])
    encoder = TableEncoder().fit(frame)
    np.testing.assert_array_equal(encoder.transform(frame.to_numpy()), encoder.transform(frame))


def test_gaps_that_the_fit_did_not_see_are_refused_by_the_name_of_their_column(blobs):
    X, y = blobs(60, k=3)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.array(["u", "v", "w"])[y])
    holes = frame.assign(kind=[None, *frame["kind"][1:-1], None])
    model = make_pipeline(TableEncoder(missing="refuse"), DnCSC(3, n_landmarks=20, random_state=0)).fit(frame)
    with pytest.raises(ValueError, match="column 'kind' has no value in 2 of 60 rows, the first of which is row 0"):
        model.predict(holes)
    model = make_pipeline(TableEncoder(), DnCSC(3, n_landmarks=20, random_state=0)).fit(frame)
    np.testing.assert_array_equal(model.predict(holes), model.predict(frame))


DATES = pa.array([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)] * 2)
REFUSED = [
    ({"when": DATES}, {}, "'when' holds dates: dates='number' makes numbers of them, or leave it out"),
    ({"name": ["a", "b", "c", "d", "e"]}, {}, "'name' holds texts, all different: leave it out"),
    ({"gone": pa.nulls(4)}, {}, "'gone' has no values: leave it out"),
    (
        {"city": ["a", "b"] * 2},
        {"categorical": "refuse"},
        "'city' holds texts: categorical='one-hot' makes columns of them",
    ),
    ({"a": [1, None, 3, 4]}, {"missing": "refuse"}, r"'a' lacks 1 of 4 values: missing='median' fills them\.$"),
    (
        {"a": [1, 2, 3, 4]},
        {"missing": "drop"},
        "missing must be one of 'median', 'mean', 'refuse'; got 'drop'. Drop",
    ),
    ({"a": [1, 2, 3, 4]}, {"missing": "zero"}, r"missing must be one of 'median', 'mean', 'refuse'; got 'zero'\.$"),
    (
        {"a": pa.array([1, 2, 3], pa.duration("s"))},
        {},
        r"'a' holds durations: make seconds of them, as .*seconds",
    ),
    (
        {"a": [f"{row},234" for row in range(1, 20)]},
        {},
        r"with thousands: .*pandas.read_csv\(thousands=','\)",
    ),
    ({"a": pa.array([[1], [2]] * 5)}, {}, r"'a' has values of no known kind: leave it out\.$"),
    ({"a": pa.array([b"1", b"2"] * 5)}, {}, r"'a' has values of no known kind: leave it out\.$"),
    ({"a": ["a", "b", "c"]}, {}, "'a' holds texts, 3 different in 3 rows: leave it out"),
    ({"a": [f"v{row % 101}" for row in range(300)]}, {}, "'a' holds texts, more than 100 different: leave it out"),
    ({"a": [1, 2, 3, 4]}, {"scale": "fair"}, "scale must be one of 'none', 'standard', 'robust'; got 'fair'"),
    ({"when": DATES}, {"dates": "drop"}, "no column is left"),
]


@pytest.mark.parametrize(("data", "options", "words"), REFUSED, ids=[each[-1][:30] for each in REFUSED])
def test_what_it_cannot_use_is_named(data, options, words):
    with pytest.raises(ValueError, match=words):
        TableEncoder(**options).fit(pa.table(data))


@pytest.mark.parametrize("n_values", [5, 50, 1000])
def test_a_column_of_numbers_with_a_few_texts_is_not_dropped_without_a_word(n_values):
    random = np.random.default_rng(0)
    price = random.integers(0, n_values, 1000).astype(str).astype(object)
    price[7::20] = "missing"
    frame = pd.DataFrame({"age": random.normal(size=1000), "price": price})
    frame["city"] = random.choice(["Oslo", "Rome"], 1000)
    why = "though it holds numbers, but not 'missing' in row 7: correct or empty such cells"
    with pytest.warns(UserWarning, match=f"^column 'price' is left out by categorical='drop', {why}.$") as caught:
        encoder = TableEncoder(categorical="drop").fit(frame)
    assert len(caught) == 1
    assert encoder.get_feature_names_out().tolist() == ["age"]


def test_texts_that_look_like_money_are_not_dropped_without_a_word():
    frame = pd.DataFrame({"age": range(30), "price": [f"${row}.50" for row in range(30)]})
    with pytest.warns(UserWarning, match="'price' is left out .*, though its texts look like money: write plain"):
        TableEncoder(categorical="drop").fit(frame)


def test_texts_of_numbers_and_a_few_others_that_are_a_category_stay_one():
    codes = [*map(str, range(20, 60)), "20B"] * 30
    frame = pd.DataFrame({"age": range(len(codes)), "code": pd.Categorical(codes)})
    assert len(TableEncoder().fit(frame).get_feature_names_out()) == 42


def test_what_is_no_table_yet_is_refused_with_what_to_do():
    for given, words in [
        ("clients.csv", "X is a path, not a table. Read it first"),
        (pl.DataFrame({"a": [1, 2]}).lazy(), r"LazyFrame, which has no rows yet. Give X.collect\(\)"),
        (pd.DataFrame({"a": [1j, 2j]}), "column 'a' holds values of type complex128, of which.*Leave it out"),
        (pd.DataFrame({"a": [1, "x"]}), "column 'a' holds values of several types: .*pandas.to_numeric"),
    ]:
        with pytest.raises(ValueError, match=words):
            TableEncoder().fit(given)


def test_masked_values_are_gaps():
    values = np.arange(12.0).reshape(6, 2)
    hidden = values.copy()
    hidden[1, 0] = hidden[4, 1] = np.nan
    masked = np.ma.masked_array(values, np.isnan(hidden))
    np.testing.assert_array_equal(TableEncoder().fit_transform(masked), TableEncoder().fit_transform(hidden))
    np.testing.assert_array_equal(
        TableEncoder().fit(values).transform(masked.astype(int)), TableEncoder().fit(values).transform(hidden)
    )


def test_another_table_than_it_was_fitted_to_is_refused():
    encoder = TableEncoder().fit(pa.table(DATA))
    with pytest.raises(ValueError, match="X has no column 'age', which TableEncoder was fitted to"):
        encoder.transform(pa.table({"member": [True], "city": ["Rome"]}))
    with pytest.raises(ValueError, match="X has 2 features, but TableEncoder is expecting 3"):
        encoder.transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="names that differ"):
        TableEncoder().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match="column 'a' holds values of several types"):
        TableEncoder().fit(pd.DataFrame({"a": [1, "x", [2]]}))
    with pytest.raises(ValueError, match="no rows"):
        TableEncoder().fit(pd.DataFrame({"a": []}))
    with pytest.raises(ValueError, match="X has no columns"):
        TableEncoder().fit(pd.DataFrame(index=[0, 1]))


def test_neither_pandas_nor_pyarrow_is_needed_to_import_it(run_python):
    done = run_python("import sys; sys.modules |= {'pandas': None, 'pyarrow': None}; from dncsc import TableEncoder")
    assert done.returncode == 0, done.stderr
