"""Open tables by name: a file, a folder, a pattern, or several of these as one table."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dncsc.rows.base import FileReadError, Rows
from dncsc.rows.columns import checked, listed
from dncsc.rows.formats import open_file, readable
from dncsc.rows.slices import SeveralRows

PathLike = str | os.PathLike[str]


def open_rows(paths: PathLike | Sequence[PathLike], columns: Sequence[Any] | None = None) -> Rows:
    """Rows in one file or in several, as one table that is read slice by slice.

    Parameters
    ----------
    paths : path or list of paths
        Files, folders or patterns such as ``"parts/*.parquet"``. Files of a folder or a pattern stand in natural
        order (part 2 before part 10), those of a list as listed. All must have the same columns.
    columns : list of str or int, optional
        Columns to use, in this order: names, or numbers where the files have no names. All by default.

    Returns
    -------
    Rows
        See `dncsc.rows.base.Rows`.

    Notes
    -----
    Read are .npy, .npz, Parquet, Feather and Arrow files and streams, CSV and TSV, also compressed by gzip; the last
    five need pyarrow. Content and suffix have to agree. Missing values and columns that are not numbers are refused.

    The first line of text holds names if it is text, or text and whole numbers that differ; but it is a row if no name
    stands above a number and the whole numbers do not count up, as years would, nor stand above values that are not
    whole. ``city,2019,2020`` is names, ``T,2,8,3`` above ``I,5,12,3`` is a row.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.save(folder.name + "/rows.npy", np.arange(12.0).reshape(6, 2))
    >>> rows = open_rows(folder.name + "/rows.npy")
    >>> rows
    <6 rows x 2 columns of float64 in rows.npy>
    >>> rows.read(4, 6)
    array([[ 8.,  9.],
           [10., 11.]])
    >>> folder.cleanup()
    """
    columns = checked(columns)
    files = find_files(paths)
    first = open_file(files[0], columns)
    parts = [first, *(_like(first, path, columns) for path in files[1:])]
    rows = SeveralRows(parts) if len(parts) > 1 else first
    if not len(rows):
        raise ValueError(f"{files[0] if len(files) == 1 else paths}: there are columns, but no rows.")
    return rows


def _like(first: Rows, path: Path, columns: Sequence[Any] | None) -> Rows:
    """Rows of another file, in the order of the first one's columns; an error if it has others."""
    part = open_file(path, columns)
    if first.names and part.names and part.names != first.names and set(part.names) == set(first.names):
        part = open_file(path, first.names)
    if (part.names, part.shape[1]) == (first.names, first.shape[1]):
        return part
    raise ValueError(f"{part.paths[0]} has other columns than {first.paths[0]}: {_difference(first, part)}.")


def _difference(first: Rows, part: Rows) -> str:
    if first.names is None or part.names is None:
        kinds = [f"{each.shape[1]}{'' if each.names else ' without names'}" for each in (part, first)]
        return f"{kinds[0]} instead of {kinds[1]}"
    missing = [name for name in first.names if name not in set(part.names)]
    more = [name for name in part.names if name not in set(first.names)]
    said = [f"it lacks {listed(missing)}"] * bool(missing) + [f"it has {listed(more)} too"] * bool(more)
    return " and ".join(said)


def find_files(paths: PathLike | Sequence[PathLike]) -> list[Path]:
    """All files that paths, folders and patterns stand for; at least one."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found: list[Path] = []
    for path in paths:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"a path must be a string or a pathlib.Path; got {type(path).__name__}.")
        found += _files_of(os.fspath(path))
    if not found:
        raise ValueError("no file was named.")
    return found


def _files_of(path: str) -> list[Path]:
    if os.path.isdir(path):
        inside = [entry for entry in Path(path).iterdir() if entry.is_file() and not _is_aside(entry.name)]
        if not inside:
            deeper = any(entry.is_dir() for entry in Path(path).iterdir())
            advice = f" but folders: try the pattern {path}/**/*.parquet, or the like" if deeper else ""
            raise FileReadError(path, f"is a folder that holds no data files{advice}. Readable are {readable()}.")
        return sorted(inside, key=_natural)
    if not os.path.lexists(path) and glob.has_magic(path):
        fitting = [Path(name) for name in glob.glob(path, recursive=True)]
        files = [name for name in fitting if not name.is_dir() and not _is_aside(name.name)]
        if not files:
            raise FileReadError("", f"no file fits the pattern {path}.")
        return sorted(files, key=_natural)
    return [Path(path)]


def _is_aside(name: str) -> bool:
    """Whether a file next to data is none: a marker, a checksum, a hidden file."""
    return name.startswith((".", "_")) or name.endswith(".crc")


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """Sorting key in which part-2 comes before part-10."""
    parts = re.split(r"(\d+)", str(path))
    return [(1, int(part), part) if part.isdecimal() else (0, 0, part) for part in parts]
