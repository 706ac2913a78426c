"""Plain k-means over the same pipeline, to compare with."""

from __future__ import annotations

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
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`.

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

    n_init: int = 1
    max_iter: int = 300

    def _recipe(self) -> Recipe:
        return K_MEANS

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        self.cluster_centers_ = found.model.frame.inverse_transform(found.centroids.places)
