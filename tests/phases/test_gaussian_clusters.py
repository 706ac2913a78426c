"""Clusters that touch and are Gaussian are told by a mixture, and no others."""

from __future__ import annotations

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning

from dncsc import LSEC, USPEC, DnCSC, UnclearClustersWarning, load_model
from dncsc.datasets import load
from dncsc.metrics import ari
from dncsc.phases.mixture import Centres

TURNS = (0.0, 1.2, -0.6)


def ellipses(n=600, seed=0):
    """Three long groups that touch."""
    random = np.random.default_rng(seed)
    y = random.integers(3, size=n)
    turns = np.array([[[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]] for t in TURNS])
    rows = np.einsum("ni,nij->nj", random.normal(0, [1.5, 0.3], (n, 2)), turns[y])
    return rows + np.array([[0, 0], [2.5, 1.5], [-2, 2.2]])[y], y


def is_mixture(model):
    return model._model.classifier is not None and model.diagnosis_.is_gaussian


@pytest.mark.parametrize(("make", "n"), [(DnCSC, 600), (DnCSC, 20_000), (LSEC, 600)])
def test_borders_of_gaussians_are_those_of_a_mixture(make, n):
    X, y = ellipses(n)
    model, by_links = make(3, random_state=0).fit(X), make(3, bandwidth="adaptive", random_state=0).fit(X)
    assert is_mixture(model)
    assert not is_mixture(by_links)
    assert ari(y, model.labels_) > 0.82  # who knows the generator has 0.83
    assert ari(y, by_links.labels_) < 0.75


@pytest.mark.parametrize(("n", "d", "k"), [(300, 2, 4), (2_500, 3, 4), (2_500, 6, 2)])
def test_one_gaussian_is_not_said_to_be_several(n, d, k):
    X = np.random.default_rng(0).standard_normal((n, d))
    for seed in range(3):
        assert not is_mixture(DnCSC(k, random_state=seed).fit(X))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_get_the_same_labels_again_in_any_order_and_from_a_file(tmp_path, dtype):
    X = ellipses(5_000)[0].astype(dtype) + 100
    model = DnCSC(3, random_state=0).fit(X)
    assert is_mixture(model)
    model.save(tmp_path / "model.npz")
    for each in (model, load_model(tmp_path / "model.npz")):
        np.testing.assert_array_equal(each.predict(X), model.labels_)
        np.testing.assert_array_equal(each.predict(X[1_234:1_300]), model.labels_[1_234:1_300])
        np.testing.assert_array_equal(each.predict(X[::-1]), model.labels_[::-1])
    assert is_mixture(load_model(tmp_path / "model.npz"))


@pytest.mark.parametrize("options", [{}, {"noise": 0.05}])
def test_labels_do_not_depend_on_threads_engines_or_checkpoints(tmp_path, options):
    X, _ = ellipses(30_000)
    model = DnCSC(3, n_jobs=1, random_state=0, **options).fit(X)
    assert is_mixture(model)
    kept = DnCSC(3, checkpoint=tmp_path, random_state=0, **options)
    for other in (DnCSC(3, n_jobs=2, random_state=0, **options).fit(X), kept.fit(X), kept.fit(X)):
        np.testing.assert_array_equal(other.labels_, model.labels_)
    chunks = DnCSC(3, random_state=0, **options).fit(da.from_array(X, chunks=(7_000, 2)))
    np.testing.assert_array_equal(np.asarray(chunks.labels_), model.labels_)


def test_rows_that_are_noise_have_no_cluster_and_no_say():
    X, y = ellipses(3_000)
    far = np.random.default_rng(1).uniform(-30, 30, (60, 2))
    model = DnCSC(3, noise=0.04, random_state=0).fit(np.concatenate([X, far]))
    assert is_mixture(model)
    assert (model.labels_[3_000:] == -1).mean() > 0.8
    counts = model.labels_[:3_000] >= 0
    assert ari(y[counts], model.labels_[:3_000][counts]) > 0.82
    assert (model.predict(far) == -1).mean() > 0.8


