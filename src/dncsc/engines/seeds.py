"""One seed, many independent random streams: every use of randomness is keyed by what it is for."""

from __future__ import annotations

import zlib

import numpy as np


def _sequence(seed: int, purpose: str, *place: int) -> np.random.SeedSequence:
    return np.random.SeedSequence([seed, zlib.crc32(purpose.encode()), *place])


def stream(seed: int, purpose: str, *place: int) -> np.uint64:
    """Stream of row keys (`dncsc.kernels.hashing.row_keys`) for a purpose, such as ``("select", round)``."""
    return np.uint64(_sequence(seed, purpose, *place).generate_state(1, np.uint64)[0])


def generator(seed: int, purpose: str, *place: int) -> np.random.Generator:
    """Random generator for one small computation, such as the k-means of one subset in one round."""
    return np.random.Generator(np.random.PCG64(_sequence(seed, purpose, *place)))
