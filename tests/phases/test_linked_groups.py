"""Where rows are few, thin clusters are neither cut across nor lose their ends, if single linkage shows them."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import make_moons

from dncsc import LSEC, DnCSC, load_model
from dncsc.metrics import ari


def two_lines(seed, n=800):
    """Two thin lines side by side: a cut across both costs less than one between them."""
    random, y = np.random.default_rng(seed), np.repeat([0, 1], n // 2)
    return np.column_stack([random.uniform(0, 8, n), 0.4 * y + random.normal(0, 0.06, n)]), y


def ring_around_dot(seed, n_dot):
    """A ring of 180 rows with a wide gap, and a small group in its middle."""
    random = np.random.default_rng(seed)
    turn = random.uniform(0.3 * np.pi, 1.7 * np.pi, 180)
    ring = 2 * np.column_stack([np.cos(turn), np.sin(turn)]) + random.normal(0, 0.12, (180, 2))
    return np.vstack([ring, random.normal((0.2, 0), 0.35, (n_dot, 2))]), np.repeat([0, 1], [180, n_dot])


@pytest.mark.parametrize("seed", [6, 9, 10])
def test_two_thin_lines_are_two_clusters(seed, tmp_path):
    X, y = two_lines(seed)
    model = DnCSC(2, random_state=0).fit(X)
    assert ari(y, model.labels_) > 0.95  # 0.01, 0.32 and 0.05 by the graph
    assert "single linkage" in str(model.diagnosis_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    model.save(tmp_path / "lines.npz")
    again = load_model(tmp_path / "lines.npz")
    assert again.diagnosis_.is_by_linkage
    np.testing.assert_array_equal(again.predict(X), model.labels_)


def test_groups_are_the_same_on_any_engine_and_with_any_threads():
    X, _ = two_lines(6)
    labels = DnCSC(2, random_state=0, n_jobs=1).fit_predict(X)
    np.testing.assert_array_equal(DnCSC(2, random_state=0, n_jobs=2).fit_predict(X), labels)
    on_dask = DnCSC(2, random_state=0).fit_predict(da.from_array(X, chunks=(300, 2)))
    np.testing.assert_array_equal(np.asarray(on_dask), labels)


def test_inertia_is_that_of_rows_in_their_own_clusters():
    X, _ = two_lines(6)
    model = DnCSC(2, random_state=0).fit(X)
    squared = np.sum((model.transform(X) - model.cluster_centers_[model.labels_]) ** 2)
    np.testing.assert_allclose(model.inertia_, squared, rtol=1e-6)


def test_refined_labels_keep_to_the_groups():
    X, y = two_lines(6)
    assert ari(y, DnCSC(2, refine=True, random_state=0).fit_predict(X)) > 0.95


def test_ensembles_know_the_groups_of_their_members():
    X, y = two_lines(6)
    assert ari(y, LSEC(2, random_state=0).fit_predict(X)) > 0.95  # 0.01 by the graphs


@pytest.mark.parametrize(("seed", "n_dot"), [(3, 40), (26, 40), (1, 60), (37, 60)])
def test_a_small_cluster_that_lies_farther_apart_than_groups_stays_one(seed, n_dot):
    """Groups of half a mean cluster are pieces of the ring, as chance tears it."""
    X, y = ring_around_dot(seed, n_dot)
    model = DnCSC(2, random_state=0).fit(X)
    assert ari(y, model.labels_) > 0.95  # 0 to 0.2 if groups were believed
    assert not model.diagnosis_.is_by_linkage


@pytest.mark.parametrize("n", [1_000, 6_000])
def test_noisy_moons_are_two_clusters(n):
    """Where they are nearest to each other rows lie dense, too, and a cut across both costs no more."""
    X, y = make_moons(n, noise=0.18, random_state=3)
    assert ari(y, DnCSC(2, random_state=0).fit_predict(X)) > 0.85  # 0.55 and 0.43 by the graph


def test_weights_by_name_cut_the_graph_alone():
    X, _ = two_lines(6)
    assert not DnCSC(2, bandwidth="mean", random_state=0).fit(X).diagnosis_.is_by_linkage


def test_clusters_that_hold_nearly_all_rows_give_way_to_groups_before_k_means_does():
    """Three rays from the origin: the graph takes off a few far rows, and k-means divides them by length."""
    random, y = np.random.default_rng(0), np.repeat([0, 1, 2], 1_000)
    angle, length = np.array([0.2, 0.7, 1.2])[y] + random.normal(0, 0.06, 3_000), random.lognormal(0, 0.7, 3_000)
    X = length[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    assert ari(y, DnCSC(3, random_state=0).fit_predict(X)) > 0.95  # 0.02 by k-means
