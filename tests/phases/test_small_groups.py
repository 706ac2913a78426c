"""A small group that lies apart does not take the place of a cluster, unless it is one."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc import DnCSC
from dncsc.metrics import ari

PLACES = np.array([[0, 0, 0, 0, 0], [2, 3, 7, 5, 5], [8, 6, 14, 10, 10]])
WIDTHS = np.array([[0.4, 0.7, 1, 1, 1], [1, 1, 1, 1, 1], [3, 1.5, 1, 1, 1]])


def table(seed, n=2_000):
    """Three groups, some numbers filled in, a category that goes with the groups, and one that does not."""
    random = np.random.default_rng(seed)
    y = random.integers(3, size=n)
    numbers = PLACES[y] + random.standard_normal((n, 5)) * WIDTHS[y]
    numbers = np.where(random.random(numbers.shape) < 0.04, np.median(numbers, axis=0), numbers)
    city = np.where(random.random(n) < 0.8, y, random.integers(4, size=n))
    categories = np.hstack([np.eye(4)[city], np.eye(2)[random.integers(2, size=n)]])
    return np.hstack([numbers / numbers.std(axis=0), 0.5 * categories]), y


@pytest.mark.parametrize("seed", [2, 28])
def test_some_rows_with_values_filled_in_do_not_join_two_groups(seed):
    """Some twenty rows of one city, and with one value filled in, lie apart from all others."""
    X, y = table(seed)
    model = DnCSC(3, random_state=0).fit(X)
    assert ari(y, model.labels_) > 0.95  # 0.6 where these are a cluster
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_tiny_group_is_a_cluster_where_the_rest_shows_one_less():
    random, y = np.random.default_rng(0), np.repeat(np.arange(4), [700, 700, 700, 50])
    X = np.array([[0, 0], [5, 0], [2.5, 4.3], [40, 40]])[y] + random.standard_normal((len(y), 2))
    model = DnCSC(4, random_state=0).fit(X)
    assert ari(y, model.labels_) > 0.94
    assert model.cluster_sizes_.min() == 50


def test_a_tiny_group_gives_way_to_no_other_small_one():
    """Discs of 1,200, 100 and 30 rows: without the last, a part of the second would be a cluster as clear."""
    random, y = np.random.default_rng(0), np.repeat([0, 1, 2], [1200, 100, 30])
    radius, angle = np.sqrt(random.random(len(y))), 2 * np.pi * random.random(len(y))
    X = np.array([[0, 0], [2.3, 0], [0, 2.4]])[y] + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    assert ari(y, DnCSC(3, random_state=0).fit_predict(X)) > 0.98
