"""Counted clusters that are two are told: by rows, where links of landmarks do not tell them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from dncsc import DnCSC, UnclearClustersWarning
from dncsc.estimators.parameters import check_parameters
from dncsc.phases.labelled_rows import LabelledRows
from dncsc.phases.two_modes import _are_two

SETTINGS = replace(check_parameters(DnCSC(2)).asked, seed=0)


def are_two(rows):
    return _are_two(LabelledRows(rows, np.ones(len(rows)), np.zeros(len(rows), int)), SETTINGS)


def pair(apart, n=3_000, d=3, share=0.5, seed=0):
    random = np.random.default_rng(seed)
    rows = random.standard_normal((n, d))
    rows[:, 0] += apart * (random.random(n) < share)
    return rows


def ring(random, n):
    angle = 2 * np.pi * random.random(n)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.08 * random.standard_normal((n, 2))


@pytest.mark.parametrize(("apart", "share"), [(2.8, 0.5), (3.5, 0.2), (6, 0.1)])
@pytest.mark.parametrize("d", [1, 3, 8])
def test_two_gaussians_that_lie_apart_are_two(apart, share, d):
    assert are_two(pair(apart, 8_000, d, share))


@pytest.mark.parametrize("seed", range(3))
def test_two_pairs_of_gaussians_are_two(seed):
    """Both of those that are found first are better divided again, as parts of a ring are, but far less clearly."""
    random = np.random.default_rng(seed)
    places = np.array([[0, 0, 0], [3, 0, 0], [0, 8, 0], [0, 8, 3]])
    assert are_two(places[random.integers(4, size=3_000)] + random.standard_normal((3_000, 3)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("d", [2, 5])
def test_one_cluster_is_one_whatever_its_shape(d, seed):
    random = np.random.default_rng(seed)
    kinds = {
        "round": random.standard_normal((4_000, d)),
        "long": random.standard_normal((4_000, d)) * np.arange(1, d + 1) ** 2.0,
        "heavy-tailed": random.standard_t(3, (4_000, d)),
        "skewed": random.gamma(6, 1, (4_000, d)),
        "very skewed": random.exponential(1, (4_000, d)),
        "angular": random.random((4_000, d)),
        "bent": np.hstack([ring(random, 4_000), random.standard_normal((4_000, d - 2))]),
        "near": pair(1.5, 4_000, d, seed=seed),
    }
    assert [kind for kind, rows in kinds.items() if are_two(rows)] == []


def test_a_few_rows_tell_nothing():
    assert not are_two(pair(6, n=30, d=8))


def test_rows_that_are_all_the_same_are_one():
    assert not are_two(np.zeros((500, 2)))


def test_a_count_that_joins_two_blobs_is_in_doubt():
    """Five blobs, of which two pairs are 2.5 deviations apart, count as three, by a gap of 31."""
    X, _ = make_blobs(10_000, 4, centers=5, cluster_std=2.5, center_box=(-8, 8), random_state=610971)
    model = DnCSC("auto", random_state=98)
    with pytest.warns(UnclearClustersWarning, match="Clusters have parts, about"):
        model.fit(X)
    assert model.diagnosis_.n_parts > model.n_clusters_


def test_groups_that_lie_apart_are_looked_at_where_another_number_has_a_gap():
    """Two groups far apart, of two blobs each, count as two by a gap of 106; that behind four is 2.4."""
    X, _ = make_blobs(1_000, 2, centers=5, cluster_std=1.3934, center_box=(-8, 8), random_state=111_101)
    model = DnCSC("auto", random_state=0)
    with pytest.warns(UnclearClustersWarning, match="Clusters have parts, about"):
        model.fit(X)
    assert model.n_clusters_ == 2
    assert model.eigenvalues_[1] < 1e-4
