"""Fitted estimators from files."""

from __future__ import annotations

import os

import numpy as np

from dncsc import pipeline
from dncsc.estimators import saving
from dncsc.estimators.base import RecipeClusterer
from dncsc.estimators.registry import CLASSES
from dncsc.phases.discretize import Centroids, Labelled
from dncsc.phases.partition import Partition
from dncsc.records import BadRecord


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
        raise BadRecord(f"{path} is of a class {header['class']!r}, which is none of {', '.join(CLASSES)}.")
    try:
        estimator = CLASSES[header["class"]](**header["params"])
    except TypeError as error:
        raise BadRecord(f"{path} has parameters of another version: {error}.") from error
    estimator.n_features_in_ = header["n_features"]
    if header["feature_names"] is not None:
        estimator.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    model = fitted.model
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
