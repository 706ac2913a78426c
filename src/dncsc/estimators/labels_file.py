"""Labels that go to a file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.beside import written_beside
from dncsc.engines.columns import reserve

ROWS_AT_A_TIME = 2**20


@contextlib.contextmanager
def labels_file(path: str | os.PathLike[str] | None, n_rows: int) -> Iterator[Callable[[Any], None]]:
    """A function that puts labels where they are wanted: into a `.npy` file, or, without a path, nowhere else.

    The file has its size before the work begins, so that a full disk is found then, and its name when all is done.
    """
    if path is None:
        yield lambda labels: None
        return
    target = Path(path)
    if target.suffix != ".npy":
        raise ValueError(f"labels_to has to name a .npy file; got {str(path)!r}.")
    if target.is_dir():
        raise IsADirectoryError(f"labels_to={str(path)!r} is a folder.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"labels_to={str(path)!r}: there is no folder {str(target.parent)!r}.")
    with written_beside(target) as file:
        form = {"descr": "<i4", "fortran_order": False, "shape": (n_rows,)}
        np.lib.format.write_array_header_1_0(file, form)
        reserve(file.fileno(), file.tell() + 4 * n_rows, "the labels", target.parent)

        def deliver(labels: Any) -> None:
            for start in range(0, n_rows, ROWS_AT_A_TIME):
                file.write(np.asarray(labels[start : start + ROWS_AT_A_TIME], "<i4").tobytes())

        yield deliver
