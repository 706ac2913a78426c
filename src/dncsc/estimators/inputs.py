"""From what the user gave to the engine that runs over it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import scipy.sparse

from dncsc.budget import InsufficientMemoryError, ResourceLimits, Size
from dncsc.engines.base import MOST_VALUES, Column, Engine
from dncsc.engines.columns import Columns, InMemory, InScratch
from dncsc.engines.frame import kept_dtype, working_dtype
from dncsc.engines.local import ArraySource, LocalEngine
from dncsc.engines.pool import thread_count
from dncsc.engines.watch import Progress
from dncsc.estimators.checks import is_dask
from dncsc.estimators.frames import FrameRows
from dncsc.memory import format_bytes, resident
from dncsc.phases.settings import AUTO, Settings
from dncsc.recipes import DIVIDING
from dncsc.rows import Rows, from_memmap

VALUES_IN_MEMORY = 2**23
"""That a phase may gather at a time of rows in memory: one more pass over these costs less than memory never used."""


def open_engine(
    rows: Any, weight: Any, n_jobs: int | None, size: Size, limits: ResourceLimits, dtype: Any = None
) -> AbstractContextManager[Engine]:
    """The engine for rows: Dask's for its arrays, else the local one, with columns in memory or in scratch files."""
    if is_dask(rows):
        from dncsc.engines.dask_engine import DaskEngine

        return DaskEngine(rows, weight, n_jobs)
    if isinstance(rows, np.ndarray) and rows.nbytes > limits.memory:
        rows = from_memmap(rows) or rows
    in_files = isinstance(rows, Rows)
    spare = limits.memory - size.working
    if spare < 0:
        raise _too_little_memory(size, limits)
    copied = in_files and not rows.direct
    copy = Column("copy", kept_dtype(_narrower(rows).dtype if copied else rows.dtype), size.n_features)
    need = copy.row_bytes * size.n_rows if copied else 0
    columns = _columns_for(size, limits, spare, need)
    if columns is None and copied:
        if not rows.seekable:
            raise InsufficientMemoryError(
                f"{rows!r} can only be read from beginning to end, and a copy of {format_bytes(need)} fits "
                f"neither in memory nor in {limits.folder}. "
                "Set {scratch_dir} to another folder, raise {max_memory}, or convert the file to Parquet.",
                ("scratch_dir", "max_memory"),
            )
        copied, need = False, 0  # read again in every pass
        columns = _columns_for(size, limits, spare, need)
    if columns is None:
        raise InsufficientMemoryError(
            f"{format_bytes(size.must_keep)} of scratch files are needed for {size.n_rows:,} rows, but "
            f"{format_bytes(limits.disk)} are left in {limits.folder}. "
            "Set {scratch_dir} to another folder, or raise {max_memory}.",
            ("scratch_dir", "max_memory"),
        )
    if isinstance(columns, InMemory):
        spare -= size.columns + need
    readable = in_files or isinstance(rows, FrameRows)
    source: Any = _Copy(rows, copy, columns) if copied else rows if readable else ArraySource(rows)
    at_once = VALUES_IN_MEMORY if bytes_held(rows) else MOST_VALUES
    most = min(at_once, max(spare, size.working) // 2 // size.value_bytes)
    return LocalEngine(source, weight, n_jobs, dtype, columns, max(most, 2**20))


def _too_little_memory(size: Size, limits: ResourceLimits) -> InsufficientMemoryError:
    """The error of a run whose blocks, totals and samples do not fit, with all that it is for."""
    prototypes = f", {size.n_prototypes:,} rows that refine labels" if size.n_prototypes else ""
    leave_out = ", leave out {refine}" if size.n_prototypes else ""
    return InsufficientMemoryError(
        f"{format_bytes(size.working)} of memory are needed for {size.n_clusters} clusters, {size.n_landmarks} "
        f"landmarks{prototypes}, {size.n_features} features and {size.n_threads} threads. The process has "
        f"{format_bytes(resident())} already and may have {format_bytes(max(limits.memory, 0))} more. "
        f"Raise {{max_memory}}{leave_out}, or lower {{n_landmarks}} or {{n_jobs}}.",
        ("max_memory", *["refine"] * bool(size.n_prototypes), "n_landmarks", "n_jobs"),
    )


def _columns_for(size: Size, limits: ResourceLimits, spare: int, need: int) -> Columns | None:
    """Where columns and `need` more bytes fit: memory, scratch files, or nowhere."""
    if size.columns + need <= spare:
        return InMemory(size.n_rows)
    if size.must_keep + need <= limits.disk:
        return InScratch(size.n_rows, limits.folder, limits.disk)
    return None


def bytes_held(X: Any) -> int:
    """Bytes of a table in memory, which the user had before us and `max_memory` does not count."""
    if isinstance(X, np.ndarray) and _mapped_file(X) is None:
        return X.nbytes
    if scipy.sparse.issparse(X):
        return sum(getattr(X, name).nbytes for name in ("data", "indices", "indptr") if hasattr(X, name))
    if not is_dask(X) and hasattr(X, "memory_usage"):  # of pandas
        return int(X.memory_usage(index=False).sum())
    return int(X.estimated_size()) if hasattr(X, "estimated_size") else 0  # of polars


def refuse_to_replace(path: str | os.PathLike[str] | None, rows: Any) -> None:
    """Refuse a file for the labels that is one of those that the rows are in."""
    mapped = _mapped_file(rows)
    files = rows.paths if isinstance(rows, Rows) else () if mapped is None else (mapped,)
    if path is None or not os.path.exists(path):
        return
    if any(os.path.exists(file) and os.path.samefile(path, file) for file in files):
        raise ValueError(f"labels_to={str(path)!r} is a file that the rows are read from; name another one.")


def _mapped_file(X: Any) -> Any:
    """Path of the file that an array is a memory map of; None for other arrays."""
    while isinstance(X, np.ndarray) and not isinstance(X, np.memmap):
        X = X.base
    return X.filename if isinstance(X, np.memmap) else None


def _narrower(rows: Rows) -> Rows:
    """The rows, or those that they are computed from if these take less room."""
    return min(rows, rows.stored, key=lambda each: each.dtype.itemsize)


class _Copy:
    """Rows that are costly to read, copied to where they can be read again and again, in no wider type than theirs."""

    def __init__(self, rows: Rows, copy: Column, columns: Columns) -> None:
        self.shape, self.dtype = rows.shape, rows.dtype
        self._columns, self._name = columns, copy.name
        kept = _narrower(rows)
        self._see = (lambda values: values) if kept is rows else rows.computed
        progress = Progress(len(rows))
        progress.begin("read")
        start = 0
        try:
            columns.allocate(copy)
            for batch in kept.batches():
                part = columns.get(copy.name, start, start + len(batch), filled=False)
                part[:] = batch
                columns.put(copy.name, start, part)
                start += len(batch)
                progress.advance(len(batch))
        except BaseException:
            columns.close()
            raise

    def read(self, start: int, stop: int) -> np.ndarray:
        return self._see(self._columns.get(self._name, start, stop, filled=True))


def size_of(estimator: Any, rows: Any, dtype: Any = None, row_bytes: int | None = None) -> Size:
    """What decides how much the run of an estimator needs; `row_bytes` are those of a result that is not of a fit."""
    n_rows, n_features = rows.shape
    n_clusters = int(estimator.max_clusters if estimator.n_clusters == AUTO else estimator.n_clusters)
    n_landmarks = getattr(estimator, "n_landmarks", n_clusters)
    if n_landmarks == AUTO:
        n_landmarks = Settings.policy.usual_landmarks(
            n_clusters, estimator.n_clusters == AUTO, n_rows, n_features, getattr(estimator, "refine", False)
        )
    n_landmarks = int(min(n_landmarks, n_rows))
    return Size(
        n_rows=n_rows,
        n_features=n_features,
        n_landmarks=n_landmarks,
        n_neighbors=int(min(getattr(estimator, "n_neighbors", 1) + 1, max(n_landmarks, 2))),
        n_members=int(getattr(estimator, "n_members", 0)),
        n_clusters=n_clusters,
        value_bytes=int(np.dtype(dtype or working_dtype(rows.dtype)).itemsize),
        n_threads=int(thread_count(estimator.n_jobs)),
        row_bytes=row_bytes,
        keeps_products=row_bytes is None and getattr(estimator, "_keeps_products", False),
        places_rows=hasattr(estimator, "n_landmarks"),
        is_multilevel=estimator._is_multilevel(n_features),
        n_prototypes=Settings.policy.usual_prototypes(n_rows) if getattr(estimator, "refine", False) else 0,
        searches_all=getattr(estimator, "nearest", "exact") == "exact",
        chooses_weights=getattr(estimator, "bandwidth", None) == AUTO and not hasattr(estimator, "n_members"),
        divides=getattr(estimator, "select", None) in DIVIDING,
    )
