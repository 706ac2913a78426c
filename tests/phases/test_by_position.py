"""Where nothing is told apart by shape, rows are divided by position, and that is said."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from dncsc import LSEC, DnCSC, load_model


def heap(n=5_000, k=3):
    """One heavy-tailed heap, whose classes are shifted by less than their width."""
    random = np.random.default_rng(1)
    y = random.integers(0, k, n)
    X = random.standard_t(4, (n, 10)) + random.normal(0, 0.5, (k, 10))[y]
    X = np.sign(X) * np.abs(X) ** 1.3
    return X / X.std(axis=0), y


def test_a_heap_is_divided_by_position_with_a_warning(tmp_path):
    X, y = heap()
    with pytest.warns(UserWarning, match="divided by position, as k-means does: treat with care"):
        model = DnCSC(3, random_state=0).fit(X)
    by_k_means = adjusted_rand_score(y, KMeans(3, n_init=5, random_state=0).fit_predict(X))
    assert adjusted_rand_score(y, model.labels_) > 0.95 * by_k_means > 0.1
    assert model.cluster_sizes_.max() < 0.7 * len(X)
    assert np.array_equal(model.predict(X), model.labels_)
    model.save(tmp_path / "heap.dncsc")
    again = load_model(tmp_path / "heap.dncsc")
    assert again.diagnosis_.is_by_position
    assert np.array_equal(again.predict(X), model.labels_)


@pytest.mark.parametrize(("n", "rtol"), [(3_000, 1e-9), (12_000, 0.03)])
def test_inertia_is_that_of_rows_in_their_own_clusters(n, rtol):
    """Rows lie between corners, and some are nearer to that of another cluster; 5,000 tell."""
    X, _ = heap(n)
    with pytest.warns(UserWarning, match="divided by position"):
        model = DnCSC(3, random_state=0).fit(X)
    squared = np.sum((model.transform(X) - model.cluster_centers_[model.labels_]) ** 2)
    np.testing.assert_allclose(model.inertia_, squared, rtol=rtol)


@pytest.mark.parametrize("seed", range(4))
def test_a_little_noise_leaves_a_heap_divided_as_it_is(seed):
    X, _ = heap(2_000, 2)
    with pytest.warns(UserWarning, match="divided by position"):
        plain = DnCSC(2, random_state=seed).fit(X)
    with pytest.warns(UserWarning, match="divided by position"):
        model = DnCSC(2, noise=0.15, random_state=seed).fit(X)
    is_noise = model.labels_ == -1
    assert np.array_equal(model.labels_[~is_noise], plain.labels_[~is_noise])


@pytest.mark.parametrize("seed", range(3))
def test_an_ensemble_divides_a_heap_by_position_as_well_as_its_members(seed, tmp_path):
    X, y = heap(2_000)
    with pytest.warns(UserWarning, match="divided by position"):
        model = LSEC(3, random_state=seed).fit(X)
    by_k_means = adjusted_rand_score(y, KMeans(3, n_init=5, random_state=0).fit_predict(X))
    assert adjusted_rand_score(y, model.labels_) > 0.9 * by_k_means > 0.03
    assert model.cluster_sizes_.max() < 0.7 * len(X)
    model.save(tmp_path / "model.npz")
    for each in (model, load_model(tmp_path / "model.npz")):
        np.testing.assert_array_equal(each.predict(X), model.labels_)
    with pytest.warns(UserWarning, match="divided by position"):
        apart = LSEC(3, random_state=seed).fit(da.from_array(X, chunks=(777, -1)))
    np.testing.assert_array_equal(apart.labels_.compute(), model.labels_)


def test_labels_of_a_heap_stay_as_they_are_where_they_would_be_refined():
    X, _ = heap(2_000)
    with pytest.warns(UserWarning, match="divided by position"):
        plain, refined = (DnCSC(3, refine=refine, random_state=0).fit(X) for refine in (False, True))
    assert np.array_equal(plain.labels_, refined.labels_)


def test_uneven_clusters_that_lie_apart_are_not_divided():
    random = np.random.default_rng(0)
    y = (np.arange(4_000) % 25 == 0).astype(int)
    X = random.standard_normal((4_000, 4))
    X[:, 0] += 7 * y
    model = DnCSC(2, random_state=0).fit(X)
    assert not model.diagnosis_.is_by_position
    assert adjusted_rand_score(y, model.labels_) > 0.9


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_skewed_heap_is_divided_as_k_means_divides_it_though_unevenly(seed):
    random = np.random.default_rng(seed)
    y, rows = random.integers(0, 2, 3_000), random.standard_normal((3_000, 8))
    X = np.exp(rows + random.normal(0, 0.5, (2, 8))[y])
    X /= X.std(axis=0)
    by_k_means = KMeans(2, n_init=5, random_state=0).fit_predict(X)
    assert np.bincount(by_k_means).min() < 0.25 * len(X)
    with pytest.warns(UserWarning, match="divided by position"):
        model = DnCSC(2, random_state=0).fit(X)
    assert adjusted_rand_score(by_k_means, model.labels_) > 0.4


def test_weights_that_are_asked_for_are_kept():
    model = DnCSC(3, bandwidth="mean", random_state=0).fit(heap()[0])
    assert not model.diagnosis_.is_by_position


def small_groups_apart(k=6, n=400, few=20):
    """Groups that touch, in a circle, and one fewer of few rows each, tight, outside it."""
    random, turn = np.random.default_rng(0), 2 * np.pi * np.arange(k) / k
    way = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    large = np.repeat(3 * way, n, axis=0) + random.normal(0, 0.9, (k * n, 2))
    small = np.repeat(9 * way[1:], few, axis=0) + random.normal(0, 0.05, ((k - 1) * few, 2))
    return np.concatenate([large, small]), np.repeat(np.arange(k), n)


def test_small_groups_do_not_take_the_places_of_all_clusters_but_one():
    X, y = small_groups_apart()
    model = DnCSC(6, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_[: len(y)]) > 0.7
    assert not model.diagnosis_.is_by_position
    assert np.array_equal(model.predict(X), model.labels_)


def test_one_large_cluster_and_small_ones_are_kept_where_k_means_finds_them_too():
    random = np.random.default_rng(0)
    y = np.append(np.zeros(2_700, int), np.repeat(np.arange(1, 6), 60))
    X = random.normal(np.concatenate([np.zeros((1, 5)), 5 * np.eye(5)])[y], 0.6)
    assert adjusted_rand_score(y, DnCSC(6, random_state=0).fit(X).labels_) > 0.95
