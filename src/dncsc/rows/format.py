"""What a file format is: one record of how it is recognised, opened, read by column, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol

import numpy as np

from dncsc.rows.base import FileState, Rows


@dataclass(frozen=True)
class Header:
    """Columns of a file, whatever they hold."""

    names: list[str]
    """of all columns; numbers as text where the file has no names"""
    features: list[str]
    """columns that are features by default"""
    has_names: bool
    arrays: frozenset[str] = frozenset()
    """arrays that the file holds next to the table"""


@dataclass(frozen=True)
class CellReaders:
    """How cells of any kind become numbers, for tables that hold more than numbers."""

    readers: tuple[Callable[[Any], np.ndarray], ...]
    """of each chosen column, in order: takes an Arrow array, and gives float64 with NaN for a missing value"""
    n_rows: Mapping[Path, int] = field(default_factory=dict)
    """rows of files by absolute path, where they have been counted before"""


class Writer(Protocol):
    """Takes the rows of a table, block by block."""

    def write(self, columns: Sequence[Any]) -> None:
        """Add rows: equally long columns, each a NumPy array, an Arrow array, or a list of texts."""


@dataclass(frozen=True)
class Output:
    """A table to be written: its columns, how many rows it will have, and a folder for temporary files."""

    names: Sequence[str]
    n_rows: int
    scratch: Path


Holds = Literal["cells", "typed columns", "arrays", "one array"]
"""What an output has room for: any cells, columns of one Arrow type each, NumPy arrays by name, or one array."""


@dataclass(frozen=True)
class Format:
    """A file format. To add one, write a module with such a record and list it in `dncsc.rows.formats.FORMATS`."""

    description: str
    """as in "the content is a Parquet file\""""
    suffixes: tuple[str, ...]
    """of files that may hold it, in lower case"""
    matches: Callable[[bytes], bool]
    """whether the first bytes of a file are those of the format"""
    open: Callable[[FileState, Sequence[Any] | None], Rows]
    """rows of a file, with these columns or all"""
    header: Callable[[FileState], Header]
    read_columns: Callable[[FileState, Sequence[str], int], Iterator[Sequence[Any]]]
    """blocks of some columns, of roughly so many rows: each a NumPy array, an Arrow array, or a list of texts"""
    column_type: Callable[[FileState, str], Any]
    """NumPy dtype or Arrow type of one column; refuses a column that `read_columns` could not read"""
    open_cells: Callable[[FileState, Sequence[Any], CellReaders], Rows] | None = None
    """rows of chosen columns of any kind; None where a file holds numbers alone"""
    is_text: bool = False
    """whether every value is text, so that only its letters tell what it is"""
    writers: Mapping[str, Callable[[BinaryIO, Output], AbstractContextManager[Writer]]] = field(default_factory=dict)
    """by suffix, where the format can be written"""
    holds: Holds = "cells"
    """what its writers have room for"""
    in_python: Callable[[FileState, str], str] = lambda file, name: f"numpy.load({name})"
    """Python that reads a new file like this one, whose name is given in quotes: with pandas, pyarrow or NumPy"""
