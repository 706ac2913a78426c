"""Rows whose landmarks agree get their label without more ado."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.kernels.settle import settle_rows


@pytest.mark.parametrize("dtype", [np.int32, np.uint16])
@pytest.mark.parametrize("n_nearest", [1, 2, 5])
def test_rows_get_the_cluster_that_all_their_landmarks_have(some_links, n_nearest, dtype):
    random = np.random.default_rng(0)
    nearest = some_links(random, 500, 40, n_nearest, np.float32)[0].astype(dtype)
    cluster = random.choice(np.array([-1, 0, 1], np.int32), 40, p=[0.1, 0.7, 0.2])
    labels = np.empty(500, np.int32)
    rest = settle_rows(nearest, cluster, labels)
    twin = naive.settle(nearest, cluster)
    assert rest.tolist() == [r for r, label in enumerate(twin) if label is None]
    assert 0 < len(rest) < 500
    assert all(label is None or labels[r] == label for r, label in enumerate(twin))
