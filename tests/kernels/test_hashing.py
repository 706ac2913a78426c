"""Keys of rows: those of the naive twin, whatever the block."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from dncsc.engines.seeds import stream
from dncsc.kernels.hashing import places_below, row_keys, rows_below

blocks = pytest.mark.parametrize("n", [1, 7, 63, 64, 65, 511, 513, 1000])


def keys_of(number, start, n):
    keys = np.empty(n, np.uint64)
    row_keys(np.uint64(number), start, keys)
    return keys


@pytest.mark.parametrize("number", [0, 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("start", [0, 1, 65_536, 2**33, 2**62])
def test_keys_are_splitmix64_of_stream_and_row(number, start):
    np.testing.assert_array_equal(keys_of(number, start, 65), naive.row_keys(number, start, 65))


def test_the_key_of_a_row_does_not_depend_on_its_block():
    number = stream(0, "select", 1)
    whole = keys_of(number, 100, 1000)
    for start, stop in [(0, 1), (1, 8), (8, 513), (513, 1000)]:
        np.testing.assert_array_equal(keys_of(number, 100 + start, stop - start), whole[start:stop])


def test_keys_of_different_streams_have_nothing_in_common():
    numbers = [stream(0, "select", 0), stream(0, "select", 1), stream(1, "select", 0), stream(0, "discretize")]
    keys = np.concatenate([keys_of(number, 0, 1000) for number in numbers])
    assert len(np.unique(keys)) == len(keys)
    uniform = keys.reshape(4, 1000) / 2.0**64
    np.testing.assert_allclose(uniform.mean(axis=1), 0.5, atol=0.05)
    assert np.abs(np.corrcoef(uniform) - np.eye(4)).max() < 0.1


@pytest.mark.parametrize("n", [1, 7, 300])
def test_rows_below_the_limit_of_their_group_get_places_in_row_order(n):
    random = np.random.default_rng(0)
    keys, group = keys_of(3, 0, n), random.integers(0, 4, n).astype(np.int32)
    limit = np.array([0, 2**62, 2**64 - 1, 5], np.uint64)
    first, place = np.array([0, 0, 100, 1000]), np.empty(n, np.int64)
    places_below(keys, group, limit, first, place)
    np.testing.assert_array_equal(place, naive.places_below(keys, group, limit, first))


@blocks
def test_rows_below_the_limit_of_their_group_are_chosen_and_no_others(n):
    random = np.random.default_rng(0)
    keys, group = keys_of(3, 0, n), random.integers(0, 4, n).astype(np.int32)
    limit = np.array([0, 2**62, 2**64 - 1, 5], np.uint64)
    weight = random.integers(0, 2, n).astype(float)
    np.testing.assert_array_equal(rows_below(keys, group, limit, weight), naive.rows_below(keys, group, limit, weight))


def test_a_limit_takes_the_key_equal_to_it_and_zero_takes_none():
    keys, group, weight = np.array([0, 5, 6], np.uint64), np.zeros(3, np.int32), np.ones(3)
    assert rows_below(keys, group, np.array([5], np.uint64), weight).tolist() == [0, 1]
    assert rows_below(keys, group, np.array([0], np.uint64), weight).tolist() == []
