"""Fitted estimators into files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from dncsc import records
from dncsc.estimators.registry import CLASSES
from dncsc.model_file import KINDS, Fitted

FORMAT = "dncsc model"
OF_THIS_MACHINE = ("scratch_dir", "checkpoint", "max_memory", "n_jobs")
"""Parameters that say nothing to another machine."""


def save_model(path: str | os.PathLike[str], estimator: Any, notes: Mapping[str, Any] | None) -> None:
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
    )
    params = {name: value for name, value in estimator.get_params().items() if name not in OF_THIS_MACHINE}
    names = getattr(estimator, "feature_names_in_", None)
    header = {
        "format": FORMAT,
        "method": tags[0],
        "params": {name: _plain(value) for name, value in params.items()},
        "n_features": int(estimator.n_features_in_),
        "feature_names": None if names is None else list(map(str, names)),
        "timings": estimator.timings_,
        "notes": dict(notes or {}),
    }
    records.write(path, header, fitted, KINDS)


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; None for a random generator."""
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else None
