"""A process that fits and predicts all day holds no more memory and open files than after the first minute."""

from __future__ import annotations

import gc
import os
import warnings

import numpy as np
import psutil
import pytest

from dncsc import clusterer, load_model, open_rows
from dncsc.memory import resident
from trust.effort import times

ROUNDS, SETTLED = len(times(1_000)), 100
"""Fits in all, and after how many memory is first looked at: allocators take a while to settle."""
METHODS = ["dnc-sc", "k-means", "u-spec", "lsc-k", "nystrom", "lsec"]


def held() -> tuple[int, int, int]:
    """Bytes, open files and threads of this process."""
    gc.collect()
    process = psutil.Process()
    return resident(), process.num_fds() if os.name == "posix" else 0, process.num_threads()


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_many_fits_leave_nothing_in_memory_and_no_file_open(tmp_path):
    random = np.random.default_rng(0)
    for number in range(ROUNDS):
        n, d = int(random.integers(50, 3_000)), int(random.integers(1, 6))
        X = random.normal(size=(n, d)) + 20 * random.integers(0, 3, (n, 1))
        name = METHODS[number % len(METHODS)]
        small = {} if name == "k-means" else {"n_landmarks": int(random.integers(10, 50))}
        few = {"n_members": 2, "n_graphs": 1} if name == "lsec" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = X
            if number % 5 == 0:
                np.save(tmp_path / "rows.npy", X)
                rows = open_rows(tmp_path / "rows.npy")
            model = clusterer(name, 3, random_state=number, **small, **few)
            labels_to = {"labels_to": tmp_path / "labels.npy", "overwrite": True} if number % 7 == 0 else {}
            model.fit(rows, **labels_to)
            model.save(tmp_path / "model.npz")
            np.testing.assert_array_equal(load_model(tmp_path / "model.npz").predict(X), model.labels_)
        if number == SETTLED:
            del model, rows, X
            before = held()
    del model, rows, X
    after = held()
    print(f"{ROUNDS:,} fits: {before} held after {SETTLED}, {after} at the end")
    assert after[0] < 1.1 * before[0] + 10 * 2**20
    assert after[1:] == before[1:]
