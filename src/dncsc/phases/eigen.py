"""Leading eigenpairs of a sparse symmetric matrix, or an honest failure."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

SMALL = 400
"""Up to this size a dense solver is at least as fast."""
MIDDLE = 2000
"""Up to here a dense solve is soon done, where many pairs are wanted."""
DENSE = 0.1
"""From this share of nonzeros on, a sparse factorisation fills up and gains nothing."""
RESIDUAL = 1e-8
"""Largest ``|S y - mu y|`` that counts as converged; eigenvalues are at most 1."""
BEHIND = 1e-6, 1e-11
"""How far above 1 the shift lies: close, so that eigenvalues near 1 separate; apart, so that S - shift is regular. The
second is for graphs of parts that barely hold together, whose first eigenvalues the first cannot tell from 1."""
ROUNDS = 30
"""Restarts of Lanczos on an inverse: where eigenvalues separate at all, a few are enough."""


def leading_eigenpairs(
    matrix: csr_array, count: int, first: np.ndarray, factorise: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues and their vectors of a connected, normalised similarity matrix.

    Parameters
    ----------
    matrix : csr_array (n, n)
        ``D^-1/2 W D^-1/2``: eigenvalues in [0, 1], the largest exactly 1.
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
    """
    n = matrix.shape[0]
    if count == 1:
        values, vectors = np.ones(1), (first / np.linalg.norm(first))[:, None]
    else:
        small = n <= SMALL or count > n // (8 if n <= MIDDLE else 4) or matrix.nnz > DENSE * n * n
        solvers = [_dense] if small else [_shift_invert, _dense] if factorise else [_lanczos, _shift_invert, _dense]
        values, vectors = next(pairs for solve in solvers if (pairs := solve(matrix, count)) is not None)
        values, vectors = _with_first(matrix, vectors, first / np.linalg.norm(first))
    return values, with_positive_peaks(vectors)


def _with_first(matrix: csr_array, vectors: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs with the known vector as the first, where a solver may mix it with others of nearly the same value."""
    beside = vectors - np.outer(first, first @ vectors)
    basis, _, _ = scipy.linalg.qr(beside, mode="economic", pivoting=True)  # one column is left over: the known vector
    basis = basis[:, : vectors.shape[1] - 1]
    values, turned = scipy.linalg.eigh(basis.T @ (matrix @ basis))
    known = float(first @ (matrix @ first))
    return np.minimum([known, *values[::-1]], known), np.column_stack([first, basis @ turned[:, ::-1]])


def with_positive_peaks(vectors: np.ndarray) -> np.ndarray:
    """Columns turned so that the entry of largest magnitude is positive: a solver may return either sign."""
    peak = np.argmax(np.abs(np.round(vectors, 12)), axis=0)
    return vectors * np.where(vectors[peak, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


Pairs = tuple[np.ndarray, np.ndarray]


def _dense(matrix: csr_array, count: int) -> Pairs:
    n = matrix.shape[0]
    values, vectors = scipy.linalg.eigh(matrix.toarray(), subset_by_index=[n - count, n - 1])
    if len(values) < count:  # LAPACK can lose some where many are close to 1; solving for all does not
        values, vectors = scipy.linalg.eigh(matrix.toarray(), driver="evd")
    return values[: -count - 1 : -1], vectors[:, : -count - 1 : -1]


def _shift_invert(matrix: csr_array, count: int) -> Pairs | None:
    """Lanczos on the inverse of ``S - shift``."""
    n = matrix.shape[0]
    for behind in BEHIND:
        shifted = (matrix - (1 + behind) * eye_array(n)).tocsc()
        try:
            factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
        except RuntimeError:  # singular
            return None
        inverse = LinearOperator((n, n), factors.solve, dtype=np.float64)
        pairs = _converged(matrix, count, sigma=1 + behind, OPinv=inverse, maxiter=ROUNDS)
        if pairs is not None:
            return pairs
    return None


def _lanczos(matrix: csr_array, count: int) -> Pairs | None:
    return _converged(matrix, count, which="LA", ncv=min(matrix.shape[0], 4 * count + 20), maxiter=200)


def _converged(matrix: csr_array, count: int, **options: Any) -> Pairs | None:
    """Eigenpairs by ARPACK, or None where they are not good enough to be passed on."""
    start = np.random.Generator(np.random.PCG64(matrix.shape[0])).standard_normal(matrix.shape[0])
    try:
        values, vectors = eigsh(matrix, count, v0=start, **options)
    except ArpackError:
        return None
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    residual = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    return (values, vectors) if residual.max() < RESIDUAL else None
