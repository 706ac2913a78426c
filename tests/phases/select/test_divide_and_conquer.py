"""How many parts each subset is divided into."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc import DnCSC
from dncsc.phases.select.divide_and_conquer import allocate


@pytest.mark.parametrize("total", [5, 6, 20, 97, 1000])
@pytest.mark.parametrize("most", [2, 7, 50, 5000])
@pytest.mark.parametrize("c", [1, 2, 5, 30])
def test_parts_are_allocated_as_by_the_twin(c, most, total):
    random = np.random.default_rng(0)
    residual = random.exponential(1, c) ** 3
    bound = np.minimum(most, random.integers(0, 100, c)) if most < 5000 else np.full(c, most)
    parts = allocate(residual, bound, total)
    np.testing.assert_array_equal(parts, naive.allocate(residual, np.maximum(bound, 1), total))
    assert np.all((parts >= 1) & (parts <= np.maximum(bound, 1)))
    assert parts.sum() == max(c, min(total, np.maximum(bound, 1).sum()))


def test_without_bounds_parts_add_up_and_are_in_proportion_to_the_residual():
    residual = np.random.default_rng(0).random(20) + 0.5
    parts = allocate(residual, np.full(20, 1000), 1000)
    assert parts.sum() == 1000
    np.testing.assert_allclose(parts, 1000 * residual / residual.sum(), atol=1)


def test_a_larger_residual_never_gets_fewer_parts():
    residual = np.sort(np.random.default_rng(0).exponential(1, 50))
    assert np.all(np.diff(allocate(residual, np.full(50, 30), 400)) >= 0)


def test_what_has_no_residual_is_not_divided():
    assert allocate(np.array([0.0, 1.0, 0.0]), np.array([9, 9, 9]), 7).tolist() == [1, 5, 1]
    assert allocate(np.zeros(3), np.array([9, 9, 9]), 7).tolist() == [1, 1, 1]


@pytest.mark.parametrize("large", [1e6, 1e30, 1e300])
def test_one_huge_residual_leaves_the_rest_to_the_others(large):
    assert allocate(np.array([large, 1.0, 1.0]), np.array([5, 50, 50]), 21).tolist() == [5, 8, 8]


def test_subsets_that_could_not_be_divided_are_not_tried_for_ever():
    """Two heaps of equal rows, each with one other row that a sample hardly ever meets, and one landmark to spare."""
    X = np.repeat([[0.0, 0.0], [10.0, 10.0]], 5000, axis=0)
    X[0, 0], X[-1, 0] = 0.1, 10.1
    model = DnCSC(2, n_landmarks=3, sample_size=100, random_state=0).fit(X)
    assert len(model._model.embedding.graph.links.tree.levels) <= 4
