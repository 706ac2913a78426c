"""Fitted models and their files, for tests of saving and loading."""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from dncsc import clusterer, load_model
from dncsc.datasets import load

ONE_OF_EACH_KIND = ["dnc-sc", "lsec", "nystrom", "k-means", "sc"]
"""Methods that between them have every kind of embedding."""

ATTRIBUTES = [
    "landmarks_",
    "n_landmarks_",
    "bandwidth_",
    "eigenvalues_",
    "cluster_centers_",
    "cluster_sizes_",
    "inertia_",
    "n_iter_",
    "exact_fraction_",
    "n_graph_components_",
    "timings_",
    "n_features_in_",
]


@functools.cache
def table() -> np.ndarray:
    """600 rows of two moons."""
    X = np.round(load("tm-1m", n=2_000)[0].astype(np.float64) * 2**20)[:600] / 2**20
    X.setflags(write=False)
    return X


@functools.cache
def fitted(name: str = "dnc-sc", dtype: str = "float64") -> Any:
    """A method, fitted when first asked for."""
    small = {} if name in ("k-means", "sc") else {"n_landmarks": 30}
    few = {"lsec": {"n_members": 4, "n_graphs": 2}, "u-senc": {"n_members": 2}}.get(name, {})
    return clusterer(name, 3, random_state=0, **small, **few).fit(table().astype(dtype))


@functools.cache
def saved(name: str = "dnc-sc") -> bytes:
    """The bytes of a model file."""
    with tempfile.TemporaryDirectory() as folder:
        fitted(name).save(Path(folder) / "model.npz")
        return (Path(folder) / "model.npz").read_bytes()


def assert_same(found: Any, wanted: Any) -> None:
    assert repr(found) == repr(wanted)
    assert type(found) is type(wanted)
    for name in ATTRIBUTES:
        assert hasattr(found, name) == hasattr(wanted, name), name
        if hasattr(wanted, name):
            np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
    assert not hasattr(found, "labels_")
    for what in ("predict", "transform", "affinity"):
        if hasattr(wanted, what):
            one, other = getattr(found, what)(table()), getattr(wanted, what)(table())
            assert one.dtype == other.dtype
            assert (one != other).nnz == 0 if what == "affinity" else np.array_equal(one, other), what


def load_bytes(content: bytes, folder: Path) -> Any:
    path = folder / "model.npz"
    path.write_bytes(content)
    return load_model(path)


def repacked(content: bytes, change: Any = None, arrays: Any = None, compression: int = zipfile.ZIP_STORED) -> bytes:
    """A file whose header or arrays somebody has changed, with valid checksums."""
    with np.load(io.BytesIO(content)) as found:
        parts = {name: found[name] for name in found}
    header = json.loads(parts.pop("header").tobytes())
    if change:
        changed = change(header)
        header = changed if isinstance(changed, list) else header
    parts["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    if arrays:
        arrays(parts)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, value in parts.items():
            archive.writestr(f"{name}.npy", value if isinstance(value, bytes) else npy_bytes(value))
    return target.getvalue()


def npy_bytes(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    return stream.getvalue()
