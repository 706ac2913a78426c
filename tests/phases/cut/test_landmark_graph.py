"""The graph of the landmarks, and its inflation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from dncsc import LSEC, DnCSC
from dncsc.metrics import nmi
from graphs import inflated

LINKS = csr_array([[4.0, 2.0, 0.0, 1.0], [2.0, 4.0, 0.5, 0.0], [0.0, 0.5, 4.0, 0.0], [1.0, 0.0, 0.0, 1.0]])


def test_links_are_squared():
    expected = LINKS.toarray() ** 2 / LINKS.data.mean() ** 2
    np.testing.assert_allclose(inflated(LINKS, np.array([30.0, 20.0, 10.0, 1.0]), 1).toarray(), expected)


def test_only_what_may_be_a_cluster_is_linked_to_itself(spectrum_without_gap):
    """Landmarks that are dense or have no other link; all of them where they are few."""
    links, _ = spectrum_without_gap
    lonely = links.toarray()
    lonely[7, np.arange(len(lonely)) != 7] = lonely[np.arange(len(lonely)) != 7, 7] = 0
    mass = np.where(np.arange(len(lonely)) == 40, 500.0, 50.0)
    many, few = (inflated(csr_array(lonely), mass, k).diagonal() for k in (7, 8))
    np.testing.assert_array_equal(np.flatnonzero(many), [7, 40])
    assert few.all()


@pytest.mark.parametrize("n_features", [4, 20])
@pytest.mark.parametrize("width", [0, 0.01])
def test_a_dense_spot_is_a_cluster_though_one_landmark_stands_for_it(n_features, width):
    random = np.random.default_rng(0)
    wide, spot = random.standard_normal((2, 8_000, n_features))
    group = np.repeat([0, 1], [8_000, 2_000])
    X = np.concatenate([wide, 8 / np.sqrt(n_features) + width * spot[:2_000]])
    assert nmi(group, DnCSC(2, random_state=0).fit(X).labels_) > 0.99


@pytest.mark.filterwarnings("ignore:Nothing is told apart")
def test_every_cluster_has_rows_where_all_landmarks_but_a_few_are_light():
    """Noise in hundreds of dimensions: most rows are nearest to a few landmarks, and all clusters are made of these."""
    X = np.random.default_rng(0).standard_normal((4_000, 600), dtype=np.float32)
    assert np.count_nonzero(DnCSC(5, n_landmarks=60, random_state=0).fit(X).cluster_sizes_) == 5


@pytest.mark.parametrize("make", [DnCSC, pytest.param(LSEC, marks=pytest.mark.long)])
@pytest.mark.parametrize("n_sparse", [100, 500])
def test_a_sparse_cluster_beside_dense_ones_is_found(make, n_sparse):
    """Its landmarks have few rows each, but so have those around them.

    Base clusterings would join it to a piece of a dense one, were it not a component of the graph by itself.
    """
    random = np.random.default_rng(0)
    dense, sparse = random.normal(0, 0.3, (2, 10_000, 10)), random.normal(0, 1.5, (n_sparse, 10))
    dense[1, :, 1] += 6
    sparse[:, 0] += 12
    group = np.repeat([0, 1, 2], [10_000, 10_000, n_sparse])
    assert nmi(group, make(3, random_state=0).fit(np.concatenate([*dense, sparse])).labels_) > 0.99
