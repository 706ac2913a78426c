"""Groups join in the order of their normalised weight, as in the naive twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import naive
from dncsc.phases.cut.agglomerate import agglomerate
from dncsc.phases.cut.policy import CutPolicy

POWER = CutPolicy().join_power


def some_links(seed, c, density):
    random = np.random.default_rng(seed)
    links = np.triu(random.random((c, c)) * (random.random((c, c)) < density), 1)
    return links + links.T + np.diag(random.random(c) * 3)


def groups_after(merges, c):
    """The groups after each merge."""
    members = {i: {i} for i in range(c)}
    for into, other in zip(merges.into, merges.other, strict=True):
        members[into] |= members.pop(other)
        yield {frozenset(each) for each in members.values()}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 1000), c=st.integers(1, 25), density=st.sampled_from([0.0, 0.05, 0.2, 1.0]))
def test_merges_are_those_of_the_twin(seed, c, density):
    links = some_links(seed, c, density)
    merges, twin = agglomerate(csr_array(links), POWER), naive.agglomerate(links)
    np.testing.assert_allclose(merges.strength, [strength for _, strength in twin], atol=1e-12)
    for found, (expected, _) in zip(groups_after(merges, c), twin, strict=True):
        assert found == {frozenset(each) for each in expected}


def test_size_counts_for_nothing():
    """Two pairs that share the same part of their links, one a thousand times as heavy."""
    links = np.zeros((4, 4))
    links[:2, :2], links[2:, 2:] = [[3, 1], [1, 3]], [[3000, 1000], [1000, 3000]]
    assert agglomerate(csr_array(links), POWER).strength.tolist() == [0.25, 0.25, 0]


def test_equal_weights_join_in_the_same_order_every_time():
    links = csr_array(np.ones((8, 8)))
    first, second = agglomerate(links, POWER), agglomerate(links.copy(), POWER)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(set(first.other.tolist())) == 7


@pytest.mark.parametrize("size", [1e-200, 1e-300, 1e200])
def test_weights_of_any_size_count_by_their_ratios(size):
    links = some_links(0, 12, 0.4)
    ordinary, scaled = agglomerate(csr_array(links), POWER), agglomerate(csr_array(links * size), POWER)
    np.testing.assert_array_equal(scaled.into, ordinary.into)
    np.testing.assert_array_equal(scaled.other, ordinary.other)
    np.testing.assert_allclose(scaled.strength, ordinary.strength, rtol=1e-9)
