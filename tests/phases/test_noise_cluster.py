"""What is told of clusters by a sample of the rows: sizes and distances, by weight."""

from __future__ import annotations

import numpy as np

from dncsc.phases.noise_cluster import SampledClusters


def sampled(weight, n_clusters=3):
    label, distance = np.array([0, 0, 1, 1, 1]), np.array([5.0, 1.0, 2.0, 9.0, 4.0])
    return SampledClusters(label, np.zeros(5, np.int32), distance, np.asarray(weight, float), n_clusters)


def test_a_cluster_that_no_row_of_the_sample_is_in_has_size_0():
    assert sampled(np.ones(5)).sizes.tolist() == [2, 3, 0]


def test_a_row_of_weight_2_counts_as_two_rows():
    once = sampled([1, 1, 1, 1, 3])
    twice = np.repeat(np.arange(5), [1, 1, 1, 1, 3])
    assert once.sizes.tolist() == np.bincount(once.label[twice], minlength=3).tolist()
    for which in (np.ones(5, bool), once.label == 1):
        assert once.middle(which) == np.median(once.distance[twice][which[twice]])