@pytest.mark.parametrize(
    ("X", "k"),
    [
        (make_moons(1_000, noise=0.12, random_state=0)[0], 2),
        (make_moons(3_000, noise=0.2, random_state=0)[0], 2),
        (make_circles(1_000, factor=0.45, noise=0.08, random_state=0)[0], 2),
        (np.random.default_rng(0).uniform(0, [6, 1], (500, 2)), 2),
    ],
)
def test_clusters_of_other_shapes_are_left_alone(X, k):
    model, by_links = (DnCSC(k, bandwidth=bandwidth, random_state=0).fit(X) for bandwidth in ("auto", "adaptive"))
    assert model._model.classifier is by_links._model.classifier is None
    assert not model.diagnosis_.is_gaussian


@pytest.mark.parametrize("make", [DnCSC, LSEC])
@pytest.mark.parametrize("far", [30, 5_000])
def test_a_row_far_away_does_not_spoil_the_others(make, far):
    X, y = ellipses(1_500, 1)
    model = make(3, random_state=0).fit(np.concatenate([X, [[far, -1.4 * far]]]))
    assert ari(y, model.labels_[:-1]) > 0.8


@pytest.mark.parametrize("far", [30, 100, 300])
def test_a_group_far_away_does_not_hide_the_shape_of_the_others(far):
    random = np.random.default_rng(0)
    y = random.integers(3, size=900)
    shapes, places = np.array([[2.5, 0.35], [2.5, 0.35], [1, 1]]), np.array([[0, 0], [1, 1.9], [far, far]])
    X = places[y] + random.normal(size=(900, 2)) * shapes[y]
    assert ari(y, DnCSC(3, random_state=0).fit(X).labels_) > 0.9


def test_few_rows_are_enough_also_where_some_are_noise():
    random = np.random.default_rng(6)
    y, turns = random.integers(4, size=300), 0.6 * random.normal(size=(4, 8, 8))
    X = np.einsum("ni,nij->nj", random.normal(size=(300, 8)), turns[y]) + random.normal(0, 1.5, (4, 8))[y]
    model = DnCSC(4, noise=0.05, random_state=0).fit(X)
    assert is_mixture(model)
    kept = model.labels_ >= 0
    assert ari(y[kept], model.labels_[kept]) > 0.9


def test_rings_and_groups_that_more_gaussians_are_slow_to_describe_are_left_alone():
    """Three times as many gain little in each iteration, and much in all."""
    X, y = load("cg-10m", n=20_000)
    model = LSEC(11, random_state=1).fit(X)
    assert not is_mixture(model)
    assert ari(y, model.labels_) > 0.9


def test_rings_among_other_features_are_left_alone():
    """Halves of the rings are as Gaussian as any rows, and have nothing in common with what the graph shows."""
    rings, y = make_circles(500, factor=0.45, noise=0.08, random_state=0)
    others = np.random.default_rng([0, 8, 500, 1]).normal(0, 0.3 * rings.std(), (500, 8))
    model = DnCSC(2, random_state=0).fit(np.hstack([rings, others]))
    assert model._model.classifier is None
    assert ari(y, model.labels_) > 0.9


def test_categories_that_say_nothing_of_the_clusters_have_no_say_in_labels():
    X, y = ellipses(2_000)
    category = 0.5 * np.eye(3)[np.random.default_rng(1).integers(3, size=len(X))]
    model = DnCSC(3, random_state=0).fit(np.hstack([X, category]))
    assert is_mixture(model)
    assert ari(y, model.labels_) > 0.8
    np.testing.assert_array_equal(model.predict(np.hstack([X, category[::-1]])), model.labels_)


def test_where_clusters_have_categories_of_their_own_nothing_is_fitted():
    X, y = ellipses(2_000)
    model = DnCSC(3, random_state=0).fit(np.hstack([X, 0.5 * np.eye(3)[y]]))
    assert model._model.classifier is None
    assert ari(y, model.labels_) > 0.9


@pytest.mark.parametrize(("load", "least"), [(load_iris, 0.88), (load_wine, 0.85)])
def test_tables_of_a_few_rows_are_told_better_than_by_k_means(load, least):
    """Iris has an ARI of 0.73 by k-means, wine (whose features are not scaled) 0.37."""
    X, y = load(return_X_y=True)
    assert np.median([ari(y, DnCSC(3, random_state=seed).fit(X).labels_) for seed in range(5)]) > least


