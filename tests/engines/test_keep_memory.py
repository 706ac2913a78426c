"""A Dask worker keeps the memory of its blocks while it works, and only then."""

from __future__ import annotations

import sys

import pytest

FAULTS = """
import resource, threading
import numpy as np
from dncsc.engines.pool import keep_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(200_000).sum()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def in_thread():
    with keep_memory:
        entered.set()
        leave.wait()

counts = [faults()]
with keep_memory:
    counts.append(faults())
counts.append(faults())
entered, leave = threading.Event(), threading.Event()
other = threading.Thread(target=in_thread)
other.start()
entered.wait()
with keep_memory:
    pass
counts.append(faults())
leave.set()
other.join()
counts.append(faults())
print(*counts)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc is told to give memory back")
def test_freed_memory_is_kept_while_anyone_is_inside_and_given_back_afterwards(run_python):
    told = run_python(FAULTS, MALLOC_TRIM_THRESHOLD_="65536").stdout.split()
    outside, inside, after, beside, in_the_end = map(int, told)
    if outside < 10_000:
        pytest.skip("NumPy before 2.0 gives no memory back here, whoever is inside")
    assert min(after, in_the_end) > 10_000
    assert max(inside, beside) < 2_000


def test_where_nobody_asked_for_memory_back_nothing_is_changed(run_python, monkeypatch):
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    assert run_python("from dncsc.engines import pool; print(pool.TOLD)").stdout == "False\n"
