"""What all estimators share: check, run a recipe, keep what it found, and apply it to other rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dncsc import pipeline
from dncsc.budget import ResourceLimits
from dncsc.checkpoint import Checkpoint
from dncsc.engines.base import Engine
from dncsc.engines.frame import COSINE, EUCLIDEAN
from dncsc.errors import TooFewRowsError, TooManyRowsError, Worded
from dncsc.estimators import checks
from dncsc.estimators.dask_apply import apply_lazily
from dncsc.estimators.inputs import bytes_held, open_engine, refuse_to_replace, size_of
from dncsc.estimators.labels_file import labels_file
from dncsc.estimators.parameters import CONSTRAINTS, Constraint, Parameters, check_parameters
from dncsc.model import Model, Operation, apply
from dncsc.model_file import KINDS
from dncsc.phases.cut.diagnosis import Diagnosis, diagnose
from dncsc.phases.cut.layers import merge
from dncsc.phases.embedding import Voted
from dncsc.phases.mixture import Mixture
from dncsc.phases.settings import MEAN
from dncsc.recipes import Recipe


class UnclearClustersWarning(Worded, UserWarning):
    """Clusters may be arbitrary, or their number, which was to be found, may be another one."""

    @classmethod
    def of(cls, diagnosis: Diagnosis, has_eigenvalues: bool) -> UnclearClustersWarning:
        """The warning about a doubtful cut."""
        if not diagnosis.was_counted:
            return cls(str(diagnosis))
        seen = "eigenvalues_" if has_eigenvalues else "tree_"
        start = f"It is not sure how many clusters there are; {diagnosis.n_clusters} were taken. "
        may_be_more = has_eigenvalues and not diagnosis.is_clear
        more = ", or a larger {max_clusters} if there may be more clusters than that" if may_be_more else ""
        end = f" Look at {{{seen}}}, and give {{n_clusters}}{more}."
        return cls(f"{start}{diagnosis}{end}", (seen, "n_clusters", *["max_clusters"] * may_be_more))


class ZeroRowsWarning(Worded, UserWarning):
    """Rows that are all zeros, where the metric is the cosine."""

    def __init__(self, n_rows: int) -> None:
        are = "1 row is" if n_rows == 1 else f"{n_rows:,} rows are"
        super().__init__(
            f"{are} all zeros and so without a direction: with {{metric}} they stay at the origin, at distance 1 from "
            "all others. Leave them out unless they should be in a cluster.",
            settings={"metric": COSINE},
        )
        self.n_rows = n_rows


class FewerClustersWarning(Worded, ConvergenceWarning):
    """Fewer clusters were found than asked for."""


@dataclass(eq=False, repr=False, kw_only=True)
class RecipeClusterer(ClusterMixin, BaseEstimator):
    """A clusterer that carries out a recipe. Subclasses declare their parameters, and the recipe these make."""

    n_clusters: Any = field(default=8, kw_only=False)
    metric: str = EUCLIDEAN
    n_init: int = 3
    max_iter: int = 100
    random_state: Any = None
    n_jobs: int | None = None
    max_memory: str | int | None = None
    scratch_dir: Any = None
    checkpoint: Any = None
    verbose: int = 0

    _fixed_recipe: ClassVar[Recipe]
    _constraints: ClassVar[Mapping[str, Constraint]] = CONSTRAINTS
    """What each parameter may be."""

    _spare_candidates: ClassVar[int] = 0
    """Candidates beyond 10 K where n_candidates is "auto"."""

    _has_tree: ClassVar[bool] = False
    """Whether fits have a `tree_` of clusters, as the landmarks are linked."""

    _keeps_products: ClassVar[bool] = False
    """Whether sums of products of all landmarks with all are kept for each shard of rows, which takes memory."""

    def _recipe(self, n_features: int) -> Recipe:
        """The recipe that the parameters make, which have been checked."""
        return self._fixed_recipe

    def __dir__(self) -> list[str]:
        """Public names, for those who complete them with the tabulator key."""
        return [name for name in super().__dir__() if not name.startswith("_") or name.startswith("__")]

    def _is_multilevel(self, n_features: int) -> bool:
        """Whether the graph is cut level by level, as into many clusters."""
        return False

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, labels_to: Any = None, overwrite: bool = False
    ) -> Any:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix, Rows or Dask collection of shape (n_samples, n_features)
            Lists, NumPy arrays of any real dtype and order, memmaps, pandas, polars; files (`dncsc.open_rows`); Dask
            arrays and frames. float32 and what it holds exactly (float16, int8, bool, …) is worked on in float32, all
            else in float64. Rows are widened, and sparse ones made dense, block by block.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row: 2 counts as the row twice, and 0 as not at all, except that it gets a label. Rows that
            refine labels, of those with a positive weight, have one vote each.
        labels_to : path, optional
            Write the labels into this `.npy` file; `labels_` is then a read-only memmap of it.
        overwrite : bool, default=False
            Whether labels replace a file that stands there; else FileExistsError is raised before any work.

        Returns
        -------
        self
        """
        parameters = check_parameters(self)
        checkpoint = None if self.checkpoint is None else Checkpoint(self.checkpoint, KINDS)
        with checks.unchanged_on_failure(self):
            rows = checks.rows(self, X, reset=True)
            limits = ResourceLimits.given(self.max_memory, self.scratch_dir, bytes_held(X))  # a copy of X would count
            n_rows = rows.shape[0]
            if n_rows < parameters.least_rows:
                raise TooFewRowsError(n_rows, self.n_clusters)
            if n_rows > (max_rows := getattr(self, "max_rows", n_rows)):
                raise TooManyRowsError(n_rows, max_rows)
            weight = checks.weights(sample_weight, rows)
            refuse_to_replace(labels_to, rows)
            with labels_file(labels_to, n_rows, overwrite) as file:
                with open_engine(rows, weight, self.n_jobs, size_of(self, rows), limits) as engine:
                    found = self._run(engine, parameters, checkpoint)
                file.write(found.labels)
            if file.path is not None:
                found.labels = np.load(file.path, mmap_mode="r")
        self._keep(found)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Cluster of each row of X; for the rows that were fitted, the same as `labels_`."""
        return self._apply(Operation.label, X)[0]

    def save(self, path: Any, notes: Mapping[str, Any] | None = None, overwrite: bool = True) -> None:
        """Write the fitted estimator into a file, for `dncsc.load_model`.

        Everything but `labels_` is kept: `predict` gives them again. There is no pickle in it, so that it can be opened
        without trust, by other versions too.

        Parameters
        ----------
        path : path
            Replaced when all is written.
        notes : mapping, optional
            Words and numbers to keep with it.
        overwrite : bool, default=True
            Whether a file that stands there is replaced; else FileExistsError says where the model was kept instead.
        """
        from dncsc.estimators.saving import save_model  # which knows all classes, and hence imports this file

        check_is_fitted(self)
        save_model(path, self, notes, overwrite)

    def _run(self, engine: Engine, parameters: Parameters, checkpoint: Checkpoint | None = None) -> pipeline.Run:
        """Carry out the recipe over the rows of an engine."""
        n_rows = engine.layout.n_rows
        if self.random_state is None and checkpoint is not None and checkpoint.made_from is not None:
            seed = int(checkpoint.made_from["seed"])  # the one that the interrupted run drew
        else:
            seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return pipeline.run(
            self._recipe(engine.layout.n_features),
            engine,
            lambda frame, n_counted, few: parameters.settings(n_rows, frame, n_counted, seed, few),
            getattr(self, "feature_names_in_", None),
            (lambda text: print(f"[dncsc] {text}")) if self.verbose else (lambda text: None),
            parameters.ensemble,
            checkpoint,
            self.metric,
        )

    def _keep(self, found: pipeline.Run) -> None:
        """Set the fitted attributes."""
        self._model = found.model
        if found.labels is not None:
            self.labels_ = found.labels
        counted = found.partition.counted
        self.eigenvalues_ = (counted or found.partition).eigenvalues
        self.n_graph_components_ = found.partition.n_components
        self.cluster_centers_ = found.centroids.places
        self.n_clusters_ = len(found.centroids.places)
        self.inertia_ = found.labelled.inertia
        self.n_iter_ = found.centroids.n_iter
        self.timings_ = found.timings
        self.cluster_sizes_ = found.labelled.count
        if found.tree is not None:
            self.tree_ = found.tree
        if found.n_zero:
            warnings.warn(ZeroRowsWarning(found.n_zero), stacklevel=4)
        n_found = int(np.count_nonzero(self.cluster_sizes_))
        wanted = self.n_clusters if counted is None else counted.n_clusters
        if found.labels is not None and found.partition.links is not None:
            is_gaussian = isinstance(found.model.classifier, Mixture)
            self.diagnosis_ = diagnose(found.partition, self.cluster_sizes_, wanted, is_gaussian)
            if self.diagnosis_.is_doubtful and not n_found == 1 < wanted:  # of which the warning below says enough
                warnings.warn(UnclearClustersWarning.of(self.diagnosis_, len(self.eigenvalues_) > 0), stacklevel=4)
        if found.labels is not None and n_found < wanted:
            text = f"Number of distinct clusters ({n_found}) found smaller than {{n_clusters}} ({wanted}). "
            text += "Possibly due to duplicate points in X"
            if found.model.noise_threshold is not None:
                text += ", or to clusters whose rows are all noise"
            text += ", or to clusters of single rows." if isinstance(found.model.embedding, Voted) else "."
            warnings.warn(FewerClustersWarning(text, ("n_clusters",)), stacklevel=4)

    def _apply(self, of: Callable[[Model], Operation], X: Any) -> list[Any]:
        """What an operation gives for X, an array for each of its columns; lazy ones for Dask."""
        check_is_fitted(self)
        CONSTRAINTS["n_jobs"].check("n_jobs", self.n_jobs)
        rows = checks.rows(self, X, reset=False)
        operation, names = of(self._model), getattr(self, "feature_names_in_", None)
        if checks.is_dask(rows):
            return [apply_lazily(operation, rows, names)]
        limits, dtype = ResourceLimits.given(self.max_memory, self.scratch_dir, bytes_held(X)), self._model.frame.dtype
        size = size_of(self, rows, dtype, sum(column.row_bytes for column in operation.columns))
        with open_engine(rows, None, self.n_jobs, size, limits, dtype) as engine:
            return apply(operation, engine, names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class EmbeddingClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, RecipeClusterer):
    """A clusterer that embeds any row through landmarks."""

    n_landmarks: Any = 1000
    bandwidth: float | str = MEAN
    normalize: str = "l2"

    def merged(self, n_groups: int) -> np.ndarray:
        """Group of each cluster in a coarser clustering, which joins whole clusters along `tree_`.

        ``model.merged(10)[model.labels_]`` labels the rows, and so it is for what `predict` gives. With `noise`, whose
        label -1 is no cluster, it is ``np.where(labels < 0, -1, model.merged(10)[labels])``. Clusterings of different
        sizes are nested.

        Parameters
        ----------
        n_groups : int
            From 1 to the number of clusters.

        Returns
        -------
        group : ndarray of int32 of shape (`n_clusters_`,)
        """
        check_is_fitted(self)
        if not hasattr(self, "tree_"):
            raise AttributeError(f"{type(self).__name__} has no tree of clusters, as it has no graph of landmarks.")
        rule = f"must be an integer from 1 to the number of clusters, {self.n_clusters_}"
        Constraint(rule, lambda v: isinstance(v, Integral) and 1 <= int(v) <= self.n_clusters_).check(
            "n_groups", n_groups
        )
        return merge(self.tree_, int(n_groups))

    def transform(self, X: Any) -> np.ndarray:
        """Spectral embedding of each row of X, scaled to norm 1: shape (n_samples, n_components).

        One component a cluster, up to five more where the spectrum has no gap; for many clusters the shares in each.
        """
        return self._apply(Operation.embed, X)[0]

    def _keep_landmarks(self, points: np.ndarray, bandwidth: float | None) -> None:
        """Set the attributes of landmarks, in the user's units; a given bandwidth is kept to the last digit."""
        frame = self._model.frame
        self.landmarks_ = frame.inverse_transform(points)
        self.n_landmarks_ = len(points)
        given = None if isinstance(self.bandwidth, str) else float(self.bandwidth)
        self.bandwidth_ = None if bandwidth is None else given or frame.length_outside(bandwidth)

    @property
    def _n_features_out(self) -> int:
        """Columns of `transform`, for `get_feature_names_out`."""
        return int(self._model.embedding.n_dimensions)


