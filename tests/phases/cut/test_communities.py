"""Communities of a graph: enough of them, and each in one piece."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

import naive
from dncsc import DnCSC
from dncsc.estimators.parameters import check_parameters
from dncsc.phases.cut.communities import find_communities


def settings_for(n_clusters):
    return replace(check_parameters(DnCSC(n_clusters)).asked, seed=0)


@pytest.mark.parametrize("n_clusters", [1, 2, 10, 60, 200])
def test_there_are_at_least_as_many_communities_as_clusters(n_clusters):
    """A ring of 200 landmarks."""
    links = np.roll(np.eye(200), 1, axis=1)
    community = find_communities(csr_array(links + links.T), settings_for(n_clusters))
    assert n_clusters <= len(np.unique(community)) == community.max() + 1


def test_communities_hang_together():
    random = np.random.default_rng(0)
    links = np.triu(random.random((150, 150)) * (random.random((150, 150)) < 0.02), 1)
    links += links.T
    community = find_communities(csr_array(links), settings_for(20))
    for number in range(community.max() + 1):
        inside = community == number
        assert len(naive.components(links[np.ix_(inside, inside)])) == 1


def test_landmarks_without_links_are_communities_by_themselves():
    assert find_communities(csr_array((7, 7)), settings_for(3)).tolist() == list(range(7))
