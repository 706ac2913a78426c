"""Centre and spread are those of the values that are there, however rows come in blocks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dncsc.tables.statistics import Moments, statistics


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), cuts=st.lists(st.integers(0, 60), max_size=4), gaps=st.floats(0, 0.9))
def test_moments_of_blocks_are_those_of_all_values(seed, cuts, gaps):
    random = np.random.default_rng(seed)
    X = random.normal(random.normal(scale=1e3, size=4), [1e-3, 1, 1e6, 0], (60, 4))
    X[random.random(X.shape) < gaps] = np.nan
    X[0] = random.normal(size=4)
    moments = Moments(4)
    for block in np.split(X, sorted(cuts)):
        if len(block):
            moments.add(block)
    np.testing.assert_allclose(moments.mean, np.nanmean(X, axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(moments.deviation, np.nanstd(X, axis=0), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(moments.low, np.nanmin(X, axis=0))
    np.testing.assert_array_equal(moments.high, np.nanmax(X, axis=0))


def test_a_column_without_values_has_no_centre():
    X = np.column_stack([np.arange(5.0), np.full(5, np.nan)])
    found = statistics([X], X.shape, 0, lambda *told: None, moments=True, quartiles=True)
    assert [each[0] for each in found] == [2, np.std(np.arange(5)), 2, 2]
    assert np.isnan([each[1] for each in found]).all()
