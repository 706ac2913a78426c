"""The tree of clusters is one of SciPy's linkage matrices, and coarser clusterings are nested."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, dendrogram, is_monotonic, is_valid_linkage
from scipy.sparse import csr_array

import naive
from dncsc.phases.cut.layers import LandmarkLinks, cluster_tree, merge, with_a_landmark_each
from dncsc.phases.cut.policy import CutPolicy
from method_cases import assert_same_partition

POWER = CutPolicy().join_power


def some_tree(seed, k, density=0.3, p=60):
    """A tree of k clusters of p landmarks, and the weights between clusters."""
    random = np.random.default_rng(seed)
    links = np.triu(random.random((p, p)) * (random.random((p, p)) < density))
    links = links + links.T
    cluster = random.permutation(np.append(np.arange(k), random.integers(0, k, p - k))).astype(np.int32)
    return cluster_tree(csr_array(links), cluster, k, random.random((p, 2)), POWER), naive.between_groups(
        links, cluster
    )


trees = {"seed": st.integers(0, 1000), "k": st.integers(2, 40), "density": st.sampled_from([0.0, 0.02, 0.3])}
few = settings(max_examples=25, deadline=None, derandomize=True)


@few
@given(**trees)
def test_a_tree_is_a_linkage_matrix_that_scipy_takes(seed, k, density):
    tree, _ = some_tree(seed, k, density)
    assert tree.shape == (k - 1, 4)
    assert is_valid_linkage(tree, throw=True)
    assert is_monotonic(tree)
    assert 0 <= tree[0, 2] <= tree[-1, 2] <= 1
    assert tree[-1, 3] == k
    assert sorted(dendrogram(tree, no_plot=True)["leaves"]) == list(range(k))


@few
@given(**trees)
def test_coarser_clusterings_are_those_of_scipy(seed, k, density):
    tree, _ = some_tree(seed, k, density)
    cuts = cut_tree(tree)  # column i after i merges
    height = [0, *tree[:, 2], 2]
    for n in range(1, k + 1):
        group = merge(tree, n)
        if height[k - n] < height[k - n + 1]:  # no merge at the same height follows
            assert_same_partition(group, cuts[:, k - n])


@few
@given(**trees)
def test_coarser_clusterings_are_nested_and_of_the_size_asked_for(seed, k, density):
    tree, _ = some_tree(seed, k, density)
    finer = np.arange(k)
    for n in range(k, 0, -1):
        group = merge(tree, n)
        assert group.dtype == np.int32
        assert list(dict.fromkeys(group.tolist())) == list(range(n))  # numbered by their first clusters
        assert len(set(zip(finer.tolist(), group.tolist(), strict=True))) == finer.max() + 1
        finer = group


def test_clusters_join_in_the_order_of_the_twin():
    tree, between = some_tree(3, 12)
    for n, (groups, strength) in zip(range(11, 0, -1), naive.agglomerate(between), strict=True):
        found = merge(tree, n)
        assert {frozenset(np.flatnonzero(found == g).tolist()) for g in range(n)} == {frozenset(g) for g in groups}
        assert tree[11 - n, 2] >= 1 - strength - 1e-12


def test_a_cluster_without_landmarks_joins_at_last():
    links = csr_array(np.ones((4, 4)))
    tree = cluster_tree(links, np.array([0, 0, 2, 2]), 3, np.ones((4, 1)), POWER)
    assert merge(tree, 2).tolist() == [0, 1, 0]
    assert tree[-1, 2] == 1


def test_a_cluster_without_landmarks_has_the_nearest_that_another_can_spare():
    landmarks = np.array([[0.0], [1.0], [2.0], [3.0], [9.0]], np.float32)
    cluster = np.array([0, 0, 1, 1, 3], np.int32)
    found = with_a_landmark_each(cluster, np.array([[0.5], [2.5], [8.0], [9.0]]), landmarks)
    np.testing.assert_array_equal(found, [0, 0, 1, 2, 3])  # 9 is nearer, but all that another one has
    np.testing.assert_array_equal(with_a_landmark_each(cluster[::2], np.zeros((6, 1)), landmarks[::2]), [0, 1, 3])


def test_one_cluster_is_a_tree_without_lines():
    tree = cluster_tree(csr_array(np.ones((4, 4))), np.zeros(4, int), 1, np.ones((4, 1)), POWER)
    assert tree.shape == (0, 4)
    assert merge(tree, 1).tolist() == [0]


def test_clusters_without_links_join_the_nearest():
    places = np.array([[0.0], [100.0], [1.0], [104.0], [50.0]])
    tree = cluster_tree(csr_array(np.eye(5)), np.arange(5), 5, places, POWER)
    assert [merge(tree, n).tolist() for n in (4, 3)] == [[0, 1, 0, 2, 3], [0, 1, 0, 1, 2]]
    assert (tree[:, 2] == 1).all()


@pytest.mark.parametrize("density", [0.0, 0.2])
def test_links_come_back_as_they_were(density):
    random = np.random.default_rng(0)
    links = csr_array(random.random((9, 9)) * (random.random((9, 9)) < density))
    np.testing.assert_array_equal(LandmarkLinks.of(links).matrix.toarray(), links.toarray())
