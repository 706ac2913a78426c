"""U-SPEC, whose landmarks come from a random sample."""

from __future__ import annotations

from dataclasses import replace

from dncsc.estimators.base import LandmarkClusterer
from dncsc.recipes import NEAREST, U_SPEC, Recipe


class USPEC(LandmarkClusterer):
    """U-SPEC: landmarks by k-means on a random sample, found through groups of landmarks (Huang et al. 2020).

    Parameters
    ----------
    n_clusters : int, default=8
    n_landmarks : int, default=1000
    n_neighbors : int, default=5
    sample_size : int or "auto", default="auto"
        Rows that the landmarks are selected from; "auto" is ``10 * n_landmarks``.
    n_candidates : int or "auto", default="auto"
        Landmarks that a row's nearest are searched among; "auto" is ``10 * n_neighbors + 1``.
    bandwidth : {"mean", "local", "adaptive"} or float, default="mean"
    nearest : {"auto", "candidates", "exact"}, default="candidates"
    normalize : {"l2", "l1"}, default="l2"
    n_init : int, default=3
    max_iter : int, default=100
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`.

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    n_landmarks: int = 1000
    n_neighbors: int = 5
    sample_size: int | str = "auto"
    n_candidates: int | str = "auto"
    bandwidth: float | str = "mean"
    nearest: str = "candidates"
    normalize: str = "l2"

    spare_candidates = 1  # a landmark's 10 K nearest, and itself

    def _recipe(self) -> Recipe:
        return replace(U_SPEC, nearest=NEAREST[self.nearest])
