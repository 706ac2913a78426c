"""A model says how clear its cut was, and warns where clusters may be arbitrary or another number of them."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn import datasets
from sklearn.preprocessing import StandardScaler

from dncsc import DnCSC, UnclearClustersWarning, load_model, watch
from dncsc.datasets import embeddings
from dncsc.errors import InputError
from dncsc.phases.cut import eigenpairs


def blobs(seed, **more):
    return datasets.make_blobs(3000, centers=5, random_state=seed, **more)[0]


def touching(random):
    places = np.array([[0, 0], [3.2, 0], [12, 0], [0, 12], [12, 12]])
    return places[random.integers(5, size=4000)] + random.standard_normal((4000, 2))


OFTEN_MISCOUNTED = {
    "digits": lambda: datasets.load_digits().data,
    "iris": lambda: datasets.load_iris().data,
    "iris, scaled": lambda: StandardScaler().fit_transform(datasets.load_iris().data),
    "wine": lambda: StandardScaler().fit_transform(datasets.load_wine().data),
    "breast cancer": lambda: StandardScaler().fit_transform(datasets.load_breast_cancer().data),
    "blobs near each other": lambda: blobs(0),
    "blobs that overlap": lambda: blobs(1, cluster_std=1.8),
    "five blobs of which two touch": lambda: touching(np.random.default_rng(0)),
}


@pytest.mark.parametrize("name", OFTEN_MISCOUNTED)
def test_a_number_of_clusters_that_may_be_another_one_is_told(name):
    with pytest.warns(UnclearClustersWarning, match="not sure how many"):
        model = DnCSC("auto", random_state=0).fit(OFTEN_MISCOUNTED[name]())
    assert model.diagnosis_.is_doubtful


@pytest.mark.parametrize("k", [3, 5])
def test_groups_that_lie_apart_are_counted_without_a_warning(k):
    X = datasets.make_blobs(3000, n_features=8, centers=k, random_state=0)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = DnCSC("auto", random_state=0).fit(X)
    assert model.n_clusters_ == k
    assert model.diagnosis_.is_clear


def test_other_numbers_are_named_with_the_gaps_behind_them():
    with pytest.warns(UnclearClustersWarning, match=r"4 were taken.*5 are enough.*other numbers have one, too: 5 \("):
        DnCSC("auto", random_state=0).fit(touching(np.random.default_rng(0)))


def test_a_clear_count_that_other_landmarks_do_not_confirm_is_told_with_what_they_find():
    overlapping = datasets.make_blobs(10_000, 4, centers=5, cluster_std=2.5, center_box=(-8, 8), random_state=100)[0]
    with pytest.warns(UnclearClustersWarning, match=r"3 were taken.*clear gap.*too: 5 \(2.8 times\)"):
        model = DnCSC("auto", random_state=0).fit(overlapping)
    assert model.diagnosis_.second_count == 3
    assert "Counted again with other landmarks, there are as many, but not clearly so." in str(model.diagnosis_)
    assert "with other landmarks, there are 7." in str(replace(model.diagnosis_, second_count=7))


@pytest.mark.parametrize("error", [InputError("eigenvectors were not found"), np.linalg.LinAlgError("not converged")])
def test_a_second_count_whose_solver_fails_is_a_doubt_and_ends_no_fit(monkeypatch, error):
    X = datasets.make_blobs(3000, 8, centers=3, random_state=0)[0]
    expected = DnCSC("auto", random_state=0).fit(X)
    solve = eigenpairs.leading_eigenpairs

    def fail_for_fewer_landmarks(matrix, *arguments):
        if phases[-1] == "confirm":
            raise error
        return solve(matrix, *arguments)

    phases = []
    monkeypatch.setattr(eigenpairs, "leading_eigenpairs", fail_for_fewer_landmarks)
    doubts = pytest.warns(UnclearClustersWarning, match="as many, but not clearly so")
    with watch(lambda phase, *event: phases.append(phase)), doubts:
        model = DnCSC("auto", random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.diagnosis_.second_count == 3
    np.testing.assert_array_equal(model.predict(X), expected.labels_)


def test_only_a_count_that_nothing_speaks_against_is_made_again():
    clear = DnCSC("auto", random_state=0).fit(datasets.make_blobs(3000, 8, centers=3, random_state=0)[0])
    assert clear.diagnosis_.second_count is None
    assert "confirm" in clear.timings_
    with pytest.warns(UnclearClustersWarning):
        doubtful = DnCSC("auto", random_state=0).fit(datasets.load_iris().data)
    assert "confirm" not in doubtful.timings_
    assert "confirm" not in DnCSC(3, random_state=0).fit(datasets.load_iris().data).timings_


def test_one_cluster_of_nearly_all_rows_is_told():
    with pytest.warns(UnclearClustersWarning, match="One cluster has 89 % of the rows|One cluster has 89% of the rows"):
        DnCSC("auto", random_state=0).fit(datasets.load_digits().data)


@pytest.mark.parametrize(("apart", "is_doubtful"), [(3.5, True), (4.5, False)])
def test_a_cut_that_leaves_hardly_a_row_to_other_clusters_warns_unless_its_gap_is_clear(apart, is_doubtful):
    X = np.random.default_rng(2).normal(size=(3000, 2))
    X[:150] = 0.7 * X[:150] + [apart, 0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = DnCSC(2, random_state=0).fit(X)
    assert model.diagnosis_.largest_share > 0.85
    assert model.diagnosis_.is_doubtful == is_doubtful
    assert ["others may be outliers: try fewer" in str(warning.message) for warning in caught] == [True] * is_doubtful


def test_small_gaps_are_named_where_a_count_is_doubtful_and_no_wide_one_is_found():
    with pytest.warns(UnclearClustersWarning, match=r"other numbers have one, too: 7 \(2.0 times\), 2 \("):
        model = DnCSC("auto", random_state=0).fit(datasets.load_digits().data)
    sure = replace(model.diagnosis_, largest_share=0.4, tells_categories=False)
    assert not sure.is_doubtful
    assert "Other numbers" not in str(sure)


def test_it_is_told_how_small_a_group_may_be_to_be_counted_and_that_other_landmarks_count_one():
    X = datasets.make_blobs([1500, 1500, 12], n_features=8, centers=20 * np.eye(3, 8), random_state=0)[0]
    with pytest.warns(UnclearClustersWarning, match=r"2 were taken.*too: 3 \("):
        model = DnCSC("auto", random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert model.diagnosis_.smallest == 31
    assert "Groups of fewer than 31 rows may not be counted." in str(model.diagnosis_)
    assert DnCSC(3, random_state=0).fit(X).diagnosis_.smallest is None


@pytest.mark.filterwarnings("ignore")
def test_no_group_has_to_have_more_rows_than_there_are():
    assert DnCSC("auto", random_state=0).fit(np.ones((50, 2))).diagnosis_.smallest == 50


def test_a_graph_that_falls_into_cells_of_categories_is_told():
    random = np.random.default_rng(0)
    cells = 30 * np.eye(12)[random.integers(12, size=4000)]
    X = np.concatenate([random.standard_normal((4000, 2)), cells], axis=1)
    with pytest.warns(UnclearClustersWarning, match="tear the graph: it falls into cells"):
        model = DnCSC(4, random_state=0).fit(X)
    assert model.diagnosis_.is_torn


def test_the_diagnosis_is_kept_with_the_model(tmp_path):
    model = DnCSC(3, random_state=0).fit(datasets.load_iris().data)
    model.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz").diagnosis_
    assert str(again) == str(model.diagnosis_)
    assert again == model.diagnosis_
    assert replace(again, clearness=1.0) != model.diagnosis_ != str(again)
    assert "the eigenvalue behind 3 clusters is" in str(again)


def test_where_there_may_be_more_clusters_than_were_looked_for_this_is_told():
    X, _ = embeddings(6000, 64, 30, 0)
    with pytest.warns(UnclearClustersWarning, match="or a larger max_clusters if there may be more clusters than that"):
        DnCSC("auto", max_clusters=10, metric="cosine", random_state=0).fit(X)


def test_of_many_clusters_a_range_is_told():
    X, y = embeddings(20_000, 128, 80, 1)
    model = DnCSC("auto", max_clusters=150, metric="cosine", random_state=0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X)
    fewest, most = model.diagnosis_.between
    assert fewest <= model.n_clusters_ <= most
    assert f"there may be {fewest} to {most}" in str(model.diagnosis_)
    assert bool(told) == model.diagnosis_.is_doubtful
    assert fewest <= np.count_nonzero(np.bincount(y) > 20) <= most + 2


def test_only_parts_that_were_joined_are_compared_by_how_far_they_are():
    four = datasets.make_blobs(3000, centers=30 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]]), random_state=0)[0]
    joined, left_out = (DnCSC(k, random_state=0).fit(four).diagnosis_ for k in (3, 4))
    assert min(joined.n_components - 3, left_out.n_components - 4) > 0
    assert "the lightest were joined" in str(joined)
    assert "as far as the one that was joined" in str(joined)
    assert "small ones are taken for outliers" in str(left_out)
    assert "the eigenvalue behind 4 clusters is" in str(left_out)


def table_of_groups(n, seed, n_cities):
    """Three groups far apart in three numbers, and a category that says nothing of them, as `TableEncoder` has it."""
    random = np.random.default_rng(seed)
    group = random.integers(3, size=n)
    numbers = np.array([[0, 0, 0], [8, 0, 5], [0, 8, 8]])[group] + random.standard_normal((n, 3))
    return StandardScaler().fit_transform(numbers), np.eye(n_cities)[random.integers(n_cities, size=n)] / 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [600, 6_000])
@pytest.mark.filterwarnings("ignore::dncsc.UnclearClustersWarning")
def test_cells_of_a_category_are_not_counted(n, seed):
    """They are 12, with a gap of thousands; a coarser graph shows three groups."""
    model = DnCSC("auto", random_state=0).fit(np.hstack(table_of_groups(n, seed, n_cities=4)))
    assert model.n_clusters_ == 3
    assert model.diagnosis_.is_coarse


@pytest.mark.parametrize("n", [600, 6_000])
def test_a_count_of_cells_that_no_graph_sees_beyond_is_told(n):
    numbers, city = table_of_groups(n, 0, n_cities=2)
    with pytest.warns(UnclearClustersWarning, match="apart who shares one value of a column, as a category"):
        model = DnCSC("auto", random_state=0).fit(np.hstack([numbers, 3 * city]))
    assert model.n_clusters_ == 6
    assert model.diagnosis_.tells_categories
