"""Clusters of cells, where scanpy keeps them: a function in the manner of `scanpy.tl`.

It needs what an AnnData object brings along, and not scanpy itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dncsc.errors import InputError, ParameterError
from dncsc.estimators.dnc_sc import DnCSC

__all__ = ["cluster"]

MATRIX = "X"
"""What scanpy calls the matrix itself among the representations."""


def cluster(
    adata: Any,
    n_clusters: int | str = "auto",
    *,
    use_rep: str = "X_pca",
    key_added: str = "dncsc",
    random_state: int | None = 0,
    **params: Any,
) -> DnCSC:
    """Cluster the cells of an AnnData object, and write their clusters into ``adata.obs[key_added]``.

    Unlike `scanpy.tl.leiden` it needs no graph of neighbours before, and takes a number of clusters instead of a
    resolution. Time grows linearly with the cells.

    Parameters
    ----------
    adata : AnnData
        Changed: ``obs[key_added]`` is a categorical column of "0", "1", … in the order of size, largest first, and
        ``uns[key_added]["params"]`` says what it was made with.
    n_clusters : int or "auto", default="auto"
        Number of clusters; see `DnCSC`.
    use_rep : str, default="X_pca"
        What distances are between: a key of ``adata.obsm``, or "X" for ``adata.X``, also a sparse one.
    key_added : str, default="dncsc"
        Name of the column.
    random_state : int or None, default=0
        Seed.
    **params
        Other parameters of `DnCSC`, such as ``metric="cosine"``.

    Returns
    -------
    DnCSC
        Fitted: ``model.predict`` labels other cells, ``model.tree_`` and ``model.merged`` give coarser clusters. Its
        labels are numbered otherwise than the column.

    Examples
    --------
    >>> import scanpy as sc  # doctest: +SKIP
    >>> import dncsc.scanpy
    >>> sc.pp.pca(adata)  # doctest: +SKIP
    >>> model = dncsc.scanpy.cluster(adata, n_clusters=12)  # doctest: +SKIP
    >>> sc.pl.pca(adata, color="dncsc")  # doctest: +SKIP
    """
    for name, value in (("use_rep", use_rep), ("key_added", key_added)):
        if not isinstance(value, str) or not value:
            raise ParameterError(name, value, "must be a string that is not empty")
    model = DnCSC(n_clusters, random_state=random_state, **params).fit(_representation(adata, use_rep))
    adata.obs[key_added] = _categories(model.labels_)
    used = {"n_clusters": model.n_clusters_, "use_rep": use_rep, "random_state": random_state, **params}
    adata.uns[key_added] = {"params": {name: value for name, value in used.items() if value is not None}}
    return model


def _representation(adata: Any, use_rep: str) -> Any:
    """Rows to cluster; an error that says what there is."""
    if use_rep == MATRIX:
        return adata.X
    if use_rep not in adata.obsm:
        there = ", ".join(map(repr, [MATRIX, *adata.obsm]))
        first = "Run scanpy.pp.pca(adata) first, or set" if use_rep == "X_pca" else "Set"
        raise InputError(f"adata.obsm has no {use_rep!r}. {first} {{use_rep}} to one of {there}.", ("use_rep",))
    return np.asarray(adata.obsm[use_rep])


def _categories(labels: np.ndarray) -> Any:
    """Labels as scanpy has them: texts of numbers, the largest cluster first; noise has none."""
    from pandas import Categorical  # which AnnData needs, and dncsc does not

    sizes = np.bincount(labels[labels >= 0])
    place = np.empty_like(sizes)
    place[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    names = [str(number) for number in range(np.count_nonzero(sizes))]
    return Categorical.from_codes(np.where(labels < 0, labels, place[labels]), categories=names)
