"""Labels that go to a file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.atomic import atomic_write
from dncsc.engines.columns import reserve
from dncsc.estimators.checks import is_dask
from dncsc.npy_header import write_array_header

ROWS_AT_A_TIME = 2**20
ROWS_OF_A_CLUSTER_AT_A_TIME = 2**24
"""More: each time is a graph of its own, which takes its time however few rows it is for."""


@contextlib.contextmanager
def labels_file(path: str | os.PathLike[str] | None, n_rows: int) -> Iterator[Callable[[Any], None]]:
    """A function that puts labels where they are wanted: into a `.npy` file, or, without a path, nowhere else.

    The file has its size before the work begins, so that a full disk is found then, and its name when all is done.
    """
    if path is None:
        yield lambda labels: None
        return
    if Path(path).suffix != ".npy":
        raise ValueError(f"labels_to has to name a .npy file; got {str(path)!r}.")
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"labels_to={str(path)!r} is a folder.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"labels_to={str(path)!r}: there is no folder {str(target.parent)!r}.")
    with atomic_write(target) as file:
        write_array_header(file, np.dtype("<i4"), (n_rows,))
        reserve(file.fileno(), file.tell() + 4 * n_rows, "the labels", target.parent)

        def deliver(labels: Any) -> None:
            for some in _pieces(labels):
                file.write(np.ascontiguousarray(some, "<i4").data)

        yield deliver


def _pieces(labels: Any) -> Iterator[np.ndarray]:
    """All labels in order, a bounded number at a time.

    Of a Dask array whole chunks, as many as are few rows, so that none is computed twice; large chunks in parts.
    """
    if not is_dask(labels):
        yield from (labels[start : start + ROWS_AT_A_TIME] for start in range(0, len(labels), ROWS_AT_A_TIME))
        return
    import dask

    most = ROWS_OF_A_CLUSTER_AT_A_TIME
    sizes = [min(most, size - start) for size in labels.chunks[0] for start in range(0, size, most)]
    parts = labels.rechunk({0: tuple(sizes)}).to_delayed()
    first, n_rows = 0, 0
    for last, size in enumerate(sizes):
        if n_rows + size > most:
            yield from dask.compute(*parts[first:last])
            first, n_rows = last, 0
        n_rows += size
    yield from dask.compute(*parts[first:])
