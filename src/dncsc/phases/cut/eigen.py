"""Leading eigenpairs of a sparse symmetric matrix, or an honest failure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg
from scipy.sparse import csr_array, eye_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from dncsc.errors import InputError

SMALL = 400
"""Up to this size a dense solver is at least as fast."""
MIDDLE = 2000
"""Up to here a dense solve is soon done, where many pairs are wanted."""
DENSE = 0.1
"""From this share of nonzeros on, a sparse factorisation fills up and gains nothing."""
FILLING = 0.04
"""From this share on it takes longer than Lanczos on the matrix itself, which is tried first."""
FIRST_ROUNDS = 10
"""of that: where it is the better way, a few are enough"""
MOST_DENSE = 3000
"""Up to here a matrix is solved densely where nothing else works, which takes seconds and a few times its 72 MB. Larger
ones never are."""
WIDEST_BAND = 2000
"""Of larger matrices: up to here they are factorised as a band, in seconds and in 16 kB a row. In two dimensions bands
are a few hundred wide; in many, where they are wider, eigenvalues lie apart, and plain Lanczos finds them."""
MOST_FILLED = 10_000
"""Up to here a sparse factorisation is tried where a matrix is no narrow band and Lanczos fails: a minute or two."""
RESIDUAL = 1e-8
"""Largest ``|S y - mu y|`` that counts as converged; eigenvalues are at most 1."""
BEHIND = 1e-11
"""How far above 1 the shift lies: close, so that eigenvalues near 1 separate, as those of a graph whose parts barely
hold together; apart, so that S - shift is regular. What that magnifies beyond measure is the first vector, known."""
ROUNDS = 30
"""Restarts of Lanczos on an inverse: where eigenvalues separate at all, a few are enough."""
PLAIN_ROUNDS = 200
"""The same on the matrix itself; in proportion fewer where it has more than MOST_FILLED rows."""

Solver = Callable[[csr_array, int], "np.ndarray | None"]
Solve = Callable[[np.ndarray], np.ndarray]


def leading_eigenpairs(
    matrix: csr_array, count: int, first: np.ndarray, factorise: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues and their vectors of a connected, normalised similarity matrix.

    Parameters
    ----------
    matrix : csr_array (n, n)
        ``D^-1/2 W D^-1/2``: eigenvalues in [-1, 1], the largest exactly 1; none negative where W is ``B^T D^-1 B``.
    count : int
        1 to n.
    first : (n,)
        A multiple of the eigenvector of eigenvalue 1.
    factorise : bool
        Try shift-invert first, which finds close eigenvalues at once but may fill up where the graph has no planar
        structure; else plain Lanczos first.

    Returns
    -------
    values : (count,)
        Descending.
    vectors : (n, count)
        Orthonormal; the entry of largest magnitude of each is positive.

    Raises
    ------
    InputError
        Where a matrix is too large for a dense solver, and no other finds its vectors.
    """
    if count == 1:
        values, vectors = np.ones(1), (first / np.linalg.norm(first))[:, None]
    else:
        unit = first / np.linalg.norm(first)
        solvers = _solvers(matrix, count, unit, factorise)
        found = next((vectors for solve in solvers if (vectors := solve(matrix, count)) is not None), None)
        if found is None:
            raise InputError(
                f"eigenvectors of a graph of {matrix.shape[0]:,} points were not found in reasonable time. Set "
                f"{{n_landmarks}} to {MOST_FILLED} or less, or where each row is a point, give fewer rows.",
                ("n_landmarks",),
            )
        values, vectors = _with_first(matrix, found, unit, count)
    return values, with_positive_peaks(vectors)


def _solvers(matrix: csr_array, count: int, first: np.ndarray, factorise: bool) -> list[Solver]:
    """What to try, one after another; all of it is bounded in time and memory."""
    n = matrix.shape[0]
    is_filled = matrix.nnz > DENSE * n * n
    fill, band = (partial(_shift_invert, first=first, factor=each) for each in (_sparse_factors, _band_factors))
    if n > MOST_DENSE:
        last = [] if is_filled or n > MOST_FILLED else [fill]
        return [band, _lanczos, *last] if factorise and not is_filled else [_lanczos, band, *last]
    if n <= SMALL or count > n // (8 if n <= MIDDLE else 4) or is_filled:
        return [_dense]
    if matrix.nnz > FILLING * n * n:
        return [partial(_lanczos, most_rounds=FIRST_ROUNDS), fill, _dense]
    return [fill, _dense] if factorise else [_lanczos, fill, _dense]


