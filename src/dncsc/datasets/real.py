"""Real sets: from the folder that `DNCSC_DATA` names, from those shipped here, or from OpenML.

PenDigits and Letters are shipped, see data/README.md. OpenML's files are kept in scikit-learn's data home.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import fetch_openml
from sklearn.preprocessing import LabelEncoder

SHIPPED = Path(__file__).parent / "data"


class Real(NamedTuple):
    """Shape of a set in the paper, and its name and version at OpenML."""

    n: int
    n_features: int
    n_classes: int
    openml: tuple[str, int]


REAL = {
    "usps": Real(9_298, 256, 10, ("USPS", 2)),
    "pendigits": Real(10_992, 16, 10, ("pendigits", 1)),
    "letters": Real(20_000, 16, 26, ("letter", 1)),
    "mnist": Real(70_000, 784, 10, ("mnist_784", 1)),
    "covertype": Real(581_012, 54, 7, ("covertype", 3)),
}


def find(name: str) -> Path | None:
    """The file of a set, if it is on this machine: the user's own first, then the shipped one."""
    folder = os.environ.get("DNCSC_DATA")
    folders = [Path(folder), SHIPPED] if folder else [SHIPPED]
    return next((path for path in (each / f"{name}.npz" for each in folders) if path.exists()), None)


def read(name: str) -> tuple[np.ndarray, np.ndarray]:
    """All rows and their classes."""
    path = find(name)
    if path is not None:
        with np.load(path, allow_pickle=False) as stored:
            X, y = stored["X"], stored["y"]
        # Shipped values are whole numbers below 256 and are stored as such.
        return (X.astype(np.float32), y.astype(np.int64)) if path.parent == SHIPPED else (X, y)
    known, version = REAL[name].openml
    try:
        fetched = fetch_openml(known, version=version, as_frame=False, parser="auto")
    except Exception as error:
        raise FileNotFoundError(
            f"data set {name!r}: there is no {name}.npz in the folder named by the environment variable DNCSC_DATA "
            f"({os.environ.get('DNCSC_DATA', 'not set')}), and OpenML could not be reached ({error}). "
            f"Put the file there (arrays X and y), or try again with a connection."
        ) from None  # dozens of lines on sockets, of which the last is shown
    X = np.asarray(fetched.data, dtype=np.float32)
    if X.shape != (REAL[name].n, REAL[name].n_features):
        raise ValueError(f"data set {name!r}: {known} {version} of OpenML has shape {X.shape}, not that of the paper.")
    return X, LabelEncoder().fit_transform(fetched.target)
