"""Cluster two sets that need no download with DnC-SC and k-means, and draw the result: `dncsc demo`."""

from __future__ import annotations

import copy
import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.core.event import install_recorder
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from dncsc import DnCSC, datasets, metrics, plot
from dncsc.atomic import atomic_write

METHODS: dict[str, Any] = {"DnC-SC": DnCSC, "KMeans": KMeans}
WARM_ROWS = 250_000
"""Rows of a set that kernels are compiled with: so many are handled as a million are, by other kernels than few."""


class LabelledData(NamedTuple):
    """Rows and their classes."""

    name: str
    k: int
    X: np.ndarray
    y: np.ndarray


class DemoResult(NamedTuple):
    """A fitted model, how long that took and how well it agrees with the classes, in per cent."""

    data: LabelledData
    method: str
    model: Any
    seconds: float
    acc: float
    nmi: float


def run(rows: int, output: Path, overwrite: bool = True) -> list[DemoResult]:
    """Fit DnC-SC and k-means to a flower of some rows and to digits, print the scores and draw the flower."""
    X, y = load_digits(return_X_y=True)
    sets = [
        LabelledData("flower", 13, *datasets.load("fl-20m", n=rows)),
        LabelledData("digits", 10, X.astype(np.float32), y),  # exact, and half as much to compile
    ]
    warm_up(sets)
    results = [fit(data, method, kind(data.k, random_state=0)) for data in sets for method, kind in METHODS.items()]
    print(table(results), flush=True)
    try:
        draw(results[0], results[1], output, overwrite)
        _say(f"Picture of the flower: {output}")
    except ImportError as error:
        _say(f"No picture: {error}")
    return results


def warm_up(sets: Sequence[LabelledData]) -> None:
    """Fit a small piece of each set, so that neither compiling nor starting threads is timed later."""
    _say("Getting the kernels ready; the first run compiles them, which takes some seconds ...", end=" ")
    start = time.perf_counter()
    with install_recorder("numba:compile") as recorder:
        for data, kind in product(sets, METHODS.values()):
            kind(data.k, random_state=0).fit(data.X[:WARM_ROWS])
    seconds = time.perf_counter() - start
    _say(f"{'compiled' if recorder.buffer else 'had been compiled, loaded'} in {seconds:.1f} s.")


def _say(text: str, end: str = "\n") -> None:
    """A message on standard error: standard output has the table alone."""
    print(text, end=end, file=sys.stderr, flush=True)


def fit(data: LabelledData, method: str, model: Any) -> DemoResult:
    """Fit a model, which is timed, and score it."""
    start = time.perf_counter()
    model.fit(data.X)
    seconds = time.perf_counter() - start
    acc, nmi = metrics.accuracy(data.y, model.labels_), metrics.nmi(data.y, model.labels_)
    return DemoResult(data, method, model, seconds, 100 * acc, 100 * nmi)


def table(results: Sequence[DemoResult]) -> str:
    """A line a result, in columns."""
    layout = "{:<6}  {:>15}  {:>2}  {:<6}  {:>5}  {:>5}  {:>7}"
    header = layout.format("set", "rows x features", "k", "method", "ACC", "NMI", "seconds")
    lines = [header, "-" * len(header)]
    for data, method, _, seconds, acc, nmi in results:
        shape, scores = "{:,} x {}".format(*data.X.shape), (f"{acc:.1f}", f"{nmi:.1f}", f"{seconds:.2f}")
        lines.append(layout.format(data.name, shape, data.k, method, *scores))
    return "\n".join(lines)


def draw(ours: DemoResult, theirs: DemoResult, output: Path, overwrite: bool) -> None:
    """The flower by both methods, and of ours its landmarks, eigenvalues and phase times."""
    figure = plot.import_matplotlib("figure").Figure(figsize=(14, 9), dpi=100)
    figure.set_layout_engine("constrained", w_pad=0.15, h_pad=0.1)
    (left, right), (low_left, low_right) = figure.subplots(2, 2, height_ratios=(2.9, 1))
    X, n_landmarks = ours.data.X, ours.model.n_landmarks_
    plot.landmarks(ours.model, ax=plot.clusters(ours.model, X, ax=left))
    plot.clusters(_numbered_alike(theirs.model, ours.model), X, ax=right)
    for ax, result in ((left, ours), (right, theirs)):
        ax.set_aspect("equal")
        ax.set_axis_off()
        title = f"{result.method}:  ACC {result.acc:.1f}   NMI {result.nmi:.1f}   {result.seconds:.2f} s"
        ax.set_title(title, fontsize=15, fontweight="bold")
    plot.eigenvalues(ours.model, ax=low_left).set_title("Eigenvalues of the graph", fontsize=13)
    plot.phases(ours.model, ax=low_right).set_title("Where DnC-SC spends its time", fontsize=13)
    caption = f"A flower of {len(X):,} rows in {ours.data.k} clusters; the dots are the {n_landmarks:,} landmarks"
    figure.suptitle(caption, fontsize=13)
    with atomic_write(output, overwrite) as file:
        figure.savefig(file, format=output.suffix.lower().lstrip("."))


def _numbered_alike(model: Any, other: Any) -> Any:
    """A copy of the model with clusters numbered, and so coloured, as those of the other that they share most with."""
    k = 1 + max(int(model.labels_.max()), int(other.labels_.max()))
    shared = np.bincount(model.labels_ * k + other.labels_, minlength=k * k).reshape(k, k)
    alike = copy.copy(model)
    alike.labels_ = linear_sum_assignment(shared, maximize=True)[1][model.labels_]
    return alike
