"""How long a new user waits: importing, the first call ever (compiling), and the first call of later processes.

python benchmarks/startup.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

from common import machine, print_table

FIT = "import numpy; from dncsc import DnCSC; DnCSC(3).fit(numpy.random.default_rng(0).normal(size=(10_000, 2)))"
IMPORT_OTHERS = "import sklearn.cluster, sklearn.metrics, sklearn.datasets, numba, scipy.sparse.csgraph"


def seconds(code: str, cache: str | None = None) -> float:
    """Wall time of a new interpreter that runs some code."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - start


def main() -> None:
    print(machine())
    others = min(seconds(IMPORT_OTHERS) for _ in range(3))
    with_ours = min(seconds(f"{IMPORT_OTHERS}; import dncsc") for _ in range(3))
    with tempfile.TemporaryDirectory() as cache:
        first = seconds(FIT, cache)
        later = min(seconds(FIT, cache) for _ in range(3))
    lines = [
        ["import scikit-learn and Numba", f"{others:.2f}"],
        ["import dncsc adds", f"{with_ours - others:.2f}"],
        ["python to labels of 10,000 rows, first time ever", f"{first:.2f}"],
        ["python to labels of 10,000 rows, kernels cached", f"{later:.2f}"],
    ]
    print_table("Start", ["", "s"], lines)


if __name__ == "__main__":
    main()
