"""What `refine=True` gives and costs, on the paper's sets; synthetic ones with 300,000 rows.

DNCSC_DATA=folder python docs/notes/refinement.py [SEEDS] [SET ...]
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

from dncsc import DnCSC
from dncsc.datasets import load, names

ROWS = 300_000


def main(seeds: int, sets: list[str]) -> None:
    from dncsc.metrics import scores

    warnings.simplefilter("ignore")
    print("| set | default | refined | seconds | ratio |\n|---|---|---|---|---|")
    for name in sets:
        X, y = load(name, ROWS if name.split("-")[-1][-1:] in "km" else None)
        X, k = np.asarray(X, np.float32), len(np.unique(y))
        found: dict[bool, list[list[float]]] = {False: [], True: []}
        for seed in range(seeds):
            for refine, lines in found.items():
                start = time.process_time()
                labels = DnCSC(k, refine=refine, random_state=seed).fit(X).labels_
                score = scores(y, labels)
                lines.append([100 * score["acc"], 100 * score["nmi"], time.process_time() - start])
        plain, refined = (np.array(lines) for lines in found.values())
        cells = [f"{each[:, 0].mean():.1f} / {each[:, 1].mean():.1f}" for each in (plain, refined)]
        fast = plain[:, 2].min(), refined[:, 2].min()
        print(
            f"| {name} | {cells[0]} | {cells[1]} | {fast[0]:.2f}, {fast[1]:.2f} | {fast[1] / fast[0]:.1f} |", flush=True
        )


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 5, given[1:] or [name for name in names() if not name.startswith("blobs")])
