"""Weights of a row's nearest landmarks, many rows at a time."""

from __future__ import annotations

import numpy as np

from dncsc.kernels._jit import jit

_LOG2E = 1.4426950408889634
_LN2_HIGH = 0.693359375  # few bits, so that n * _LN2_HIGH is exact
_LN2_LOW = -2.121944400546905827679e-4

SAME, BEYOND = 1e-3, 1.5
"""Adaptive weights: squared distances that differ by less are the same; how much farther the level is then."""


@jit(fastmath={"contract"})
def _exponentials(x, bits, powers, bias, shift, lowest):
    """exp(x) in place for x <= 0, to the last few bits; below `lowest` it stays at exp(lowest), never 0.

    Written out because a call of the C library's exp a value would be a third of a pass: this loop has no branch and
    fills the vector lanes. `bits` and `powers` are one scratch array seen as integers and as floats.
    """
    one = x.dtype.type(1)
    for i in range(x.shape[0]):
        t = max(x[i], lowest)
        n = np.floor(t * x.dtype.type(_LOG2E) + x.dtype.type(0.5))
        r = (t - n * x.dtype.type(_LN2_HIGH)) - n * x.dtype.type(_LN2_LOW)
        bits[i] = (bits.dtype.type(n) + bias) << shift
        y = one + r * x.dtype.type(1 / 13)  # Horner's scheme of the Taylor series on |r| <= ln(2) / 2
        for degree in (12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1):
            y = one + y * r * x.dtype.type(1 / degree)
        x[i] = y
    for i in range(x.shape[0]):
        x[i] *= powers[i]


@jit()
def _relative_exponents(squared, scale, exponents, lead):
    """Exponents -scale * d^2, each row's largest subtracted and kept in `lead`; squared distances ascend in a row."""
    n, n_nearest = exponents.shape
    for r in range(n):
        lead[r] = -scale * squared[r, 0]
        for j in range(n_nearest):
            exponents[r, j] = (squared[r, 0] - squared[r, j]) * scale


@jit()
def _normalise(transition, lead):
    """Scale rows to sum 1, and multiply what leads them by that sum; both in place."""
    n, n_nearest = transition.shape
    for r in range(n):
        total = transition.dtype.type(0)
        for j in range(n_nearest):
            total += transition[r, j]
        for j in range(n_nearest):
            transition[r, j] /= total
        lead[r] *= total


def gaussian_transition(squared: np.ndarray, scale: float, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows of ``T = D_X^-1 B`` and their degrees, for ``B = exp(-scale * d^2)``, with ``scale = 1 / (2 sigma^2)``.

    Squared distances (n, K) ascend in each row; `count` of the nearest have weight, all by default. A row of T sums to
    1 and its degree, the sum of its row in B, is positive, however far the row is from its landmarks.
    """
    n, n_nearest = squared.shape
    few = np.empty((n, min(count or n_nearest, n_nearest)), squared.dtype)
    lead = np.empty(n, squared.dtype)
    finite = min(scale, float(np.finfo(squared.dtype).max))
    _relative_exponents(squared, squared.dtype.type(finite), few, lead)
    transition, degree = _from_exponents(few, lead)
    if few.shape[1] < n_nearest:
        transition = np.zeros_like(squared)
        transition[:, : few.shape[1]] = few
    return transition, degree


def _exponentials_of(x: np.ndarray) -> None:
    single = x.dtype == np.float32
    bits = np.empty(x.shape, np.int32 if single else np.int64)
    bias, shift = bits.dtype.type(127 if single else 1023), bits.dtype.type(23 if single else 52)
    _exponentials(x, bits, bits.view(x.dtype), bias, shift, x.dtype.type(-80 if single else -600))


def _from_exponents(transition: np.ndarray, lead: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn exponents relative to `lead` into rows that sum to 1, in place, and the sums that they had."""
    _exponentials_of(transition.reshape(-1))
    _exponentials_of(lead)
    _normalise(transition, lead)
    return transition, lead


@jit()
def _local_exponent(squared, scale):
    return -squared / scale if scale > 0 else 0.0


@jit()
def _local_exponents(nearest, squared, scales, exponents, lead):
    """Exponents -d^2 / (sigma_i sigma_j), each row's largest subtracted and kept in `lead`.

    Subtracted in float64: rounded before that, those of a row far away could come out positive.
    """
    n, n_nearest = squared.shape
    for r in range(n):
        own = 0.0
        for j in range(n_nearest):
            own += np.sqrt(squared[r, j])
        own /= n_nearest
        largest = -np.inf
        for j in range(n_nearest):
            largest = max(largest, _local_exponent(squared[r, j], own * scales[nearest[r, j]]))
        for j in range(n_nearest):
            exponents[r, j] = _local_exponent(squared[r, j], own * scales[nearest[r, j]]) - largest
        lead[r] = largest


def local_transition(nearest: np.ndarray, squared: np.ndarray, scales: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of T and their degrees, for self-tuning weights ``exp(-d^2 / sigma_i sigma_j)``.

    `scales` (p,) has sigma_j of each landmark; sigma_i is the row's mean distance to its K.
    """
    transition = np.empty_like(squared)
    lead = np.empty(len(squared), squared.dtype)
    _local_exponents(nearest, squared, scales, transition, lead)
    return _from_exponents(transition, lead)


@jit()
def _adaptive(squared, transition):
    n, n_nearest = squared.shape
    for r in range(n):
        level, second = squared[r, n_nearest - 1], squared[r, min(1, n_nearest - 1)]
        if level - second <= SAME * level:
            level *= squared.dtype.type(BEYOND)
        total = squared.dtype.type(0)
        for j in range(n_nearest):
            transition[r, j] = level - squared[r, j]
            total += transition[r, j]
        for j in range(n_nearest):
            if total > 0:
                transition[r, j] /= total
            else:  # all at no distance
                transition[r, j] = squared.dtype.type(1) / n_nearest


def adaptive_transition(squared: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of T and their degrees, which are 1, for weights ``d_{K+1}^2 - d_j^2``; squared is (n, K + 1).

    Where all landmarks but the nearest are equally far, as rows of whole numbers have them, none of them would have
    weight, and no row hold two landmarks together: there the level is half as much again as the last distance.
    """
    transition = np.empty_like(squared)
    _adaptive(squared, transition)
    return transition, np.ones(len(squared), squared.dtype)
