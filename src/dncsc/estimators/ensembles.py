"""Ensembles of spectral clusterings, whose consensus is better and steadier than any of them."""

from __future__ import annotations

from dataclasses import dataclass

from dncsc import pipeline
from dncsc.estimators.base import EmbeddingClusterer, RowScorer
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


@dataclass(eq=False, repr=False, kw_only=True)
class LSEC(EnsembleClusterer):
    """LSEC: many clusterings from a few shared landmark graphs, and their consensus (Li et al. 2023).

    Parameters
    ----------
    n_clusters : int, default=8
        Below fifty: with more, `DnCSC` alone is better, and a hundred times faster.
    n_members : int, default=30
        Clusterings, most of them into 20 to 60 clusters.
    n_graphs : int, default=2
        Selections of landmarks that they come from; at most `n_members`.
    n_landmarks : int, default=2000
        Landmarks of each graph. With ``bandwidth="auto"`` more than 1,000 have at least 40 rows each, and fewer as many
        as in `DnCSC`.
    bandwidth : {"auto", "mean", "local", "adaptive"} or float, default="auto"
        "auto" mixes two kinds of weights on the links of each selection.
    n_init : int, default=3
        Runs of k-means on the consensus; see `DnCSC`.
    metric, n_neighbors, selection_rate, sample_size, n_candidates, normalize, max_iter
        As in `DnCSC`; so are random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose and other attributes.

    Attributes
    ----------
    labels_ : ndarray of int32 of shape (n_samples,)
    confidence_ : ndarray of float32 of shape (n_samples,)
        How far the base clusterings agree on a row, in [0, 1]: the mean share of rows of its own label among the rows
        that a base clustering puts into the same cluster.
    """

    n_members: int = 30
    n_graphs: int = 2
    n_landmarks: int = 2000
    selection_rate: int | str = AUTO
    bandwidth: float | str = AUTO

    _fixed_recipe = DNC_SC


class USENC(EnsembleClusterer):
    """U-SENC: clusterings by U-SPEC, each with landmarks of its own, and their consensus (Huang et al. 2020).

    Parameters
    ----------
    n_clusters : int, default=8
        Below fifty: with more, `DnCSC` alone is better, and a hundred times faster.
    n_members : int, default=20
    bandwidth : {"auto", "mean", "local", "adaptive"} or float, default="mean"
    metric, n_landmarks, n_neighbors, sample_size, n_candidates, normalize, n_init, max_iter
        As in `USPEC`; so are random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose and other attributes.

    Attributes
    ----------
    labels_ : ndarray of int32 of shape (n_samples,)
    confidence_ : ndarray of float32 of shape (n_samples,)
        As in `LSEC`.

    See Also
    --------
    LSEC : The same from fewer graphs, and so in less time.
    """

    _fixed_recipe = U_SPEC
    _spare_candidates = 1  # as in U-SPEC
