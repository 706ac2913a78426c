"""A small fit, and what holds after every fit."""

from __future__ import annotations

import numpy as np

from dncsc import DnCSC
from dncsc.metrics import accuracy


def fitted(X, k=2, weight=None, **parameters):
    given = {"n_landmarks": 100, "random_state": 0, **parameters}
    return DnCSC(k, **given).fit(X, sample_weight=weight)


def assert_sound(model, X, k):
    """What holds after every fit, however odd the rows."""
    assert model.labels_.shape == (X.shape[0],)
    assert model.labels_.dtype == np.int32
    assert model.labels_.min() >= 0
    assert model.labels_.max() < k
    assert np.isfinite(model.landmarks_).all()
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.transform(X)).all()
    assert model.bandwidth_ is None or 0 < model.bandwidth_ < np.inf
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def assert_same_partition(labels, expected):
    assert accuracy(expected, labels) == 1.0
