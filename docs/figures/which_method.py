"""Shapes that everyone knows, and algorithms, each with its time: a picture and a table."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "measure"))

from shapes import ALGORITHMS, SHAPES, draw, labels_of, make, n_clusters

from dncsc.metrics import ari

ROWS = 1500


def main(folder: Path) -> None:
    """Time all, draw them, and write a table of agreement and time."""
    agreed: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
    took: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
    lines = []
    for shape in SHAPES:
        X, y = make(shape, ROWS)
        cells = []
        for name in ALGORITHMS:
            labels_of(name, X, n_clusters(y))  # compiled, and threads started
            start = time.perf_counter()
            labels = labels_of(name, X, n_clusters(y))
            cells.append((labels, time.perf_counter() - start))
            took[name].append(cells[-1][1])
            if y is not None:
                agreed[name].append(ari(y, labels))
        lines.append((shape, X, cells))
    draw(lines, list(ALGORITHMS)).savefig(folder / "shapes.png", dpi=110)
    heads = [" ".join(name.split()) for name in ALGORITHMS]
    table = ["| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    table += [f"| mean ARI of five shapes | {' | '.join(f'{np.mean(agreed[name]):.2f}' for name in ALGORITHMS)} |"]
    table += [f"| median seconds | {' | '.join(f'{np.median(took[name]):.3f}' for name in ALGORITHMS)} |"]
    (folder / "table.md").write_text("\n".join(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
