"""Lines of a file of text that are no rows: of too few or many cells, or with a double quote that lacks its pair."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from functools import lru_cache

from dncsc.rows.base import FileReadError, FileState, decoding
from dncsc.rows.dialect import Dialect, is_compressed, open_text

TAIL = 2**16
"""bytes of a file's end in which its last line is looked for"""


def refuse_ragged(file: FileState, dialect: Dialect) -> None:
    """Find the first line that has too few or too many cells, slowly."""
    for number, first, last, cells in _records(file, dialect):
        if number >= dialect.blank and cells and len(cells) != dialect.width:
            raise ValueError(_ragged(file, dialect, first, last, len(cells)))


def refuse_open_quote(
    file: FileState, dialect: Dialect, numbers: Sequence[int], last_row: Sequence[str | None]
) -> None:
    """An error where a double quote has swallowed the rest of the file, as the last row that was read shows.

    If it has, the last line is not the last row, and the whole file is read again to find where that begins.
    """
    cells = next(csv.reader([_last_line(file)], delimiter=dialect.delimiter), [])
    if len(cells) == dialect.width:
        pairs = zip((cells[number].strip() for number in numbers), last_row, strict=True)
        if all(value is None or value.strip() == cell for cell, value in pairs):
            return
    for _ in _records(file, dialect, strict=True):
        pass


@lru_cache(16)
def _last_line(file: FileState) -> str:
    """The last line that is not empty. A compressed file is unpacked for it, once."""
    with decoding(file), open_text(file) as stream:
        if is_compressed(file):
            tail = b""
            while piece := stream.read(2**20):
                tail = (tail + piece)[-TAIL:]
        else:
            stream.seek(max(0, stream.seek(0, io.SEEK_END) - TAIL))
            tail = stream.read()
    return (tail.decode("utf-8", "replace").strip("\r\n").splitlines() or [""])[-1]


def _records(file: FileState, dialect: Dialect, strict: bool = False) -> Iterator[tuple[int, int, int, list[str]]]:
    """Rows with their numbers, and those of the first and the last line of each; if strict, quotes have to end."""
    with io.TextIOWrapper(open_text(file), "utf-8-sig", "replace", newline="") as lines:
        reader, first = csv.reader(lines, delimiter=dialect.delimiter, strict=strict), 1
        try:
            for number, cells in enumerate(reader):
                yield number, first, reader.line_num, cells
                first = reader.line_num + 1
        except csv.Error as error:
            if "unexpected end" in str(error) or "field larger" in str(error):
                raise FileReadError(file.path, f": {_open_quote(first)}") from error
            if not strict:
                raise FileReadError(file.path, f"is no table of text: line {reader.line_num}: {error}.") from error


def _open_quote(line: int) -> str:
    return f"the row that begins in line {line} does not end. A double quote in that line may lack its pair."


def _ragged(file: FileState, dialect: Dialect, first: int, last: int, count: int) -> str:
    """What is wrong with a row that has so many cells, and what to do. It is one line, unless a quote is left open."""
    if last > first:
        has = f"the row that begins in line {first} ends in line {last}, and has {count} cell{'s' * (count != 1)}"
        return f"{file.path}: {has}; the first has {dialect.width}. A double quote in line {first} may lack its pair."
    mark = {"\t": "tab"}.get(dialect.delimiter, repr(dialect.delimiter))
    quotes = f"Cells with a {mark} in them belong in double quotes"
    remove = "Remove lines above the names of columns" if dialect.width == 1 else "Correct that line, or remove it"
    cells = f"line {last} has {count} cell{'s' * (count != 1)}; the first has {dialect.width}"
    return f"{file.path}: {cells}. {remove}. {quotes}."
