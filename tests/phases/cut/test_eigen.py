"""Leading eigenpairs are converged and complete, whatever the graph."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.linalg
from scipy.sparse import csr_array, eye_array

import naive
from dncsc import DnCSC
from dncsc.errors import InputError
from dncsc.phases.cut import eigen
from dncsc.phases.cut.eigen import BEHIND, leading_eigenpairs

pytestmark = pytest.mark.usefixtures("one_thread")


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


def check_pairs(matrix, first, count, factorise=True):
    values, vectors = leading_eigenpairs(matrix, count, first, factorise)
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


@pytest.fixture
def large(monkeypatch):
    """Matrices of a few hundred rows count as too large for a dense solver."""
    monkeypatch.setattr(eigen, "MOST_DENSE", 300)
    monkeypatch.setattr(eigen, "_dense", None)
    return monkeypatch


@pytest.mark.parametrize("factorise", [True, False])
@pytest.mark.parametrize(("count", "fails"), [(2, ()), (7, ()), (7, ("_band_factors",)), (200, ()), (7, ("_lanczos",))])
def test_large_matrices_are_never_solved_densely(large, factorise, count, fails):
    for name in fails:
        large.setattr(eigen, name, lambda *given: None)
    check_pairs(*normalised(ring(600)), count, factorise)


def test_large_matrices_whose_parts_barely_hold_together_are_solved_as_bands(large):
    similarity = scipy.linalg.block_diag(*[ring(20)] * 30)
    border = np.arange(19, 599, 20)
    similarity[border, border + 1] = similarity[border + 1, border] = 1e-9 * np.random.default_rng(0).random(29)
    large.setattr(eigen, "_sparse_factors", None)
    check_pairs(*normalised(similarity), 12)


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_large_matrices_that_are_no_bands_are_solved_by_lanczos(large, share):
    random = np.random.default_rng(0)
    similarity = np.triu(random.random((400, 400)) * (random.random((400, 400)) < share))
    large.setattr(eigen, "WIDEST_BAND", 50)
    large.setattr(eigen, "_sparse_factors", None)
    check_pairs(*normalised(similarity + similarity.T + ring(400)), 5)


def test_where_no_solver_finds_the_vectors_the_error_says_what_to_set(large):
    for name, value in (("WIDEST_BAND", 1), ("MOST_FILLED", 350), ("PLAIN_ROUNDS", 1)):
        large.setattr(eigen, name, value)
    matrix, first = normalised(ring(400))
    with pytest.raises(InputError, match=r"a graph of 400 points were not found.* Set n_landmarks to 350 or less"):
        leading_eigenpairs(matrix, 5, first)


def test_a_matrix_that_would_fill_up_is_solved_as_it_is(monkeypatch):
    monkeypatch.setattr(eigen, "_sparse_factors", None)
    random = np.random.default_rng(0)
    links = np.triu(random.random((600, 600)) < 0.06, 1) * random.random((600, 600))
    matrix, first = normalised(csr_array(links + links.T + np.eye(600)))
    values, vectors = leading_eigenpairs(matrix, 6, first)
    exact = np.linalg.eigvalsh(matrix.toarray())[::-1][:6]
    np.testing.assert_allclose(values, exact, atol=1e-10)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-8)


@pytest.mark.long
def test_tens_of_thousands_of_landmarks_are_cut_in_seconds():
    X = np.random.default_rng(0).random((30_000, 2))  # a square: no graph of points in a plane has wider bands
    start = time.perf_counter()
    model = DnCSC(5, n_landmarks=25_000, random_state=0, max_memory="4GB").fit(X)
    assert time.perf_counter() - start < 60
    assert np.count_nonzero(model.cluster_sizes_) == 5
