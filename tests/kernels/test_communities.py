"""Moves between communities gain modularity, and rows vote, as the naive twins say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import naive
from dncsc.kernels.communities import move_nodes, vote_rows

few = settings(max_examples=30, deadline=None, derandomize=True)


def some_graph(random, n, density):
    """Symmetric links, with some of nodes to themselves; a node or two may have none."""
    links = np.triu(random.random((n, n)) * (random.random((n, n)) < density))
    return links + links.T


def moved(links, resolution, order, max_rounds, start=None, kept=None):
    community = np.arange(len(links), dtype=np.int32) if start is None else start.astype(np.int32)
    graph = csr_array(links)
    arrays = graph.indptr, graph.indices, graph.data, links.sum(axis=1)
    kept = np.zeros(len(links)) if kept is None else kept
    return community, move_nodes(*arrays, resolution, kept, order, max_rounds, community)


graphs = {
    "seed": st.integers(0, 1000),
    "n": st.integers(2, 14),
    "density": st.sampled_from([0.1, 0.4, 0.9]),
    "resolution": st.sampled_from([0.3, 1.0, 4.0]),
}


@few
@given(**graphs, max_rounds=st.sampled_from([1, 2, 10]), kept_size=st.sampled_from([0.0, 0.5, 2.0]))
def test_nodes_move_to_where_the_twin_finds_most_modularity(seed, n, density, resolution, max_rounds, kept_size):
    random = np.random.default_rng(seed)
    links, order = some_graph(random, n, density), random.permutation(n)
    links[0, 0] += 0.1  # of at least one link
    kept = kept_size * random.random(n) * links.sum(axis=1)
    community, count = moved(links, resolution, order, max_rounds, kept=kept)
    expected, expected_count = naive.move_nodes(links, resolution, order, max_rounds, np.arange(n), kept)
    np.testing.assert_array_equal(community, expected)
    assert count == expected_count


@few
@given(**graphs)
def test_modularity_never_falls_and_rises_if_any_node_moves(seed, n, density, resolution):
    random = np.random.default_rng(seed)
    links, order = some_graph(random, n, density), random.permutation(n)
    links[0, 0] += 0.1
    last = random.integers(0, n, n)
    for _ in range(6):
        community, count = moved(links, resolution, order, 1, last)
        before, after = (naive.modularity(links, each, resolution) for each in (last, community))
        assert after > before if count else after == before
        last = community


def test_cliques_with_one_link_between_them_are_communities():
    links = np.kron(np.eye(4), 1.0 - np.eye(5))
    for i in range(3):
        links[5 * i, 5 * i + 5] = links[5 * i + 5, 5 * i] = 0.1
    community, _ = moved(links, 1.0, np.arange(20), 10)
    assert [len(set(community[i : i + 5])) for i in range(0, 20, 5)] == [1] * 4
    assert len(set(community)) == 4


def test_nodes_without_links_stay_where_they_are():
    links = np.zeros((5, 5))
    assert moved(links, 1.0, np.arange(5), 10)[1] == 0
    links[0, 1] = links[1, 0] = 1
    community, _ = moved(links, 1.0, np.arange(5), 10)
    assert community[0] == community[1]
    assert community[2:].tolist() == [2, 3, 4]


def voted(nearest, shares, cluster):
    labels, squared = np.full(len(nearest), -7, np.int32), np.empty(len(nearest), shares.dtype)
    vote_rows(nearest, shares, cluster, labels, squared)
    return labels, squared


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_nearest", [1, 2, 6])
@pytest.mark.parametrize("k", [1, 3, 40])
def test_rows_go_to_their_largest_share_and_the_lowest_number_of_equal_ones(k, n_nearest, dtype):
    """Shares are eighths, so that sums are exact and many are equal."""
    random = np.random.default_rng(0)
    nearest = np.argsort(random.random((400, 40)), axis=1)[:, :n_nearest].astype(np.int32)
    shares = random.multinomial(8, np.full(n_nearest, 1 / n_nearest), 400).astype(dtype) / 8
    cluster = random.permutation(40).astype(np.int32) % np.int32(k)
    labels, squared = voted(nearest, shares, cluster)
    expected, distance = naive.vote(nearest, shares, cluster)
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(squared, distance)


def test_squared_distances_to_corners_are_right_to_rounding_and_never_negative(some_links):
    random = np.random.default_rng(1)
    nearest, shares = some_links(random, 500, 30, 6, np.float32)
    cluster = random.integers(0, 5, 30).astype(np.int32)
    labels, squared = voted(nearest, shares, cluster)
    expected, distance = naive.vote(nearest, shares, cluster)
    assert (labels == expected).mean() > 0.99
    np.testing.assert_allclose(squared, distance, atol=1e-6)
    assert squared.min() >= 0
