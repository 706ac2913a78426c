"""Rows are linked as the naive twins say, in double precision, however many of them are alike."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import naive
from dncsc.kernels.linkage import count_large, label_by_links, reach_of_rows, spanning_tree

some = settings(max_examples=40, deadline=None, derandomize=True)
tables = {
    "seed": st.integers(0, 1000),
    "n": st.integers(2, 40),
    "d": st.sampled_from([1, 2, 5]),
    "are_whole": st.booleans(),
}


def table(seed, n, d, are_whole):
    """Rows, some of them alike if they are of whole numbers."""
    random = np.random.default_rng(seed)
    return random.integers(0, 4, (n, d)).astype(float) if are_whole else random.standard_normal((n, d))


def by_features(rows):
    return np.ascontiguousarray(rows.T)


def reach(rows, n_neighbors):
    found = np.empty(len(rows))
    reach_of_rows(by_features(rows), n_neighbors, 0, found)
    return found


def tree(rows, n_neighbors):
    n = len(rows)
    first, second, squared = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    spanning_tree(by_features(rows), reach(rows, n_neighbors), first, second, squared)
    order = np.argsort(squared, kind="stable")
    return first[order], second[order], np.sqrt(squared[order])


@some
@given(**tables, n_neighbors=st.sampled_from([1, 3, 10]), start=st.integers(0, 5))
def test_reach_is_that_of_the_twin_from_any_row_on(seed, n, d, are_whole, n_neighbors, start):
    rows = table(seed, n, d, are_whole)
    expected = naive.reach_of_rows(rows, n_neighbors)
    np.testing.assert_allclose(np.sqrt(reach(rows, n_neighbors)), expected, atol=1e-7)
    part = np.empty(max(n - start, 0))
    reach_of_rows(by_features(rows), n_neighbors, start, part)
    np.testing.assert_array_equal(part, reach(rows, n_neighbors)[start:])


@some
@given(**tables, n_neighbors=st.sampled_from([1, 3]))
def test_the_tree_joins_all_rows_by_the_lengths_of_single_linkage(seed, n, d, are_whole, n_neighbors):
    rows = table(seed, n, d, are_whole)
    first, second, length = tree(rows, n_neighbors)
    mutual = naive.mutual_reachability(rows, n_neighbors)
    assert len(set(naive.linked(first, second, n))) == 1
    np.testing.assert_allclose(length, mutual[first, second], atol=1e-7)
    np.fill_diagonal(mutual, 0)
    np.testing.assert_allclose(length, linkage(squareform(mutual, checks=False), "single")[:, 2], atol=1e-7)


@some
@given(**tables, least=st.sampled_from([1.0, 1.5, 4.0]))
def test_large_groups_are_counted_after_each_link(seed, n, d, are_whole, least):
    rows = table(seed, n, d, are_whole)
    first, second, _ = tree(rows, 3)
    weight, large = np.random.default_rng(seed).integers(1, 3, n).astype(float), np.empty(n - 1, np.int64)
    count_large(first, second, weight, least, large)
    np.testing.assert_array_equal(large, naive.count_large(first, second, weight, least))


@some
@given(**tables, n_labels=st.integers(1, 4))
def test_labels_spread_along_links_and_never_into_each_other(seed, n, d, are_whole, n_labels):
    rows = table(seed, n, d, are_whole)
    first, second, _ = tree(rows, 3)
    label = np.random.default_rng(seed).integers(-n, n_labels, n).clip(-1)
    label[0] = 0
    found = label.copy()
    label_by_links(first, second, found)
    np.testing.assert_array_equal(found, naive.label_by_links(first, second, label))
    np.testing.assert_array_equal(found[label >= 0], label[label >= 0])
    assert found.min() >= 0
