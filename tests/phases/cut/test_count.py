"""The number of clusters is found where there is a gap, and else there is a warning."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons

from dncsc import LSEC, DnCSC
from dncsc.datasets import embeddings, load


def spirals():
    return load("ts-60k", n=20_000)[0]


def blobs(k, n=5_000):
    return make_blobs(n, n_features=4, centers=k, cluster_std=0.6, center_box=(-20, 20), random_state=k)[0]


SEPARATED = {
    **{f"{k} blobs": (k, partial(blobs, k)) for k in (2, 3, 5, 10)},
    "20 blobs": (20, partial(blobs, 20, 20_000)),
    "moons": (2, lambda: make_moons(3_000, noise=0.06, random_state=0)[0]),
    "circles": (2, lambda: make_circles(3_000, noise=0.04, factor=0.5, random_state=0)[0]),
    "spirals": (3, spirals),
}


@pytest.mark.parametrize("name", SEPARATED)
def test_separated_clusters_are_counted_without_a_warning(name):
    k, make = SEPARATED[name]
    model = DnCSC("auto", random_state=0).fit(make())
    assert model.n_clusters_ == k
    assert len(np.unique(model.labels_)) == k
    assert len(model.eigenvalues_) > k


@pytest.mark.parametrize("seed", range(4))
def test_moons_that_touch_are_counted_if_not_always_with_certainty(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert DnCSC("auto", random_state=seed).fit(load("tm-1m", n=100_000)[0]).n_clusters_ == 2


@pytest.mark.parametrize("draw", ["random", "standard_cauchy"])
def test_where_there_are_no_clusters_there_is_a_warning(draw):
    """Outliers are none either."""
    X = getattr(np.random.default_rng(0), draw)((50_000, 2))
    with pytest.warns(UserWarning, match="not sure how many clusters"):
        DnCSC("auto", random_state=0).fit(X)


def test_no_more_clusters_are_counted_than_allowed():
    X = SEPARATED["10 blobs"][1]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert DnCSC("auto", max_clusters=4, random_state=0).fit(X).n_clusters_ <= 4


def test_few_clusters_are_counted_and_cut_alike_whatever_their_number_may_be_at_most():
    """Where there may be many, few of them are found by eigenvectors all the same."""
    X = make_blobs(5_000, centers=[[0, 0], [2.6, 0], [10, 0], [0, 10], [10, 10]], cluster_std=0.7, random_state=0)[0]
    with pytest.warns(UserWarning, match="5 were taken.*(12|25) would be enough"):
        few, many = (DnCSC("auto", max_clusters=most, random_state=0).fit(X) for most in (50, 100))
    assert few.n_clusters_ == many.n_clusters_ == 5
    assert np.array_equal(few.labels_, many.labels_)
    assert len(many.eigenvalues_) > 5


OVERLAPPING = [
    (2, 3_000, 3, 11),
    (4, 3_000, 7, 11),
    (4, 3_000, 8, 11),
    (4, 10_000, 5, 2),
    (4, 10_000, 6, 11),
    (4, 10_000, 8, 11),
]


@pytest.mark.parametrize(("d", "n", "k", "seed"), OVERLAPPING)
def test_blobs_that_overlap_are_not_counted_too_few_in_silence(d, n, k, seed):
    """Of 240 such sets, those with a gap of 5 and more behind fewer clusters."""
    X = make_blobs(n, d, centers=k, cluster_std=2.5, center_box=(-8, 8), random_state=seed)[0]
    with pytest.warns(UserWarning, match="2 were taken.*(12|25) would be enough"):
        DnCSC("auto", random_state=0).fit(X)


@pytest.mark.parametrize("most", [50, 100])
def test_topics_in_groups_are_not_taken_for_the_groups_without_a_word(most):
    X, _ = embeddings(20_000, 256, 30, near=0.95, random_state=1)
    with pytest.warns(UserWarning, match="3 were taken.* other numbers"):
        DnCSC("auto", max_clusters=most, metric="cosine", random_state=0).fit(X)


def test_only_the_word_auto_stands_for_a_number_of_clusters():
    X = np.random.default_rng(0).random((100, 2))
    with pytest.raises(ValueError, match="n_clusters must be an integer"):
        DnCSC("automatic").fit(X)
    with pytest.raises(ValueError, match="n_clusters must be an integer"):
        LSEC("auto").fit(X)


@pytest.mark.parametrize(("k", "seed"), [(2, 13), (2, 23), (2, 37), (3, 9), (3, 31), (3, 33)])
def test_groups_of_a_few_rows_at_the_edge_of_a_cluster_are_not_counted(k, seed):
    """With two rows a landmark some come off by chance, as with these seeds."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((1_200 * k, 2))
    X[:, 0] += 9 * (np.arange(len(X)) % k)
    assert DnCSC("auto", random_state=seed).fit(X).n_clusters_ == k


def test_clusters_are_counted_and_not_groups_of_them():
    """Three pairs of clusters: the gap between pairs is the larger, and that between clusters is clear as well."""
    random = np.random.default_rng(0)
    X = random.standard_normal((6_000, 4))
    pair, half = np.divmod(np.arange(6_000) % 6, 2)
    X[:, 0] += 60 * pair
    X[:, 1] += 5 * half
    assert DnCSC("auto", random_state=0).fit(X).n_clusters_ == 6


@pytest.mark.parametrize("seed", range(4))
def test_a_graph_in_pieces_is_not_counted_as_clusters(seed):
    """Narrow weights fragment such rows, and components are as many as may be."""
    X = np.random.default_rng(seed).standard_normal((3_000, 3))
    with pytest.warns(UserWarning, match="clear"):
        DnCSC("auto", random_state=seed).fit(X)


@pytest.mark.parametrize("d", [2, 4, 16])
@pytest.mark.parametrize("k", [2, 10, 50])
def test_groups_eight_deviations_apart_are_counted(d, k):
    random = np.random.default_rng(d)
    centres = np.empty((0, d))
    while len(centres) < k:
        centre = random.uniform(0, 14 * np.ceil(k ** (1 / d)), d)
        if all(np.linalg.norm(centres - centre, axis=1) >= 8):
            centres = np.vstack([centres, centre])
    X = centres[np.arange(200 * k) % k] + random.standard_normal((200 * k, d))
    assert DnCSC("auto", n_landmarks=min(100 * k, 1000), random_state=0).fit(X).cluster_sizes_.tolist() == [200] * k
