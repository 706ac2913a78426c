"""Coordinates in which distances are safe and mean what they should: the metric, a centre, a scale, a precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from dncsc.kernels.survey import scale_and_shift, to_length_one

EUCLIDEAN, COSINE = "euclidean", "cosine"
"""Metrics. The second is the first between rows of length 1: the squared distance is 2 - 2 cos."""
METRICS = (EUCLIDEAN, COSINE)


def working_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """float32 for what float32 holds exactly, float64 for everything else."""
    exact = dtype == np.float32 or np.can_cast(dtype, np.float32)
    return np.dtype(np.float32 if exact else np.float64)


def unit_rows(rows: Any, out: np.ndarray) -> np.ndarray:
    """Rows of length 1, of whatever dtype, in an array of floats; rows of 0 stay, and what is not finite stays so."""
    np.copyto(out, rows, casting="unsafe")
    to_length_one(out)
    return out


def kept_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """What rows are copied as, where they have to be: their own type, or the working precision if that is narrower."""
    return min(dtype, working_dtype(dtype), key=lambda each: each.itemsize)


SHORTEST, LONGEST = 2.0**-500, 2.0**500
"""Lengths whose squares neither vanish nor overflow. To the distances in a frame, those beyond are 0 or infinite."""


LEAST_SPREAD = {"float32": 2.0**-50, "float64": 2.0**-490}
"""Of the rows in a frame: where they are closer together, squares of their differences begin to vanish."""


def with_a_square(length: float) -> float:
    """The length, or the nearest one that can be squared."""
    return min(max(length, SHORTEST), LONGEST)


@dataclass(frozen=True)
class Frame:
    """How the user's rows become the rows that phases see: ``x * scale - shift``, for the cosine of ``x / |x|``.

    Distances taken by differences or products cancel when the data sits far from the origin, and their squares
    overflow or vanish when it is huge or tiny. A shift cures the first; a power of two, which costs no precision, the
    second.
    """

    dtype: np.dtype[Any]
    scale: float
    """a power of two"""
    shift: np.ndarray
    """(d,), the middle of the rows, times `scale`"""
    metric: str = EUCLIDEAN

    @classmethod
    def raw(cls, dtype: np.dtype[Any], n_features: int, metric: str = EUCLIDEAN) -> Frame:
        """The frame that neither scales nor shifts, used until the data has been surveyed.

        It changes nothing but precision, and for the cosine the length of rows.
        """
        return cls(dtype, 1.0, np.zeros(n_features), metric)

    @classmethod
    def around(cls, dtype: np.dtype[Any], centre: np.ndarray, half_extent: float, metric: str = EUCLIDEAN) -> Frame:
        """The frame for rows that lie, in the raw frame, at most twice `half_extent` away from `centre` in any feature.

        That goes to some 2**40 (float32) or 2**400: large, so that next to one far outlier there is room for fine
        structure, yet squares of it can be summed over any number of features.
        """
        exponent = 40 if dtype == np.float32 else 400
        limit = 120 if dtype == np.float32 else 1000
        power = exponent - np.frexp(half_extent)[1] if half_extent > 0 else 0
        scale = float(np.ldexp(1.0, int(np.clip(power, -limit, limit))))
        return cls(dtype, scale, centre * scale, metric)

    def unplaced(self) -> Frame:
        """The raw frame of the same precision and metric."""
        return Frame.raw(self.dtype, len(self.shift), self.metric)

    def transform(self, rows: Any, buffer: np.ndarray | None = None) -> np.ndarray:
        """The user's rows (dense, or sparse) in this frame, C-ordered: a fresh array, or the beginning of `buffer`."""
        if scipy.sparse.issparse(rows):
            rows = rows.toarray()
        inside = np.empty(rows.shape, self.dtype) if buffer is None else buffer[: len(rows)]
        if self.metric == COSINE:
            fits = working_dtype(rows.dtype).itemsize <= self.dtype.itemsize  # rows of length 1 fit in any case
            rows = unit_rows(rows, inside if fits else np.empty(rows.shape))
        if rows is not inside:
            np.copyto(inside, rows, casting="unsafe")
        return self.place(inside)

    def place(self, rows: np.ndarray) -> np.ndarray:
        """Rows of the raw frame in this one, in place."""
        if self.scale != 1.0 or self.shift.any():
            scale_and_shift(rows, self.dtype.type(self.scale), self.shift.astype(self.dtype))
        return rows

    def restore_length(self, means: np.ndarray) -> np.ndarray:
        """Means of rows with the length that rows have: 1 in the user's coordinates for the cosine, else any.

        What has that length but for rounding stays to the last digit, since a row alone is its own mean. So does what
        has no direction: the mean of rows that are 0, or cancel.
        """
        if self.metric == EUCLIDEAN:
            return means
        outside = (means.astype(np.float64) + self.shift) / self.scale
        length = np.linalg.norm(outside, axis=1, keepdims=True)
        # A row is off by one rounding in itself, one in the shift, and one of its difference from that.
        rounding = 4 * np.finfo(self.dtype).eps
        moved = (np.abs(length - 1) > rounding) & (length > rounding)
        restored = outside / np.where(moved, length, 1) * self.scale - self.shift
        return np.where(moved, restored, means).astype(self.dtype)

    def inverse_transform(self, points: np.ndarray) -> np.ndarray:
        """Points of this frame in the user's coordinates."""
        return ((points.astype(np.float64) + self.shift) / self.scale).astype(self.dtype)

    def length_outside(self, length: float) -> float:
        """A length of this frame in the user's units."""
        return length / self.scale

    def length_inside(self, length: float) -> float:
        """A length in the user's units in this frame; one that can be squared."""
        return with_a_square(length * self.scale)
