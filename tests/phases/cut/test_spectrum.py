"""Eigenvectors of the landmark graph, component by component, and how they count."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.sparse import block_diag, csr_array, diags_array
from sklearn.datasets import make_blobs

import naive
from dncsc import DnCSC
from dncsc.phases.cut import eigenpairs
from dncsc.phases.cut.eigenpairs import Eigenpair, Fragmented, Wanted
from dncsc.phases.cut.landmark_graph import LandmarkGraph
from dncsc.phases.cut.outliers import OutlierLimit
from dncsc.phases.cut.spectrum import bottom_of_spectrum
from graphs import spectrum_of

pytestmark = pytest.mark.usefixtures("one_thread")


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
    spectrum = spectrum_of(naive.landmark_similarity(weights), landmarks, Wanted(k))
    np.testing.assert_allclose(spectrum.eigenvalues[:k], gamma * (2 - gamma), atol=1e-10)
    lifted = weights / weights.sum(axis=1, keepdims=True) @ spectrum.coordinates  # coordinates = v / (1 - gamma)
    on_landmarks = spectrum.coordinates * (1 - gamma)
    for ours, full in ((lifted, u[:n]), (on_landmarks, u[n:])):
        cosines = np.sum(ours * full, axis=0) / np.linalg.norm(ours, axis=0) / np.linalg.norm(full, axis=0)
        np.testing.assert_allclose(np.abs(cosines), 1, atol=1e-10)


def test_eigenvalues_and_vectors_are_those_of_the_twin():
    weights, landmarks = bipartite(np.random.default_rng(1))
    similarity = naive.landmark_similarity(weights)
    spectrum = spectrum_of(similarity, landmarks, Wanted(3))
    eigenvalues, vectors = naive.transfer_cut(similarity, 8)
    np.testing.assert_allclose(spectrum.eigenvalues, eigenvalues, atol=1e-10)
    np.testing.assert_allclose(spectrum.coordinates, vectors[:, :3] / np.sqrt(1 - eigenvalues[:3]), atol=1e-8)


def several_graphs(random, sizes, places):
    """W_R of a graph of several components, the landmarks around the place of theirs, and the component of each."""
    blocks = [naive.landmark_similarity(random.random((3 * size, size))) for size in sizes]
    landmarks = np.repeat(places, sizes)[:, None] + random.random((sum(sizes), 1))
    return csr_array(block_diag(blocks)), landmarks, np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("k", [3, 4])
def test_each_component_of_the_graph_gets_an_indicator_vector(k):
    similarity, landmarks, part = several_graphs(np.random.default_rng(0), [8, 30, 5], [0, 10, 20])
    spectrum = spectrum_of(similarity, landmarks, Wanted(k))
    assert spectrum.n_components == 3
    np.testing.assert_allclose(spectrum.eigenvalues[:3], 0, atol=1e-12)
    assert spectrum.eigenvalues[3] > 1e-3
    indicators = spectrum.coordinates[:, :3]
    found = [part[column != 0] for column in indicators.T]
    assert {frozenset(each.tolist()) for each in found} == {frozenset({i}) for i in range(3)}
    for column, each in zip(indicators.T, found, strict=True):
        assert len(each) == np.count_nonzero(part == each[0])
        np.testing.assert_allclose(column[column != 0], column[column != 0][0], rtol=1e-10)


def test_more_components_than_clusters_become_as_many_indicators_as_clusters():
    similarity, landmarks, part = several_graphs(np.random.default_rng(0), [30, 3, 5, 30], [0, 5, 20, 25])
    spectrum = spectrum_of(similarity, landmarks, Wanted(2))
    assert spectrum.n_components == 4
    np.testing.assert_array_equal(spectrum.eigenvalues, np.zeros(4))
    assert spectrum.coordinates.shape == (68, 2)
    groups = {frozenset(part[column != 0].tolist()) for column in spectrum.coordinates.T}
    assert groups == {frozenset({0, 1}), frozenset({2, 3})}


def test_a_landmark_that_is_no_neighbour_takes_no_part_and_has_the_place_of_the_nearest():
    similarity, landmarks, _ = several_graphs(np.random.default_rng(0), [8, 30], [0, 10])
    apart = csr_array(block_diag([similarity, csr_array((1, 1))]))
    spectrum = spectrum_of(apart, np.concatenate([landmarks, [[99.0]]]), Wanted(2))
    assert spectrum.n_components == 2
    nearest = np.argmin(np.abs(landmarks[:, 0] - 99))
    np.testing.assert_array_equal(spectrum.coordinates[-1], spectrum.coordinates[nearest])
    np.testing.assert_array_equal(spectrum.coordinates[:-1], spectrum_of(similarity, landmarks, Wanted(2)).coordinates)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_landmark_whose_links_are_all_too_weak_is_a_component_by_itself(k):
    """Without a link to itself, as in a graph of rows, or in an inflated one, nothing is left of its degree."""
    similarity = np.ones((7, 7))
    similarity[6], similarity[:, 6] = 1e-24, 1e-24
    similarity[6, 6] = 0
    landmarks = np.r_[np.arange(6.0), 100][:, None]
    found = bottom_of_spectrum(LandmarkGraph(csr_array(similarity), np.ones(7), 7), landmarks, Wanted(k))
    assert found.n_components == 2
    assert np.isfinite(found.coordinates).all()
    assert (found.component.tolist() == [0] * 6 + [1]) == (k > 1)


def test_landmarks_that_rows_are_hardly_linked_to_have_directions_that_single_precision_holds():
    similarity, landmarks, component = several_graphs(np.random.default_rng(0), [8, 30], [0, 10])
    weak = np.where(component == 0, 1e-70, 1.0)
    faint = csr_array(diags_array(weak) @ similarity @ diags_array(weak))
    coordinates = spectrum_of(faint, landmarks, Wanted(2)).coordinates
    assert np.isfinite(np.square(coordinates.astype(np.float32))).all()
    assert len(np.unique(np.round(coordinates / np.linalg.norm(coordinates, axis=1, keepdims=True), 6), axis=0)) == 2


# Eigenvectors behind the first k


def embedded(model):
    return model._model.embedding.n_dimensions


def test_where_the_spectrum_has_a_gap_there_are_k_vectors():
    X, _ = make_blobs(5_000, n_features=4, centers=5, cluster_std=0.6, center_box=(-20, 20), random_state=5)
    assert embedded(DnCSC(5, random_state=0).fit(X)) == 5


def test_where_it_has_none_vectors_are_weighted_and_spare_ones_count(spectrum_without_gap):
    similarity, landmarks = spectrum_without_gap
    plain, weighted = (spectrum_of(similarity, landmarks, Wanted(4, weighted=each)) for each in (False, True))
    assert [each.coordinates.shape[1] for each in (plain, weighted)] == [4, 7]
    seven = spectrum_of(similarity, landmarks, Wanted(7))
    times = seven.eigenvalues[:7] / seven.eigenvalues[3]
    assert times[4] < 2.5  # no gap
    np.testing.assert_allclose(weighted.coordinates, seven.coordinates * (1 / 64 + times) ** -0.25, atol=1e-7)


def test_the_paper_s_weights_use_k_vectors():
    X = np.random.default_rng(0).random((3_000, 6))
    assert embedded(DnCSC(6, bandwidth="mean", n_landmarks=200, random_state=0).fit(X)) == 6
    assert embedded(DnCSC(6, n_landmarks=200, random_state=0).fit(X)) == 11


def test_a_graph_is_not_solved_again_while_what_is_in_the_way_hangs_on(monkeypatch):
    """A vector on five landmarks is in the way. Others fall off first: it would be found once more without them."""
    solved, group = [], np.arange(100, 105)

    def pairs(graph, components, count, test):
        solved.append(components)
        whole, localized = np.ones(len(components[0])), np.isin(components[0], group).astype(float)
        of_all = Eigenpair(1.0, components[0], whole, np.inf, False)
        return [of_all, Eigenpair(0.999, components[0], localized, 5.0, True)]

    monkeypatch.setattr(eigenpairs, "_pairs", pairs)
    ring = np.roll(np.eye(100), 1, axis=1) + np.roll(np.eye(100), -1, axis=1)
    similarity = block_diag([ring, np.full((5, 5), 0.4), [[2.0]]]).toarray()
    for one, other, link in [(0, 100, 0.1), (0, 105, 1e-3)]:
        similarity[one, other] = similarity[other, one] = link
    graph = LandmarkGraph(csr_array(similarity), np.ones(106), 10_600)
    wanted = Wanted(2, drops_outliers=True, limit=OutlierLimit(0.02, 0.02))
    found = bottom_of_spectrum(graph, np.random.default_rng(0).standard_normal((106, 2)), wanted)
    assert found == Fragmented("5.7% of the rows and 5.7% of the landmarks are in small components")
    assert len(solved) == 1
