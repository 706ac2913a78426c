"""How well outliers are told from rows of clusters: ROC-AUC, next to scikit-learn's, for docs/notes/outliers.md.

python docs/notes/outliers.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_blobs, make_moons
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from dncsc import LSEC, DnCSC
from dncsc.datasets import load

SHARES = 0.01, 0.05, 0.2
WIDTHS = [0.3, 0.5, 1, 0.7, 1.2]
SETS = {
    "blobs, 2 features": lambda seed: (make_blobs(10_000, 2, centers=5, cluster_std=WIDTHS, random_state=seed)[0], 5),
    "blobs, 8 features": lambda seed: (make_blobs(10_000, 8, centers=5, cluster_std=WIDTHS, random_state=seed)[0], 5),
    "moons": lambda seed: (make_moons(10_000, noise=0.06, random_state=seed)[0], 2),
    "flower": lambda seed: (load("fl-20m", n=20_000, random_state=seed)[0], 13),
}
SCORES = {
    "DnCSC": lambda X, k, seed: DnCSC(k, random_state=seed).fit(X).score_samples(X),
    "LSEC": lambda X, k, seed: LSEC(k, random_state=seed).fit(X).score_samples(X),
    "IsolationForest": lambda X, k, seed: IsolationForest(random_state=seed).fit(X).score_samples(X),
    "LocalOutlierFactor": lambda X, k, seed: LocalOutlierFactor().fit(X).negative_outlier_factor_,
}


def with_uniform_noise(X: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and uniform noise in a box that is a fifth larger than theirs; which rows are noise."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin, count = 0.1 * (high - low), round(share * len(X) / (1 - share))
    others = np.random.default_rng(seed).uniform(low - margin, high + margin, (count, X.shape[1]))
    return np.vstack([X, others]), np.arange(len(X) + count) >= len(X)


def main(n_seeds: int = 3) -> None:
    """Print the table."""
    print(f"| set | noise | {' | '.join(SCORES)} |\n|---|---|{'---|' * len(SCORES)}")
    for name, make in SETS.items():
        for share in SHARES:
            found: dict[str, list[float]] = {method: [] for method in SCORES}
            for seed in range(n_seeds):
                rows, k = make(seed)
                X, is_outlier = with_uniform_noise(rows, share, seed)
                for method, score in SCORES.items():
                    found[method].append(roc_auc_score(is_outlier, -score(X, k, seed)))
            cells = " | ".join(f"{100 * np.mean(values):.1f}" for values in found.values())
            print(f"| {name} | {share:.0%} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
