"""Methods that the paper compares itself with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dncsc import pipeline
from dncsc.estimators.base import EmbeddingClusterer, LandmarkClusterer, RecipeClusterer
from dncsc.estimators.described import EVERY_FIT, GRAPH, LANDMARKS, described_like
from dncsc.estimators.dnc_sc import DnCSC
from dncsc.estimators.parameters import CONSTRAINTS, positive
from dncsc.phases.nystrom import ByAllLandmarks
from dncsc.phases.settings import AUTO, MEAN
from dncsc.recipes import K_MEANS, NEAREST, NYSTROM, SC, U_SPEC, Recipe
from dncsc.recipes import LANDMARKS as SELECTIONS


@described_like(DnCSC, (*EVERY_FIT, *LANDMARKS, *GRAPH, "exact_fraction_"))
@dataclass(eq=False, repr=False, kw_only=True)
class LSC(LandmarkClusterer):
    """LSC: landmark-based spectral clustering with exact nearest landmarks (Cai and Chen 2015).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    landmarks : {"kmeans", "random", "kmeans-hubs", "random-hubs"}, default="kmeans"
        LSC-K: centres of k-means on all rows. LSC-R: random rows. LSC-KH and LSC-RH: rows that are often among the
        nearest neighbours of others, within ten parts made by k-means or at random (Ye et al. 2018, Li et al. 2020);
        parts of more than 8192 rows are represented by a sample of them.
    bandwidth : {"mean", "local", "adaptive"} or float, default="mean"
        How distances become weights, as in `DnCSC`; "mean" is here the mean distance of rows to all landmarks, taken
        over at most 10,000 rows.
    n_landmarks : int, default=1000
        Number of landmarks, p; at least `n_clusters`. Data with fewer distinct rows gets fewer landmarks.

    Examples
    --------
    >>> from dncsc import LSC
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = LSC(10, landmarks="kmeans-hubs", n_landmarks=300, random_state=0).fit(X)
    >>> model.landmarks_.shape
    (300, 64)
    """

    landmarks: str = "kmeans"
    n_init: int = 10

    def _recipe(self, n_features: int) -> Recipe:
        return SELECTIONS[self.landmarks]


@described_like(DnCSC, (*EVERY_FIT, *LANDMARKS, *GRAPH, "exact_fraction_"))
@dataclass(eq=False, repr=False, kw_only=True)
class USPEC(LandmarkClusterer):
    """U-SPEC: landmarks by k-means on a random sample, found through groups of landmarks (Huang et al. 2020).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    sample_size : int or "auto", default="auto"
        Rows that the landmarks are selected from; "auto" is ``10 * n_landmarks``.
    n_candidates : int or "auto", default="auto"
        Landmarks that a row's nearest are searched among; "auto" is ``10 * n_neighbors + 1``.
    bandwidth : {"mean", "local", "adaptive"} or float, default="mean"
        How distances become weights. A number is the standard deviation sigma of a Gaussian, in the units of the data;
        "mean" takes the mean distance of the rows to their nearest landmarks for it. "local" tunes the Gaussian to each
        row and landmark. "adaptive" weights fall linearly in the squared distance, to 0 at the last landmark.
    n_landmarks : int, default=1000
        Number of landmarks, p; at least `n_clusters`. Data with fewer distinct rows gets fewer landmarks.

    Examples
    --------
    >>> from dncsc import USPEC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(2000, noise=0.05, random_state=0)
    >>> model = USPEC(n_clusters=2, n_landmarks=100, random_state=0).fit(X)
    >>> bool((model.labels_ == model.predict(X)).all())
    True
    """

    sample_size: int | str = AUTO
    n_candidates: int | str = AUTO
    nearest: str = "candidates"

    _spare_candidates = 1  # a landmark's 10 K nearest, and itself

    def _recipe(self, n_features: int) -> Recipe:
        return replace(U_SPEC, nearest=NEAREST[self.nearest])


@described_like(DnCSC, (*EVERY_FIT, *LANDMARKS))
class NystromSC(EmbeddingClusterer):
    """Spectral clustering by the Nyström method: random landmarks, each linked to every row (Fowlkes et al. 2004).

    Similarities are made block by block, so that rows times landmarks never stand in memory.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    bandwidth : "mean" or float, default="mean"
        Standard deviation of the Gaussian that distances become weights by; "mean" is here the mean distance between
        landmarks.
    n_landmarks : int, default=1000
        Number of landmarks, p; at least `n_clusters`. Data with fewer distinct rows gets fewer landmarks.

    Attributes
    ----------
    eigenvalues_ : ndarray
        Smallest eigenvalues of the normalised Laplacian, as the landmarks approximate them.
    n_graph_components_ : int
        1, as every row is linked to every landmark.

    Examples
    --------
    >>> from dncsc import NystromSC
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = NystromSC(10, n_landmarks=300, random_state=0).fit(X)
    >>> model.transform(X[:5]).shape
    (5, 10)
    """

    _fixed_recipe = NYSTROM
    _constraints = {**CONSTRAINTS, "bandwidth": positive(MEAN)}  # noqa: RUF012
    _keeps_products = True

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        embedding = found.model.embedding
        assert isinstance(embedding, ByAllLandmarks)
        self._keep_landmarks(embedding.kernel.landmarks, embedding.kernel.bandwidth)


@described_like(DnCSC, EVERY_FIT)
@dataclass(eq=False, repr=False, kw_only=True)
class ExactSC(RecipeClusterer):
    """Spectral clustering on the graph of all rows, each with its nearest rows (Chen et al. 2010).

    There are no landmarks, so that new rows cannot be placed: there is `fit_predict`, but neither `predict` nor
    `transform`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    n_neighbors : int, default=20
        Nearest rows that a row is linked to, t.
    max_rows : int, default=20_000
        More rows than this are refused before any work: finding the neighbours takes time quadratic in the rows.

    Attributes
    ----------
    eigenvalues_ : ndarray
        Smallest eigenvalues of the normalised Laplacian of the graph of rows, ascending from 0.

    Examples
    --------
    >>> from dncsc import ExactSC
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(500, noise=0.05, random_state=0)
    >>> ExactSC(n_clusters=2, random_state=0).fit(X).cluster_sizes_
    array([250, 250])
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

    def fit(self, X: Any, y: Any = None, labels_to: Any = None, overwrite: bool = False) -> Any:  # type: ignore[override]
        """Cluster the rows of X, as `DnCSC.fit` does, but without weights."""
        return super().fit(X, labels_to=labels_to, overwrite=overwrite)


