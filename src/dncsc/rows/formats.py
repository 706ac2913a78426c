"""The registry of file formats: which format a file has, and one function for each thing that is done with any file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO

from dncsc.errors import enumerated
from dncsc.rows.arrow import ARROW_FILE, ARROW_STREAM, PARQUET
from dncsc.rows.base import FileReadError, FileState, Rows
from dncsc.rows.dialect import SAVE_IN_UTF8
from dncsc.rows.format import CellReaders, Format, Header, Output, Writer
from dncsc.rows.npy import NPY, NPZ
from dncsc.rows.text import GZIP, TEXT

FORMATS: tuple[Format, ...] = (TEXT, GZIP, PARQUET, ARROW_FILE, ARROW_STREAM, NPY, NPZ)
"""In the order in which messages list them. The last is tried first: text has no magic bytes of its own."""

OLD_FEATHER = (
    "is a Feather file of the old version 1, which is no longer read: write it again with "
    "pyarrow.feather.write_feather, or as Parquet."
)
NOT_UTF8 = f"is text in another encoding than UTF-8: {SAVE_IN_UTF8}"
REFUSED = {b"FEA1": OLD_FEATHER, b"\xff\xfe": NOT_UTF8, b"\xfe\xff": NOT_UTF8}
"""First bytes of files that are refused, and the advice."""

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def readable() -> str:
    """Suffixes of all formats, for messages."""
    return enumerated(list(dict.fromkeys(suffix for each in FORMATS for suffix in each.suffixes)))


def content(file: FileState) -> Format | None:
    """The format that the first bytes show; None for an unknown one."""
    if not file.size:
        raise FileReadError(file.path, "is empty: it has no bytes.")
    try:
        with open(file.path, "rb") as stream:
            head = stream.read(4096)
    except OSError as error:
        raise FileReadError(file.path, f"cannot be read: {error.strerror}.") from error
    for magic, refusal in REFUSED.items():
        if head.startswith(magic):
            raise FileReadError(file.path, refusal)
    found = next((each for each in reversed(FORMATS) if each.matches(head)), None)
    if found is None and not _CONTROL.search(head):
        raise FileReadError(file.path, NOT_UTF8)
    return found


def format_of(file: FileState) -> Format:
    """The format of a file; refused where its suffix claims another one, or where it is unknown."""
    found = content(file)
    name = file.path.name.lower()
    suffix = max((each for known in FORMATS for each in known.suffixes if name.endswith(each)), key=len, default=None)
    if suffix is not None and (found is None or suffix not in found.suffixes):
        claimed = enumerated([each.description for each in FORMATS if suffix in each.suffixes], "or")
        actual = "of an unknown kind" if found is None else found.description
        raise FileReadError(file.path, f": the suffix {suffix} claims {claimed}, but the content is {actual}.")
    if found is None:
        raise FileReadError(file.path, f"is no table that can be read. Readable are {readable()}.")
    return found


def open_file(path: Path, columns: Sequence[Any] | None = None, cells: CellReaders | None = None) -> Rows:
    """Rows of one file; with `cells`, those of chosen columns that may hold more than numbers."""
    file = FileState.of(path)
    form = format_of(file)
    if cells is None or columns is None or form.open_cells is None:
        rows = form.open(file, columns)
    else:
        rows = form.open_cells(file, columns, cells)
    if not rows.shape[1]:
        raise ValueError(f"{file.path} has no columns.")
    return rows


def read_header(path: Path) -> Header:
    """Which columns a file has, whatever they hold."""
    file = FileState.of(path)
    return format_of(file).header(file)


def column_type(path: Path, name: str) -> Any:
    """NumPy dtype or Arrow type of a column; raises if the column cannot be read."""
    file = FileState.of(path)
    return format_of(file).column_type(file, name)


def read_columns(paths: Sequence[Path], names: Sequence[str], n_rows: int) -> Iterator[Sequence[Any]]:
    """Values of some columns of files, in blocks of roughly `n_rows`: NumPy arrays, Arrow arrays, or lists of texts.

    A name is that of a column, its number, or the name of an array that the file holds next to the table.
    """
    for path in paths:
        file = FileState.of(path)
        yield from format_of(file).read_columns(file, names, n_rows)


def writable() -> list[str]:
    """Suffixes of files that can be written."""
    return [suffix for each in FORMATS for suffix in each.writers]


def output_format(suffix: str) -> Format:
    """The format of files with a suffix that can be written."""
    return next(each for each in FORMATS if suffix in each.writers)


def open_writer(stream: BinaryIO, suffix: str, output: Output) -> AbstractContextManager[Writer]:
    """A writer of a table to a stream, in the format of a suffix."""
    return output_format(suffix).writers[suffix](stream, output)
