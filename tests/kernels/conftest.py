"""What several tests of kernels share."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="session")
def some_links():
    """A maker of links: different landmarks for each row, and shares that add up to 1."""

    def make(random, n, p, n_nearest, dtype):
        nearest = np.argsort(random.random((n, p)), axis=1)[:, :n_nearest].astype(np.int32)
        share = random.random((n, n_nearest)) + 0.01
        return nearest, (share / share.sum(axis=1, keepdims=True)).astype(dtype)

    return make