@described_like(DnCSC, EVERY_FIT)
@dataclass(eq=False, repr=False, kw_only=True)
class LloydKMeans(RecipeClusterer):
    """k-means on the rows themselves, over the same pipeline as the others, to compare them with.

    The best of `n_init` starts on a sample is followed by Lloyd's iterations over all rows.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    metric : {"euclidean", "cosine"}, default="euclidean"
        "cosine" is spherical k-means: rows and means have length 1, and a row goes to the mean of the largest cosine.
    n_init : int, default=1
        Starts of k-means++ on a sample, of which the best goes on.
    max_iter : int, default=300
        The most iterations over all rows.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, `n_features_in_`)
        Means of the clusters; of length 1 where the metric is the cosine.
    inertia_ : float
        Sum of squared distances of rows to the means of their clusters, each times the row's weight.
    n_iter_ : int
        Iterations over all rows.
    eigenvalues_ : ndarray of shape (0,)
        None, as there is no graph.
    n_graph_components_ : int
        1, as there is no graph.

    Examples
    --------
    >>> from dncsc import LloydKMeans
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(600, centers=3, cluster_std=0.3, random_state=0)
    >>> LloydKMeans(n_clusters=3, random_state=0).fit(X).cluster_sizes_
    array([200, 200, 200])
    """

    n_init: int = 1
    max_iter: int = 300

    _fixed_recipe = K_MEANS

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        self.cluster_centers_ = found.model.frame.inverse_transform(found.centroids.places)
