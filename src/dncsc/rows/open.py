"""Open tables by name: a file, a folder, a pattern, or several of these as one table."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.errors import enumerated
from dncsc.rows.base import FileReadError, Rows, SlicedRows
from dncsc.rows.columns import checked, listed
from dncsc.rows.format import CellReaders
from dncsc.rows.formats import open_file, readable

PathLike = str | os.PathLike[str]


def open_rows(
    paths: PathLike | Sequence[PathLike], columns: Sequence[Any] | None = None, cells: CellReaders | None = None
) -> Rows:
    """Rows in one file or in several, as one table that is read slice by slice.

    Parameters
    ----------
    paths : path or list of paths
        Files, folders or patterns such as ``"parts/*.parquet"``. Files of a folder or a pattern stand in natural
        order (part 2 before part 10), those of a list as listed. All must have the same columns.
    columns : list of str or int, optional
        Columns to use, in this order: names, or numbers where the files have no names. All by default.
    cells : CellReaders, optional
        How cells of these columns become numbers, where some are text, dates or missing. `dncsc.TableEncoder` and the
        command line have them.

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
    first = open_file(files[0], columns, cells)
    parts = [first, *(_like(first, path, columns, cells) for path in files[1:])]
    rows = SeveralRows(parts) if len(parts) > 1 else first
    if columns is not None and rows.names is None:
        rows.columns = list(map(int, columns))
    if not len(rows):
        raise ValueError(f"{files[0] if len(files) == 1 else paths}: there are columns, but no rows.")
    return rows


class SeveralRows(SlicedRows):
    """The rows of several tables with the same columns, one after another."""

    def __init__(self, parts: Sequence[Rows]) -> None:
        self._parts = parts
        files = [file for part in parts for file in part.files]
        dtype = np.result_type(*(part.dtype for part in parts))
        super().__init__(files, [len(part) for part in parts], parts[0].shape[1], dtype, parts[0].names)
        self.direct = all(part.direct for part in parts)
        self.seekable = all(part.seekable for part in parts)

    def _part(self, number: int, start: int, stop: int) -> np.ndarray:
        return self._parts[number].read(start, stop)

    def _slices(self) -> Iterator[np.ndarray]:
        return (batch for part in self._parts for batch in part.batches())


def _like(first: Rows, path: Path, columns: Sequence[Any] | None, cells: CellReaders | None) -> Rows:
    """Rows of another file, in the order of the first one's columns; an error if it has others."""
    part = open_file(path, columns, cells)
    old, new = first.names, part.names
    if old and new and old != new and set(old) == set(new):
        return open_file(path, old)
    if (new, part.shape[1]) == (old, first.shape[1]):
        return part
    if old is None or new is None:
        kinds = [f"{rows.shape[1]}{'' if rows.names else ' without names'}" for rows in (part, first)]
        difference = " instead of ".join(kinds)
    else:
        lacking, more = [name for name in old if name not in set(new)], [name for name in new if name not in set(old)]
        said = [f"it lacks {listed(lacking)}"] * bool(lacking) + [f"it has {listed(more)} too"] * bool(more)
        difference = enumerated(said)
    raise ValueError(f"{part.paths[0]} has other columns than {first.paths[0]}: {difference}.")


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
    is_folder = os.path.isdir(path)
    if not is_folder and (os.path.lexists(path) or not glob.has_magic(path)):
        return [Path(path)]
    found = [*Path(path).iterdir()] if is_folder else [Path(name) for name in glob.glob(path, recursive=True)]
    # Markers, checksums and hidden files stand next to data, and are none.
    aside = {file for file in found if file.name.startswith((".", "_")) or file.name.endswith(".crc")}
    files = [file for file in found if not file.is_dir() and file not in aside]
    if files:
        return sorted(files, key=_natural)
    if not is_folder:
        raise FileReadError("", f"no file fits the pattern {path}.")
    deeper = any(file.is_dir() for file in found)
    advice = f" but folders: try the pattern {path}/**/*.parquet, or the like" if deeper else ""
    raise FileReadError(path, f"is a folder that holds no data files{advice}. Readable are {readable()}.")


def _natural(path: Path) -> list[Any]:
    """Sorting key in which part-2 comes before part-10: texts, and between any two a number."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"(\d+)", str(path)))]
