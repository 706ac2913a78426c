"""Methods that link rows to all landmarks, or look at all of them, never hold rows times landmarks."""

from __future__ import annotations

import os

import pytest

FIT_AND_MEASURE = """
import re, sys
from pathlib import Path
import numpy as np
from dncsc import clusterer

def kilobytes(what):
    return int(re.search(what + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

name, n, p = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
X = np.random.default_rng(0).standard_normal((n, 2)).astype(np.float32)
model = clusterer(name, 4, n_landmarks=p, n_init=1, random_state=0, n_jobs=2)
model.fit(X[:2 * p])  # libraries loaded, kernels compiled or read
Path("/proc/self/clear_refs").write_text("5")  # the highest so far is forgotten
before = kilobytes("VmRSS")
model.fit(X)
assert model.n_landmarks_ == p
print(kilobytes("VmHWM") - before)
"""
# Not getrusage: its maximum outlives exec, so that a process begins with the peak of the one that started it.

MEGABYTES = 250


@pytest.mark.long
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="only Linux tells the peak of a process")
@pytest.mark.parametrize(
    ("name", "n", "p"), [("lsc-r", 150_000, 1_000), ("lsc-k", 150_000, 1_000), ("nystrom", 350_000, 200)]
)
def test_rows_times_landmarks_never_stand_in_memory(run_python, name, n, p):
    done = run_python(FIT_AND_MEASURE, name, n, p)
    assert done.returncode == 0, done.stderr
    extra = int(done.stdout) / 1024
    whole = n * p * (8 if name == "nystrom" else 4) / 2**20  # similarities are float64
    print(f"{name}: {extra:.0f} MB beyond the input; rows times landmarks would be {whole:.0f} MB")
    assert 1 < extra < MEGABYTES < whole / 2
