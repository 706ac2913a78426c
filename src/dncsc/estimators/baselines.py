"""Methods that the paper compares itself with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dncsc import pipeline
from dncsc.estimators.base import EmbeddingClusterer, LandmarkClusterer, RecipeClusterer
from dncsc.estimators.parameters import CONSTRAINTS, positive
from dncsc.phases.nystrom import ByAllLandmarks
from dncsc.phases.settings import AUTO, MEAN
from dncsc.recipes import K_MEANS, LANDMARKS, NEAREST, NYSTROM, SC, U_SPEC, Recipe


@dataclass(eq=False, repr=False, kw_only=True)
class LSC(LandmarkClusterer):
    """LSC: landmark-based spectral clustering with exact nearest landmarks (Cai and Chen 2015).

    Parameters
    ----------
    n_clusters : int, default=8
    landmarks : {"kmeans", "random", "kmeans-hubs", "random-hubs"}, default="kmeans"
        LSC-K: centres of k-means on all rows. LSC-R: random rows. LSC-KH and LSC-RH: rows that are often among the
        nearest neighbours of others, within ten parts made by k-means or at random (Ye et al. 2018, Li et al. 2020);
        parts of more than 8192 rows are represented by a sample of them.
    bandwidth : {"mean", "local", "adaptive"} or float, default="mean"
        "mean" is here the mean distance of rows to all landmarks, taken over at most 10,000 rows.
    n_init : int, default=10
        Runs of k-means; see `DnCSC`.
    metric, n_landmarks, n_neighbors, normalize, max_iter
        As in `DnCSC`; so are random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose and all attributes.
    """

    landmarks: str = "kmeans"
    n_init: int = 10

    def _recipe(self) -> Recipe:
        return LANDMARKS[self.landmarks]


@dataclass(eq=False, repr=False, kw_only=True)
class USPEC(LandmarkClusterer):
    """U-SPEC: landmarks by k-means on a random sample, found through groups of landmarks (Huang et al. 2020).

    Parameters
    ----------
    n_clusters : int, default=8
    sample_size : int or "auto", default="auto"
        Rows that the landmarks are selected from; "auto" is ``10 * n_landmarks``.
    n_candidates : int or "auto", default="auto"
        Landmarks that a row's nearest are searched among; "auto" is ``10 * n_neighbors + 1``.
    bandwidth : {"mean", "local", "adaptive"} or float, default="mean"
    nearest : {"auto", "candidates", "exact"}, default="candidates"
    metric, n_landmarks, n_neighbors, normalize, n_init, max_iter
        As in `DnCSC`; so are random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose and all attributes.
    """

    sample_size: int | str = AUTO
    n_candidates: int | str = AUTO
    nearest: str = "candidates"

    _spare_candidates = 1  # a landmark's 10 K nearest, and itself

    def _recipe(self) -> Recipe:
        return replace(U_SPEC, nearest=NEAREST[self.nearest])


class NystromSC(EmbeddingClusterer):
    """Spectral clustering by the Nyström method: random landmarks, each linked to every row (Fowlkes et al. 2004).

    Similarities are made block by block, so that rows times landmarks never stand in memory.

    Parameters
    ----------
    n_clusters : int, default=8
    bandwidth : "mean" or float, default="mean"
        "mean" is here the mean distance between landmarks.
    metric, n_landmarks, normalize, n_init, max_iter
        As in `DnCSC`; so are random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose and its attributes.
    """

    _fixed_recipe = NYSTROM
    _constraints = {**CONSTRAINTS, "bandwidth": positive(MEAN)}  # noqa: RUF012
    _keeps_products = True

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        embedding = found.model.embedding
        assert isinstance(embedding, ByAllLandmarks)
        self._keep_landmarks(embedding.kernel.landmarks, embedding.kernel.bandwidth)


@dataclass(eq=False, repr=False, kw_only=True)
class ExactSC(RecipeClusterer):
    """Spectral clustering on the graph of all rows, each with its nearest rows (Chen et al. 2010).

    There are no landmarks, so that new rows cannot be placed: there is `fit_predict`, but neither `predict` nor
    `transform`.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=20
        Nearest rows that a row is linked to, t.
    max_rows : int, default=20_000
        More rows than this are refused before any work: finding the neighbours takes time quadratic in the rows.
    metric, normalize, n_init, max_iter
        As in `DnCSC`; so are random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose and its attributes.
    """

    n_neighbors: int = 20
    max_rows: int = 20_000
    normalize: str = "l2"

    _fixed_recipe = SC

    @property
    def predict(self) -> Any:
        """Raises: new rows cannot be labelled."""
        raise AttributeError(
            "ExactSC has no predict: on the graph of all rows there are no landmarks through which new rows could be "
            "placed. Use a landmark method, such as DnCSC."
        )

    def fit(self, X: Any, y: Any = None, labels_to: Any = None) -> Any:  # type: ignore[override]
        """Cluster the rows of X, as `DnCSC.fit` does, but without weights."""
        return super().fit(X, labels_to=labels_to)


@dataclass(eq=False, repr=False, kw_only=True)
class LloydKMeans(RecipeClusterer):
    """k-means on the rows themselves, over the same pipeline as the others, to compare them with.

    The best of `n_init` starts on a sample is followed by Lloyd's iterations over all rows.

    Parameters
    ----------
    n_clusters : int, default=8
    metric : {"euclidean", "cosine"}, default="euclidean"
        "cosine" is spherical k-means: rows and means have length 1, and a row goes to the mean of the largest cosine.
    n_init : int, default=1
    max_iter : int, default=300
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`; so are the other attributes.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features_in_)
        Means of the clusters; of length 1 where the metric is the cosine.
    inertia_ : float
        Sum of squared distances of rows to the means of their clusters, each times the row's weight.
    """

    n_init: int = 1
    max_iter: int = 300

    _fixed_recipe = K_MEANS

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        self.cluster_centers_ = found.model.frame.inverse_transform(found.centroids.places)
