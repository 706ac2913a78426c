"""What a run was asked to do, with every "auto" resolved: the one record that all phases read."""

from __future__ import annotations

from dataclasses import dataclass

from dncsc.phases.cut.policy import CutPolicy

AUTO, MEAN, LOCAL, ADAPTIVE = "auto", "mean", "local", "adaptive"
"""Ways to weights without a given bandwidth; see `dncsc.phases.affinity`."""


@dataclass(frozen=True)
class Settings:
    """Parameters of a run; the letters are the paper's."""

    n_clusters: int
    """k"""
    n_landmarks: int
    """p"""
    n_neighbors: int
    """K"""
    selection_rate: int
    """alpha: into how many parts a subset is divided at most"""
    sample_size: int
    """p': how many rows of a subset k-means sees at most"""
    n_candidates: int
    """K': among how many landmarks a row's K nearest are searched"""
    bandwidth: float | str
    """sigma in the working frame, or `AUTO`, `MEAN`, `LOCAL`, `ADAPTIVE`"""
    by_length: bool
    """embedded rows are scaled to 2-norm 1, else to 1-norm 1"""
    n_init: int
    max_iter: int
    seed: int
    n_counted: int
    """rows of positive weight"""
    count_clusters: bool = False
    """whether the number of clusters is to be found; `n_clusters` is then the most there may be"""
    n_vectors: int | None = None
    """eigenvectors to find, where they are more than k"""
    mixed: bool = False
    """whether several kinds of weights are to be made from the same links, for base clusterings of an ensemble"""
    noise: float = 0.0
    """share of the rows that are to be in no cluster"""
    refine: bool = False
    """whether neighbours among many rows have a say in labels"""
    policy: CutPolicy = CutPolicy()  # noqa: RUF009
    """thresholds of the cut"""
