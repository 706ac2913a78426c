"""Fitted estimators into files, and from files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from dncsc import pipeline, records
from dncsc.errors import enumerated
from dncsc.estimators.base import RecipeClusterer
from dncsc.estimators.parameters import check_parameters
from dncsc.estimators.registry import CLASSES
from dncsc.model_file import KINDS, Fitted, check_fitted
from dncsc.phases.cut.transfer_cut import Partition
from dncsc.phases.discretize import Centroids, Labelled
from dncsc.records import RecordError

FORMAT = "dncsc model"

HEADER = {
    **{"format": str, "schema": int, "dncsc": str, "record": object, "method": str, "params": dict},
    **{"n_features": int, "feature_names": list | None, "timings": dict, "notes": dict},
}
"""What stands in the header of a model file."""

OF_THIS_MACHINE = ("scratch_dir", "checkpoint", "max_memory", "n_jobs")
"""Parameters that say nothing to another machine."""

EMBEDDINGS = {
    **dict.fromkeys(("dnc-sc", "lsc", "u-spec"), "graph/rows-and-landmarks"),
    **dict.fromkeys(("lsec", "u-senc"), "graph/rows-and-clusters"),
    **{"k-means": "embedding/identity", "nystrom": "embedding/nystrom", "sc": "embedding/of-fitted-rows"},
}
"""By what each method embeds rows."""


def save_model(path: str | os.PathLike[str], estimator: Any, notes: Mapping[str, Any] | None, overwrite: bool) -> None:
    """Write a fitted estimator; see `dncsc.DnCSC.save`."""
    tags = [tag for tag, each in CLASSES.items() if each is type(estimator)]
    if not tags:
        raise TypeError(f"a {type(estimator).__name__} cannot be saved, since it could not be loaded.")
    fitted = Fitted(
        estimator._model,
        estimator.eigenvalues_,
        estimator.n_graph_components_,
        float(estimator.inertia_),
        int(estimator.n_iter_),
        estimator.cluster_sizes_,
        getattr(estimator, "tree_", None),
        getattr(estimator, "diagnosis_", None),
    )
    names = getattr(estimator, "feature_names_in_", None)
    params = estimator.get_params().items()
    header = {
        "format": FORMAT,
        "method": tags[0],
        "params": {name: _plain(value) for name, value in params if name not in OF_THIS_MACHINE},
        "n_features": int(estimator.n_features_in_),
        "feature_names": None if names is None else list(map(str, names)),
        "timings": estimator.timings_,
        "notes": dict(notes or {}),
    }
    records.write(path, header, fitted, KINDS, overwrite)


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; None for a random generator."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, bool | int | float | str) else None


def load_model(path: str | os.PathLike[str]) -> RecipeClusterer:
    """A fitted estimator from a file that `save` wrote, with this version of dncsc or an earlier one.

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
    header, arrays = records.read(path)
    try:
        KINDS.check(header, FORMAT)
        _check_header(header)
        estimator = _estimator(header["method"], header["params"])
        fitted = records.unpack(header["record"], arrays, KINDS, Fitted)
        check_fitted(fitted, header["n_features"])
        model, embedding = fitted.model, fitted.model.embedding
        if KINDS.kind_of(getattr(embedding, "graph", embedding)).tag != EMBEDDINGS[header["method"]]:
            raise RecordError(f"its method is {header['method']!r}, but what it holds is of another one.")
        if (model.noise_threshold is not None) != (getattr(estimator, "noise", 0) > 0):
            raise RecordError("its share of noise and its threshold of noise are not of one model.")
        if model.frame.metric != estimator.metric:
            raise RecordError(f"its metric is {estimator.metric!r}, but what it holds is of another one.")
    except RecordError as error:
        raise RecordError(error.reason, path) from error
    estimator.n_features_in_ = header["n_features"]
    if header["feature_names"] is not None:
        estimator.feature_names_in_ = np.array(header["feature_names"], dtype=object)
    partition = Partition(embedding, fitted.eigenvalues, fitted.n_components)
    centroids, labelled = Centroids(model.centroids, fitted.n_iter), Labelled(fitted.inertia, fitted.cluster_sizes)
    estimator._keep(pipeline.Run(model, None, partition, centroids, labelled, header["timings"], fitted.tree))
    if fitted.diagnosis is not None:
        estimator.diagnosis_ = fitted.diagnosis
    estimator.notes_ = header["notes"]
    return estimator


def _check_header(header: dict[str, Any]) -> None:
    names = header.setdefault("feature_names", None)
    wrong = [name for name, kind in HEADER.items() if not isinstance(header.get(name), kind)]
    if not wrong and names is not None:
        fit = len(names) == header["n_features"] and all(isinstance(name, str) for name in names)
        wrong += [] if fit else ["feature_names"]
    if not wrong and not all(type(seconds) in (int, float) for seconds in header["timings"].values()):
        wrong.append("timings")
    if not wrong and not header["params"].keys().isdisjoint(OF_THIS_MACHINE):
        wrong.append("params")  # a file has no say in where this machine writes
    if wrong:
        raise RecordError(f"its header has no valid {enumerated(wrong)}.")
    unknown = sorted(header.keys() - HEADER.keys())
    if unknown:
        raise RecordError(f"its header has an unknown field {', '.join(map(repr, unknown))}.")


def _estimator(method: str, params: dict[str, Any]) -> RecipeClusterer:
    """An estimator that is not fitted yet; its parameters are checked as `fit` does."""
    if method not in CLASSES:
        raise RecordError(f"its method {method!r} is none of {', '.join(CLASSES)}.")
    try:
        estimator = CLASSES[method](**params)
        check_parameters(estimator)
    except (ValueError, TypeError) as error:
        raise RecordError(f"its parameters do not fit the method {method!r}: {error}") from error
    return estimator
