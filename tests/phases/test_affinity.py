"""Weights against their naive twins, and whatever the units."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import naive
import naive_methods
from dncsc import LSC, USPEC, DnCSC, clusterer, load_model
from dncsc.phases.affinity import Adaptive, Gaussian, RowNormalised, SelfTuning
from method_cases import (
    ENSEMBLES,
    every_set,
    gaussians,
    small,
    two_moons,
)

pytestmark = pytest.mark.usefixtures("one_thread")


def links(model):
    return model._model.embedding.graph.links


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
        weights = naive.adaptive(squared)
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
        (Adaptive(), naive.adaptive(squared.astype(float))),
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