def _with_first(matrix: csr_array, vectors: np.ndarray, first: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs with the known vector as the first, where a solver may mix it with others of nearly the same value."""
    beside = vectors - np.outer(first, first @ vectors)
    basis, _, _ = scipy.linalg.qr(beside, mode="economic", pivoting=True)
    basis = basis[:, : count - 1]  # one more column is left over where the known vector is among the others
    values, turned = scipy.linalg.eigh(basis.T @ (matrix @ basis))
    known = float(first @ (matrix @ first))
    return np.minimum([known, *values[::-1]], known), np.column_stack([first, basis @ turned[:, ::-1]])


def with_positive_peaks(vectors: np.ndarray) -> np.ndarray:
    """Columns turned so that the entry of largest magnitude is positive: a solver may return either sign."""
    peak = np.argmax(np.abs(np.round(vectors, 12)), axis=0)
    return vectors * np.where(vectors[peak, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _dense(matrix: csr_array, count: int) -> np.ndarray:
    n = matrix.shape[0]
    values, vectors = scipy.linalg.eigh(matrix.toarray(), subset_by_index=[n - count, n - 1])
    if len(values) < count:  # LAPACK can lose some where many are close to 1; solving for all does not
        _, vectors = scipy.linalg.eigh(matrix.toarray(), driver="evd")
    return vectors[:, -count:]


def _shift_invert(
    matrix: csr_array, count: int, first: np.ndarray, factor: Callable[[csr_array], Solve | None]
) -> np.ndarray | None:
    """Lanczos on the inverse of ``S - shift``, beside the first vector."""
    n, solve = matrix.shape[0], factor(matrix)
    if solve is None:
        return None

    def beside(vector: np.ndarray) -> np.ndarray:
        return vector - first * (first @ vector)

    inverse = LinearOperator((n, n), lambda vector: beside(solve(beside(vector.ravel()))), dtype=np.float64)
    return _converged(matrix, count - 1, beside(_start(n)), sigma=1 + BEHIND, OPinv=inverse, maxiter=ROUNDS)


def _sparse_factors(matrix: csr_array) -> Solve | None:
    """Solve with ``S - shift``; None where it is singular."""
    shifted = (matrix - (1 + BEHIND) * eye_array(matrix.shape[0])).tocsc()
    try:
        return splu(shifted, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve
    except RuntimeError:
        return None


def _band_factors(matrix: csr_array) -> Solve | None:
    """The same for a matrix that becomes a narrow band when its rows are put in order; None for others."""
    order = reverse_cuthill_mckee(matrix, symmetric_mode=True)
    entries = matrix[order][:, order].tocoo()
    below = entries.row - entries.col
    width = int(below.max())
    if width > WIDEST_BAND:
        return None
    band, lower = np.zeros((width + 1, len(order))), below >= 0
    band[below[lower], entries.col[lower]] = -entries.data[lower]
    band[0] += 1 + BEHIND
    try:
        factors = scipy.linalg.cholesky_banded(band, overwrite_ab=True, lower=True, check_finite=False)
    except np.linalg.LinAlgError:  # singular
        return None
    back = np.argsort(order)

    def solve(vector: np.ndarray) -> np.ndarray:
        return -scipy.linalg.cho_solve_banded((factors, True), vector[order], check_finite=False)[back]

    return solve


def _lanczos(matrix: csr_array, count: int, most_rounds: int | None = None) -> np.ndarray | None:
    n = matrix.shape[0]
    rounds = max(1, (most_rounds or PLAIN_ROUNDS) * MOST_FILLED // max(n, MOST_FILLED))
    return _converged(matrix, count, _start(n), which="LA", ncv=min(n, 4 * count + 20), maxiter=rounds)


def _start(n: int) -> np.ndarray:
    return np.random.Generator(np.random.PCG64(n)).standard_normal(n)


def _converged(matrix: csr_array, count: int, start: np.ndarray, **options: Any) -> np.ndarray | None:
    """Eigenvectors by ARPACK, or None where they are not good enough to be passed on."""
    try:
        values, vectors = eigsh(matrix, count, v0=start, **options)
    except ArpackError:
        return None
    residual = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    return vectors if residual.max() < RESIDUAL else None
