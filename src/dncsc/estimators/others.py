"""The methods that the paper compares with, each thin over the same pipeline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dncsc import pipeline
from dncsc.estimators import checks
from dncsc.estimators.base import EmbeddingMixin, LandmarkClusterer, RecipeClusterer
from dncsc.phases.nystrom import ByAllLandmarks
from dncsc.phases.settings import MEAN
from dncsc.recipes import K_MEANS, LSC_K, LSC_KH, LSC_R, LSC_RH, NEAREST, NYSTROM, SC, U_SPEC, Recipe


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
    nearest : {"candidates", "exact"}, default="candidates"
    normalize : {"l2", "l1"}, default="l2"
    n_init : int, default=3
    max_iter : int, default=100
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
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
        self.verbose = verbose

    spare_candidates = 1  # a landmark's 10 K nearest, and itself

    def _recipe(self) -> Recipe:
        return replace(U_SPEC, nearest=NEAREST[checks.choice("nearest", self.nearest, NEAREST)])


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
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
    verbose : int, default=0

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    recipes = {"kmeans": LSC_K, "random": LSC_R, "kmeans-hubs": LSC_KH, "random-hubs": LSC_RH}  # noqa: RUF012

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        landmarks: str = "kmeans",
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        bandwidth: float | str = "mean",
        normalize: str = "l2",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.landmarks = landmarks
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.bandwidth = bandwidth
        self.normalize = normalize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        return self.recipes[checks.choice("landmarks", self.landmarks, self.recipes)]


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
    verbose : int, default=0

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    bandwidths = (MEAN,)

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
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        return NYSTROM

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        frame, embedding = found.model.frame, found.model.embedding
        assert isinstance(embedding, ByAllLandmarks)
        self.landmarks_ = frame.leave(embedding.kernel.landmarks)
        self.n_landmarks_ = len(self.landmarks_)
        self.bandwidth_ = frame.length_outside(embedding.kernel.bandwidth)


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
    normalize : {"l2", "l1"}, default="l2"
    n_init : int, default=3
    max_iter : int, default=100
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
    verbose : int, default=0

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 20,
        max_rows: int = 20_000,
        normalize: str = "l2",
        n_init: int = 3,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.max_rows = max_rows
        self.normalize = normalize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __getattribute__(self, name: str) -> Any:
        if name == "predict":
            raise AttributeError(
                "ExactSC has no predict: on the graph of all rows there are no landmarks through which new rows could "
                "be placed. Use a landmark method, such as DnCSC."
            )
        return super().__getattribute__(name)

    def fit(self, X: Any, y: Any = None) -> Any:  # type: ignore[override] # a graph of rows has no use for weights
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        return super().fit(X)

    def _recipe(self) -> Recipe:
        return SC

    def _check_size(self, n_rows: int) -> None:
        most = checks.integer("max_rows", self.max_rows)
        if n_rows > most:
            raise ValueError(
                f"n_samples={n_rows} is more than max_rows={most}: the neighbours of all rows would take about "
                f"{n_rows**2 * 1e-9:,.0f} billion distances. Use DnCSC, or raise max_rows."
            )


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
    verbose : int, default=0

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 1,
        max_iter: int = 300,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _recipe(self) -> Recipe:
        return K_MEANS

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        self.cluster_centers_ = found.model.frame.leave(found.discretized.centroids)
