"""The phases on one small flower, a picture each: rounds, links of a row, landmark graph, eigenvectors, labels."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from scipy.sparse import diags

from dncsc import DnCSC, datasets, plot

PALE, INK, STRONG = "#c4cad3", "#1f2937", "#94005e"


def frames(n: int, width: float = 3.4) -> tuple[plt.Figure, np.ndarray]:
    """A figure of n square axes without ticks."""
    figure, axes = plt.subplots(1, n, figsize=(width * n, width + 0.3), squeeze=False)
    for ax in axes[0]:
        ax.set(xticks=[], yticks=[], aspect="equal")
    return figure, axes[0]


def draw_rounds(model: DnCSC, X: np.ndarray) -> plt.Figure:
    """Rows in the colours of their subset, after each round of division."""
    tree, rows = model._model.graph.links.tree, model._model.frame.transform(X)
    figure, axes = frames(len(tree.levels))
    subset = np.zeros(len(X), np.int32)
    for number, (ax, level) in enumerate(zip(axes, tree.levels, strict=True), 1):
        subset, _ = level.descend(rows, subset)
        colours = plot.palette(len(level.centres))
        ax.scatter(*X.T, s=0.6, c=colours[subset], linewidths=0)
        ax.set_title(f"round {number}: {len(level.centres)} subsets")
    return figure


def draw_landmarks(model: DnCSC, X: np.ndarray) -> plt.Figure:
    """Landmarks over all rows; one row and its links."""
    figure, (ax, near) = frames(2, 4.4)
    for each, size in ((ax, 3), (near, 30)):
        each.scatter(*X.T, s=size / 5, color=PALE, linewidths=0)
        each.scatter(*model.landmarks_.T, s=size, color=INK, zorder=3)
    row = X[np.argmin(np.linalg.norm(X - [1.06, 0.33], axis=1))]
    weights = model.affinity(row[None]).tocoo()
    share = weights.data / weights.data.max()
    lines = [(row, model.landmarks_[landmark]) for landmark in weights.col]
    near.add_collection(LineCollection(lines, linewidths=1 + 5 * share, color=STRONG, alpha=0.7, zorder=4))
    near.scatter(*row, s=60, color=STRONG, zorder=5)
    near.set(xlim=row[0] + np.array([-0.12, 0.12]), ylim=row[1] + np.array([-0.12, 0.12]))
    ax.set_title(f"{model.n_landmarks_} landmarks")
    near.set_title("one row, and its links: near ones weigh more")
    return figure


def landmark_graph(model: DnCSC, X: np.ndarray) -> np.ndarray:
    """Links between landmarks by the rows that they share: B^T D^-1 B."""
    B = model.affinity(X)
    return (B.T @ diags(1 / B.sum(axis=1).A1) @ B).toarray()


def draw_graph(model: DnCSC, links: np.ndarray) -> plt.Figure:
    """Landmarks, and a line where two share rows."""
    figure, (ax,) = frames(1, 6)
    one, other = np.nonzero(np.triu(links, 1))
    weight = links[one, other] / np.sqrt(links.sum(axis=0)[one] * links.sum(axis=0)[other])
    strength = np.clip(weight / np.quantile(weight, 0.95), 0.02, 1)
    lines = list(zip(model.landmarks_[one], model.landmarks_[other], strict=True))
    ax.add_collection(LineCollection(lines, linewidths=1.6 * strength, colors=INK, alpha=strength))
    ax.scatter(*model.landmarks_.T, s=5, color="#0086f2", zorder=3)
    ax.set_title("the graph of landmarks")
    return figure


def draw_vectors(model: DnCSC, links: np.ndarray, shown: tuple[int, ...] = (2, 5, 9, 12)) -> plt.Figure:
    """Some eigenvectors of the graph, as colours of the landmarks."""
    root = 1 / np.sqrt(links.sum(axis=0))
    vectors = np.linalg.eigh(links * root[:, None] * root)[1][:, ::-1] * root[:, None]
    figure, axes = frames(len(shown), 3.2)
    for ax, number in zip(axes, shown, strict=True):
        values = vectors[:, number - 1] / np.abs(vectors[:, number - 1]).max()
        ax.scatter(*model.landmarks_.T, s=8, c=values, cmap="coolwarm", vmin=-1, vmax=1)
        ax.set_title(f"eigenvector {number}")
    return figure


def draw_labels(model: DnCSC, X: np.ndarray) -> plt.Figure:
    """Rows in the embedding, a line each, and where they are."""
    figure, (left, right) = frames(2, 4.4)
    order = np.argsort(model.labels_, kind="stable")[:: len(X) // 800]
    coordinates, colours = model.transform(X[order]), plot.palette(13)[model.labels_[order]]
    scaled = coordinates / np.abs(coordinates).max(axis=0)
    n = scaled.shape[1]
    left.imshow(scaled, cmap="coolwarm", vmin=-1, vmax=1, extent=(1.5, n + 1.5, 1, 0), interpolation="nearest")
    left.imshow(colours[:, None], extent=(0, 1, 1, 0), interpolation="nearest")
    left.set(title="the embedding: rows, sorted by cluster", aspect="auto", xlim=(0, n + 1.5))
    left.set(xlabel=f"cluster, and {n} coordinates")
    right.scatter(*X.T, s=0.8, c=plot.palette(13)[model.labels_], linewidths=0)
    right.set_title("the clusters")
    return figure


def main(folder: Path) -> None:
    """Draw all."""
    X, _ = datasets.load("fl-20m", n=40_000)
    model = DnCSC(13, n_landmarks=700, selection_rate=12, random_state=0).fit(X)
    links = landmark_graph(model, X)
    pictures = {
        "rounds": draw_rounds(model, X),
        "landmarks": draw_landmarks(model, X),
        "graph": draw_graph(model, links),
        "eigenvectors": draw_vectors(model, links),
        "labels": draw_labels(model, X),
    }
    for name, figure in pictures.items():
        figure.tight_layout()
        figure.savefig(folder / f"{name}.png", dpi=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
