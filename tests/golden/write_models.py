"""Small models of every kind as this version writes them, and the labels that they give: later versions read them too.

    python tests/golden/write_models.py          write tests/golden/models/schema-N, for the present schema N

Existing files are never replaced: a change that makes them unreadable, or other, is a new schema with a folder of its
own next to the earlier ones. `tests/test_golden_models.py` opens them all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dncsc import LSC, LSEC, USENC, USPEC, DnCSC, ExactSC, LloydKMeans, NystromSC
from dncsc.model_file import KINDS

MODELS = Path(__file__).with_name("models")
EXPECTED = "expected.npz"
SMALL: dict[str, Any] = {"n_landmarks": 30, "n_neighbors": 3, "n_candidates": 8, "random_state": 0}
FEW: dict[str, Any] = {"n_landmarks": 30, "n_neighbors": 3, "random_state": 0}
ESTIMATORS = {
    "dnc-sc": DnCSC(3, **SMALL),
    "dnc-sc-float64": DnCSC(3, **SMALL),
    "dnc-sc-gaussian": DnCSC(3, bandwidth="mean", **SMALL),
    "dnc-sc-number": DnCSC(3, bandwidth=0.3, normalize="l1", nearest="candidates", **SMALL),
    "dnc-sc-adaptive": DnCSC(3, bandwidth="adaptive", **SMALL),
    "dnc-sc-local": DnCSC(3, bandwidth="local", nearest="exact", **SMALL),
    "dnc-sc-cosine": DnCSC(3, metric="cosine", **SMALL),
    "dnc-sc-rows": DnCSC(3, select="rows", **SMALL),
    "dnc-sc-mixture": DnCSC(3, **SMALL),
    "dnc-sc-noise": DnCSC(3, noise=0.1, **SMALL),
    "dnc-sc-refined": DnCSC(3, refine=True, bandwidth="mean", **SMALL),
    "k-means": LloydKMeans(3, random_state=0),
    "k-means-cosine-float64": LloydKMeans(3, metric="cosine", random_state=0),
    "lsc": LSC(3, **FEW),
    "lsec": LSEC(3, n_members=4, n_graphs=2, **SMALL),
    "nystrom": NystromSC(3, n_landmarks=30, random_state=0),
    "sc": ExactSC(3, n_neighbors=10, random_state=0),
    "u-senc": USENC(3, n_members=2, **SMALL),
    "u-spec": USPEC(3, **SMALL),
}


def training_rows() -> np.ndarray:
    """Two half circles and a round group, in three features."""
    random = np.random.default_rng(0)
    angle = np.linspace(0, np.pi, 150)
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rows = np.concatenate([upper, [1, 0.4] - upper, np.tile([3.0, 1.5], (150, 1))])
    return np.concatenate([rows, rows.sum(axis=1, keepdims=True)], axis=1) + random.normal(0, 0.08, (450, 3))


def gaussian_rows() -> np.ndarray:
    """Three Gaussians that touch."""
    random = np.random.default_rng(2)
    return random.normal(2.5 * np.eye(3)[random.integers(3, size=450)], [0.7, 0.9, 1.1])


def rows_to_label(models: dict[str, Any]) -> np.ndarray:
    """Rows in and around the data but at no border between clusters, where rounding on other machines would decide."""
    random = np.random.default_rng(1)
    rows = random.uniform([-2, -2, -3], [4, 3, 6], (400, 3))
    sure = np.ones(len(rows), bool)
    for model in models.values():
        labels = [model.predict(rows + random.normal(0, 1e-3, rows.shape)) for _ in range(5)]
        sure &= np.ptp(labels, axis=0) == 0
    return np.concatenate([training_rows()[::9], rows[sure][:99], [[1e6, 0, 0]]])


def write_models(folder: Path) -> None:
    """Fit and save a model of each kind, and the labels of some rows."""
    folder.mkdir(parents=True)  # and no further where it exists
    rows = training_rows()
    for name, estimator in ESTIMATORS.items():
        own = gaussian_rows() if name.endswith("mixture") else rows
        estimator.fit(own if name.endswith("float64") else own.astype(np.float32))
        estimator.save(folder / f"{name}.npz", notes={"written by": "tests/golden/write_models.py"})
    predicting = {name: model for name, model in ESTIMATORS.items() if name != "sc"}
    new = rows_to_label(predicting)
    labels = {name: model.predict(new).astype(np.int8) for name, model in predicting.items()}
    np.savez_compressed(folder / EXPECTED, rows=new, **labels)  # type: ignore[arg-type]


if __name__ == "__main__":
    write_models(MODELS / f"schema-{KINDS.version}")