def test_counted_clusters_are_told_by_a_mixture_too():
    random = np.random.default_rng(0)
    y = random.integers(4, size=8_000)
    X = 4.5 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[y] + random.standard_normal((8_000, 2))
    with pytest.warns(UnclearClustersWarning):
        model = DnCSC("auto", random_state=0).fit(X)
    assert model.n_clusters_ == 4
    assert is_mixture(model)
    assert "look like Gaussians (ellipses): each row went to the most probable one" in str(model.diagnosis_)


def test_refinement_leaves_such_labels_as_they_are():
    X, _ = ellipses(3_000)
    plain, refined = (DnCSC(3, refine=refine, random_state=0).fit(X) for refine in (False, True))
    np.testing.assert_array_equal(plain.labels_, refined.labels_)


def test_the_tree_and_centres_are_those_of_the_clusters():
    X, _ = ellipses(3_000)
    model = DnCSC(3, random_state=0).fit(X)
    assert sorted(model.tree_[:, :2].ravel()) == [0, 1, 2, 3]
    places = model.transform(X)
    for number, centre in enumerate(model.cluster_centers_):
        np.testing.assert_allclose(places[model.labels_ == number].mean(axis=0), centre, atol=0.05)


def test_many_gaussians_of_few_rows_each_are_left_to_the_graph():
    """A hundred rows tell no Gaussian in 24 features by which others could be labelled."""
    X, y = make_blobs(8_000, 24, centers=20, cluster_std=5.5, center_box=(-10, 10), random_state=0)
    model = DnCSC(20, random_state=0).fit(X)
    assert model._model.classifier is None
    assert ari(y, model.labels_) > 0.95


def test_groups_that_lie_apart_by_chance_are_told_by_a_mixture():
    """With few rows a landmark a part of a cluster may be a component of the graph."""
    X, y = make_blobs(3_000, 2, centers=3, cluster_std=2, random_state=2)
    assert all(ari(y, DnCSC(3, random_state=seed).fit_predict(X)) > 0.5 for seed in range(4))  # 0.07 without


@pytest.mark.parametrize("power", [-60, -40, 40])
def test_the_unit_of_weights_does_not_matter(power):
    X, _ = ellipses()
    plain, weighted = (DnCSC(3, random_state=0).fit(X, sample_weight=np.full(600, w)) for w in (1.0, 2.0**power))
    assert is_mixture(weighted)
    np.testing.assert_array_equal(plain.labels_, weighted.labels_)


def test_where_nearly_all_rows_are_noise_nothing_is_fitted():
    X, _ = ellipses(6_000)
    with pytest.warns(ConvergenceWarning):
        model = DnCSC(3, noise=0.9997, random_state=0).fit(X)
    assert model._model.classifier is None


@pytest.mark.parametrize("make", [DnCSC, LSEC])
def test_an_interrupted_fit_goes_on_to_the_same_labels(tmp_path, make):
    """Wherever it was interrupted: the rows that tell are the same."""
    X, _ = ellipses(6_000)
    model = make(3, checkpoint=tmp_path, random_state=0).fit(X)
    assert is_mixture(model)
    kept = sorted(tmp_path.rglob("*.npz"))
    for n_kept in range(0, len(kept), 2):
        for path in kept[n_kept:]:
            path.unlink()
        again = make(3, checkpoint=tmp_path, random_state=0).fit(X)
        np.testing.assert_array_equal(again.labels_, model.labels_)


def test_rows_by_position_need_no_more_than_their_centres():
    """Heaps in many features: centres are all that is kept."""
    X = np.random.default_rng(0).standard_t(3, (1_500, 40))
    with pytest.warns(UnclearClustersWarning):
        model = DnCSC(3, random_state=0).fit(X)
    assert isinstance(model._model.classifier, Centres)
    assert not model.diagnosis_.is_gaussian
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_weights_that_are_asked_for_and_other_methods_have_none():
    X, _ = ellipses()
    for model in (DnCSC(3, bandwidth="mean", random_state=0), USPEC(3, random_state=0)):
        assert model.fit(X)._model.classifier is None
