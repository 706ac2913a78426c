"""One page about a fitted clustering: a single HTML file that needs nothing else, not even a network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from dncsc.atomic import atomic_write
from dncsc.estimators.parameters import integer
from dncsc.report.facts import gather
from dncsc.report.page import page
from dncsc.report.reader import BlockReader, StepProgress
from dncsc.report.trust import sought

__all__ = ["write_report"]


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    rows: Any,
    *,
    title: str | None = None,
    data: Any = None,
    units: tuple[Any, Any] | None = None,
    command: str | None = None,
    reruns: int = 3,
    sample_rows: int = 200_000,
    progress: StepProgress | None = None,
    overwrite: bool = True,
) -> None:
    """Write a page about a fitted model: sizes, map and profiles of its clusters, and how stable they are.

    Rows are read twice, block by block; only a sample of them is kept in memory. With ``metric="cosine"`` maps and
    profiles are of rows of length 1.

    Parameters
    ----------
    path : str or path
        Where the page goes. An existing page is replaced in one step, when the new one is complete.
    model : estimator of dncsc
        Fitted.
    rows : array, frame, sparse matrix, or object with `shape`, `names` and `read(start, stop)`
        The rows that the model was fitted to, in the same order.
    title : str, optional
        Heading of the page.
    data : str, path or sequence of them, optional
        Where the rows come from, as the page should say it.
    units : (array-like, array-like), optional
        Centre and scale of each feature, where the rows were scaled before the fit: profiles and maps of features are
        then shown as ``rows * scale + centre``. Has no effect on rows of length 1.
    command : str, optional
        Command that fitted the model.
    reruns : int, default=3
        How often to cluster a sample again with another seed, to see what is stable; 0 leaves that out.
    sample_rows : int, default=200_000
        Size of the sample: for the re-runs, and for the map of the embedding.
    progress : callable, optional
        Called with the name of a step and the share of it that is done, between 0 and 1.
    overwrite : bool, default=True
        Whether a page that stands there is replaced; else FileExistsError says where the new one was kept instead.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from dncsc import DnCSC, datasets
    >>> X, y = datasets.load("tm-1m", n=2_000)
    >>> model = DnCSC(n_clusters=2, n_landmarks=100, random_state=0).fit(X)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(Path(folder, "moons.html"), model, X, title="Two moons", reruns=1)
    ...     "<h1>Two moons</h1>" in Path(folder, "moons.html").read_text(encoding="utf-8")
    True
    """
    check_is_fitted(model)
    if not hasattr(model, "labels_"):
        raise ValueError("the model has no labels_, which files of models leave out: set them to model.predict(rows).")
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; give the name of a file for the report, such as report.html.")
    if not target.absolute().parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write the report to.")
    integer(0).check("reruns", reruns)
    integer(1).check("sample_rows", sample_rows)
    reader = BlockReader(rows, getattr(model, "feature_names_in_", None), progress, model.metric, units)
    fitted = (len(model.labels_), model.n_features_in_)
    if reader.shape != fitted:
        raise ValueError(
            f"the model was fitted to {fitted[0]:,} rows of {fitted[1]:,} features; the rows given are "
            f"{reader.n_rows:,} of {reader.n_features:,}. Give the rows that it was fitted to."
        )
    k = sought(model)
    if reruns and sample_rows < min(k, reader.n_rows):
        raise ValueError(
            f"sample_rows={sample_rows} are too few to find n_clusters={k} in them again: set {k} or more, or reruns=0."
        )
    text = page(gather(model, reader, reruns, sample_rows), title, data, command)
    with atomic_write(target, overwrite) as file:
        file.write(text.encode("utf-8", errors="replace"))
