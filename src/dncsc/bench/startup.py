"""How long a new user waits: ``python -m dncsc.bench.startup`` times importing, and the first and later fits."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

FIT = "import numpy; from dncsc import DnCSC; DnCSC(3).fit(numpy.random.default_rng(0).normal(size=(10_000, 2)))"
IMPORT_OTHERS = "import sklearn.cluster, sklearn.metrics, sklearn.datasets, numba, scipy.sparse.csgraph"


def seconds(code: str, repeats: int = 3, **environment: str) -> float:
    """Shortest wall time of a new interpreter that runs some code."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment})
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the times as a Markdown table."""
    others = seconds(IMPORT_OTHERS)
    ours = seconds(f"{IMPORT_OTHERS}; import dncsc") - others
    with tempfile.TemporaryDirectory() as cache:
        first, later = (seconds(FIT, repeats, NUMBA_CACHE_DIR=cache) for repeats in (1, 3))
    print("| start | s |\n|---|---|")
    print(f"| import dncsc, beyond scikit-learn and Numba | {ours:.2f} |")
    print(f"| python to labels of 10,000 rows, first time ever (compiling) | {first:.2f} |")
    print(f"| python to labels of 10,000 rows, kernels cached | {later:.2f} |\n")


if __name__ == "__main__":
    main()
