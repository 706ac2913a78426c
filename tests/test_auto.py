"""Nothing to tune: weights that choose themselves, specks that take no cluster, and the number of clusters."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons

from dncsc import LSEC, DnCSC, LloydKMeans
from dncsc.datasets import load
from dncsc.metrics import ari, nmi
from dncsc.phases.partition import _sharpened
from dncsc.phases.specks import Measure, extent_of, without_specks
from dncsc.phases.spectrum import Fading, Wanted, bottom_of_spectrum


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


# How many clusters


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
    with pytest.warns(UserWarning, match="not clear how many clusters"):
        DnCSC("auto", random_state=0).fit(X)


def test_no_more_clusters_are_counted_than_allowed():
    X = SEPARATED["10 blobs"][1]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert DnCSC("auto", max_clusters=4, random_state=0).fit(X).n_clusters_ <= 4


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
    """Tight weights shatter such rows, and the pieces are as many as may be."""
    X = np.random.default_rng(seed).standard_normal((3_000, 3))
    with pytest.warns(UserWarning, match="clear"):
        DnCSC("auto", random_state=seed).fit(X)


# Weights


def test_in_a_plane_the_bandwidth_is_a_fifth_of_the_mean_distance(flower):
    chosen, mean = (DnCSC(13, bandwidth=word, random_state=0).fit(flower[0]) for word in ("auto", "mean"))
    np.testing.assert_allclose(chosen.bandwidth_, 0.2 * mean.bandwidth_, rtol=1e-6)


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


def test_in_many_dimensions_weights_are_adaptive():
    X, y = load_digits(return_X_y=True)
    model = DnCSC(10, n_landmarks=300, random_state=0).fit(X)
    assert model.bandwidth_ is None
    assert nmi(y, model.labels_) > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_narrow_gaps_are_found_that_the_mean_distance_closes(flower, seed):
    X, y = flower
    found, mean = (nmi(y, DnCSC(13, bandwidth=word, random_state=seed).fit_predict(X)) for word in ("auto", "mean"))
    assert found > 0.93
    assert found > mean + 0.02


@pytest.mark.parametrize("n", [20_000, 50_000])
def test_touching_moons_are_told_apart_at_any_size(n):
    X, y = load("tm-1m", n=n)
    for seed in range(3):
        assert nmi(y, DnCSC(2, random_state=seed).fit_predict(X)) > 0.98


# Specks


def test_an_outlier_takes_no_cluster():
    X, y = make_blobs(5_000, random_state=1)
    model = DnCSC(3, random_state=0).fit(X)
    assert ari(y, model.labels_) > 0.95
    assert model.cluster_sizes_.min() > 1_000


@pytest.mark.parametrize("bandwidth", ["auto", "mean", "adaptive"])
def test_far_outliers_go_to_the_nearest_cluster(bandwidth):
    X, y = make_blobs(5_000, centers=4, cluster_std=0.5, center_box=(-10, 10), random_state=3)
    far = np.array([[60.0, 60.0], [-70.0, 50.0], [55.0, -65.0]])
    labels = DnCSC(4, bandwidth=bandwidth, random_state=0).fit_predict(np.concatenate([X, far]))
    assert ari(y, labels[:-3]) > 0.99


@pytest.mark.parametrize(("n", "share"), [(20_000, 0.05), (100_000, 0.005)])
def test_rows_strewn_at_random_take_no_cluster(n, share):
    X, y = make_moons(n, noise=0.05, random_state=0)
    random = np.random.default_rng(0)
    strewn = random.random(n) < share
    X[strewn] = random.uniform(-2.5, 3, (strewn.sum(), 2))
    labels = DnCSC(2, random_state=0).fit_predict(X)
    assert nmi(y[~strewn], labels[~strewn]) > 0.99


@pytest.mark.parametrize("n_landmarks", [1_000, 3_000])
def test_circles_among_groups_are_found_whatever_the_seed_and_the_landmarks(n_landmarks):
    X, y = load("cg-10m", n=150_000)
    for seed in range(3):
        assert nmi(y, DnCSC(11, n_landmarks=n_landmarks, random_state=seed).fit_predict(X)) > 0.93


def test_a_small_but_true_cluster_is_kept():
    random = np.random.default_rng(0)
    sizes = [10_000, 9_600, 400]
    X = np.concatenate([random.normal(place, 0.5, (size, 2)) for place, size in zip((0, 8, 16), sizes, strict=True)])
    assert sorted(DnCSC(3, random_state=0).fit(X).cluster_sizes_) == sorted(sizes)


def test_a_vector_extends_over_what_it_is_constant_on():
    mass = np.array([1.0, 2.0, 3.0, 4.0])
    assert extent_of(mass, np.array([0.0, 5.0, 5.0, 0.0])) == pytest.approx(5)
    assert extent_of(mass, np.array([1.0, -1.0, 1.0, -1.0])) == pytest.approx(10)


def test_a_speck_is_thin_and_light():
    mass = np.ones(1_000)
    members = np.arange(1_000)

    def pointing_at(count):
        return (members < count).astype(float)

    def is_speck(mass, count):
        return Measure(mass, n_clusters=4).is_speck(count, members, pointing_at(count))

    assert is_speck(mass, 5)
    assert is_speck(mass, 7)
    assert not is_speck(mass, 9)  # thin, but 3 in 100 of the mean cluster's rows are 7.5
    light = np.where(members < 11, 0.3, 1.0)
    assert not is_speck(light, 11)  # not thin
    assert is_speck(light / 2, 11) is is_speck(light, 11)  # whatever a row weighs
    assert is_speck(np.where(members < 11, 0.2, 1.0), 11)  # less than 1 in 100 of the mean cluster's rows


def test_where_rows_are_few_a_speck_has_fewer_than_eight():
    """And less than a fifth of the mean cluster's."""
    mass = np.ones(150)
    assert Measure(2 * mass, n_clusters=3, n_rows=300).least_mass == pytest.approx(8)
    assert Measure(6 * mass, n_clusters=3, n_rows=300).least_mass == pytest.approx(24)  # rows of weight 3
    assert Measure(2 * mass, n_clusters=10, n_rows=300).least_mass == pytest.approx(6)
    assert Measure(60 * mass, n_clusters=3, n_rows=9_000).least_mass == pytest.approx(90)  # 3 in 100


