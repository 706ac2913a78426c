"""Headers of NumPy's `.npy` arrays, read and written in one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class ArrayHeader:
    """What a header says about the array that follows it."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    size: int
    """bytes of the header itself"""


def read_array_header(stream: Any) -> ArrayHeader:
    """Read a header and leave the stream at the first byte of the array; ValueError if it is damaged."""
    try:
        version = np.lib.format.read_magic(stream)
        # Version 3 differs from 2 only in the letters that field names may have; no reader here takes fields.
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        if version not in ((1, 0), (2, 0), (3, 0)):
            raise ValueError(f"its format version is {version[0]}.{version[1]}, which is newer than this program")
        shape, fortran, dtype = read(stream)
    except Exception as error:  # a damaged header makes NumPy's parser raise almost anything
        raise ValueError(f"its header is unsound: {' '.join(str(error).split()) or type(error).__name__}") from error
    if min(shape, default=0) < 0:
        raise ValueError(f"its header claims the shape {shape}")
    return ArrayHeader(shape, fortran, dtype, stream.tell())


def write_array_header(stream: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> None:
    """Write the header of a C-ordered array, whose bytes follow."""
    described = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": tuple(shape)}
    np.lib.format.write_array_header_1_0(stream, described)
