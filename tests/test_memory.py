"""Memory of mapped files is given back, and what they hold is not lost."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from dncsc import memory


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="the system does not take pages back")
@pytest.mark.parametrize("view", [lambda mapped: mapped, lambda mapped: mapped[:100]], ids=["whole", "part"])
def test_pages_that_were_read_are_let_go_and_read_again(tmp_path, view):
    np.save(tmp_path / "labels.npy", np.arange(2**24, dtype=np.int32))
    mapped = np.load(tmp_path / "labels.npy", mmap_mode="r")
    before = memory.resident()
    total = int(mapped.sum(dtype=np.int64))
    held = memory.resident()
    memory.let_go(view(mapped))
    assert held - before > 0.8 * mapped.nbytes
    assert memory.resident() - before < 0.2 * mapped.nbytes
    assert int(mapped.sum(dtype=np.int64)) == total == 2**23 * (2**24 - 1)


def test_what_was_written_to_a_copy_of_a_file_is_not_lost(tmp_path):
    np.save(tmp_path / "labels.npy", np.zeros(10))
    mapped = np.load(tmp_path / "labels.npy", mmap_mode="c")
    mapped[:] = 1
    memory.let_go(mapped)
    assert mapped.tolist() == [1] * 10


def test_arrays_in_memory_stay_as_they_are():
    values = np.arange(5)
    memory.let_go(values[1:])
    assert values.tolist() == list(range(5))
