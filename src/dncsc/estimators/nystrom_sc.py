"""Spectral clustering by the Nyström method."""

from __future__ import annotations

from dncsc import pipeline
from dncsc.estimators.base import EmbeddingMixin, RecipeClusterer
from dncsc.estimators.parameters import CONSTRAINTS, positive
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
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`.

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    constraints = {**CONSTRAINTS, "bandwidth": positive(MEAN)}  # noqa: RUF012
    keeps_products = True

    n_landmarks: int = 1000
    bandwidth: float | str = "mean"
    normalize: str = "l2"

    def _recipe(self) -> Recipe:
        return NYSTROM

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        frame, embedding = found.model.frame, found.model.embedding
        assert isinstance(embedding, ByAllLandmarks)
        self.landmarks_ = frame.inverse_transform(embedding.kernel.landmarks)
        self.n_landmarks_ = len(self.landmarks_)
        self.bandwidth_ = self._bandwidth_outside(frame, embedding.kernel.bandwidth)
