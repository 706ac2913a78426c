"""How time and memory grow: with the rows, and with the landmarks.

    python benchmarks/scaling.py

Every run has its own process, so that peak memory is its own. Extra memory is the peak less what the process held,
input included, just before the fit.
"""

from __future__ import annotations

import resource
from typing import Any

import numpy as np

from common import best_of, in_own_process, machine, print_table
from dncsc import DnCSC, datasets


def run(n: int, n_landmarks: int = 1000, repeats: int = 2) -> dict[str, Any]:
    """Fit n rows of the flower; seconds, extra bytes a row and NMI-free phases."""
    X, _ = datasets.load("fl-20m", n=n)
    DnCSC(13, random_state=0).fit(X[:5000])
    DnCSC(13, n_landmarks=n_landmarks, random_state=0).fit(X[:100_000])
    before = current_memory()
    seconds, model = best_of(lambda: DnCSC(13, n_landmarks=n_landmarks, random_state=0).fit(X), repeats)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "extra": peak - before, "timings": model.timings_, "landmarks": model.n_landmarks_}


def current_memory() -> int:
    """Resident bytes of this process now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main() -> None:
    print(machine())
    sizes = [1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000]
    runs = [in_own_process("scaling", "run", n=n) for n in sizes]
    lines = [
        [
            f"{n:,}",
            f"{r['seconds']:.2f}",
            f"{r['seconds'] / n * 1e9:.0f}",
            f"{r['extra'] / 2**20:,.0f}",
            f"{r['extra'] / n:.0f}",
        ]
        for n, r in zip(sizes, runs, strict=True)
    ]
    print_table("Rows (flower, p = 1000)", ["rows", "s", "ns a row", "extra MB", "extra bytes a row"], lines)
    exponent = np.polyfit(np.log(sizes), np.log([r["seconds"] for r in runs]), 1)[0]
    print(f"\ntime grows as N^{exponent:.2f}")
    few = runs[-1]["seconds"]
    lines = []
    for p in (1000, 2000, 5000, 10_000):
        r = runs[-1] if p == 1000 else in_own_process("scaling", "run", n=sizes[-1], n_landmarks=p)
        phases = [f"{seconds:.2f}" for seconds in r["timings"].values()]
        lines.append(
            [str(p), f"{r['seconds']:.2f}", f"{r['seconds'] / few:.2f}", f"{r['extra'] / 2**20:,.0f}", *phases]
        )
    header = ["landmarks", "s", "ratio", "extra MB", *runs[-1]["timings"]]
    print_table("Landmarks (flower, 20,000,000 rows)", header, lines)


if __name__ == "__main__":
    main()