def test_twenty_rows_that_hang_together_by_chance_are_a_speck_though_many_landmarks_stand_for_them():
    component = np.repeat([0, 1, 2], [12, 20, 968])
    core, *_ = without_specks(component, Measure(np.full(1_000, 2.0), n_clusters=1, n_rows=2_000))
    assert set(component[core]) == {1, 2}


# Eigenvectors behind the first k


def embedded(model):
    return model._model.embedding.n_dimensions


def test_where_the_spectrum_has_a_gap_there_are_k_vectors():
    assert embedded(DnCSC(5, random_state=0).fit(blobs(5))) == 5


def test_where_it_has_none_vectors_fade_and_further_ones_count(spectrum_without_gap):
    similarity, landmarks = spectrum_without_gap
    plain, faded, fewer = (
        bottom_of_spectrum(similarity, landmarks, Wanted(4, fading=fading))
        for fading in (None, Fading(), Fading(0.4, further=0.5))
    )
    assert [each.vectors.shape[1] for each in (plain, faded, fewer)] == [4, 7, 6]
    seven = bottom_of_spectrum(similarity, landmarks, Wanted(7))
    times = seven.eigenvalues[:7] / seven.eigenvalues[3]
    assert times[4] < 2.5  # no gap
    np.testing.assert_allclose(faded.vectors, seven.vectors * (1 / 64 + times) ** -0.25, atol=1e-7)
    np.testing.assert_allclose(fewer.vectors, (seven.vectors * (1 / 64 + times) ** -0.4)[:, :6], atol=1e-7)


