"""Labels of every method on small data, as hashes: a redesign that should change no label can show that it does not.

    python tests/golden/freeze.py          write tests/golden/labels.json anew, and say which cases changed

Hashes are exact for one processor and one set of library versions: matrix products round differently elsewhere. The
file says where it was made; on another machine `tests/test_golden.py` compares the sizes of the clusters instead.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite.binding import get_host_cpu_name
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons

from dncsc import LSC, LSEC, USPEC, DnCSC, clusterer, load_model, methods, open_rows
from dncsc.datasets import load

FILE = Path(__file__).with_name("labels.json")
CLASSES = {
    "usps": 10,
    "pendigits": 10,
    "letters": 26,
    "mnist": 10,
    "covertype": 7,
    "ts-60k": 3,
    "tm-1m": 2,
    "tc-6m": 3,
    "cg-10m": 11,
    "fl-20m": 13,
}
SMALL = {"n_landmarks": 120, "random_state": 0}
Case = Callable[[], np.ndarray]


def machine() -> dict[str, str]:
    """What the last bits of a matrix product depend on."""
    libraries = ("numba", "numpy", "scikit-learn", "scipy")
    return {"processor": get_host_cpu_name()} | {name: version(name) for name in libraries}


def cases(kind: str) -> Iterator[tuple[str, Case]]:
    """Names of the cases of one kind, and what gives their labels."""
    yield from KINDS[kind]()


def summary(labels: Any) -> dict[str, Any]:
    """A hash of the labels, and the sizes of the clusters, largest first."""
    labels = np.asarray(labels, np.int32)
    sizes = sorted(np.bincount(labels).tolist(), reverse=True)
    return {"sha256": hashlib.sha256(labels.tobytes()).hexdigest()[:16], "sizes": sizes}


@functools.cache
def _rows(name: str, n: int) -> np.ndarray:
    return load(name, n)[0]


def _labels(name: str, X: Any, k: int | str, **params: Any) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clusterer(name, k, **params).fit(X).labels_


def _methods() -> Iterator[tuple[str, Case]]:
    """Every method on the ten sets."""
    for name in CLASSES:
        for method in methods():
            params = SMALL if method not in ("k-means", "sc") else {"random_state": 0}
            if method in ("lsec", "u-senc"):
                params = params | {"n_members": 8}
            yield (
                f"{method}, {name}",
                lambda method=method, name=name, params=params: _labels(
                    method, _rows(name, 1200), CLASSES[name], **params
                ),
            )


def _defaults() -> Iterator[tuple[str, Case]]:
    """Defaults on more rows of the ten sets, and the number of clusters counted."""
    for name in CLASSES:
        X, k = functools.partial(_rows, name, 6000), CLASSES[name]
        yield f"dnc-sc, 6000 of {name}", lambda X=X, k=k: _labels("dnc-sc", X(), k, random_state=1)
        yield f"lsec, 6000 of {name}", lambda X=X, k=k: _labels("lsec", X(), k, n_members=10, random_state=1)
        yield f"dnc-sc, counted in {name}", lambda X=X: _labels("dnc-sc", X(), "auto", random_state=2)
        for bandwidth in ("local", "adaptive", 0.5):
            yield (
                f"dnc-sc, bandwidth {bandwidth}, {name}",
                lambda X=X, k=k, bandwidth=bandwidth: _labels(
                    "dnc-sc", X(), k, bandwidth=bandwidth, n_landmarks=300, normalize="l1", random_state=0
                ),
            )


def _refined() -> Iterator[tuple[str, Case]]:
    """Labels that neighbours have a say in."""
    for name in ("pendigits", "letters", "cg-10m"):
        X, k = functools.partial(_rows, name, 6000), CLASSES[name]
        yield f"dnc-sc, refined, {name}", lambda X=X, k=k: _labels("dnc-sc", X(), k, refine=True, random_state=0)
    digits = load_digits().data
    yield "dnc-sc, refined, digits", lambda: _labels("dnc-sc", digits, 10, refine=True, random_state=0)


def _few_rows() -> Iterator[tuple[str, Case]]:
    """Shapes and groups of a few hundred rows: among noise, uneven, of whole numbers."""
    random = np.random.default_rng(0)
    moons = make_moons(500, noise=0.05, random_state=4)[0]
    shapes = {
        "moons": (make_moons(600, noise=0.07, random_state=0)[0], 2),
        "circles": (make_circles(600, factor=0.5, noise=0.05, random_state=0)[0], 2),
        "blobs in 2-D": (make_blobs(400, n_features=2, centers=5, random_state=1)[0], 5),
        "blobs in 10-D": (make_blobs(500, n_features=10, centers=4, cluster_std=2, random_state=2)[0], 4),
        "whole numbers": (np.round(make_blobs(500, n_features=4, centers=3, random_state=3)[0]), 3),
        "uneven": (random.normal(np.repeat([0, 8, 16], [450, 35, 15])[:, None] * np.eye(1, 6), 1), 3),
        "in noise": (
            np.concatenate([moons, random.uniform(-3, 3, (40, 2))]),
            2,
        ),
        "in a square": (random.uniform(0, 1, (500, 2)), 4),
        "pairs": (random.normal(np.repeat(50.0 * np.arange(5), 60)[:, None] * np.eye(1, 8), 0.5), 5),
        "table": (
            np.hstack([random.normal(3 * np.eye(3, 5)[np.arange(2000) % 3]), np.eye(6)[random.integers(6, size=2000)]]),
            3,
        ),
    }
    for shape, (X, k) in shapes.items():
        for method in ("dnc-sc", "lsec", "u-spec", "u-senc"):
            yield f"{method}, {shape}", lambda method=method, X=X, k=k: _labels(method, X, k, random_state=3)
        yield f"dnc-sc, counted, {shape}", lambda X=X: _labels("dnc-sc", X, "auto", random_state=3)


def _inputs() -> Iterator[tuple[str, Case]]:
    """Weights of rows, files, Dask, and new rows after save and load."""
    X, new = load("cg-10m", 5000)[0], load("cg-10m", 2000, random_state=1)[0]
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(np.float64)
    wide = load("fl-20m", 3000)[0] @ np.random.default_rng(1).normal(size=(2, 30)).astype(np.float32)

    def weighted(kind: type) -> np.ndarray:
        return kind(11, **SMALL).fit(X, sample_weight=weight).labels_

    def from_file(suffix: str) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"rows{suffix}"
            if suffix == ".npy":
                np.save(path, wide)
            elif suffix == ".csv":
                np.savetxt(path, wide, delimiter=",", header=",".join(f"f{i}" for i in range(30)), comments="")
            else:
                import pyarrow.parquet
                from pyarrow import table

                pyarrow.parquet.write_table(table({f"f{i}": wide[:, i] for i in range(30)}), path)
            return DnCSC(13, random_state=0, n_landmarks=300).fit(open_rows(path)).labels_

    def from_dask() -> np.ndarray:
        import dask.array
        from distributed import Client, LocalCluster

        given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
        with LocalCluster(**given) as cluster, Client(cluster):
            chunked = dask.array.from_array(X, chunks=(1700, 2))
            return DnCSC(11, **SMALL).fit(chunked).labels_.compute()

    def loaded(kind: type, **params: Any) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.npz"
            kind(11, **SMALL, **params).fit(X).save(path)
            return load_model(path).predict(new)

    for kind in (DnCSC, USPEC, LSC, LSEC):
        yield f"{kind.__name__}, weighted", lambda kind=kind: weighted(kind)
        yield f"{kind.__name__}, loaded", lambda kind=kind: loaded(kind)
    for suffix in (".npy", ".csv", ".parquet"):
        yield f"DnCSC, {suffix}", lambda suffix=suffix: from_file(suffix)
    yield "DnCSC, Dask", from_dask


def _directions() -> Iterator[tuple[str, Case]]:
    """Every method with the cosine."""
    X = load("pendigits", 1200)[0]
    for method in methods():
        params = SMALL if method not in ("k-means", "sc") else {"random_state": 0}
        yield (
            f"{method}, directions",
            lambda method=method, params=params: _labels(method, X, 10, metric="cosine", **params),
        )


def _many_clusters() -> Iterator[tuple[str, Case]]:
    """Sets in many parts: rows as landmarks, and trees of clusters."""
    for name, k in {"letters": 60, "pendigits": 100, "cg-10m": 200, "fl-20m": 400}.items():
        X = functools.partial(_rows, name, 4000)
        yield f"dnc-sc, {k} in {name}", lambda X=X, k=k: _labels("dnc-sc", X(), k, random_state=0)
    letters, flower = functools.partial(_rows, "letters", 4000), functools.partial(_rows, "fl-20m", 4000)
    narrow = {"bandwidth": "mean", "n_neighbors": 3, "nearest": "exact"}
    yield "dnc-sc, many, cosine", lambda: _labels("dnc-sc", letters(), 60, metric="cosine", random_state=0)
    yield "dnc-sc, many, named weights", lambda: _labels("dnc-sc", letters(), 60, **narrow, random_state=0)
    yield "dnc-sc, few, rows", lambda: _labels("dnc-sc", flower(), 13, select="rows", random_state=0)

    def merged(k: int) -> np.ndarray:
        model = DnCSC(k, random_state=0).fit(flower())
        return model.merged(10)[model.labels_]

    yield "dnc-sc, merged of many", lambda: merged(100)
    yield "dnc-sc, merged of few", lambda: merged(20)


KINDS: dict[str, Callable[[], Iterator[tuple[str, Case]]]] = {
    "methods": _methods,
    "defaults": _defaults,
    "few rows": _few_rows,
    "inputs": _inputs,
    "directions": _directions,
    "many clusters": _many_clusters,
    "refined": _refined,
}


def main() -> None:
    before = json.loads(FILE.read_text())["cases"] if FILE.exists() else {}
    found = {name: summary(labels()) for kind in KINDS for name, labels in cases(kind)}
    for name in sorted({*before, *found}):
        if name in before and before[name] != found.get(name):
            print("changed:" if name in found else "gone:", name)
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in found.items())
    FILE.write_text(f'{{"made on": {json.dumps(machine())}, "cases": {{\n{lines}\n}}}}\n')
    print(f"{len(found)} cases")


if __name__ == "__main__":
    main()
