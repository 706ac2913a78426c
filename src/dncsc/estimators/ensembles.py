"""Ensembles of spectral clusterings, whose consensus is better and steadier than any of them."""

from __future__ import annotations

from dncsc import pipeline
from dncsc.estimators.base import EmbeddingMixin, RecipeClusterer
from dncsc.estimators.parameters import CONSTRAINTS, positive
from dncsc.phases.settings import ADAPTIVE, AUTO, LOCAL, MEAN
from dncsc.recipes import DNC_SC, U_SPEC, Recipe


class EnsembleClusterer(EmbeddingMixin, RecipeClusterer):
    """A clusterer that finds the consensus of base clusterings."""

    constraints = {**CONSTRAINTS, "bandwidth": positive(AUTO, MEAN, LOCAL, ADAPTIVE)}  # noqa: RUF012

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        if found.confidence is not None:
            self.confidence_ = found.confidence


class LSEC(EnsembleClusterer):
    """LSEC: many clusterings from a few shared landmark graphs, and their consensus (Li et al. 2023).

    Parameters
    ----------
    n_clusters : int, default=8
    n_members : int, default=30
        Clusterings, most of them into 20 to 40 clusters; with other weights than "auto" into 20 to 60.
    n_graphs : int, default=2
        Selections of landmarks that they come from; at most `n_members`.
    n_landmarks : int, default=2000
        Landmarks of each graph. With ``bandwidth="auto"`` more than 1,000 have at least 40 rows each, and fewer as many
        as in `DnCSC`.
    n_neighbors : int, default=5
    selection_rate : int or "auto", default="auto"
    sample_size : int or "auto", default="auto"
    n_candidates : int or "auto", default="auto"
    bandwidth : {"auto", "mean", "local", "adaptive"} or float, default="auto"
        "auto" mixes two kinds of weights on the links of each selection.
    normalize : {"l2", "l1"}, default="l2"
    n_init : int, default=3
        Runs of k-means on the consensus; see `DnCSC`.
    max_iter : int, default=100
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`.

    Attributes
    ----------
    labels_ : ndarray of int32 of shape (n_samples,)
    confidence_ : ndarray of float32 of shape (n_samples,)
        How far the base clusterings agree on a row, in [0, 1]: the mean share of rows of its own label among the rows
        that a base clustering puts into the same cluster.

    See Also
    --------
    DnCSC : What the other parameters and fitted attributes mean; they are the same.
    """

    n_members: int = 30
    n_graphs: int = 2
    n_landmarks: int = 2000
    n_neighbors: int = 5
    selection_rate: int | str = "auto"
    sample_size: int | str = "auto"
    n_candidates: int | str = "auto"
    bandwidth: float | str = "auto"
    normalize: str = "l2"

    def _recipe(self) -> Recipe:
        return DNC_SC


class USENC(EnsembleClusterer):
    """U-SENC: clusterings by U-SPEC, each with landmarks of its own, and their consensus (Huang et al. 2020).

    Parameters
    ----------
    n_clusters : int, default=8
    n_members : int, default=20
    n_landmarks : int, default=1000
    n_neighbors : int, default=5
    sample_size : int or "auto", default="auto"
    n_candidates : int or "auto", default="auto"
    bandwidth : {"auto", "mean", "local", "adaptive"} or float, default="mean"
    normalize : {"l2", "l1"}, default="l2"
    n_init : int, default=3
    max_iter : int, default=100
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`.

    See Also
    --------
    LSEC : The same from fewer graphs, and so in less time; what `confidence_` means.
    """

    n_members: int = 20
    n_landmarks: int = 1000
    n_neighbors: int = 5
    sample_size: int | str = "auto"
    n_candidates: int | str = "auto"
    bandwidth: float | str = "mean"
    normalize: str = "l2"

    spare_candidates = 1  # as in U-SPEC

    def _recipe(self) -> Recipe:
        return U_SPEC
