"""Every method by its name, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_clusterer

from dncsc import LSC, clusterer, methods
from method_cases import (
    CLASSES,
    KINDS,
    NAMES,
)


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
    ("dnc-sc", {"select": "k-means"}, "'auto', 'dnc', 'dnc-kmeans', 'kmeans', 'rows'; got 'k-means'.* Did you mean '"),
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
