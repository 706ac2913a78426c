"""Rows far away from all that was fitted get the label of their direction, and do no harm to others."""

from __future__ import annotations

import numpy as np
import pytest

from dncsc import clusterer

METHODS = {
    "k-means": {},
    "nystrom": {"n_landmarks": 20},
    "lsc-r": {"n_landmarks": 40},
    "u-spec": {"n_landmarks": 40},
    "dnc-sc": {"n_landmarks": 40, "bandwidth": "local"},
    "dnc-sc/nearest=exact": {"n_landmarks": 40},
    "lsec": {"n_landmarks": 40, "n_members": 2, "n_graphs": 1},
}
LARGEST = {"float32": 3e38, "float64": 1.7e308}


@pytest.mark.parametrize(
    ("name", "dtype", "d"),
    [
        *((name, dtype, d) for name in METHODS for dtype, d in (("float32", 2), ("float64", 70))),
        *(("dnc-sc/nearest=exact", dtype, 20) for dtype in LARGEST),
        ("dnc-sc", "float32", 20),
    ],
)
def test_rows_far_away_get_the_label_of_their_direction(blobs, name, dtype, d):
    X = blobs(1_000, d, k=10, dtype=dtype)[0] - 20
    model = clusterer(name, 10, random_state=0, **METHODS[name]).fit(X)
    middle = X.mean(axis=0)
    directions = (X[:100] - middle) / np.abs(X[:100] - middle).max(axis=1, keepdims=True)
    near = model.predict(middle + directions * X.dtype.type(1e4))  # some hundred times as far as any row
    for size in (1e12, 1e25, LARGEST[dtype]):
        far = directions * X.dtype.type(size)
        labels = model.predict(np.concatenate([far, X[:200]]))
        assert labels.min() >= 0
        assert labels.max() < 10
        np.testing.assert_array_equal(labels[100:], model.labels_[:200])
        np.testing.assert_array_equal(labels[:1], model.predict(far[:1]))  # whatever other rows there are
        assert np.mean(labels[:100] == near) > 0.98
        if hasattr(model, "transform"):
            assert np.isfinite(model.transform(far)).all()
        if hasattr(model, "affinity"):
            graph = model.affinity(far)
            assert graph.indices.max() < model.n_landmarks_
            assert np.isfinite(graph.data).all()
