"""Parameters: what each may be, and that checking them has no effect."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc import DnCSC, NystromSC, clusterer, methods
from dncsc.errors import ParameterError, ParameterOrderError
from dncsc.estimators.parameters import CONSTRAINTS, check_parameters
from dncsc.estimators.registry import CLASSES
from sound import assert_same_partition, assert_sound, fitted

PLAIN = np.arange(2_000.0).reshape(500, 4)

WRONG_PARAMETERS = [
    ("n_clusters", [0, -1, 2.0, 2.5, "2", None, True, np.nan], "n_clusters must be an integer of at least 1"),
    ("n_landmarks", [0, -5, 10.0, None], "n_landmarks must be an integer of at least 1"),
    ("n_neighbors", [0, 1.5, "all"], "n_neighbors must be an integer of at least 1"),
    ("selection_rate", [1, 0, "automatic", 2.5], 'selection_rate must be an integer of at least 2 or "auto"'),
    ("sample_size", [1, -3, None], 'sample_size must be an integer of at least 2 or "auto"'),
    ("n_candidates", [0, "many"], 'n_candidates must be an integer of at least 1 or "auto"'),
    (
        "bandwidth",
        [0, 0.0, -1.0, np.inf, 10**400, np.nan, "median", None, True],
        "bandwidth must be 'auto', 'mean', 'local', 'adaptive' or a positive",
    ),
    ("nearest", ["all", None, 3], "nearest must be one of 'auto', 'candidates', 'exact'"),
    ("normalize", ["max", None, 2], "normalize must be one of 'l2', 'l1'"),
    ("n_init", [0, "auto", 1.0], "n_init must be an integer of at least 1"),
    ("max_iter", [0, -1, 5.5], "max_iter must be an integer of at least 1"),
    ("n_jobs", [0, 1.5, "all"], "n_jobs must be None or an integer other than 0"),
    ("max_clusters", [1, "all"], "max_clusters must be an integer of at least 2"),
    ("random_state", [-1, "seed", 0.5], "random_state must be None, an integer"),
    ("max_memory", ["plenty", 0, -1], 'max_memory must be a size such as "2GB"'),
    ("checkpoint", [3], "checkpoint must be a path or None"),
    ("scratch_dir", [3], "scratch_dir must be a path or None"),
]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [(name, value, words) for name, values, words in WRONG_PARAMETERS for value in values],
)
def test_a_wrong_parameter_is_named_with_what_it_should_be_and_what_it_is(name, value, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        DnCSC(**{name: value}).fit(PLAIN)
    assert repr(value) in str(caught.value)
    assert (caught.value.name, repr(caught.value.value)) == (name, repr(value))


def test_numbers_of_numpy_are_as_good_as_those_of_python(moons):
    X, _ = moons
    model = DnCSC(np.int64(2), n_landmarks=np.int32(100), bandwidth=np.float32(0.25), n_jobs=np.int8(2), random_state=0)
    expected = DnCSC(2, n_landmarks=100, bandwidth=0.25, random_state=0).fit_predict(X)
    np.testing.assert_array_equal(model.fit_predict(X), expected)


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ValueError, match="n_samples=500 should be >= n_clusters=501"):
        fitted(PLAIN, 501, n_landmarks=1_000)


def test_fewer_landmarks_than_clusters_are_refused():
    with pytest.raises(ValueError, match="n_landmarks=5 must be at least n_clusters=6"):
        fitted(PLAIN, 6, n_landmarks=5)


@pytest.mark.parametrize("nearest", ["candidates", "exact"])
def test_more_neighbours_than_landmarks_mean_all_of_them(blobs, nearest):
    X, _ = blobs(400)
    model = fitted(X, 4, n_landmarks=10, n_neighbors=50, nearest=nearest)
    assert (np.diff(model.affinity(X).indptr) == 10).all()
    assert_sound(model, X, 4)


def test_more_landmarks_than_rows_mean_fewer_landmarks(blobs):
    X, y = blobs(60)
    model = fitted(X, 4, n_landmarks=1_000)
    assert model.n_landmarks_ <= 60
    assert_sound(model, X, 4)
    assert_same_partition(model.labels_, y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_neighbors": 1},
        {"n_candidates": 1},
        {"selection_rate": 2},
        {"sample_size": 2},
        {"max_iter": 1, "n_init": 1},
        {"n_landmarks": 4},
        {"normalize": "l1"},
        {"bandwidth": 1e-40},
        {"bandwidth": 1e40},
        {"n_jobs": -100},
        {"random_state": np.random.RandomState(3)},
    ],
    ids=lambda given: str(given).split(" at ")[0],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_least_and_the_oddest_parameters_work(blobs, parameters):
    X, _ = blobs(500, dtype="float32" if "n_landmarks" in parameters or "bandwidth" in parameters else "float64")
    assert_sound(fitted(X, 4, **parameters), X, 4)


def test_a_word_that_is_nearly_right_is_answered_with_the_right_one():
    with pytest.raises(ParameterError, match="Did you mean 'adaptive'") as caught:
        check_parameters(DnCSC(bandwidth="Adaptiv"))
    assert caught.value.hint == "Did you mean 'adaptive'?"


def test_a_class_takes_no_words_that_only_others_know():
    with pytest.raises(ParameterError, match="bandwidth must be 'mean' or a positive number; got 'local'"):
        check_parameters(NystromSC(bandwidth="local"))
    with pytest.raises(ParameterError, match="n_clusters must be an integer of at least 1; got 'auto'"):
        check_parameters(NystromSC("auto"))


def test_which_parameter_is_too_small_is_told_by_fields():
    with pytest.raises(ParameterOrderError) as caught:
        check_parameters(DnCSC(6, n_landmarks=5))
    error = caught.value
    assert (error.name, error.value, error.least_name, error.least) == ("n_landmarks", 5, "n_clusters", 6)


@pytest.mark.parametrize("kind", CLASSES.values())
def test_every_parameter_of_every_class_stands_in_the_table(kind):
    assert set(kind().get_params()) <= set(CONSTRAINTS)
    assert set(kind._constraints) == set(CONSTRAINTS)


@pytest.mark.parametrize("name", methods())
def test_every_method_passes_its_own_check(name):
    assert check_parameters(clusterer(name, 3)).n_clusters == 3


def test_checking_draws_no_random_number_and_touches_no_file(tmp_path):
    random = np.random.RandomState(0)
    folder = tmp_path / "damaged"
    folder.mkdir()
    (folder / "manifest.json").write_text("no manifest")
    for _ in range(2):
        check_parameters(DnCSC(3, random_state=random, checkpoint=folder, scratch_dir=tmp_path / "nowhere"))
    assert random.randint(10**9) == np.random.RandomState(0).randint(10**9)
    assert [path.name for path in tmp_path.iterdir()] == ["damaged"]


def test_a_fit_draws_one_number_from_its_random_state():
    random, other = np.random.RandomState(0), np.random.RandomState(0)
    DnCSC(2, n_landmarks=20, random_state=random).fit(PLAIN)
    other.randint(np.iinfo(np.int32).max)
    assert random.randint(10**9) == other.randint(10**9)
