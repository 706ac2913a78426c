"""What of a fitted estimator goes into a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dncsc import records
from dncsc.model import Model
from dncsc.model_file import KINDS, check_model
from dncsc.version import __version__

FORMAT = "dncsc model"
FORMAT_VERSION = 1
OF_THIS_MACHINE = ("scratch_dir", "checkpoint", "max_memory", "n_jobs")
"""Parameters that say nothing to another machine."""


@dataclass(frozen=True)
class Fitted:
    """What was found, but for the labels, which `predict` gives again."""

    model: Model
    eigenvalues: np.ndarray
    n_components: int
    inertia: float
    n_iter: int
    cluster_sizes: np.ndarray


def write(path: str | os.PathLike[str], estimator: Any, notes: Mapping[str, Any] | None) -> None:
    """Write a fitted estimator; see `dncsc.DnCSC.save`."""
    fitted = Fitted(
        estimator._model,
        estimator.eigenvalues_,
        estimator.n_graph_components_,
        float(estimator.inertia_),
        int(estimator.n_iter_),
        estimator.cluster_sizes_,
    )
    names = getattr(estimator, "feature_names_in_", None)
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "dncsc": __version__,
        "class": type(estimator).__name__,
        "params": {
            name: _plain(value) for name, value in estimator.get_params().items() if name not in OF_THIS_MACHINE
        },
        "n_features": int(estimator.n_features_in_),
        "feature_names": None if names is None else list(map(str, names)),
        "timings": estimator.timings_,
        "notes": dict(notes or {}),
    }
    records.write(path, header, fitted)


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; None for a random generator."""
    if isinstance(value, np.generic):
        return value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else None


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Fitted]:
    """Header and content of a model file, checked."""
    header, arrays = records.read(path)
    if header.get("format") != FORMAT:
        raise records.RecordError(f"{path} is a file of dncsc, but not of a model.")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        raise records.RecordError(
            f"{path} has version {version!r} of the format; this dncsc ({__version__}) reads version {FORMAT_VERSION}. "
            f"It was written by dncsc {header.get('dncsc')!r}."
        )
    try:
        fitted = records.unpack(header["record"], arrays, [*KINDS, Fitted], Fitted)
        _check_header(header)
        check_model(fitted.model, header["n_features"])
        _check_sums(fitted)
    except records.RecordError as error:
        raise records.RecordError(f"{path} is damaged: {error}") from error
    return header, fitted


def _check_header(header: dict[str, Any]) -> None:
    kinds = {"class": str, "params": dict, "timings": dict, "notes": dict, "n_features": int}
    wrong = [name for name, kind in kinds.items() if not isinstance(header.get(name), kind)]
    names = header.setdefault("feature_names", None)
    plain = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if names is not None and not (plain and len(names) == header.get("n_features")):
        wrong.append("feature_names")
    if not wrong and not header["params"].keys().isdisjoint(OF_THIS_MACHINE):
        wrong.append("params")  # whoever made the file has no say in where this machine writes
    if wrong:
        raise records.RecordError(f"its header has no valid {' and '.join(wrong)}.")


def _check_sums(fitted: Fitted) -> None:
    sizes, values = fitted.cluster_sizes, fitted.eigenvalues
    if sizes.shape != (len(fitted.model.centroids),) or sizes.dtype.kind != "i":
        raise records.RecordError(f"the sizes of the clusters have shape {sizes.shape} and dtype {sizes.dtype}.")
    if values.ndim != 1 or values.dtype.kind != "f":
        raise records.RecordError(f"the eigenvalues have shape {values.shape} and dtype {values.dtype}.")
