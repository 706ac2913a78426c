"""Many clusters: communities of landmarks that join until as many are left as are sought."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils import check_random_state

import naive
from dncsc import DnCSC
from dncsc.phases.cut.agglomerate import Merges
from dncsc.phases.cut.multilevel import _cut_where
from dncsc.phases.cut.policy import CutPolicy
from method_cases import assert_same_partition

SEED = check_random_state(0).randint(np.iinfo(np.int32).max)


def groups_in_space(random, n):
    """Sixty groups of any size, of which some touch."""
    return 8 * random.random((60, 3))[random.integers(0, 60, n)] + 0.3 * random.standard_normal((n, 3))


def plain(random, n):
    """No groups at all."""
    return random.random((n, 2))


def islands(random, n):
    """More parts than clusters are sought, without links between them, and a few rows far away."""
    X = np.column_stack([10.0 * random.integers(0, 75, n), np.zeros(n)]) + random.standard_normal((n, 2))
    X[:5] += [0, 1000]
    return X


@pytest.mark.filterwarnings("ignore::dncsc.estimators.base.FewerClustersWarning")  # rows may outvote a landmark
@pytest.mark.parametrize("data", [groups_in_space, plain, islands])
@pytest.mark.parametrize(("n", "n_landmarks", "n_neighbors"), [(700, 130, 5), (600, 120, 2)])
def test_many_clusters_are_those_of_the_twin(data, n, n_landmarks, n_neighbors):
    X = data(np.random.default_rng(0), n)
    model = DnCSC(
        55, select="rows", n_landmarks=n_landmarks, n_neighbors=n_neighbors, nearest="exact", random_state=0
    ).fit(X)
    labels = naive.multilevel(X, model.landmarks_, 55, n_neighbors, SEED)
    assert_same_partition(model.labels_, labels)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(seed=st.integers(0, 1000), c=st.integers(2, 20), data=st.data())
def test_merges_end_where_so_many_groups_are_more_than_outliers(seed, c, data):
    random = np.random.default_rng(seed)
    mass, least = random.integers(0, 5, c).astype(float), data.draw(st.sampled_from([0.0, 1.0, 3.0]))
    large = int(np.count_nonzero(mass >= least))
    k = data.draw(st.integers(1, max(large, 1)))
    left, pairs = list(range(c)), []
    while len(left) > 1:
        into, other = random.choice(left, 2, replace=False)
        left.remove(other)
        pairs.append((into, other))
    group = _cut_where(Merges(*np.array(pairs).T, np.ones(c - 1)), mass, least, k)
    assert np.count_nonzero(np.bincount(group, mass)[np.unique(group)] >= least) == min(k, large)
    assert (group[group] == group).all()


def test_groups_without_links_are_not_merged_with_any_other():
    merges = Merges(np.array([0, 2, 0]), np.array([1, 3, 2]), np.array([0.5, 0.2, 0.0]))
    assert _cut_where(merges, np.ones(4), 0.0, 1).tolist() == [0, 0, 2, 2]


@pytest.mark.parametrize("counted", [False, True])
def test_few_clusters_have_a_thousand_landmarks_and_many_a_hundred_each_or_twenty_thousand(counted):
    """From fifty on they are many, where they are counted beyond fifty; with few features from a hundred on.

    Few that are counted among many features have two thousand.
    """
    policy = CutPolicy()
    for first, n_features in ((50 + counted, 16), (51 if counted else 100, 15)):
        few, many = (1, 8, first - 1), (first, 200, 1000)
        usual = 2000 if counted and n_features == 16 else 1000
        assert [policy.usual_landmarks(k, counted, 10**7, n_features) for k in few] == [usual] * 3
        assert [policy.usual_landmarks(k, counted, 10**7, n_features) for k in many] == [20_000, 20_000, 100_000]


@pytest.mark.parametrize(("n", "p"), [(27_999, 1000), (28_000, 2000), (56_000, 4000)])
def test_further_landmarks_need_rows(n, p):
    assert CutPolicy().usual_landmarks(8, True, n, 16, refine=True) == p


@settings(max_examples=100, deadline=None, derandomize=True)
@given(n=st.integers(51, 10**6), data=st.data())
def test_many_clusters_have_a_landmark_each_and_landmarks_two_rows_where_there_are_so_many(n, data):
    k = data.draw(st.integers(51, n))
    p = CutPolicy().usual_landmarks(k, False, n, 64)
    assert k <= p <= n
    assert p == k or p <= min(max(20_000, 100 * k), n // 2)
