"""What a command reads: rows of files or of standard input, which columns are features, and columns that are not."""

from __future__ import annotations

import csv
import io
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dncsc import atomic
from dncsc.cli import errors
from dncsc.cli.interrupt import half_written
from dncsc.errors import InputError
from dncsc.suggest import did_you_mean

if TYPE_CHECKING:
    from dncsc.rows.format import Header

STDIN = "standard input"


@dataclass(frozen=True)
class InputTable:
    """Files, and what the user calls them."""

    name: str
    files: list[Path]


@dataclass(frozen=True)
class ColumnSelection:
    """Which columns are features, as the user said it: some, or all but some, and never those set aside.

    Of options that may be repeated there is a text for each time, with names between commas.
    """

    columns: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    identifier: Sequence[str] | None = None
    truth: str | None = None

    def aside(self, known: Header) -> list[tuple[str, str]]:
        """Options that name columns that are not features, each with a name."""
        truth = [] if self.truth is None else [("--truth", self.truth)]
        return [*(("--id", name) for name in identifier_names(self.identifier, known)), *truth]

    def __post_init__(self) -> None:
        if self.columns is not None and self.drop is not None:
            raise InputError("--columns and --drop exclude each other: give one of them.")


def split_names(*texts: str) -> list[str]:
    """Names between commas, of one text or several; quotes keep a comma inside a name."""
    return [name.strip() for text in texts for name in next(csv.reader([text], skipinitialspace=True), [""])]


def join_names(names: Sequence[str]) -> str:
    """Names as `split_names` takes them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()


def places(typed: str) -> list[Path]:
    """What no output may touch: the files behind an argument, and the folder if one was named."""
    from dncsc.rows.open import find_files

    if typed == "-":
        return []
    return [*find_files(typed), *([Path(typed)] if os.path.isdir(typed) else [])]


@contextmanager
def source(typed: str) -> Iterator[InputTable]:
    """The files behind an argument; standard input is copied into a file that lasts as long as the block."""
    from dncsc.rows.base import FileState, temporary_folder
    from dncsc.rows.formats import content
    from dncsc.rows.open import find_files

    if typed != "-":
        files = find_files(typed)
        errors.known_as |= {os.path.abspath(file): str(file) for file in files}
        yield InputTable(typed, files)
        return
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("- reads CSV from standard input, which is a terminal here. Pipe a file into it.")
    folder = Path(tempfile.gettempdir())
    atomic.remove_abandoned(folder, r"dncsc-stdin-[0-9a-f]{12}\.csv")
    spooled = folder / f"dncsc-stdin-{secrets.token_hex(6)}.csv"
    with half_written(spooled) as path, atomic.open_held(path, 0o600) as spool:
        errors.known_as[str(path)] = STDIN
        try:
            shutil.copyfileobj(sys.stdin.buffer, spool, 2**20)
            spool.flush()
        except OSError as error:
            error.filename = error.filename or temporary_folder()
            raise
        found = content(FileState.of(path))
        if found is None or ".csv" not in found.suffixes:
            came = "of an unknown kind" if found is None else found.description
            raise InputError(f"- reads CSV from standard input, but what came is {came}. Save it to a file first.")
        yield InputTable(STDIN, [path])


def identifier_names(typed: Sequence[str] | None, known: Header) -> list[str]:
    """Columns that --id names, each time: one, as it is called, or some between commas."""
    there = {*known.names, *known.arrays}
    return list(
        dict.fromkeys(name for text in typed or () for name in ([text] if text in there else split_names(text)))
    )


def feature_columns(source: InputTable, choice: ColumnSelection, *, tells: bool = True) -> list[Any] | None:
    """Columns to read, by name or number; None for all. A column that is left out for want of a name is told of."""
    from dncsc.rows.formats import read_header

    known = read_header(source.files[0])
    nothing_said = choice.columns is None and choice.drop is None and choice.identifier is None and choice.truth is None
    if nothing_said and "" not in known.features:
        return None
    check_aside(source, choice)
    columns = _listed("--columns", choice.columns, known, source.name)
    left_out = set(_listed("--drop", choice.drop, known, source.name))
    for option, name in choice.aside(known):
        if name in columns and name not in known.arrays:
            raise InputError(f"{name!r} stands in --columns and in {option}: it cannot be a feature and not one.")
        left_out |= {name} - known.arrays
    kept = columns or [name for name in known.features if name not in left_out]
    if "" in kept:  # most likely the index of a data frame, which says nothing about rows
        if tells:
            count, one = kept.count(""), "a column has no name, as pandas' index has none: it is"
            carry = " --id '' carries it over to the labels." if count == 1 else ""
            several = f"{count} columns have no names: they are"
            errors.tell(f"{source.name}: {one if count == 1 else several} left out.{carry}")
        kept = [name for name in kept if name]
    if not kept:
        raise InputError(f"no column of {source.name} is left as a feature.")
    return kept if known.has_names else [int(name) for name in kept]


def check_aside(source: InputTable, choice: ColumnSelection) -> None:
    """Refuse columns set aside that some file does not have, for all rows: they are read when the work is done."""
    from dncsc.rows.formats import column_type, read_header

    is_asked = choice.identifier is not None or choice.truth is not None
    for file in source.files if is_asked else ():
        known = read_header(file)
        for option, name in choice.aside(known):
            if name in known.arrays:
                column_type(file, name)
            else:
                _check_known(option, name, known, source.name if len(source.files) == 1 else str(file))


def _listed(option: str, typed: Sequence[str] | None, known: Header, where: str) -> list[str]:
    """Names of columns that exist."""
    names = split_names(*(typed or ()))
    if "" in names:
        raise InputError(f"column names stand between commas, as in a,b,c; got {','.join(typed or ())!r}.")
    for name in names:
        _check_known(option, name, known, where)
    return list(dict.fromkeys(names))


def _check_known(option: str, name: str, known: Header, where: str) -> None:
    if name in known.names:
        return
    if not known.has_names:
        raise InputError(
            f"{option}: {where} has no column names; its columns are 0 to {len(known.names) - 1}; got {name!r}."
        )
    shown = ", ".join(known.names[:20]) + (f" and {len(known.names) - 20} more" if len(known.names) > 20 else "")
    raise InputError(f"{option}: {where} has no column {name!r}.{did_you_mean(name, known.names)} It has: {shown}.")
