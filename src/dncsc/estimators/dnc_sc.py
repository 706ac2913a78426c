"""DnCSC, the divide-and-conquer spectral clustering of the paper, as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dncsc import pipeline
from dncsc.engines.frame import Frame
from dncsc.engines.threads import ThreadsEngine
from dncsc.estimators import checks
from dncsc.phases.settings import Settings
from dncsc.recipes import DNC_SC, DNC_SC_EXACT, Recipe

MANY_ROWS = 100_000
"""From here on the paper divides into fewer parts at a time."""


class DnCSC(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Divide-and-conquer based large-scale spectral clustering.

    Finds clusters of any shape in time and memory linear in the rows: p landmarks are selected by divide and
    conquer, each row is linked to its K nearest landmarks, the graph of rows and landmarks is cut through an
    eigenproblem on the landmarks alone, and k-means on its spectrum gives the clusters [1]_.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    n_landmarks : int, default=1000
        Number of landmarks, p; at least `n_clusters`. Data with fewer distinct rows gets fewer landmarks.
    n_neighbors : int, default=5
        Number of nearest landmarks that a row is linked to, K. More than there are landmarks means all of them.
    selection_rate : int or "auto", default="auto"
        Into how many parts a subset is divided at most in one round of the selection, alpha. "auto" is 200 below
        100,000 rows and 50 from there on.
    sample_size : int or "auto", default="auto"
        How many rows of a subset are looked at to divide it, p'. "auto" is ``10 * n_landmarks``.
    n_candidates : int or "auto", default="auto"
        Among how many landmarks near its own the nearest of a row are searched, K'. "auto" is ``10 * n_neighbors``.
    bandwidth : "mean" or float, default="mean"
        Standard deviation sigma of the Gaussian that turns distances into weights, in the units of the data. "mean"
        is the mean distance of the rows to their nearest landmarks.
    nearest : {"candidates", "exact"}, default="candidates"
        Search the nearest landmarks among the candidates, or make sure that no other landmark is nearer.
    normalize : {"l2", "l1"}, default="l2"
        Norm to which rows of the embedding are scaled: the 2-norm, as in the published code of the paper, or the
        1-norm, as in its text.
    n_init : int, default=3
        Starts of the k-means on the embedding; the best is kept.
    max_iter : int, default=100
        Iterations of each.
    random_state : int, RandomState instance or None, default=None
        Seed. The same seed gives the same labels, whatever the number of threads.
    n_jobs : int or None, default=None
        Threads; None or -1 for all cores, -2 for all but one, and so on.
    verbose : int, default=0
        Print a line a phase when positive.

    Attributes
    ----------
    labels_ : ndarray of int32 of shape (n_samples,)
        Cluster of each row.
    landmarks_ : ndarray of shape (n_landmarks_, n_features_in_)
    n_landmarks_ : int
    bandwidth_ : float
        Bandwidth used, in the units of the data.
    eigenvalues_ : ndarray
        Smallest eigenvalues of the graph's normalised Laplacian on the landmarks, ascending from 0; a few more than
        `n_clusters`, so that the gap behind the last one used can be seen.
    cluster_centers_ : ndarray of shape (n_clusters, n_components)
        Centroids in the embedding.
    inertia_ : float
        Sum of squared distances of embedded rows to their centroids.
    n_iter_ : int
        Iterations of the best start of k-means on the embedding.
    exact_fraction_ : float
        Share of rows whose nearest landmarks are proven to be the nearest of all.
    n_graph_components_ : int
        Connected parts of the graph. Where they are more than the clusters, the lightest are joined to their
        neighbours.
    timings_ : dict of str to float
        Seconds of each phase.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X has any.

    References
    ----------
    .. [1] Li, Ye, Imakura and Sakurai, "Divide-and-conquer based large-scale spectral clustering", 2022.

    Examples
    --------
    >>> from dncsc import DnCSC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(2000, noise=0.05, random_state=0)
    >>> model = DnCSC(n_clusters=2, n_landmarks=100, random_state=0).fit(X)
    >>> bool((model.labels_ == model.predict(X)).all())
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        selection_rate: int | str = "auto",
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
        self.selection_rate = selection_rate
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> DnCSC:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Lists, NumPy arrays of any real dtype and order, memmaps, pandas, polars. float32 and what it holds
            exactly is worked on in float32, all else in float64. Sparse rows are made dense block by block.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row: 2 counts as the row twice, and 0 as not at all, except that it gets a label.

        Returns
        -------
        self
        """
        recipe, settings = self._plan()
        rows = checks.rows(self, X, reset=True)
        n_rows = rows.shape[0]
        if n_rows < self.n_clusters:
            raise ValueError(f"n_samples={n_rows} should be >= n_clusters={self.n_clusters}.")
        weight = checks.weights(sample_weight, rows)
        say = (lambda text: print(f"[dncsc] {text}")) if self.verbose else (lambda text: None)
        with ThreadsEngine(rows, weight, self.n_jobs) as engine:
            found = pipeline.run(recipe, engine, lambda frame: settings(frame, n_rows), self._names(), say)
        self._keep(found)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Cluster of each row of X; for the rows that were fitted, the same as `labels_`."""
        labels: np.ndarray = self._apply(pipeline.label, X)
        return labels

    def transform(self, X: Any) -> np.ndarray:
        """Spectral embedding of each row of X, scaled to norm 1: shape (n_samples, n_components)."""
        embedding: np.ndarray = self._apply(pipeline.embed, X)
        return embedding

    def affinity(self, X: Any) -> scipy.sparse.csr_matrix:
        """Weights B between the rows of X and the landmarks, K of them a row: shape (n_samples, n_landmarks_)."""
        nearest, weight = self._apply(pipeline.weigh, X)
        n_rows, n_nearest = nearest.shape
        start = np.arange(n_rows + 1, dtype=np.int64) * n_nearest
        graph = scipy.sparse.csr_matrix((weight.ravel(), nearest.ravel(), start), shape=(n_rows, self.n_landmarks_))
        graph.sort_indices()
        return graph

    def _plan(self) -> tuple[Recipe, Callable[[Frame, int], Settings]]:
        """The recipe, and its settings once the data is known. Every parameter is checked here, before any work."""
        k = checks.integer("n_clusters", self.n_clusters)
        p = checks.integer("n_landmarks", self.n_landmarks)
        if p < k:
            raise checks.ParameterError(f"n_landmarks={p} must be at least n_clusters={k}.")
        n_neighbors = checks.integer("n_neighbors", self.n_neighbors)
        rate = {many: checks.integer("selection_rate", self.selection_rate, 2, 50 if many else 200) for many in (0, 1)}
        sample_size = checks.integer("sample_size", self.sample_size, 2, 10 * p)
        n_candidates = checks.integer("n_candidates", self.n_candidates, 1, 10 * n_neighbors)
        bandwidth = checks.number_or("mean", "bandwidth", self.bandwidth)
        exact = checks.choice("nearest", self.nearest, ("candidates", "exact")) == "exact"
        by_length = checks.choice("normalize", self.normalize, ("l2", "l1")) == "l2"
        n_init = checks.integer("n_init", self.n_init)
        max_iter = checks.integer("max_iter", self.max_iter)
        checks.jobs(self.n_jobs)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

        def settings(frame: Frame, n_rows: int) -> Settings:
            return Settings(
                n_clusters=k,
                n_landmarks=p,
                n_neighbors=n_neighbors,
                selection_rate=rate[n_rows >= MANY_ROWS],
                sample_size=sample_size,
                n_candidates=n_candidates,
                bandwidth=None if bandwidth is None else frame.length_inside(bandwidth),
                by_length=by_length,
                n_init=n_init,
                max_iter=max_iter,
                seed=seed,
            )

        return (DNC_SC_EXACT if exact else DNC_SC), settings

    def _keep(self, found: pipeline.Run) -> None:
        """Set the fitted attributes."""
        model, frame = found.model, found.model.frame
        self._model = model
        self.labels_ = found.labels
        self.landmarks_ = frame.leave(model.search.landmarks)
        self.n_landmarks_ = len(self.landmarks_)
        self.bandwidth_ = frame.length_outside(model.affinity.bandwidth)
        self.eigenvalues_ = found.spectrum.eigenvalues
        self.cluster_centers_ = model.clusters.centroids
        self.inertia_ = found.discretized.inertia
        self.exact_fraction_ = found.links.exact_fraction
        self.n_graph_components_ = found.spectrum.n_components
        self.n_iter_ = found.discretized.n_iter
        self.timings_ = found.timings
        n_found = int(np.count_nonzero(found.discretized.count))
        if n_found < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({n_found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _apply(self, function: Callable[..., Any], X: Any) -> Any:
        check_is_fitted(self)
        rows = checks.rows(self, X, reset=False)
        with ThreadsEngine(rows, n_jobs=checks.jobs(self.n_jobs), dtype=self._model.frame.dtype) as engine:
            return function(self._model, engine, self._names())

    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    @property
    def _n_features_out(self) -> int:
        """Columns of `transform`, for `get_feature_names_out`."""
        return int(self._model.clusters.lift.vectors.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