class RowScorer:
    """Scores rows by how near they are to landmarks."""

    def score_samples(self, X: Any) -> np.ndarray:
        """How normal each row of X is: less the mean distance to its nearest landmarks, so that higher is more normal.

        Landmarks are where the rows are, and a row far from all of them is in a sparse place: an outlier.

        Parameters
        ----------
        X : array-like, sparse matrix, Rows or Dask collection of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            At most 0, in the units of the data (of directions, for the cosine).
        """
        return self._apply(Operation.score, X)[0]  # type: ignore[attr-defined]


@dataclass(eq=False, repr=False, kw_only=True)
class LandmarkClusterer(RowScorer, EmbeddingClusterer):
    """A clusterer whose rows are linked to their K nearest landmarks."""

    n_neighbors: int = 5
    _has_tree = True

    def affinity(self, X: Any) -> scipy.sparse.csr_matrix:
        """Weights B between the rows of X and the landmarks, shape (n_samples, `n_landmarks_`).

        K entries a row, of which some are 0 where `bandwidth` gives the farther ones no weight.
        """
        if checks.is_dask(X):
            raise TypeError(
                "affinity is one sparse matrix, which a Dask array cannot be. Compute X first, or parts of it."
            )
        nearest, weight = self._apply(Operation.weigh, X)
        n_rows, n_nearest = nearest.shape
        start = np.arange(n_rows + 1, dtype=np.int64) * n_nearest
        graph = scipy.sparse.csr_matrix((weight.ravel(), nearest.ravel(), start), shape=(n_rows, self.n_landmarks_))
        graph.has_sorted_indices = True  # they are; and those in scratch files could not be sorted in place
        return graph

    def _keep(self, found: pipeline.Run) -> None:
        super()._keep(found)
        graph = found.model.graph
        self._keep_landmarks(graph.points, graph.affinity.bandwidth)
        self.exact_fraction_ = graph.links.exact_fraction
