"""Imported once by the process that others are forked from: modules loaded, and kernels compiled or read."""

from __future__ import annotations

import numpy as np

import dncsc.cli.app
import dncsc.report
from dncsc import DnCSC
from dncsc.rows import formats

ROWS = np.random.default_rng(0).normal(size=(300, 2))
DnCSC(3, n_landmarks=60, random_state=0, n_jobs=1).fit(ROWS).predict(ROWS)

__all__ = ["dncsc", "formats"]
