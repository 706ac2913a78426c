"""Leading eigenpairs of a sparse symmetric matrix, or an honest failure."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

SMALL = 400
"""Up to this size a dense solver is at least as fast."""
DENSE = 0.1
"""From this share of nonzeros on, a sparse factorisation fills up and gains nothing."""
RESIDUAL = 1e-8
"""Largest ``|S y - mu y|`` that counts as converged; eigenvalues are at most 1."""
BEHIND = 1e-6
"""How far above 1 the shift lies: close, so that eigenvalues near 1 separate; apart, so that S - shift is regular."""


def leading_eigenpairs(matrix: csr_array, count: int, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Largest eigenvalues and their vectors of a connected, normalised similarity matrix.

    Parameters
    ----------
    matrix : csr_array (n, n)
        ``D^-1/2 W D^-1/2``: eigenvalues in [0, 1], the largest exactly 1.
    count : int
        1 to n.
    first : (n,)
        A multiple of the eigenvector of eigenvalue 1.

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
        small = n <= SMALL or count > n // 4 or matrix.nnz > DENSE * n * n
        pairs = None if small else _shift_invert(matrix, count)
        values, vectors = pairs if pairs is not None else _dense(matrix, count)
    largest = np.argmax(np.abs(np.round(vectors, 12)), axis=0)
    return values, vectors * np.where(vectors[largest, np.arange(count)] < 0, -1.0, 1.0)


def _dense(matrix: csr_array, count: int) -> tuple[np.ndarray, np.ndarray]:
    n = matrix.shape[0]
    values, vectors = scipy.linalg.eigh(matrix.toarray(), subset_by_index=[n - count, n - 1])
    return values[::-1], vectors[:, ::-1]


def _shift_invert(matrix: csr_array, count: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Lanczos on the inverse of ``S - shift``; None where it does not converge."""
    n = matrix.shape[0]
    shift = 1 + BEHIND
    start = np.random.Generator(np.random.PCG64(n)).standard_normal(n)
    try:
        factors = splu(
            (matrix - shift * eye_array(n)).tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
        )
        inverse = LinearOperator((n, n), factors.solve, dtype=np.float64)
        values, vectors = eigsh(matrix, count, sigma=shift, OPinv=inverse, v0=start)
    except (ArpackError, RuntimeError):  # not converged; singular
        return None
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    residual = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    return (values, vectors) if residual.max() < RESIDUAL else None
