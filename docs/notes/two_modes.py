"""How often one cluster, or a pair of them, is taken for two; how often counts of moons and circles are doubted.

python docs/notes/two_modes.py
"""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace

import numpy as np
from sklearn.datasets import make_circles, make_moons

from dncsc import DnCSC
from dncsc.estimators.parameters import check_parameters
from dncsc.phases.labelled_rows import LabelledRows
from dncsc.phases.two_modes import _are_two

DRAWS = 20
SETTINGS = replace(check_parameters(DnCSC(2)).asked, seed=0)
KINDS = (
    "Gaussian",
    "Student's t",
    "gamma",
    "exponential",
    "uniform",
    "ring",
    "moon",
    "2.3 apart",
    "2.6 apart",
    "3 apart",
)


def cluster(kind: str, n: int, d: int, random: np.random.Generator) -> np.ndarray:
    """One cluster, or two Gaussians so many deviations apart."""
    rows = random.standard_normal((n, d))
    if kind.endswith("apart"):
        rows[:, 0] += float(kind.split()[0]) * (random.random(n) < 0.5)
    elif kind in ("ring", "moon"):
        angle = random.random(n) * np.pi * (1 + (kind == "ring"))
        rows[:, :2] = np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.08 * rows[:, :2]
    elif kind != "Gaussian":
        rows = {
            "Student's t": lambda: random.standard_t(3, (n, d)),
            "gamma": lambda: random.gamma(6, 1, (n, d)),
            "exponential": lambda: random.exponential(1, (n, d)),
            "uniform": lambda: random.random((n, d)),
        }[kind]()
    return np.asarray((rows - rows.mean(axis=0)) / rows.std(axis=0))


def share_of_two(kind: str, n: int, d: int) -> float:
    """How many of the draws are taken for two, in percent."""
    draws = [cluster(kind, n, d, np.random.default_rng(1_000 + seed)) for seed in range(DRAWS)]
    found = [_are_two(LabelledRows(rows, np.ones(n), np.zeros(n, int)), SETTINGS) for rows in draws]
    return 100 * float(np.mean(found))


def moons_and_circles() -> Counter[str]:
    """How counts of these end."""
    found: Counter[str] = Counter()
    for make, asked in ((make_moons, {}), (make_circles, {"factor": 0.5})):
        for n in (1_000, 3_000, 10_000, 100_000):
            for noise in (0.03, 0.05, 0.08):
                for seed in range(3):
                    X, _ = make(n, noise=noise, random_state=seed, **asked)
                    with warnings.catch_warnings(record=True) as told:
                        warnings.simplefilter("always")
                        model = DnCSC("auto", random_state=seed).fit(X)
                    kind = "right" if model.n_clusters_ == 2 else "wrong"
                    found[f"{kind}, {'with' if told else 'without'} a warning"] += 1
    return found


def main() -> None:
    for kind in KINDS:
        shares = [[share_of_two(kind, n, d) for d in (2, 4, 8)] for n in (300, 1_000, 4_000)]
        print(kind, *("; " + ", ".join(f"{share:.0f}" for share in row) for row in shares), flush=True)
    print("moons and circles:", dict(moons_and_circles()))


if __name__ == "__main__":
    main()
