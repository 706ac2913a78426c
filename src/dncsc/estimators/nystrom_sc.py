"""Spectral clustering by the Nyström method."""

from __future__ import annotations

from typing import Any

from dncsc import pipeline
from dncsc.estimators.base import EmbeddingMixin, RecipeClusterer
from dncsc.phases.nystrom import ByAllLandmarks
from dncsc.phases.settings import MEAN
from dncsc.recipes import NYSTROM, Recipe


class NystromSC(EmbeddingMixin, RecipeClusterer):
    """Spectral clustering by the Nyström method: random landmarks, each linked to every row (Fowlkes et al. 2004).

    Similarities are made block by block, so that rows times landmarks never stand in memory.

    Parameters
    ----------
    n_clusters : int, default=8
    n_landmarks : int, default=1000
    bandwidth : "mean" or float, default="mean"
        "mean" is here the mean distance between landmarks.
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

    bandwidths = (MEAN,)
    keeps_products = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_landmarks: int = 1000,
        bandwidth: float | str = "mean",
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
        self.bandwidth = bandwidth
        self.normalize = normalize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.scratch_dir = scratch_dir
        self.checkpoint = checkpoint
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        return NYSTROM

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        frame, embedding = found.model.frame, found.model.embedding
        assert isinstance(embedding, ByAllLandmarks)
        self.landmarks_ = frame.inverse_transform(embedding.kernel.landmarks)
        self.n_landmarks_ = len(self.landmarks_)
        self.bandwidth_ = self._bandwidth_outside(frame, embedding.kernel.bandwidth)
