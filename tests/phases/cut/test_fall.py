"""The strength of joins falls off where groups have become clusters."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc.phases.cut.agglomerate import Merges
from dncsc.phases.cut.fall import fall_of, joins_of_clusters
from dncsc.phases.cut.policy import CutPolicy

LEFT = np.arange(400, 1, -1)
"""groups that are left before each join"""


@pytest.mark.parametrize("k", [2, 7, 50, 200, 299])
def test_the_number_is_that_behind_which_strength_falls(k):
    n_clusters, clearness, *_ = fall_of(LEFT, np.where(k < LEFT, 0.05, 0.001), 300, CutPolicy())
    assert (n_clusters, clearness) == (k, pytest.approx(50))


def test_of_several_clear_falls_the_last_one_counts():
    strength = np.select([LEFT > 200, LEFT > 20], [0.05, 0.005], 1e-5)
    assert fall_of(LEFT, strength, 300, CutPolicy())[0] == 200


def test_a_fall_that_is_not_clear_is_told():
    assert fall_of(LEFT, np.where(LEFT > 30, 0.05, 0.02), 300, CutPolicy())[:2] == (30, pytest.approx(2.5))
    assert fall_of(LEFT, np.full(len(LEFT), 0.05), 300, CutPolicy())[1] == 1


def test_joins_with_outliers_are_not_counted():
    """Groups 0 to 2 are large; 3 and 4 are not, but large together."""
    merges = Merges(np.array([3, 0, 0, 0]), np.array([4, 1, 3, 2]), np.array([0.5, 0.2, 0.3, 0.0]))
    n_left, strength = joins_of_clusters(merges, np.array([9.0, 9.0, 9.0, 3.0, 3.0]), 5.0)
    assert n_left.tolist() == [4, 3, 2]
    assert strength.tolist() == [0.2, 0.2, 0.0]
    n_left, _ = joins_of_clusters(merges, np.array([9.0, 9.0, 9.0, 1.0, 1.0]), 5.0)
    assert n_left.tolist() == [3, 2]
