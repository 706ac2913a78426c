"""Ensembles of spectral clusterings, whose consensus is better and steadier than any of them."""

from __future__ import annotations

from dataclasses import dataclass

from dncsc import pipeline
from dncsc.estimators.base import EmbeddingClusterer, RowScorer
from dncsc.estimators.baselines import USPEC
from dncsc.estimators.described import EVERY_FIT, GRAPH, described_like
from dncsc.estimators.dnc_sc import DnCSC
from dncsc.estimators.parameters import CONSTRAINTS, positive
from dncsc.phases.settings import ADAPTIVE, AUTO, LOCAL, MEAN
from dncsc.recipes import DNC_SC, U_SPEC


@dataclass(eq=False, repr=False, kw_only=True)
class EnsembleClusterer(RowScorer, EmbeddingClusterer):
    """A clusterer that finds the consensus of base clusterings."""

    n_members: int = 20
    n_neighbors: int = 5
    sample_size: int | str = AUTO
    n_candidates: int | str = AUTO

    _constraints = {**CONSTRAINTS, "bandwidth": positive(AUTO, MEAN, LOCAL, ADAPTIVE)}  # noqa: RUF012
    _has_tree = True

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        if found.confidence is not None:
            self.confidence_ = found.confidence


@described_like(DnCSC, (*EVERY_FIT, *GRAPH))
@dataclass(eq=False, repr=False, kw_only=True)
class LSEC(EnsembleClusterer):
    """LSEC: many clusterings from a few shared landmark graphs, and their consensus (Li et al. 2023).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k. Below fifty: with more, `DnCSC` alone is better, and a hundred times faster.
    n_members : int, default=30
        Clusterings, most of them into 20 to 60 clusters.
    n_graphs : int, default=2
        Selections of landmarks that they come from; at most `n_members`.
    n_landmarks : int, default=2000
        Landmarks of each graph. With ``bandwidth="auto"`` more than 1,000 have at least 40 rows each, and fewer as many
        as in `DnCSC`.
    bandwidth : {"auto", "mean", "local", "adaptive"} or float, default="auto"
        How distances become weights, as in `DnCSC`, but that "auto" mixes two kinds of weights on the links of each
        selection.
    n_init : int, default=3
        Runs of k-means on a sample of the consensus, from the best of five times as many on few rows; the best is kept.

    Attributes
    ----------
    confidence_ : ndarray of float32 of shape (n_samples,)
        How far the base clusterings agree on a row, in [0, 1]: the mean share of rows of its own label among the rows
        that a base clustering puts into the same cluster.

    See Also
    --------
    DnCSC : One clustering, and much faster.

    Examples
    --------
    >>> from dncsc import LSEC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(1000, noise=0.05, random_state=0)
    >>> model = LSEC(n_clusters=2, n_members=6, random_state=0).fit(X)
    >>> model.confidence_.shape
    (1000,)
    """

    n_members: int = 30
    n_graphs: int = 2
    n_landmarks: int = 2000
    selection_rate: int | str = AUTO
    bandwidth: float | str = AUTO

    _fixed_recipe = DNC_SC


@described_like(USPEC, (*EVERY_FIT, *GRAPH))
class USENC(EnsembleClusterer):
    """U-SENC: clusterings by U-SPEC, each with landmarks of its own, and their consensus (Huang et al. 2020).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k. Below fifty: with more, `DnCSC` alone is better, and a hundred times faster.
    n_members : int, default=20
        Clusterings, most of them into 20 to 60 clusters; each has landmarks of its own.
    bandwidth : {"auto", "mean", "local", "adaptive"} or float, default="mean"
        How distances become weights, as in `DnCSC`.

    Attributes
    ----------
    confidence_ : ndarray of float32 of shape (n_samples,)
        How far the base clusterings agree on a row, in [0, 1], as in `LSEC`.

    See Also
    --------
    LSEC : The same from fewer graphs, and so in less time.

    Examples
    --------
    >>> from dncsc import USENC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(1000, noise=0.05, random_state=0)
    >>> model = USENC(n_clusters=2, n_members=4, n_landmarks=100, random_state=0).fit(X)
    >>> bool((model.labels_ == model.predict(X)).all())
    True
    """

    _fixed_recipe = U_SPEC
    _spare_candidates = 1  # as in U-SPEC
