"""Clusterers that misbehave, for the benchmarks to cope with: they are named by import path, as anybody's can be."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np


class Halves:
    """Two clusters, left and right of the middle."""

    def __init__(self, n_clusters, random_state=None):
        self.n_clusters, self.random_state = n_clusters, random_state

    def get_params(self, deep=True):
        return {"random_state": self.random_state}

    def set_params(self, random_state):
        self.random_state = random_state
        return self

    def fit(self, X):
        self.labels_ = (X[:, 0] > np.median(X[:, 0])).astype(np.int32)
        return self


class Crashing(Halves):
    def fit(self, X):
        raise RuntimeError("the sky fell")


class Vanishing(Halves):
    def fit(self, X):
        print("so long", flush=True)
        os._exit(3)


class Endless(Halves):
    def fit(self, X):
        time.sleep(300)


class Greedy(Halves):
    def fit(self, X):
        hoard = []
        for _ in range(40):
            hoard.append(np.ones(10_000_000))  # 80 MB
            time.sleep(0.03)
        return super().fit(X)


class Waiting(Halves):
    """In its second repeat, says who it is and waits until a file is there."""

    def fit(self, X):
        folder = Path(os.environ["BENCH_TEST_FOLDER"])
        if self.random_state == 1:
            (folder / "pid").write_text(str(os.getpid()))
            while not (folder / "go").exists():
                time.sleep(0.05)
        return super().fit(X)
