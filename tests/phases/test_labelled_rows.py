"""Some rows with their clusters: which of them have a say, in which features, and in which units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.labelled_rows import LabelledRows

POLICY = CutPolicy()


def two_groups(n=1000, apart=5.0):
    random = np.random.default_rng(0)
    label = random.integers(2, size=n)
    return LabelledRows(random.standard_normal((n, 2)) + apart * label[:, None], np.ones(n), label)


@pytest.mark.parametrize("n_far", [0, 1, 10, 11, 100])
def test_a_few_rows_far_from_their_cluster_are_left_out_and_no_more(n_far):
    sample = two_groups()
    sample.rows[:n_far, 1] = 1e6
    left = sample.without_far_rows(POLICY)
    assert len(left.rows) == (1000 - n_far if n_far <= 10 else 1000)
    assert len(left.rows) == len(left.weight) == len(left.label)
    assert len(sample.without_far_rows(replace(POLICY, most_far=1.0)).rows) == 1000 - n_far


def test_features_have_units_unless_they_do_not_vary_or_are_categories():
    sample, random = two_groups(), np.random.default_rng(1)
    others = np.stack([np.full(1000, 7.0), random.integers(POLICY.short_scale, size=1000)], axis=1)
    within = sample._replace(rows=np.concatenate([sample.rows, others], axis=1))
    centre, spread = within.centre_and_spread(POLICY)
    np.testing.assert_allclose(spread[:2], sample.rows.std(axis=0))
    np.testing.assert_array_equal(spread[2:], 0)
    rows = within.in_units(centre, spread).rows
    np.testing.assert_allclose([rows.mean(axis=0), rows.std(axis=0)], [[0, 0], [1, 1]], atol=1e-9)


def test_nothing_has_a_unit_where_clusters_tell_a_category():
    sample = two_groups()
    within = sample._replace(rows=np.column_stack([sample.rows, sample.label]))
    assert not within.centre_and_spread(POLICY)[1].any()


def test_a_feature_that_varies_between_clusters_far_apart_has_the_unit_of_these():
    """So that the shape of each is not hidden."""
    spread = two_groups(apart=1e6).centre_and_spread(POLICY)[1]
    np.testing.assert_allclose(spread, np.sqrt(POLICY.most_between), rtol=0.1)
