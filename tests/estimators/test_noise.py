"""Rows that lie apart from all others have low scores, and get the label -1 where that is asked for."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score, roc_auc_score

import dncsc
from dncsc import LSC, LSEC, USPEC, DnCSC


def with_uniform_noise(share=0.05, n=4_000):
    """Moons in uniform noise, and their classes; -1 for noise."""
    X, y = make_moons(n, noise=0.05, random_state=0)
    random, count = np.random.default_rng(0), round(share * n / (1 - share))
    X = np.vstack([X, random.uniform(X.min(axis=0) - 0.5, X.max(axis=0) + 0.5, (count, 2))])
    return X, np.r_[y, np.full(count, -1)]


@pytest.mark.parametrize("method", [DnCSC, USPEC, LSC, LSEC])
def test_uniform_noise_has_lower_scores_than_those_of_clusters(method):
    X, y = with_uniform_noise()
    scores = method(2, random_state=0).fit(X).score_samples(X)
    assert scores.shape == (len(X),)
    assert scores.max() <= 0
    assert roc_auc_score(y == -1, -scores) > 0.94


def test_scores_are_in_the_units_of_the_data():
    X, _ = with_uniform_noise()
    model, tenfold = DnCSC(2, random_state=0).fit(X), DnCSC(2, random_state=0).fit(10 * X)
    np.testing.assert_allclose(tenfold.score_samples(10 * X), 10 * model.score_samples(X), rtol=1e-6)
    assert model.score_samples([[100.0, 0.0]])[0] == pytest.approx(-98, abs=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", [DnCSC, LSEC])
def test_scores_fall_with_the_distance_however_far_rows_are(method, dtype):
    """Labels of rows thousands of times as far as any are those of rows that come nearer; scores are not."""
    X = np.random.default_rng(0).standard_normal((500, 2)).astype(dtype) - 3
    model, largest = method(2, random_state=0).fit(X), 1e38 if dtype == np.float32 else 1e308
    distance = np.array([1e3, 2e3, 5e3, 1e5, 1e12, 1e30, largest])
    far = np.column_stack([distance, np.zeros(len(distance))]).astype(dtype)
    np.testing.assert_allclose(model.score_samples(far), -3 - distance, rtol=0.01)
    assert model.score_samples(far[-1:]) == model.score_samples(far)[-1]
    beside = model.score_samples(np.array([[2500, 2500], [1e6, 0]], dtype))  # a corner is farther than a side
    np.testing.assert_allclose(beside, [-2500 * np.sqrt(2), -1e6], rtol=0.01)
    assert np.isfinite(model.score_samples(np.full((1, 2), -np.finfo(dtype).max, dtype)))


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_the_share_asked_for_becomes_noise_and_the_rest_keeps_its_clusters(share):
    X, y = with_uniform_noise(share)
    plain, model = DnCSC(2, random_state=0).fit(X), DnCSC(2, noise=share, random_state=0).fit(X)
    is_noise = model.labels_ == -1
    assert np.count_nonzero(is_noise) == pytest.approx(share * len(X), abs=2)
    assert np.array_equal(model.labels_[~is_noise], plain.labels_[~is_noise])
    assert np.mean(y[is_noise] == -1) > 0.6
    assert model.score_samples(X)[is_noise].max() < model.score_samples(X)[~is_noise].min()
    assert model.cluster_sizes_.tolist() == np.bincount(model.labels_[~is_noise]).tolist()


@pytest.mark.parametrize(("n", "share"), [(100, 0.07), (100, 0.94), (1000, 0.82)])
def test_the_share_is_met_to_the_row_where_it_can_be(n, share):
    X = np.random.default_rng(0).standard_normal((n, 2))
    model = DnCSC(2, noise=share, n_landmarks=20, random_state=0).fit(X)
    assert np.count_nonzero(model.labels_ == -1) == round(share * n)


def test_rows_at_the_limit_that_are_equally_far_are_no_noise():
    X = np.repeat(np.arange(30.0), 50)[:, None]
    assert np.count_nonzero(DnCSC(2, noise=0.1, random_state=0).fit(X).labels_ == -1) == 100  # both ends


def test_groups_of_clusters_leave_noise_out_as_they_are_said_to():
    X, _ = make_blobs(1_000, 3, centers=6, cluster_std=0.2, random_state=0)
    model = DnCSC(6, noise=0.1, random_state=0).fit(X)
    labels = model.labels_
    group = np.where(labels < 0, -1, model.merged(3)[labels])
    assert np.array_equal(group == -1, labels == -1)
    assert np.unique(group).tolist() == [-1, 0, 1, 2]
    assert all(len(np.unique(group[labels == cluster])) == 1 for cluster in range(6))


def test_new_rows_far_away_are_noise_also_for_a_model_from_a_file(tmp_path):
    X, _ = with_uniform_noise()
    model = DnCSC(2, noise=0.05, random_state=0).fit(X)
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.predict([[50.0, 50.0]]).tolist() == [-1]
    model.save(tmp_path / "model.npz")
    again = dncsc.load_model(tmp_path / "model.npz")
    assert np.array_equal(again.predict(X), model.labels_)
    assert np.array_equal(again.score_samples(X), model.score_samples(X))


def test_noise_is_the_same_in_files_on_dask_and_for_rows_of_double_weight(tmp_path):
    X = with_uniform_noise()[0].astype(np.float32)
    model = DnCSC(2, noise=0.05, n_landmarks=200, random_state=0).fit(X)
    np.save(tmp_path / "X.npy", X)
    in_file = DnCSC(2, noise=0.05, n_landmarks=200, random_state=0).fit(dncsc.open_rows(tmp_path / "X.npy"))
    assert np.array_equal(in_file.labels_, model.labels_)
    lazy = model.score_samples(da.from_array(X, chunks=(1_000, 2)))
    assert np.array_equal(np.asarray(lazy), model.score_samples(X))
    weighted = DnCSC(2, noise=0.05, n_landmarks=200, random_state=0).fit(X, sample_weight=np.full(len(X), 2.0))
    assert np.count_nonzero(weighted.labels_ == -1) == np.count_nonzero(model.labels_ == -1)


def test_many_clusters_have_noise_too():
    X, y = make_blobs(6_000, 3, centers=60, cluster_std=0.2, random_state=0)
    model = DnCSC(60, noise=0.1, random_state=0).fit(X)
    assert np.mean(model.labels_ == -1) == pytest.approx(0.1, abs=0.01)
    clustered = model.labels_ >= 0
    assert adjusted_rand_score(y[clustered], model.labels_[clustered]) > 0.9


@pytest.mark.parametrize("share", [-0.1, 1, "0.1", None])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="noise must be a share of the rows"):
        DnCSC(2, noise=share).fit(with_uniform_noise()[0])
