"""LSC in its four kinds: landmarks by k-means, at random, or hubs of either."""

from __future__ import annotations

from dncsc.estimators.base import LandmarkClusterer
from dncsc.recipes import LANDMARKS, Recipe


class LSC(LandmarkClusterer):
    """LSC: landmark-based spectral clustering with exact nearest landmarks (Cai and Chen 2015).

    Parameters
    ----------
    n_clusters : int, default=8
    landmarks : {"kmeans", "random", "kmeans-hubs", "random-hubs"}, default="kmeans"
        LSC-K: centres of k-means on all rows. LSC-R: random rows. LSC-KH and LSC-RH: rows that are often among the
        nearest neighbours of others, within ten parts made by k-means or at random (Ye et al. 2018, Li et al. 2020);
        parts of more than 8192 rows are represented by a sample of them.
    n_landmarks : int, default=1000
    n_neighbors : int, default=5
    bandwidth : {"mean", "local", "adaptive"} or float, default="mean"
        "mean" is here the mean distance of rows to all landmarks, taken over at most 10,000 rows.
    normalize : {"l2", "l1"}, default="l2"
    n_init : int, default=10
    max_iter : int, default=100
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`.

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    landmarks: str = "kmeans"
    n_landmarks: int = 1000
    n_neighbors: int = 5
    bandwidth: float | str = "mean"
    normalize: str = "l2"
    n_init: int = 10

    def _recipe(self) -> Recipe:
        return LANDMARKS[self.landmarks]
