"""Fitted estimators from files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from dncsc import pipeline
from dncsc.estimators import saving
from dncsc.estimators.base import LandmarkClusterer, RecipeClusterer
from dncsc.estimators.ensembles import EnsembleClusterer
from dncsc.estimators.exact_sc import ExactSC
from dncsc.estimators.lloyd_kmeans import LloydKMeans
from dncsc.estimators.nystrom_sc import NystromSC
from dncsc.estimators.parameters import check_parameters
from dncsc.estimators.registry import CLASSES
from dncsc.phases.discretize import Centroids, Labelled
from dncsc.phases.embedding import RowsAndLandmarks
from dncsc.phases.exact_graph import Placed
from dncsc.phases.kmeans_baseline import IdentityEmbedding
from dncsc.phases.members import RowsAndMembers
from dncsc.phases.nystrom import ByAllLandmarks
from dncsc.phases.partition import Partition
from dncsc.records import RecordError


def load_model(path: str | os.PathLike[str]) -> RecipeClusterer:
    """A fitted estimator from a file that `save` wrote.

    Nothing in the file is executed, and what it holds is checked: files of strangers can be opened. `labels_` is not in
    it; `predict` gives the labels of the training rows again. What was passed to `save` as notes is in `notes_`.

    Raises
    ------
    ValueError
        Where the file is damaged, of another kind or of a newer version.

    Examples
    --------
    >>> import numpy as np, tempfile, dncsc
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> model = dncsc.DnCSC(3, n_landmarks=30, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.npz")
    ...     again = dncsc.load_model(f"{folder}/model.npz")
    >>> bool((again.predict(X) == model.labels_).all())
    True
    """
    header, fitted = saving.read(path)
    if header["class"] not in CLASSES:
        raise RecordError(f"{path} is of a class {header['class']!r}, which is none of {', '.join(CLASSES)}.")
    estimator = _with_parameters(path, header)
    model = fitted.model
    if not _is_of(estimator, model.embedding):
        raise RecordError(f"{path} is of a class {header['class']!r}, but what it holds is of another one.")
    estimator.n_features_in_ = header["n_features"]
    if header["feature_names"] is not None:
        estimator.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    estimator._keep(
        pipeline.Run(
            model,
            None,
            Partition(model.embedding, fitted.eigenvalues, fitted.n_components),
            Centroids(model.centroids, fitted.n_iter),
            Labelled(fitted.inertia, fitted.cluster_sizes),
            header["timings"],
        )
    )
    estimator.notes_ = header["notes"]
    return estimator


def _with_parameters(path: Any, header: dict[str, Any]) -> RecipeClusterer:
    """The estimator that a header describes, not fitted yet; its parameters are checked as `fit` does."""
    try:
        estimator = CLASSES[header["class"]](**header["params"])
        check_parameters(estimator)
    except (ValueError, TypeError) as error:
        raise RecordError(f"{path} has parameters of another version: {error}") from error
    return estimator


PLACED_BY: dict[type, type] = {
    ExactSC: Placed,
    LandmarkClusterer: RowsAndLandmarks,
    LloydKMeans: IdentityEmbedding,
    EnsembleClusterer: RowsAndMembers,
    NystromSC: ByAllLandmarks,
}
"""What places the rows of each class."""


def _is_of(estimator: RecipeClusterer, embedding: Any) -> bool:
    found = getattr(embedding, "graph", embedding)
    return any(isinstance(estimator, kind) and isinstance(found, by) for kind, by in PLACED_BY.items())
