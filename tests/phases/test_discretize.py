"""Centroids are found whatever the order of the rows and however small a cluster is."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc import DnCSC, LloydKMeans
from dncsc.metrics import nmi


def test_rows_in_a_regular_order_are_clustered_as_in_any_other():
    """Starts of k-means that saw every tenth row would see one of these groups only."""
    random = np.random.default_rng(0)
    group = np.arange(20_000) % 5
    X = np.stack([3.0 * group, np.zeros(20_000), group % 2], axis=1) + random.normal(0, 0.3, (20_000, 3))
    assert nmi(group, DnCSC(5, n_landmarks=100, random_state=0).fit(X).labels_) > 0.99


@pytest.mark.parametrize("seed", range(4))
def test_a_cluster_that_few_rows_of_the_sample_are_in_is_found(seed):
    """Starts on a tenth of the sample would miss it, and so would runs that go on from them."""
    group = np.repeat(np.arange(3), [12_000, 7_999, 1])
    assert nmi(group, LloydKMeans(3, random_state=seed).fit(np.eye(3)[group]).labels_) > 0.999
