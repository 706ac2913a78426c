"""Labels that go to a file."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dncsc.atomic import FileAppearedError, atomic_write
from dncsc.engines.columns import reserve
from dncsc.estimators.checks import is_dask
from dncsc.npy_header import write_array_header

ROWS_AT_A_TIME = 2**20
ROWS_OF_A_CLUSTER_AT_A_TIME = 2**24
"""More: each time is a graph of its own, which takes its time however few rows it is for."""


class LabelsFile:
    """Where labels go: into a `.npy` file, or, without a path, nowhere else."""

    def __init__(self, path: str | os.PathLike[str] | None = None, stream: BinaryIO | None = None) -> None:
        self.path, self._stream = path, stream

    def write(self, labels: Any) -> None:
        """Write the labels of all rows."""
        if self._stream is not None:
            for some in _pieces(labels):
                self._stream.write(np.ascontiguousarray(some, "<i4").data)


@contextlib.contextmanager
def labels_file(path: str | os.PathLike[str] | None, n_rows: int, overwrite: bool = False) -> Iterator[LabelsFile]:
    """A file for labels, which has its size before the work begins, and its name when all is done.

    So a full disk, or a file that is not to be replaced, is found before the work. One that came there since stays;
    labels are then kept beside it, where `path` leads in the end, and a warning says so.
    """
    if path is None:
        yield LabelsFile()
        return
    target = _checked(path, overwrite)
    file = None
    try:
        with atomic_write(target, overwrite) as stream:
            write_array_header(stream, np.dtype("<i4"), (n_rows,))
            reserve(stream.fileno(), stream.tell() + 4 * n_rows, "the labels", target.parent)
            yield (file := LabelsFile(path, stream))
    except FileAppearedError as error:
        if file is None or error.path != target:
            raise
        file.path = error.kept
        warnings.warn(str(error), stacklevel=4)


def _checked(path: str | os.PathLike[str], overwrite: bool) -> Path:
    """The file that a path leads to; an error where labels cannot go there."""
    if Path(path).suffix != ".npy":
        raise ValueError(f"labels_to has to name a .npy file; got {str(path)!r}.")
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"labels_to={str(path)!r} is a folder.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"labels_to={str(path)!r}: there is no folder {str(target.parent)!r}.")
    if target.exists() and not overwrite:
        raise FileExistsError(f"labels_to={str(path)!r} exists already. Name another file, or set overwrite=True.")
    return target


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
