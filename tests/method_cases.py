"""Names of the methods, sets that twins are compared on, and what counts as the same."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.metrics.cluster import contingency_matrix

from dncsc import LSC, LSEC, USENC, USPEC, DnCSC, ExactSC, LloydKMeans, NystromSC, clusterer

KINDS = {"lsc-k": "kmeans", "lsc-r": "random", "lsc-kh": "kmeans-hubs", "lsc-rh": "random-hubs"}
ABLATIONS = [
    "dnc-sc/bandwidth=mean",
    "dnc-sc/nearest=candidates",
    "dnc-sc/nearest=exact",
    "dnc-sc/select=kmeans/nearest=candidates",
    "dnc-sc/select=kmeans/nearest=exact",
    "dnc-sc/select=dnc-kmeans/nearest=candidates",
    "dnc-sc/select=dnc-kmeans/nearest=exact",
]
NEAREST_LANDMARKS = [*KINDS, "u-spec", "dnc-sc", *ABLATIONS]
ENSEMBLES = ["u-senc", "lsec"]
NAMES = ["k-means", "sc", "nystrom", *NEAREST_LANDMARKS, *ENSEMBLES]
PREDICTING = [name for name in NAMES if name != "sc"]
EMBEDDING = [name for name in PREDICTING if name != "k-means"]

CLASSES = {
    "k-means": LloydKMeans,
    "sc": ExactSC,
    "nystrom": NystromSC,
    **dict.fromkeys(KINDS, LSC),
    "u-spec": USPEC,
    "dnc-sc": DnCSC,
    **dict.fromkeys(ABLATIONS, DnCSC),
    "u-senc": USENC,
    "lsec": LSEC,
}


def small(name, k, **params):
    """A method with parameters that suit a few hundred rows."""
    given = {"random_state": 0}
    if name not in ("k-means", "sc"):
        given["n_landmarks"] = 60
    if name in ENSEMBLES:
        given["n_members"] = 4
    return clusterer(name, k, **{**given, **params})


def assert_same_partition(labels, expected):
    """The same groups, whatever their names."""
    crossed = contingency_matrix(expected, labels)
    assert np.count_nonzero(crossed) == len(crossed) == crossed.shape[1], crossed


def assert_same_places(places, expected):
    """Rows of two embeddings that differ by a rotation: their inner products are the same."""
    np.testing.assert_allclose(places @ places.T, expected @ expected.T, atol=1e-6)


def assert_same_clusters_as_k_means(model, places):
    """What k-means finds in the twin's embedding, whatever the names."""
    twin = KMeans(model.n_clusters, n_init=10, tol=0, random_state=0)
    assert_same_partition(model.labels_, twin.fit_predict(places))


def ring():
    """Five groups on a circle that touch their neighbours."""
    random = np.random.default_rng(0)
    angle = 2 * np.pi / 5 * random.integers(5, size=800)
    return 4 * np.column_stack([np.cos(angle), np.sin(angle)]) + random.standard_normal((800, 2)), 5


def two_moons():
    return make_moons(800, noise=0.1, random_state=0)[0], 2


def gaussians():
    """Four Gaussians in twenty dimensions."""
    random = np.random.default_rng(1)
    return (1.2 * random.standard_normal((4, 20)))[random.integers(4, size=600)] + random.standard_normal((600, 20)), 4


every_set = pytest.mark.parametrize("data", [ring, two_moons, gaussians])
