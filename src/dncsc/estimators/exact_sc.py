"""Spectral clustering proper, on the graph of all rows."""

from __future__ import annotations

from typing import Any

from dncsc.estimators import checks
from dncsc.estimators.base import RecipeClusterer
from dncsc.recipes import SC, Recipe


class ExactSC(RecipeClusterer):
    """Spectral clustering on the graph of all rows, each with its nearest rows (Chen et al. 2010).

    There are no landmarks, so that new rows cannot be placed: there is `fit_predict`, but neither `predict` nor
    `transform`.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=20
        Nearest rows that a row is linked to, t.
    max_rows : int, default=20_000
        More rows than this are refused before any work: finding the neighbours takes time quadratic in the rows.
    normalize : {"l2", "l1"}, default="l2"
    n_init : int, default=3
    max_iter : int, default=100
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
    max_memory : str or int, optional
    scratch_dir : path, optional
    checkpoint : path, optional
    verbose : int, default=0

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 20,
        max_rows: int = 20_000,
        normalize: str = "l2",
        n_init: int = 3,
        max_iter: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        max_memory: str | int | None = None,
        scratch_dir: Any = None,
        checkpoint: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.max_rows = max_rows
        self.normalize = normalize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.scratch_dir = scratch_dir
        self.checkpoint = checkpoint
        self.verbose = verbose

    @property
    def predict(self) -> Any:
        """There is none, and whoever asks is told why."""
        raise AttributeError(
            "ExactSC has no predict: on the graph of all rows there are no landmarks through which new rows could be "
            "placed. Use a landmark method, such as DnCSC."
        )

    def fit(self, X: Any, y: Any = None, labels_to: Any = None) -> Any:  # type: ignore[override] # a graph of rows has no use for weights
        """Cluster the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored
        labels_to : path, optional
            Write the labels into this `.npy` file.

        Returns
        -------
        self
        """
        return super().fit(X, labels_to=labels_to)

    def _recipe(self) -> Recipe:
        return SC

    def _check_size(self, n_rows: int) -> None:
        most = checks.integer("max_rows", self.max_rows)
        if n_rows > most:
            raise ValueError(
                f"n_samples={n_rows} is more than max_rows={most}: the neighbours of all rows would take about "
                f"{n_rows**2 * 1e-9:,.0f} billion distances. Use DnCSC, or raise max_rows."
            )
