"""The price of k-means: DnCSC against scikit-learn's KMeans on the same float32 array, all cores, kernels warm.

    python benchmarks/price.py [set ...] [--repeats 3]

Both run alternately, so that a busy moment hits both; the shortest time of each counts. Times of phases are those of
the shortest run, with nanoseconds a row beside.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from common import machine, print_table
from dncsc import DnCSC, datasets, metrics

SETS = ["usps", "pendigits", "letters", "mnist", "covertype", "ts-60k", "tm-1m", "tc-6m", "cg-10m", "fl-20m"]
PHASES = ["survey", "select", "nearest", "affinity", "partition", "discretize"]


def timed_fit(model: Any, X: np.ndarray) -> float:
    start = time.perf_counter()
    model.fit(X)
    return time.perf_counter() - start


def price(name: str, repeats: int) -> tuple[list[str], list[str]]:
    """A line of the table of ratios and one of the table of phases."""
    X, y = datasets.load(name)
    X = X.astype(np.float32)
    k = len(np.unique(y))
    DnCSC(k, random_state=0).fit(X[:5000])  # compiles, or loads compiled kernels
    ours, theirs, models = [], [], []
    for seed in range(repeats):
        models.append(DnCSC(k, random_state=seed))
        ours.append(timed_fit(models[-1], X))
        if seed < 2 or len(X) < 2_000_000:
            theirs.append(timed_fit(KMeans(k, random_state=0), X))
    acc = 100 * np.mean([metrics.accuracy(y, model.labels_) for model in models])
    nmi = 100 * np.mean([metrics.nmi(y, model.labels_) for model in models])
    best = models[int(np.argmin(ours))]
    ratio = min(ours) / min(theirs)
    size = f"{len(X):,} x {X.shape[1]}"
    line = [name, size, str(k), f"{min(ours):.3f}", f"{min(theirs):.3f}", f"{ratio:.2f}", f"{acc:.1f}", f"{nmi:.1f}"]
    phases = [f"{best.timings_[phase]:.3f} ({best.timings_[phase] / len(X) * 1e9:.0f})" for phase in PHASES]
    return line, [name, *phases, f"{best.exact_fraction_:.4f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, metavar="set")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(machine())
    lines = [price(name, options.repeats) for name in options.sets]
    header = ["set", "rows x features", "k", "DnCSC s", "KMeans s", "ratio", "ACC %", "NMI %"]
    print_table("DnCSC and KMeans", header, [line for line, _ in lines])
    print_table("DnCSC by phase: seconds (ns a row)", ["set", *PHASES, "exact"], [phases for _, phases in lines])


if __name__ == "__main__":
    main()
