"""Warnings about what a fit found."""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from dncsc.errors import Worded


class UnclearClustersWarning(Worded, UserWarning):
    """The number of clusters was to be found, and no gap between eigenvalues is clear.

    Parameters
    ----------
    n_clusters : int
        The number that was taken.
    clearness : float
        Ratio of the eigenvalue behind them to the last of theirs.
    """

    def __init__(self, n_clusters: int, clearness: float) -> None:
        super().__init__(
            f"It is not clear how many clusters there are: {n_clusters} were taken, but the eigenvalue behind them is "
            f"only {clearness:.1f} times larger than the last of theirs. Look at {{eigenvalues_}}, and give "
            "{n_clusters}.",
            ("eigenvalues_", "n_clusters"),
        )
        self.n_clusters, self.clearness = n_clusters, clearness
        self.args = (n_clusters, clearness)


class FewerClustersWarning(Worded, ConvergenceWarning):
    """Fewer clusters were found than asked for."""

    def __init__(self, n_found: int, n_clusters: int) -> None:
        super().__init__(
            f"Number of distinct clusters ({n_found}) found smaller than {{n_clusters}} ({n_clusters}). "
            "Possibly due to duplicate points in X.",
            ("n_clusters",),
        )
        self.n_found, self.n_clusters = n_found, n_clusters
        self.args = (n_found, n_clusters)
