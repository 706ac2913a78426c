"""
Cells: AnnData and scanpy
=========================

Counts of genes in cells, made up: eight types of cells that differ in some genes, with the zeros and the uneven depth
of real counts. scanpy prepares them, `dncsc.scanpy.cluster` writes clusters where scanpy looks for them.
"""

import warnings

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scanpy as sc
import scipy.sparse

import dncsc.scanpy
from dncsc import metrics

random = np.random.default_rng(0)
n_cells, n_genes, n_types = 6_000, 500, 8
kind = random.choice(n_types, n_cells, p=random.dirichlet(np.full(n_types, 3.0)))
levels = np.exp(
    random.normal(-1.2, 1.0, n_genes)
    + random.normal(0, 1.0, (n_types, n_genes)) * (random.random((n_types, n_genes)) < 0.12)
)
depth = random.lognormal(0, 0.4, n_cells)
counts = scipy.sparse.csr_matrix(random.poisson(levels[kind] * depth[:, None]).astype(np.float32))
cells = anndata.AnnData(
    counts, obs=pd.DataFrame({"kind": pd.Categorical(kind.astype(str))}, index=[f"cell{i}" for i in range(n_cells)])
)
print(cells, f"{counts.nnz / np.prod(counts.shape):.0%} of the counts are not zero")

# %%
# The usual way: same total for all cells, logarithm, principal components. No graph of neighbours is needed.
sc.pp.normalize_total(cells, target_sum=1e3)
sc.pp.log1p(cells)
sc.pp.pca(cells, n_comps=20)

model = dncsc.scanpy.cluster(cells, n_clusters=n_types)
print(cells.obs["dncsc"].value_counts())
print(f"ARI {metrics.ari(kind, cells.obs['dncsc']):.3f}")

# %%
# scanpy draws the column as it draws those of its own. Types that overlap in two components are apart in others.
figure, axes = plt.subplots(2, 2, figsize=(11, 8.6))
for line, (column, title) in zip(axes, {"kind": "types", "dncsc": "clusters"}.items(), strict=True):
    for ax, pair in zip(line, ((0, 1), (2, 3)), strict=True):
        sc.pl.pca(cells, color=column, dimensions=pair, ax=ax, show=False, title=title)
figure.tight_layout()

# %%
# How many types? ``n_clusters="auto"`` counts, and warns where another number may be right. It finds seven of eight:
# the smallest type, two cells of a hundred, shares a cluster with another.
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", dncsc.UnclearClustersWarning)
    dncsc.scanpy.cluster(cells, key_added="counted")
print(*(each.message for each in told))
print(pd.crosstab(cells.obs["kind"], cells.obs["counted"]))
