"""Neighbours have a say in labels: borders become finer, and all promises hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, make_moons
from sklearn.metrics import adjusted_rand_score

import naive
from dncsc import DnCSC, InsufficientMemoryError, estimate, load_model, open_rows
from dncsc.datasets import load
from dncsc.estimators.parameters import check_parameters
from dncsc.kernels.projection import project_rows
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.refine import MOST_A_CELL, UNSETTLED, Refined, _move, _move_communities, _settled


@pytest.fixture(scope="module", name="digits")
def digits_and_classes():
    X, y = load_digits(return_X_y=True)
    return X.astype(np.float32), y


@pytest.fixture(scope="module", name="fitted")
def fitted_to_digits(digits):
    model = DnCSC(10, refine=True, random_state=0).fit(digits[0])
    assert isinstance(model._model.embedding, Refined)
    return model


def test_labels_come_closer_to_the_classes(digits):
    """In most fits, and in the worst: borders of a single cut may happen to be good."""
    X, y = digits
    plain, refined = (
        [adjusted_rand_score(y, DnCSC(10, refine=refine, random_state=seed).fit_predict(X)) for seed in range(6)]
        for refine in (False, True)
    )
    assert np.median(np.subtract(refined, plain)) > 0.003
    assert min(refined) > min(plain)


def test_predict_gives_the_labels_of_the_fit_also_from_a_file(digits, fitted, tmp_path):
    X, _ = digits
    assert np.array_equal(fitted.predict(X), fitted.labels_)
    fitted.save(tmp_path / "model.npz")
    assert np.array_equal(load_model(tmp_path / "model.npz").predict(X), fitted.labels_)
    assert np.array_equal(fitted.predict(X[7:9]), fitted.labels_[7:9])


def test_labels_do_not_depend_on_threads_or_files(digits, fitted, tmp_path):
    X, _ = digits
    assert np.array_equal(DnCSC(10, refine=True, random_state=0, n_jobs=1).fit(X).labels_, fitted.labels_)
    np.save(tmp_path / "rows.npy", X)
    from_file = DnCSC(10, refine=True, random_state=0).fit(open_rows(tmp_path / "rows.npy"))
    assert np.array_equal(from_file.labels_, fitted.labels_)


def test_labels_do_not_depend_on_chunks(digits, fitted):
    dask_array = pytest.importorskip("dask.array")
    distributed = pytest.importorskip("distributed")
    given = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "processes": False}
    with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster):
        chunked = dask_array.from_array(digits[0], chunks=(700, 64))
        model = DnCSC(10, refine=True, random_state=0).fit(chunked)
        assert np.array_equal(model.labels_.compute(), fitted.labels_)
        assert np.array_equal(model.predict(chunked).compute(), fitted.labels_)


def test_an_interrupted_fit_goes_on_to_the_same_labels(digits, fitted, tmp_path):
    X, _ = digits
    for _ in range(2):  # the second finds all that the first kept
        model = DnCSC(10, refine=True, random_state=0, checkpoint=tmp_path / "kept").fit(X)
        assert np.array_equal(model.labels_, fitted.labels_)


def test_embedding_scores_and_links_are_those_of_the_cut(digits, fitted):
    X, _ = digits
    plain = DnCSC(10, random_state=0).fit(X)
    assert np.array_equal(fitted.transform(X), plain.transform(X))
    assert np.array_equal(fitted.score_samples(X), plain.score_samples(X))
    assert (fitted.affinity(X) != plain.affinity(X)).nnz == 0
    assert fitted.inertia_ == plain.inertia_
    assert np.array_equal(fitted.cluster_sizes_, np.bincount(fitted.labels_, minlength=10))


def test_noise_is_that_of_the_cut(digits, fitted):
    X, _ = digits
    model = DnCSC(10, refine=True, noise=0.05, random_state=0).fit(X)
    is_noise = model.labels_ == -1
    assert np.count_nonzero(is_noise) == pytest.approx(0.05 * len(X), abs=2)
    assert np.array_equal(model.labels_[~is_noise], fitted.labels_[~is_noise])
    assert np.array_equal(model.predict(X), model.labels_)


def test_a_dense_group_is_not_divided_among_sparse_ones():
    random, y = np.random.default_rng(0), np.repeat([0, 1, 2], [1200, 100, 30])
    radius, angle = np.sqrt(random.random(len(y))), 2 * np.pi * random.random(len(y))
    X = np.array([[0, 0], [2.3, 0], [0, 2.4]])[y] + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    labels = DnCSC(3, refine=True, random_state=0).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.98  # 0.24 where modularity counts whole


def linked_cliques(sizes, between):
    """Groups whose members are all linked, and some links from each member to those of other groups."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    links = (group[:, None] == group).astype(float) - np.eye(len(group))
    for (a, b), count in between.items():
        pairs = np.argwhere((group[:, None] == a) & (group == b))
        pairs = pairs[:: len(pairs) // count]
        links[tuple(pairs.T)] = links[tuple(pairs.T[::-1])] = 1
    return csr_array(links), group


def test_a_block_on_the_wrong_side_changes_sides_as_a_whole():
    links, group = linked_cliques([30, 30, 12], {(2, 0): 60, (2, 1): 5})
    settings = replace(check_parameters(DnCSC(2)).asked, seed=0)
    cluster = np.array([0, 1, 1], np.int32)[group]
    assert np.array_equal(_move(links, settings, cluster), cluster)
    assert np.array_equal(_move_communities(links, settings, cluster), np.array([0, 1, 0])[group])


def test_no_cluster_is_lost_to_communities():
    links, group = linked_cliques([30, 30, 30], {(2, 0): 5, (2, 1): 5})
    settings = replace(check_parameters(DnCSC(4)).asked, seed=0)
    cluster = group.astype(np.int32)
    cluster[:3] = 3
    assert np.array_equal(_move_communities(links, settings, cluster), cluster)


def test_clusters_behind_a_gap_keep_their_communities():
    """Two long crescents, of which communities are pieces."""
    X, y = make_moons(2000, noise=0.09, random_state=0)
    model = DnCSC(2, refine=True, random_state=0).fit(X)
    assert model.diagnosis_.clearness > 2
    assert adjusted_rand_score(y, model.labels_) > 0.98


def test_where_nothing_would_change_nothing_is_kept():
    X, _ = make_moons(3000, noise=0.05, random_state=0)
    model = DnCSC(2, refine=True, random_state=0).fit(X)
    assert not isinstance(model._model.embedding, Refined)
    assert np.array_equal(model.labels_, DnCSC(2, random_state=0).fit(X).labels_)


def test_nothing_is_searched_where_no_row_lies_between_clusters(monkeypatch):
    X, _ = make_moons(3000, noise=0.05, random_state=0)
    monkeypatch.setattr("dncsc.pipeline.refine", None)
    labels = DnCSC(2, refine=True, random_state=0).fit(X).labels_
    assert np.array_equal(labels, DnCSC(2, random_state=0).fit(X).labels_)
    with pytest.raises(TypeError, match="not callable"):
        DnCSC(2, refine=True, random_state=0).fit(make_moons(7000, noise=0.2, random_state=0)[0])


def test_rows_between_clusters_count_by_their_weights(monkeypatch):
    """Twelve of 6,000 rows are too few to refine by; fifty times each they are not."""
    random = np.random.default_rng(0)
    between = np.column_stack([np.linspace(3, 9, 12), np.zeros(12)])
    X = np.concatenate([random.standard_normal((6000, 2)) + np.repeat([[0, 0], [12, 0]], 3000, axis=0), between])
    weight = np.repeat([1, 50], [6000, 12])
    monkeypatch.setattr("dncsc.pipeline.refine", None)
    model = DnCSC(2, refine=True, n_landmarks=200, random_state=0).fit(X)
    for rows, weights in ((X, weight), (np.repeat(X, weight, axis=0), None)):
        with pytest.raises(TypeError, match="not callable"):
            model.fit(rows, sample_weight=weights)


def test_many_clusters_are_left_to_links_of_rows():
    X, _ = load("letters", 3000)
    assert np.array_equal(
        DnCSC(60, refine=True, random_state=0).fit(X).labels_, DnCSC(60, random_state=0).fit(X).labels_
    )


@pytest.mark.parametrize("n", [2, 3, 5, 40])
def test_few_rows_are_refined_or_left(n):
    X = np.random.default_rng(n).standard_normal((n, 3))
    assert len(np.unique(DnCSC(2, refine=True, random_state=0).fit(X).labels_)) == 2


def test_landmarks_whose_prototypes_are_nearly_all_of_one_cluster_are_settled():
    nearest = np.array([[0, 1], [1, 2], [3, 1]])
    assert _settled(nearest, np.array([4, 4, 7]), 5, CutPolicy()).tolist() == [4, UNSETTLED, 4, 7, UNSETTLED]
    for n_others, found in ((1, 2), (2, UNSETTLED)):
        cluster = np.array([2] * 19 + [0] * n_others)
        assert _settled(np.zeros((len(cluster), 1), int), cluster, 1, CutPolicy()).tolist() == [found]


def test_settled_rows_would_be_voted_for_alike(digits, fitted):
    X, _ = digits
    refined = fitted._model.embedding
    nearest, _, rows = fitted._model.lookup(X)
    of_landmarks = refined.settled[nearest]
    is_settled = (of_landmarks[:, 0] != UNSETTLED) & (of_landmarks == of_landmarks[:, :1]).all(axis=1)
    assert 0.1 < is_settled.mean() < 1
    agreed = refined.prototypes.vote(rows[is_settled]) == fitted.labels_[is_settled]
    assert agreed.mean() > 0.995


def test_most_of_the_nearest_prototypes_are_found():
    X, _ = load("pendigits", 10_000)
    model = DnCSC(10, refine=True, random_state=0).fit(X)
    search = model._model.embedding.prototypes.search
    rows = model._model.lookup(X[:300])[-1]
    found, exact = search.find(rows).nearest, naive.search_all(rows, search.landmarks, search.n_neighbors)[0]
    assert np.mean([np.isin(one, other).mean() for one, other in zip(exact, found, strict=True)]) > 0.95


@pytest.mark.filterwarnings("ignore:Categories, or values filled in")
def test_rows_that_are_alike_make_no_search_long(digits):
    X, _ = digits
    alike = np.concatenate([np.repeat(X[:3], 2000, axis=0), X])
    search = DnCSC(10, bandwidth="adaptive", refine=True, random_state=0).fit(alike)._model.embedding.prototypes.search
    assert np.diff(search.cells.first).max() <= MOST_A_CELL
    assert len(search.landmarks) > len(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_projection_is_the_same_in_any_block(dtype):
    random = np.random.default_rng(0)
    rows, directions = random.standard_normal((50, 77)).astype(dtype), random.standard_normal((9, 77)).astype(dtype)
    whole, part = np.empty((50, 9), dtype), np.empty((3, 9), dtype)
    project_rows(rows, directions, whole)
    project_rows(rows[20:23], directions, part)
    np.testing.assert_allclose(whole, rows @ directions.T, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(part, whole[20:23])


def test_what_refinement_needs_is_told_before():
    plain, refined = estimate(100_000, 784, n_landmarks=1000), estimate(100_000, 784, n_landmarks=1000, refine=True)
    assert refined.memory > plain.memory + 35_000 * 784 * 4
    assert refined.passes > plain.passes
    assert refined.seconds > plain.seconds


def test_refinement_is_named_where_memory_is_too_little_for_it():
    X = np.ones((20_000, 256), np.float32)
    for refine, words in [(True, "20,000 rows that refine labels,.*, leave out refine, or"), (False, "max_memory, or")]:
        with pytest.raises(InsufficientMemoryError, match=words):
            DnCSC(2, refine=refine, max_memory="1MB").fit(X)


def test_there_are_more_landmarks_where_rows_are_many():
    X, _ = load("fl-20m", 28_000)
    assert DnCSC(13, refine=True, random_state=0).fit(X).n_landmarks_ == 2000
    assert DnCSC(13, refine=True, random_state=0).fit(X[:-1]).n_landmarks_ == 1000
    assert [CutPolicy().usual_landmarks(13, False, n, 16, refine=True) for n in (55_999, 56_000)] == [1000, 4000]
