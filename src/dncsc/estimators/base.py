"""What all estimators share: check, run a recipe, keep what it found, and apply it to other rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dncsc import pipeline
from dncsc.budget import ResourceLimits
from dncsc.checkpoint import Checkpoint
from dncsc.engines.frame import Frame
from dncsc.estimators import checks
from dncsc.estimators.dask_input import apply_lazily, dask_rows, dask_weights, is_dask
from dncsc.estimators.inputs import bytes_held, open_engine, refuse_to_replace, size_of
from dncsc.estimators.labels_file import labels_file
from dncsc.model import Embed, Label, Operation, Weigh, apply
from dncsc.model_file import KINDS
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.embedding import Lifted, RowsAndLandmarks
from dncsc.phases.ensemble import EnsembleSize
from dncsc.phases.select.divide_and_conquer import usual_rate
from dncsc.phases.settings import ADAPTIVE, AUTO, LOCAL, MEAN, Settings
from dncsc.recipes import Recipe

SettingsOf = Callable[[Frame, int], Settings]


class RecipeClusterer(ClusterMixin, BaseEstimator):
    """A clusterer that carries out a recipe. Subclasses name their parameters, and the recipe these make."""

    bandwidths: tuple[str, ...] = (MEAN, LOCAL, ADAPTIVE)
    """Words that `bandwidth` takes besides a number."""

    spare_candidates = 0
    """Candidates beyond 10 K where n_candidates is "auto"."""

    keeps_products = False
    """Whether sums of products of all landmarks with all are kept for each shard of rows, which takes memory."""

    n_clusters: Any
    max_clusters: int
    n_jobs: int | None
    max_memory: str | int | None
    scratch_dir: Any
    checkpoint: Any
    random_state: Any
    verbose: int

    def _recipe(self) -> Recipe:
        """The recipe of the parameters, which are checked here as far as they choose it."""
        raise NotImplementedError

    def _counts_clusters(self) -> bool:
        """Whether the number of clusters is to be found, which only some classes can do."""
        return hasattr(self, "max_clusters") and isinstance(self.n_clusters, str) and self.n_clusters == "auto"

    def _members(self) -> EnsembleSize | None:
        """For an ensemble, how many members it has."""
        return None

    def _most_landmarks(self, n_counted: int) -> int:
        """The most landmarks that are of use, where weights choose themselves: links of single rows are but chance."""
        policy = CutPolicy()
        return max(policy.min_landmarks, n_counted // policy.rows_a_landmark)

    def _check_size(self, n_rows: int) -> None:
        """Refuse data that is too much for the method."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, labels_to: Any = None) -> Any:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix, Rows or Dask collection of shape (n_samples, n_features)
            Lists, NumPy arrays of any real dtype and order, memmaps, pandas, polars; files (`dncsc.open_rows`); Dask
            arrays and frames. float32 and what it holds exactly is worked on in float32, all else in float64. Sparse
            rows are made dense block by block.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row: 2 counts as the row twice, and 0 as not at all, except that it gets a label.
        labels_to : path, optional
            Write the labels into this `.npy` file; `labels_` is then a read-only memmap of it.

        Returns
        -------
        self
        """
        recipe, members, settings = self._recipe(), self._members(), self._settings()
        room = ResourceLimits.given(self.max_memory, self.scratch_dir, bytes_held(X))
        keeper = None if self.checkpoint is None else Checkpoint(self.checkpoint, KINDS)
        with checks.unchanged_on_failure(self):
            rows = self._rows(X, reset=True)
            n_rows = rows.shape[0]
            least = 2 if self._counts_clusters() else self.n_clusters
            if n_rows < least:
                raise ValueError(f"n_samples={n_rows} should be >= n_clusters={least}.")
            self._check_size(n_rows)
            weight = self._weight(sample_weight, rows)
            refuse_to_replace(labels_to, rows)
            say = (lambda text: print(f"[dncsc] {text}")) if self.verbose else (lambda text: None)
            with labels_file(labels_to, n_rows) as deliver:
                with open_engine(rows, weight, self.n_jobs, size_of(self, rows), room) as engine:
                    found = pipeline.run(recipe, engine, settings(n_rows), self._names(), say, members, keeper)
                deliver(found.labels)
            if labels_to is not None:
                found.labels = np.load(labels_to, mmap_mode="r")
        self._keep(found)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Cluster of each row of X; for the rows that were fitted, the same as `labels_`."""
        [labels] = self._apply(Label, X)
        return labels

    def save(self, path: Any, notes: Mapping[str, Any] | None = None) -> None:
        """Write the fitted estimator into a file, for `dncsc.load_model`.

        Everything but `labels_` is kept: `predict` gives them again. There is no pickle in it, so that it can be opened
        without trust, by other versions too.

        Parameters
        ----------
        path : path
            Replaced when all is written.
        notes : mapping, optional
            Words and numbers to keep with it.
        """
        from dncsc.estimators.saving import save_model  # which knows all classes, and hence imports this file

        check_is_fitted(self)
        save_model(path, self, notes)

    def _settings(self) -> Callable[[int], SettingsOf]:
        """Settings for a number of rows. Every parameter is checked here, before any work.

        A parameter that a class does not have gets the value that leaves it without effect.
        """
        count = self._counts_clusters()
        k = checks.integer("n_clusters", self.max_clusters if count else self.n_clusters)
        p = checks.integer("n_landmarks", getattr(self, "n_landmarks", k))
        if count:
            k = min(checks.integer("max_clusters", self.max_clusters, 2), p)
        if p < k:
            raise checks.ParameterError(f"n_landmarks={p} must be at least n_clusters={k}.")
        n_neighbors = checks.integer("n_neighbors", getattr(self, "n_neighbors", 1))
        rate = checks.integer("selection_rate", getattr(self, "selection_rate", "auto"), 2, auto=0)
        sample_size = checks.integer("sample_size", getattr(self, "sample_size", "auto"), 2, auto=0)
        candidates = getattr(self, "n_candidates", "auto")
        n_candidates = checks.integer("n_candidates", candidates, 1, 10 * n_neighbors + self.spare_candidates)
        bandwidth = checks.number_or(self.bandwidths, "bandwidth", getattr(self, "bandwidth", MEAN))
        by_length = checks.choice("normalize", getattr(self, "normalize", "l2"), ("l2", "l1")) == "l2"
        n_init = checks.integer("n_init", getattr(self, "n_init", 1))
        max_iter = checks.integer("max_iter", getattr(self, "max_iter", 1))
        checks.jobs(self.n_jobs)
        seed = self._seed()

        def settings(n_rows: int, frame: Frame, n_counted: int) -> Settings:
            n_landmarks = p if bandwidth != AUTO else min(p, max(k, self._most_landmarks(n_counted)))
            return Settings(
                n_clusters=k,
                n_landmarks=n_landmarks,
                n_neighbors=n_neighbors,
                selection_rate=rate or usual_rate(n_rows),
                sample_size=sample_size or 10 * n_landmarks,
                n_candidates=n_candidates,
                bandwidth=bandwidth if isinstance(bandwidth, str) else frame.length_inside(bandwidth),
                by_length=by_length,
                n_init=n_init,
                max_iter=max_iter,
                seed=seed,
                n_counted=n_counted,
                count_clusters=count,
            )

        return lambda n_rows: lambda frame, n_counted: settings(n_rows, frame, n_counted)

    def _seed(self) -> int:
        """The seed of a run. Without a random state, one that a checkpoint was begun with is used again."""
        if self.random_state is None and self.checkpoint is not None:
            begun = Checkpoint(self.checkpoint, KINDS).made_from
            if begun is not None:
                return int(begun["seed"])
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _keep(self, found: pipeline.Run) -> None:
        """Set the fitted attributes."""
        self._model = found.model
        if found.labels is not None:
            self.labels_ = found.labels
        self.eigenvalues_ = found.partition.eigenvalues
        self.n_graph_components_ = found.partition.n_components
        self.cluster_centers_ = found.centroids.places
        self.n_clusters_ = len(found.centroids.places)
        self.inertia_ = found.labelled.inertia
        self.n_iter_ = found.centroids.n_iter
        self.timings_ = found.timings
        self.cluster_sizes_ = found.labelled.count
        counted = found.partition.counted
        if counted is not None:
            self.eigenvalues_ = counted.eigenvalues
        if counted is not None and not counted.is_clear:
            warnings.warn(
                f"It is not clear how many clusters there are: {counted.n_clusters} were taken, but the eigenvalue "
                f"behind them is only {counted.clearness:.1f} times larger than the last of theirs. Look at "
                "eigenvalues_, and give n_clusters.",
                UserWarning,
                stacklevel=4,
            )
        n_found = int(np.count_nonzero(self.cluster_sizes_))
        wanted = self.n_clusters if counted is None else counted.n_clusters
        if found.labels is not None and n_found < wanted:
            warnings.warn(
                f"Number of distinct clusters ({n_found}) found smaller than n_clusters ({wanted}). "
                "Possibly due to duplicate points in X.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _bandwidth_outside(self, frame: Frame, bandwidth: float | None) -> float | None:
        """A bandwidth that was used, in the user's units; one that he gave, to the last digit."""
        if bandwidth is None:
            return None
        given = getattr(self, "bandwidth", MEAN)
        return frame.length_outside(bandwidth) if isinstance(given, str) else float(given)

    def _apply(self, kind: type[Operation], X: Any) -> list[Any]:
        """What an operation gives for X, an array for each of its columns; lazy ones for Dask."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        operation = kind(self._model)
        if is_dask(rows):
            return [apply_lazily(operation, rows, self._names())]
        room, dtype = ResourceLimits.given(self.max_memory, self.scratch_dir, bytes_held(X)), self._model.frame.dtype
        size = size_of(self, rows, dtype, sum(column.row_bytes for column in operation.columns))
        with open_engine(rows, None, checks.jobs(self.n_jobs), size, room, dtype) as engine:
            return apply(operation, engine, self._names())

    def _rows(self, X: Any, *, reset: bool) -> Any:
        return dask_rows(self, X, reset=reset) if is_dask(X) else checks.rows(self, X, reset=reset)

    def _weight(self, sample_weight: Any, rows: Any) -> Any:
        return dask_weights(sample_weight, rows.shape[0]) if is_dask(rows) else checks.weights(sample_weight, rows)

    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class EmbeddingMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """For methods that can place any row in the spectral embedding."""

    def transform(self, X: Any) -> np.ndarray:
        """Spectral embedding of each row of X, scaled to norm 1: shape (n_samples, n_components).

        One component a cluster; with ``bandwidth="auto"`` up to half as many again, where the spectrum has no gap.
        """
        [places] = self._apply(Embed, X)
        return places

    @property
    def _n_features_out(self) -> int:
        """Columns of `transform`, for `get_feature_names_out`."""
        return int(self._model.embedding.n_dimensions)


class LandmarkClusterer(EmbeddingMixin, RecipeClusterer):
    """A clusterer whose rows are linked to their K nearest landmarks."""

    def affinity(self, X: Any) -> scipy.sparse.csr_matrix:
        """Weights B between the rows of X and the landmarks, shape (n_samples, n_landmarks_).

        K entries a row, of which some are 0 where `bandwidth` gives the farther ones no weight.
        """
        if is_dask(X):
            raise TypeError(
                "affinity is one sparse matrix, which a Dask array cannot be. Compute X first, or parts of it."
            )
        nearest, weight = self._apply(Weigh, X)
        n_rows, n_nearest = nearest.shape
        start = np.arange(n_rows + 1, dtype=np.int64) * n_nearest
        graph = scipy.sparse.csr_matrix((weight.ravel(), nearest.ravel(), start), shape=(n_rows, self.n_landmarks_))
        graph.has_sorted_indices = True  # they are; and those in scratch files could not be sorted in place
        return graph

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        frame, embedding = found.model.frame, found.model.embedding
        assert isinstance(embedding, Lifted)
        assert isinstance(embedding.graph, RowsAndLandmarks)
        self.landmarks_ = frame.inverse_transform(embedding.graph.points)
        self.n_landmarks_ = len(self.landmarks_)
        self.bandwidth_ = self._bandwidth_outside(frame, embedding.graph.affinity.bandwidth)
        self.exact_fraction_ = embedding.graph.links.exact_fraction
