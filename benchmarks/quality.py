"""ACC and NMI of a method with its defaults: mean and standard deviation over seeds.

python benchmarks/quality.py [--method dnc-sc] [--seeds 10] [--rows 300000] [set ...]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from common import machine, print_table
from dncsc import clusterer, datasets, metrics
from dncsc.datasets.synthetic import SYNTHETIC

CLASSES = {
    **{"usps": 10, "pendigits": 10, "letters": 26, "mnist": 10, "covertype": 7},
    **{"ts-60k": 3, "tm-1m": 2, "tc-6m": 3, "cg-10m": 11, "fl-20m": 13},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=list(CLASSES))
    parser.add_argument("--method", default="dnc-sc")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=300_000)
    options = parser.parse_args()
    print(machine())
    lines = []
    for name in options.sets or CLASSES:
        X, y = datasets.load(name, n=options.rows) if name in SYNTHETIC else datasets.load(name)
        scores, seconds = [], []
        for seed in range(options.seeds):
            start = time.process_time()
            labels = clusterer(options.method, CLASSES[name], random_state=seed).fit_predict(X)
            seconds.append(time.process_time() - start)
            scores.append([100 * metrics.accuracy(y, labels), 100 * metrics.nmi(y, labels)])
        (acc, nmi), (acc_std, nmi_std) = np.mean(scores, axis=0), np.std(scores, axis=0)
        lines.append([name, f"{acc:.1f} ± {acc_std:.1f}", f"{nmi:.1f} ± {nmi_std:.1f}", f"{min(seconds):.2f}"])
        print(*lines[-1], flush=True)
    print_table(f"{options.method}, {options.seeds} seeds", ["set", "ACC", "NMI", "CPU s"], lines)


if __name__ == "__main__":
    main()
