"""Rows of many features are divided by few directions where these tell near rows apart, else by all features."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest

import naive
from dncsc import DnCSC, load_model
from dncsc.engines.dask_engine import DaskEngine
from dncsc.engines.local import LocalEngine
from dncsc.metrics import ari
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.select import divide_and_conquer
from dncsc.phases.select.few_directions import directions_that_tell

FEATURES = 40


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(divide_and_conquer, "MOST_DISTANCES", 0)


def basis(random, count):
    return np.linalg.qr(random.standard_normal((FEATURES, count)))[0].T


def moons_in_a_plane(n, noise=0.004, seed=0):
    """Two half circles in a plane of forty features, and noise in all of them."""
    random = np.random.default_rng(seed)
    angle, side = random.uniform(0, np.pi, n), np.arange(n) % 2
    x, y = np.cos(angle), np.sin(angle)
    plane = np.column_stack([np.where(side, 1 - x, x), np.where(side, 0.4 - y, y)]) + random.normal(0, 0.08, (n, 2))
    X = plane @ basis(random, 2) + random.normal(0, noise, (n, FEATURES))
    return X.astype(np.float32), side


def test_a_plane_is_seen():
    X, _ = moons_in_a_plane(1000)
    directions = directions_that_tell(X - X.mean(axis=0), CutPolicy.projected_share)
    plane = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:2]
    np.testing.assert_allclose(directions @ directions.T, np.eye(len(directions)), atol=1e-5)
    assert len(directions) == FEATURES // 4
    assert np.linalg.norm(plane @ directions.T) ** 2 == pytest.approx(2, rel=1e-4)


def test_rows_that_differ_in_all_directions_are_seen_in_all_features():
    rows = np.random.default_rng(0).standard_normal((1000, FEATURES), dtype=np.float32)
    assert directions_that_tell(rows, CutPolicy.projected_share) is None


def test_groups_far_apart_do_not_hide_what_is_within_them():
    """The few directions in which groups differ hold nearly all of the variance, and nothing of the shapes inside."""
    random = np.random.default_rng(0)
    inside, _ = moons_in_a_plane(1000)
    rows = inside + (20 * random.standard_normal((12, 12)) @ basis(random, 12))[random.integers(0, 12, 1000)]
    rows = (rows - rows.mean(axis=0)).astype(np.float32)
    assert directions_that_tell(rows, CutPolicy.projected_share) is None


def test_few_rows_tell_nothing():
    X, _ = moons_in_a_plane(900)
    assert directions_that_tell(X - X.mean(axis=0), CutPolicy.projected_share) is None


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_landmarks_are_means_of_their_rows_in_all_features(metric):
    X, _ = moons_in_a_plane(20_000)
    X[:, 0] += 3  # cosines differ then, too
    model = DnCSC(2, n_landmarks=100, metric=metric, random_state=0).fit(X)
    rows = X / np.linalg.norm(X, axis=1, keepdims=True) if metric == "cosine" else X
    own, squared = naive.labels(rows, model.landmarks_)
    means = np.array([rows[own == number].mean(axis=0) for number in range(100)])
    spread = np.sqrt(np.array([squared[own == number].mean() for number in range(100)]))
    assert np.median(np.linalg.norm(means - model.landmarks_, axis=1) / spread) < 0.3
    if metric == "cosine":
        np.testing.assert_allclose(np.linalg.norm(model.landmarks_, axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("nearest", ["auto", "candidates", "exact"])
def test_clusters_are_found_and_do_not_depend_on_engine_threads_or_chunks(nearest, tmp_path):
    X, y = moons_in_a_plane(12_000)
    model = DnCSC(2, n_landmarks=200, nearest=nearest, random_state=0, n_jobs=2).fit(X)
    assert ari(y, model.labels_) > 0.99
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict(X[7:8_001]), model.labels_[7:8_001])
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(load_model(tmp_path / "model.npz").predict(X[::-1]), model.labels_[::-1])
    for rows, n_jobs in [(X, 1), (da.from_array(X, chunks=(2_345, FEATURES)), None)]:
        other = DnCSC(2, n_landmarks=200, nearest=nearest, random_state=0, n_jobs=n_jobs).fit(rows)
        np.testing.assert_array_equal(np.asarray(other.labels_), model.labels_)


@pytest.mark.parametrize("engine", [LocalEngine, DaskEngine])
def test_rows_are_drawn_twice_and_gone_over_once(passes_of, engine):
    X, _ = moons_in_a_plane(6_000)
    passes = passes_of(engine)
    rows = da.from_array(X, chunks=(2_345, FEATURES)) if engine is DaskEngine else X
    DnCSC(2, n_landmarks=100, random_state=0).fit(rows)
    assert passes[:5] == ["_Survey", "_Sample", "_Sample", "_Assign", "_Link"]


def test_where_all_features_are_needed_nothing_is_drawn_for_the_look_at_directions(passes_of):
    random = np.random.default_rng(0)
    X = random.standard_normal((6_000, FEATURES)) + 9 * np.eye(FEATURES)[random.integers(0, 3, 6_000)]
    passes = passes_of(LocalEngine)
    DnCSC(3, n_landmarks=100, selection_rate=20, random_state=0).fit(X)
    assert passes[:6] == ["_Survey", "_Sample", "_Divide", "_Sample", "_Divide", "_Link"]


def test_few_rows_are_divided_by_all_features(passes_of, monkeypatch):
    monkeypatch.setattr(divide_and_conquer, "MOST_DISTANCES", 6_000 * 100)
    passes = passes_of(LocalEngine)
    DnCSC(2, n_landmarks=100, random_state=0).fit(moons_in_a_plane(6_000)[0])
    assert "_Assign" not in passes


def test_weights_that_are_named_see_all_features(passes_of):
    passes = passes_of(LocalEngine)
    DnCSC(2, n_landmarks=100, bandwidth="mean", random_state=0).fit(moons_in_a_plane(6_000)[0])
    assert "_Assign" not in passes


def test_few_distinct_rows_are_the_landmarks():
    X = moons_in_a_plane(12)[0][np.arange(6_000) % 12]
    model = DnCSC(2, n_landmarks=100, random_state=0).fit(X)
    assert model.n_landmarks_ == 12
    np.testing.assert_allclose(np.sort(model.landmarks_, axis=0), np.sort(X[:12], axis=0), atol=1e-6)


def test_rows_of_no_weight_have_no_say():
    X, _ = moons_in_a_plane(6_000)
    weight = np.repeat([1.0, 0.0], [6_000, 500])
    with_others = np.concatenate([X, np.random.default_rng(0).normal(0, 9, (500, FEATURES)).astype(np.float32)])
    alone, other = (DnCSC(2, n_landmarks=100, random_state=0) for _ in range(2))
    np.testing.assert_allclose(
        other.fit(with_others, sample_weight=weight).landmarks_, alone.fit(X).landmarks_, rtol=1e-4, atol=1e-5
    )
