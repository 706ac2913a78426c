"""Noise does not pass for a cluster, and a sparse cluster does not pass for noise."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from dncsc import DnCSC, open_rows


def in_uniform_noise(make, n, share, seed):
    """Rows among uniform noise, and their classes; -1 for noise."""
    X, y = make(n, noise=0.05, random_state=seed)
    low, high, count = X.min(axis=0), X.max(axis=0), round(share * n / (1 - share))
    noise = np.random.default_rng(seed).uniform(low - 0.5, high + 0.5, (count, 2))
    return np.vstack([X, noise]), np.append(y, np.full(count, -1))


def rings(n, noise, random_state):
    return make_circles(n, noise=noise, factor=0.5, random_state=random_state)


@pytest.mark.parametrize("share", [0.05, 0.2])
@pytest.mark.parametrize("make", [make_moons, rings])
@pytest.mark.parametrize("n", [1_000, 5_000])
def test_clusters_among_uniform_noise_are_found(make, n, share):
    for seed in range(3):
        X, y = in_uniform_noise(make, n, share, seed)
        is_cluster = y >= 0
        model = DnCSC(2, random_state=seed).fit(X)
        assert adjusted_rand_score(y[is_cluster], model.labels_[is_cluster]) > 0.95
        assert np.array_equal(model.predict(X), model.labels_)


def test_clusters_among_much_noise_are_found_where_its_share_is_given():
    for seed in range(4):
        X, y = in_uniform_noise(make_moons, 5_000, 0.3, seed)
        model = DnCSC(2, noise=0.3, random_state=seed).fit(X)
        counts = (y >= 0) & (model.labels_ >= 0)
        assert adjusted_rand_score(y[counts], model.labels_[counts]) > 0.95
        assert np.array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1])
def test_clusters_among_noise_are_found_where_too_small_a_share_is_given(share):
    for seed in range(3):
        X, y = in_uniform_noise(make_moons, 6_000, 0.2, seed)
        model = DnCSC(2, noise=share, random_state=seed).fit(X)
        counts = (y >= 0) & (model.labels_ >= 0)
        assert adjusted_rand_score(y[counts], model.labels_[counts]) > 0.95  # 0 and 0.22 by that share alone
        assert np.array_equal(model.predict(X), model.labels_)


def test_a_cut_without_noise_is_the_same_in_files_and_on_dask(tmp_path):
    X, _ = in_uniform_noise(make_moons, 5_000, 0.2, 1)
    X = X.astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    labels = DnCSC(2, random_state=0).fit(X).labels_
    assert np.array_equal(DnCSC(2, random_state=0).fit(open_rows(tmp_path / "X.npy")).labels_, labels)
    on_dask = DnCSC(2, random_state=0).fit(da.from_array(X, chunks=(1_777, 2))).labels_
    assert np.array_equal(np.asarray(on_dask), labels)


def test_sparse_clusters_beside_dense_ones_are_kept():
    random = np.random.default_rng(0)
    dense = random.normal([[0, 0]] * 1_000 + [[2, 0]] * 1_000, 0.2)
    sparse = random.normal([8, 0], 2.0, (300, 2))
    y = np.repeat([0, 1, 2], [1_000, 1_000, 300])
    model = DnCSC(3, random_state=0).fit(np.vstack([dense, sparse]))
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_a_sparse_shell_around_a_dense_ball_is_kept():
    random = np.random.default_rng(0)
    shell = random.normal(size=(2_000, 3))
    shell *= 10 / np.linalg.norm(shell, axis=1, keepdims=True)
    X, y = np.vstack([random.normal(0, 0.5, (2_000, 3)), shell]), np.repeat([0, 1], 2_000)
    assert adjusted_rand_score(y, DnCSC(2, random_state=0).fit(X).labels_) > 0.99
