"""Statistics of clusters against their definitions."""

from __future__ import annotations

import numpy as np

from dncsc.engines.layout import block_rows
from dncsc.report.reader import BlockReader, gather_moments, sample_numbers


def test_moments_keep_their_digits_far_from_zero():
    random = np.random.default_rng(0)
    rows = random.normal(size=(3 * block_rows(40) + 7, 40)) + 1e8
    labels = random.integers(0, 5, len(rows))
    labels[labels == 3] = 2  # cluster 3 stays empty
    chosen = sample_numbers(len(rows), 40, 1000)
    found = gather_moments(BlockReader(rows), labels, 5, chosen)
    for cluster in (0, 1, 2, 4):
        own = rows[labels == cluster]
        np.testing.assert_allclose(found.mean[cluster] - 1e8, own.mean(axis=0) - 1e8, atol=1e-5)
        np.testing.assert_allclose(found.deviation[cluster], own.std(axis=0), rtol=1e-6)
    np.testing.assert_allclose(found.whole_deviation, rows.std(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(found.count, np.bincount(labels, minlength=5))
    np.testing.assert_array_equal(found.sample, rows[chosen])
    assert (found.effect[3] == 0).all()
