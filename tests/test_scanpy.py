"""Clusters where scanpy keeps them, with the real package where it is installed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import dncsc.scanpy
from dncsc import DnCSC, metrics

anndata = pytest.importorskip("anndata", reason="no anndata: make docs-check has it")

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


@pytest.fixture
def cells(blobs):
    """Three groups of different sizes, as an AnnData object with a representation."""
    X, y = blobs(600, d=6, k=3, dtype="float32")
    kept = np.flatnonzero((y != 0) | (np.arange(600) % 4 == 0))
    made = anndata.AnnData(scipy.sparse.csr_matrix(X[kept] - X.min()))
    made.obsm["X_pca"] = X[kept]
    return made, y[kept]


def test_clusters_are_a_categorical_column_with_the_largest_first(cells):
    made, y = cells
    model = dncsc.scanpy.cluster(made, 3)
    column = made.obs["dncsc"]
    assert column.dtype == "category"
    assert list(column.cat.categories) == ["0", "1", "2"]
    assert metrics.ari(y, column) == 1
    sizes = column.value_counts()
    assert sizes["0"] >= sizes["1"] >= sizes["2"] > 0
    assert metrics.ari(model.labels_, column) == 1


def test_noise_has_no_cluster(cells):
    made, _ = cells
    model = dncsc.scanpy.cluster(made, 3, noise=0.1)
    assert (made.obs["dncsc"].isna() == (model.labels_ == -1)).all()
    assert made.obs["dncsc"].isna().sum() == round(0.1 * len(made))


def test_labels_are_those_of_the_estimator_and_parameters_are_kept(cells):
    made, _ = cells
    dncsc.scanpy.cluster(made, 3, use_rep="X", key_added="cosine", metric="cosine", random_state=1)
    alone = DnCSC(3, metric="cosine", random_state=1).fit(made.X)
    assert metrics.ari(alone.labels_, made.obs["cosine"]) == 1
    kept = made.uns["cosine"]["params"]
    assert kept == {"n_clusters": 3, "use_rep": "X", "random_state": 1, "metric": "cosine"}


def test_what_is_written_goes_to_a_file_and_back(cells, tmp_path):
    made, _ = cells
    dncsc.scanpy.cluster(made, 3)
    made.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert (again.obs["dncsc"] == made.obs["dncsc"]).all()
    assert again.uns["dncsc"]["params"]["n_clusters"] == 3


def test_a_representation_that_is_not_there_is_told_with_those_that_are(cells):
    made, _ = cells
    with pytest.raises(ValueError, match=r"no 'X_umap'. Set use_rep to one of 'X', 'X_pca'"):
        dncsc.scanpy.cluster(made, 3, use_rep="X_umap")
    del made.obsm["X_pca"]
    with pytest.raises(ValueError, match=r"scanpy\.pp\.pca"):
        dncsc.scanpy.cluster(made, 3)
    with pytest.raises(ValueError, match="key_added must be a string"):
        dncsc.scanpy.cluster(made, 3, key_added="")


def test_scanpy_draws_and_ranks_by_the_column(cells):
    scanpy = pytest.importorskip("scanpy", reason="no scanpy: make docs-check has it")
    made, _ = cells
    dncsc.scanpy.cluster(made, 3)
    scanpy.tl.rank_genes_groups(made, "dncsc", use_raw=False)
    assert set(made.uns["rank_genes_groups"]["names"].dtype.names) == {"0", "1", "2"}
