"""Plain k-means over the same pipeline, to compare with."""

from __future__ import annotations

from typing import Any

from dncsc import pipeline
from dncsc.estimators.base import RecipeClusterer
from dncsc.recipes import K_MEANS, Recipe


class LloydKMeans(RecipeClusterer):
    """k-means on the rows themselves, over the same pipeline as the others, to compare them with.

    The best of `n_init` starts on a sample is followed by Lloyd's iterations over all rows.

    Parameters
    ----------
    n_clusters : int, default=8
    n_init : int, default=1
    max_iter : int, default=300
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
    max_memory : str or int, optional
    scratch_dir : path, optional
    checkpoint : path, optional
    verbose : int, default=0

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features_in_)
        Means of the clusters.
    inertia_ : float
        Sum of squared distances of rows to the means of their clusters, each times the row's weight.

    See Also
    --------
    DnCSC : What the parameters and the other fitted attributes mean; they are the same.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 1,
        max_iter: int = 300,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: str | int | None = None,
        scratch_dir: Any = None,
        checkpoint: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.scratch_dir = scratch_dir
        self.checkpoint = checkpoint
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        return K_MEANS

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        self.cluster_centers_ = found.model.frame.inverse_transform(found.centroids.places)
