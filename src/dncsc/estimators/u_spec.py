"""U-SPEC, whose landmarks come from a random sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dncsc.estimators import checks
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
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
    max_memory : str or int, optional
    scratch_dir : path, optional
    checkpoint : path, optional
    verbose : int, default=0

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        sample_size: int | str = "auto",
        n_candidates: int | str = "auto",
        bandwidth: float | str = "mean",
        nearest: str = "candidates",
        normalize: str = "l2",
        n_init: int = 3,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: str | int | None = None,
        scratch_dir: Any = None,
        checkpoint: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.sample_size = sample_size
        self.n_candidates = n_candidates
        self.bandwidth = bandwidth
        self.nearest = nearest
        self.normalize = normalize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.scratch_dir = scratch_dir
        self.checkpoint = checkpoint
        self.verbose = verbose

    spare_candidates = 1  # a landmark's 10 K nearest, and itself

    def _recipe(self) -> Recipe:
        return replace(U_SPEC, nearest=NEAREST[checks.choice("nearest", self.nearest, NEAREST)])
