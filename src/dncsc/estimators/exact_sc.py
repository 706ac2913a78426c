"""Spectral clustering proper, on the graph of all rows."""

from __future__ import annotations

from typing import Any

from dncsc.errors import TooManyRowsError
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
    random_state, n_jobs, max_memory, scratch_dir, checkpoint, verbose
        As in `DnCSC`.

    See Also
    --------
    DnCSC : What the parameters and the fitted attributes mean; they are the same.
    """

    n_neighbors: int = 20
    max_rows: int = 20_000
    normalize: str = "l2"

    @property
    def predict(self) -> Any:
        """Raises: new rows cannot be labelled."""
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
        if n_rows > self.max_rows:
            raise TooManyRowsError(n_rows, self.max_rows)
