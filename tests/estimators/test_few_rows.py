"""A few hundred rows, and rows of whole numbers: spectral clustering is expected to hold there as well."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine, make_blobs, make_moons
from sklearn.preprocessing import scale

from dncsc import LSEC, DnCSC
from dncsc.metrics import ari

SEEDS = range(3)


def gaussians(n, **chosen):
    return make_blobs(n, **chosen)


def uneven():
    random = np.random.default_rng(0)
    places, widths, sizes = [(0, 0), (8, 0), (0, 8)], (1, 0.5, 0.5), (900, 70, 30)
    parts = [random.normal(place, width, (size, 2)) for place, width, size in zip(places, widths, sizes, strict=True)]
    return np.concatenate(parts), np.repeat([0, 1, 2], sizes)


def among_outliers(X, y):
    """Which count as nothing."""
    return np.concatenate([X, np.random.default_rng(0).uniform(-3, 3, (150, 2))]), np.append(y, np.full(150, -1))


def of_table(load):
    table = load()
    return scale(table.data), table.target


def whole_numbers(centres, width):
    random = np.random.default_rng(0)
    label = random.integers(0, len(centres), 2_000)
    return np.round(np.array(centres)[label] + random.normal(0, width, (2_000, len(centres[0])))), label


def answers():
    """Of a questionnaire: whole numbers from 1 to 5."""
    X, label = whole_numbers([[1, 1, 1], [3, 3, 3], [5, 1, 5]], 0.7)
    return np.clip(X, 1, 5), label


SETS = {
    "two wide, one narrow": (lambda: gaussians(300, cluster_std=[1, 2.5, 0.5], random_state=170), 0.85),
    "twelve thousand of these": (lambda: gaussians(12_000, cluster_std=[1, 2.5, 0.5], random_state=170), 0.8),
    "three that overlap": (lambda: gaussians(1_500, random_state=0), 0.7),
    "eight of 25 rows": (lambda: gaussians(200, centers=8, random_state=0), 0.6),
    "five in space": (lambda: gaussians(500, centers=5, n_features=3, random_state=0), 0.95),
    "moons": (lambda: make_moons(300, noise=0.05, random_state=0), 0.99),
    "moons among outliers": (lambda: among_outliers(*make_moons(3_000, noise=0.05, random_state=0)), 0.99),
    "uneven": (uneven, 0.9),
    "wine": (lambda: of_table(load_wine), 0.6),
    "breast cancer": (lambda: of_table(load_breast_cancer), 0.55),
    "whole numbers": (lambda: whole_numbers([[0, 0], [10, 0], [0, 10], [10, 10]], 2.0), 0.9),
    "answers": (answers, 0.8),
}


@pytest.mark.parametrize("method", [DnCSC, pytest.param(LSEC, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", SETS)
def test_clusters_of_few_or_rounded_rows_are_found(name, method):
    make, least = SETS[name]
    X, y = make()
    counts = y >= 0
    k = len(np.unique(y[counts]))
    found = [method(k, random_state=seed).fit_predict(X)[counts] for seed in SEEDS]
    assert min(ari(y[counts], labels) for labels in found) > least


def test_whether_rows_lie_in_a_plane_does_not_depend_on_the_neighbours_asked_for():
    X, y = gaussians(6_000, centers=12, n_features=6, cluster_std=2.2, random_state=1)
    few, many = (ari(y, DnCSC(12, n_neighbors=count, random_state=0).fit_predict(X)) for count in (5, 15))
    assert many > few - 0.05


def test_two_neighbours_are_enough_to_link_landmarks():
    X, _ = gaussians(3_000, centers=4, n_features=10, random_state=0)
    model = DnCSC(4, n_neighbors=2, n_landmarks=200, random_state=0).fit(X)
    assert model.n_graph_components_ < 20


@pytest.mark.parametrize("method", [DnCSC, LSEC])
@pytest.mark.parametrize("n", [2_000, 8_000])
def test_of_more_groups_than_clusters_sought_those_next_to_each_other_are_joined(n, method):
    """Ten groups, of which each has another near by."""
    random = np.random.default_rng(0)
    group = random.integers(0, 10, n)
    centres = np.zeros((10, 8))
    centres[:, 0], centres[1::2, 1] = np.repeat(50.0 * np.arange(5), 2), 6
    X = random.normal(centres[group], 0.5)
    assert ari(group // 2, method(5, random_state=0).fit_predict(X)) == 1


def test_groups_of_more_parts_than_a_member_has_clusters_are_joined_as_well():
    """Sixty groups in five rows of twelve."""
    random = np.random.default_rng(0)
    group = random.integers(0, 60, 12_000)
    centres = np.zeros((60, 6))
    centres[:, 0], centres[:, 1] = np.arange(60) // 12 * 200, np.arange(60) % 12 * 8
    assert ari(group // 12, LSEC(5, random_state=0).fit_predict(random.normal(centres[group], 0.4))) == 1
