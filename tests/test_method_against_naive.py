"""The whole method and its linear algebra against what the paper says, written out naively."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.sparse import block_diag, csr_array, eye_array
from sklearn.datasets import make_moons
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

import naive
from dncsc import DnCSC
from dncsc.phases import eigen
from dncsc.phases.cut.eigen import BEHIND, leading_eigenpairs
from dncsc.phases.cut.outliers import join_lightest
from dncsc.phases.cut.spectrum import Wanted, bottom_of_spectrum
from dncsc.phases.select import divide_and_conquer
from dncsc.phases.select.divide_and_conquer import allocate


@pytest.fixture(autouse=True)
def one_thread():
    """As in an engine: what a solver returns may depend on the threads below it."""
    with threadpool_limits(1):
        yield


# The whole of DnC-SC


def petals(random):
    """Five petals that meet in the middle."""
    angle, radius = random.uniform(0, 2 * np.pi, 2000), np.sqrt(random.random(2000))
    reach = radius * (1 + 0.6 * np.cos(5 * angle))
    return np.column_stack([reach * np.cos(angle), reach * np.sin(angle)]), 5


def moons(random):
    return make_moons(2000, noise=0.1, random_state=0)[0], 2


def mixture(random):
    """Four Gaussians in five dimensions."""
    places = 2.5 * random.standard_normal((4, 5))
    return places[random.integers(4, size=2000)] + random.standard_normal((2000, 5)), 4


@pytest.mark.parametrize("data", [petals, moons, mixture])
@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize(
    ("rate", "sample_size", "rounds", "settle"),
    [(20, 300, 2, False), (5, 200, 3, False), (100, 1000, 1, False), (5, 200, 1, True)],
)
def test_the_method_is_the_one_of_the_paper(monkeypatch, data, norm, rate, sample_size, rounds, settle):
    """Where rows are few, landmarks settle after the last round, and rows find their own at once."""
    if not settle:
        monkeypatch.setattr(divide_and_conquer, "MOST_DISTANCES", 0)
    X, k = data(np.random.default_rng(1))
    sizes = {"n_landmarks": 100, "selection_rate": rate, "sample_size": sample_size}
    model = DnCSC(k, **sizes, bandwidth="mean", normalize=norm, random_state=0, n_jobs=1).fit(X)
    assert (len(model._model.embedding.graph.links.tree.levels), model.n_graph_components_) == (rounds, 1)
    seed = check_random_state(0).randint(np.iinfo(np.int32).max)
    landmarks, nearest, eigenvalues, labels = naive.dnc_sc(X, k, 100, 5, rate, sample_size, settle, norm, seed)
    np.testing.assert_allclose(model.landmarks_, landmarks, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model._model.link(X)[0], nearest)
    np.testing.assert_array_equal(model.affinity(X).indices.reshape(2000, 5), np.sort(nearest, axis=1))
    np.testing.assert_allclose(model.eigenvalues_, eigenvalues, atol=1e-6)
    assert np.count_nonzero(contingency_matrix(model.labels_, labels)) == k


@pytest.mark.parametrize("select", ["dnc", "dnc-kmeans"])
def test_of_few_rows_each_has_the_nearest_of_all_landmarks_for_its_own(select):
    """No trace is left of the borders between subsets."""
    X, k = mixture(np.random.default_rng(1))
    model = DnCSC(k, n_landmarks=100, selection_rate=5, select=select, random_state=0).fit(X)
    [level] = model._model.embedding.graph.links.tree.levels
    own = naive.search_all(X, model._model.frame.inverse_transform(level.centres), 1)[0][:, 0]
    np.testing.assert_allclose(model.landmarks_, [X[own == i].mean(axis=0) for i in range(100)], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("data", [moons, mixture])
def test_neighbours_called_exact_are_the_nearest_of_all_landmarks(data):
    X, k = data(np.random.default_rng(0))
    model = DnCSC(k, n_landmarks=100, n_candidates=12, random_state=0).fit(X)._model
    inside = model.frame.transform(X)
    links = model.embedding.graph.links
    found = links.search.find(inside, links.tree.locate(inside))
    nearest, _ = naive.search_all(inside, links.search.landmarks, 5)
    assert 0 < found.exact.mean() < 1
    np.testing.assert_array_equal(found.nearest[found.exact], nearest[found.exact])


@pytest.mark.parametrize(("data", "bandwidth"), [(petals, 0.0046), (moons, 0.003), (mixture, 0.0693)])
def test_a_narrow_bandwidth_still_gives_clusters(data, bandwidth):
    """Weights between most landmarks then vanish nearly, but not all of them quite."""
    X, k = data(np.random.default_rng(0))
    for narrow in (bandwidth, bandwidth / 10, bandwidth / 1000):
        model = DnCSC(k, n_landmarks=300, bandwidth=narrow, random_state=0).fit(X)
        assert np.array_equal(np.unique(model.labels_), np.arange(k))


# Allocation of parts to subsets


@pytest.mark.parametrize("total", [5, 6, 20, 97, 1000])
@pytest.mark.parametrize("most", [2, 7, 50, 5000])
@pytest.mark.parametrize("c", [1, 2, 5, 30])
def test_parts_are_allocated_as_by_the_twin(c, most, total):
    random = np.random.default_rng(0)
    residual = random.exponential(1, c) ** 3
    bound = np.minimum(most, random.integers(0, 100, c)) if most < 5000 else np.full(c, most)
    parts = allocate(residual, bound, total)
    np.testing.assert_array_equal(parts, naive.allocate(residual, np.maximum(bound, 1), total))
    assert np.all((parts >= 1) & (parts <= np.maximum(bound, 1)))
    assert parts.sum() == max(c, min(total, np.maximum(bound, 1).sum()))


def test_without_bounds_parts_add_up_and_are_in_proportion_to_the_residual():
    residual = np.random.default_rng(0).random(20) + 0.5
    parts = allocate(residual, np.full(20, 1000), 1000)
    assert parts.sum() == 1000
    np.testing.assert_allclose(parts, 1000 * residual / residual.sum(), atol=1)


def test_a_larger_residual_never_gets_fewer_parts():
    residual = np.sort(np.random.default_rng(0).exponential(1, 50))
    assert np.all(np.diff(allocate(residual, np.full(50, 30), 400)) >= 0)


def test_what_has_no_residual_is_not_divided():
    assert allocate(np.array([0.0, 1.0, 0.0]), np.array([9, 9, 9]), 7).tolist() == [1, 5, 1]
    assert allocate(np.zeros(3), np.array([9, 9, 9]), 7).tolist() == [1, 1, 1]


@pytest.mark.parametrize("large", [1e6, 1e30, 1e300])
def test_one_huge_residual_leaves_the_rest_to_the_others(large):
    assert allocate(np.array([large, 1.0, 1.0]), np.array([5, 50, 50]), 21).tolist() == [5, 8, 8]


def test_subsets_that_could_not_be_divided_are_not_tried_for_ever():
    """Two heaps of equal rows, each with one other row that a sample hardly ever meets, and one landmark to spare."""
    X = np.repeat([[0.0, 0.0], [10.0, 10.0]], 5000, axis=0)
    X[0, 0], X[-1, 0] = 0.1, 10.1
    model = DnCSC(2, n_landmarks=3, sample_size=100, random_state=0).fit(X)
    assert len(model._model.embedding.graph.links.tree.levels) <= 4


# Transfer cut


def bipartite(random, n=200, p=20):
    """A dense B of rows and landmarks, K = 5 nearest a row, and the landmarks."""
    rows, landmarks = random.standard_normal((n, 2)), random.standard_normal((p, 2))
    nearest, squared = naive.search_all(rows, landmarks, 5)
    return naive.dense(nearest, naive.gaussian(squared, 1.0)[0], p), landmarks


def test_transfer_cut_solves_the_eigenproblem_of_the_whole_bipartite_graph():
    weights, landmarks = bipartite(np.random.default_rng(0))
    n, p = weights.shape
    k = 4
    graph = np.block([[np.zeros((n, n)), weights], [weights.T, np.zeros((p, p))]])
    degree = np.diag(graph.sum(axis=1))
    gamma, u = scipy.linalg.eigh(degree - graph, degree, subset_by_index=[0, k - 1])
    spectrum = bottom_of_spectrum(csr_array(naive.landmark_similarity(weights)), landmarks, Wanted(k))
    np.testing.assert_allclose(spectrum.eigenvalues[:k], gamma * (2 - gamma), atol=1e-10)
    lifted = weights / weights.sum(axis=1, keepdims=True) @ spectrum.vectors  # vectors = v / (1 - gamma)
    on_landmarks = spectrum.vectors * (1 - gamma)
    for ours, full in ((lifted, u[:n]), (on_landmarks, u[n:])):
        cosines = np.sum(ours * full, axis=0) / np.linalg.norm(ours, axis=0) / np.linalg.norm(full, axis=0)
        np.testing.assert_allclose(np.abs(cosines), 1, atol=1e-10)


def test_eigenvalues_and_vectors_are_those_of_the_twin():
    weights, landmarks = bipartite(np.random.default_rng(1))
    similarity = naive.landmark_similarity(weights)
    spectrum = bottom_of_spectrum(csr_array(similarity), landmarks, Wanted(3))
    eigenvalues, vectors = naive.transfer_cut(similarity, 8)
    np.testing.assert_allclose(spectrum.eigenvalues, eigenvalues, atol=1e-10)
    np.testing.assert_allclose(spectrum.vectors, vectors[:, :3] / np.sqrt(1 - eigenvalues[:3]), atol=1e-8)


def several_graphs(random, sizes, places):
    """W_R of a graph in several parts, the landmarks around the place of their part, and the part of each."""
    blocks = [naive.landmark_similarity(random.random((3 * size, size))) for size in sizes]
    landmarks = np.repeat(places, sizes)[:, None] + random.random((sum(sizes), 1))
    return csr_array(block_diag(blocks)), landmarks, np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("k", [3, 4])
def test_each_component_of_the_graph_gets_an_indicator_vector(k):
    similarity, landmarks, part = several_graphs(np.random.default_rng(0), [8, 30, 5], [0, 10, 20])
    spectrum = bottom_of_spectrum(similarity, landmarks, Wanted(k))
    assert spectrum.n_components == 3
    np.testing.assert_allclose(spectrum.eigenvalues[:3], 0, atol=1e-12)
    assert spectrum.eigenvalues[3] > 1e-3
    indicators = spectrum.vectors[:, :3]
    found = [part[column != 0] for column in indicators.T]
    assert {frozenset(each.tolist()) for each in found} == {frozenset({i}) for i in range(3)}
    for column, each in zip(indicators.T, found, strict=True):
        assert len(each) == np.count_nonzero(part == each[0])
        np.testing.assert_allclose(column[column != 0], column[column != 0][0], rtol=1e-10)


def test_more_components_than_clusters_become_as_many_indicators_as_clusters():
    similarity, landmarks, part = several_graphs(np.random.default_rng(0), [30, 3, 5, 30], [0, 5, 20, 25])
    spectrum = bottom_of_spectrum(similarity, landmarks, Wanted(2))
    assert spectrum.n_components == 4
    np.testing.assert_array_equal(spectrum.eigenvalues, np.zeros(4))
    assert spectrum.vectors.shape == (68, 2)
    groups = {frozenset(part[column != 0].tolist()) for column in spectrum.vectors.T}
    assert groups == {frozenset({0, 1}), frozenset({2, 3})}


def test_a_landmark_that_is_no_neighbour_takes_no_part():
    similarity, landmarks, _ = several_graphs(np.random.default_rng(0), [8, 30], [0, 10])
    apart = csr_array(block_diag([similarity, csr_array((1, 1))]))
    spectrum = bottom_of_spectrum(apart, np.concatenate([landmarks, [[99.0]]]), Wanted(2))
    assert spectrum.n_components == 2
    assert not spectrum.vectors[-1].any()
    np.testing.assert_array_equal(spectrum.vectors[:-1], bottom_of_spectrum(similarity, landmarks, Wanted(2)).vectors)


@pytest.mark.parametrize(
    ("most", "part"),
    [(5, [0, 0, 1, 1, 2]), (3, [0, 0, 1, 1, 2]), (2, [0, 0, 0, 0, 1]), (1, [0, 0, 0, 0, 0])],
)
def test_the_lightest_component_joins_the_nearest(most, part):
    component = np.array([0, 0, 1, 1, 2])
    landmarks = np.array([[0.0], [1.0], [10.0], [11.0], [100.0]])
    degree = np.array([5.0, 5.0, 1.0, 1.0, 3.0])
    np.testing.assert_array_equal(join_lightest(component, landmarks, degree, most), part)
    np.testing.assert_array_equal(component, [0, 0, 1, 1, 2])


def test_near_is_who_has_the_nearest_landmark_whatever_its_middle():
    component = np.array([0, 0, 1, 2])
    landmarks = np.array([[-100.0], [0.0], [5.0], [11.0]])
    part = join_lightest(component, landmarks, np.array([5.0, 5.0, 1.0, 5.0]), 2)
    np.testing.assert_array_equal(part, [0, 0, 0, 1])


# Eigenpairs


def normalised(similarity):
    """``D^-1/2 W D^-1/2`` and its leading vector."""
    root = np.sqrt(np.asarray(similarity.sum(axis=1)).ravel())
    return csr_array(csr_array(similarity).multiply(1 / root[:, None]).multiply(1 / root[None, :])), root


def ring(n):
    """Each landmark similar to two on either side; eigenvalues come in pairs."""
    i, similarity = np.arange(n), np.zeros((n, n))
    for step in range(-2, 3):
        similarity[i, (i + step) % n] = 1
    return similarity


def faint_links(n, seed):
    """A path with a few more links, of weights between 1 and 1e-130: connected, but hardly."""
    random = np.random.default_rng(seed)
    similarity = np.diag(random.random(n) + 0.5)
    here, there = np.concatenate([[np.arange(n - 1), np.arange(1, n)], random.integers(0, n, (2, n))], axis=1)
    weight = np.exp(-300 * random.random(len(here)))
    np.add.at(similarity, (np.concatenate([here, there]), np.concatenate([there, here])), np.tile(weight, 2))
    return similarity


def check_pairs(matrix, first, count):
    values, vectors = leading_eigenpairs(matrix, count, first)
    assert (values.shape, vectors.shape) == ((count,), (matrix.shape[0], count))
    assert np.all(np.diff(values) <= 0)
    assert np.linalg.norm(matrix @ vectors - vectors * values, axis=0).max() < 1e-8
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-8)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix.toarray())[::-1][:count], atol=1e-8)
    np.testing.assert_allclose(
        vectors.max(axis=0), np.abs(vectors).max(axis=0), rtol=1e-8
    )  # so that signs are definite


@pytest.mark.parametrize("count", [1, 2, 7, 10])
@pytest.mark.parametrize("n", [12, 400, 600])
def test_leading_pairs_are_converged_and_complete(n, count):
    check_pairs(*normalised(ring(n)), count)


@pytest.mark.parametrize(
    ("similarity", "count"),
    [
        (ring(600), 200),
        (ring(12), 12),
        (naive.landmark_similarity(np.random.default_rng(0).random((500, 450))), 6),
        (scipy.linalg.block_diag(*[ring(10)] * 60), 5),
        (np.ones((1, 1)), 1),
    ],
    ids=["many wanted", "all wanted", "dense", "sixty components", "one landmark"],
)
def test_where_shift_invert_does_not_suit_pairs_are_converged_all_the_same(similarity, count):
    check_pairs(*normalised(similarity), count)


def test_parts_that_barely_hold_together_need_no_dense_solve(monkeypatch):
    """It would take a minute and a half for 10,000 landmarks."""
    similarity = scipy.linalg.block_diag(*[ring(20)] * 120)
    border = np.arange(19, 2399, 20)
    similarity[border, border + 1] = similarity[border + 1, border] = 1e-9 * np.random.default_rng(0).random(119)
    monkeypatch.setattr(eigen, "_dense", None)
    check_pairs(*normalised(similarity), 12)


def test_a_factorisation_that_fails_does_not_fail_the_pairs():
    first = np.zeros(500)
    first[0] = 1
    diagonal = np.linspace(1 + BEHIND, 0.5, 500)  # the shift is an eigenvalue: exactly singular
    matrix = csr_array(eye_array(500).multiply(diagonal[:, None]))
    check_pairs(matrix, first, 4)


@pytest.mark.parametrize(("n", "count"), [(100, 2), (100, 3), (200, 3), (200, 8), (401, 3)])
def test_links_that_nearly_vanish_still_give_all_pairs(n, count):
    for seed in range(3 if n < 400 else 1):
        check_pairs(*normalised(faint_links(n, seed)), count)