@pytest.fixture
def spectrum_without_gap():
    """A grid of landmarks, twice as long as wide: its eigenvalues grow evenly."""
    place = np.stack(np.meshgrid(np.arange(24.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    squared = ((place[:, None] - place) ** 2).sum(axis=2)
    return csr_array(np.where(squared < 5, np.exp(-squared), 0)), place


def test_the_paper_s_weights_use_k_vectors():
    X = np.random.default_rng(0).random((3_000, 6))
    assert embedded(DnCSC(6, bandwidth="mean", n_landmarks=200, random_state=0).fit(X)) == 6
    assert embedded(DnCSC(6, n_landmarks=200, random_state=0).fit(X)) == 11


# Links between landmarks, sharpened


LINKS = csr_array([[4.0, 2.0, 0.0, 1.0], [2.0, 4.0, 0.5, 0.0], [0.0, 0.5, 4.0, 0.0], [1.0, 0.0, 0.0, 1.0]])


def test_links_are_squared_and_light_landmarks_have_none():
    expected = LINKS.toarray() ** 2 / LINKS.data.mean() ** 2
    expected[3] = expected[:, 3] = 0
    np.testing.assert_allclose(_sharpened(LINKS, np.array([30.0, 20.0, 10.0, 1.0]), n_clusters=1).toarray(), expected)


def test_only_what_may_be_a_cluster_is_linked_to_itself(spectrum_without_gap):
    """Landmarks that are dense or have no other link; all of them where they are few."""
    links, _ = spectrum_without_gap
    lonely = links.toarray()
    lonely[7, np.arange(len(lonely)) != 7] = lonely[np.arange(len(lonely)) != 7, 7] = 0
    mass = np.where(np.arange(len(lonely)) == 40, 500.0, 50.0)
    many, few = (_sharpened(csr_array(lonely), mass, k).diagonal() for k in (7, 8))
    np.testing.assert_array_equal(np.flatnonzero(many), [7, 40])
    assert few.all()


@pytest.mark.parametrize("n_features", [4, 20])
@pytest.mark.parametrize("width", [0, 0.01])
def test_a_dense_spot_is_a_cluster_though_one_landmark_stands_for_it(n_features, width):
    random = np.random.default_rng(0)
    wide, spot = random.standard_normal((2, 8_000, n_features))
    group = np.repeat([0, 1], [8_000, 2_000])
    X = np.concatenate([wide, 8 / np.sqrt(n_features) + width * spot[:2_000]])
    assert nmi(group, DnCSC(2, random_state=0).fit(X).labels_) > 0.99


def test_every_cluster_has_rows_where_all_landmarks_but_a_few_are_light():
    """Noise in hundreds of dimensions: most rows are nearest to a few landmarks, and all clusters are made of these."""
    X = np.random.default_rng(0).standard_normal((4_000, 600), dtype=np.float32)
    assert np.count_nonzero(DnCSC(5, n_landmarks=60, random_state=0).fit(X).cluster_sizes_) == 5


@pytest.mark.parametrize("make", [DnCSC, LSEC])
@pytest.mark.parametrize("n_sparse", [100, 500])
def test_a_sparse_cluster_beside_dense_ones_is_found(make, n_sparse):
    """Its landmarks have few rows each, but so have those around them.

    Members of an ensemble would join it to a piece of a dense one, were it not a part of the graph by itself.
    """
    random = np.random.default_rng(0)
    dense, sparse = random.normal(0, 0.3, (2, 10_000, 10)), random.normal(0, 1.5, (n_sparse, 10))
    dense[1, :, 1] += 6
    sparse[:, 0] += 12
    group = np.repeat([0, 1, 2], [10_000, 10_000, n_sparse])
    assert nmi(group, make(3, random_state=0).fit(np.concatenate([*dense, sparse])).labels_) > 0.99


def test_a_landmark_among_light_ones_only_keeps_the_link_to_itself():
    links = np.zeros((6, 6))
    links[0, 1:] = links[1:, 0] = 1.0
    sharp = _sharpened(csr_array(links + np.diag([8.0, 1, 1, 1, 1, 1])), np.array([80.0, 1, 1, 1, 1, 1]), 0)
    assert sharp.toarray()[0, 0] > 0
    assert sharp.nnz == 1


def test_rows_of_a_light_landmark_have_the_place_of_the_nearest_other(spectrum_without_gap):
    similarity, landmarks = spectrum_without_gap
    mass = np.where(np.arange(len(landmarks)) == 30, 1.0, 50.0)
    vectors = bottom_of_spectrum(_sharpened(similarity, mass, 4), landmarks, Wanted(4, with_specks=False), mass).vectors
    assert vectors[30].any()
    np.testing.assert_array_equal(vectors[30], vectors[6])  # the first of four that are equally near


def test_rows_in_a_regular_order_are_clustered_as_in_any_other():
    """Starts of k-means that saw every tenth row would see one of these groups only."""
    random = np.random.default_rng(0)
    group = np.arange(20_000) % 5
    X = np.stack([3.0 * group, np.zeros(20_000), group % 2], axis=1) + random.normal(0, 0.3, (20_000, 3))
    assert nmi(group, DnCSC(5, n_landmarks=100, random_state=0).fit(X).labels_) > 0.99


@pytest.mark.parametrize("seed", range(4))
def test_a_cluster_that_few_rows_of_the_sample_are_in_is_found(seed):
    """Starts on a tenth of the sample would miss it, and so would runs that go on from them."""
    group = np.repeat(np.arange(3), [12_000, 7_999, 1])
    assert nmi(group, LloydKMeans(3, random_state=seed).fit(np.eye(3)[group]).labels_) > 0.999
