"""How a file of text is to be read: delimiter, names of columns, and where the first row begins."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from dncsc.rows.arrow import arrow
from dncsc.rows.base import FileReadError, FileState

LONGEST_LINE = 2**24
BOM = b"\xef\xbb\xbf"
QUOTED = re.compile(r'(?:^|(?<=[,;\t]))\s*"[^"]*(?:""[^"]*)*"')
"""A quoted cell, in which a delimiter says nothing; quotes inside a cell, as for inches, are no more than that."""
MARKS = re.compile(rb'(?<![^,;\t\r\n])"[^"]*(?:""[^"]*)*(?:"|\Z)|\r\n|\n|\r|\Z')
"""Quoted cells, and line ends outside of these."""
MISSING = ["", "#N/A", "#N/A N/A", "#NA", "N/A", "n/a", "NA", "NULL", "null", "None"]
"""Cells without a value. NaN is a value: what it means is decided elsewhere."""


@dataclass(frozen=True)
class Dialect:
    """What has to be known before rows can be read."""

    delimiter: str
    names: tuple[str, ...] | None
    """None where there is no header"""
    width: int
    """columns"""
    begin: int
    """bytes before the first row"""
    block_size: int
    """bytes to look at a time: several lines"""
    compressed: bool
    empty: bool
    """whether there is a header and nothing else"""


def read_dialect(file: FileState, compressed: bool) -> Dialect:
    """Look at the beginning of a file."""
    try:
        with _open(file, compressed) as stream:
            head = stream.read(LONGEST_LINE)
    except (OSError, EOFError, zlib.error) as error:
        raise FileReadError(file.path, f"is damaged or truncated: {error}") from error
    lines = list(_first_lines(head))
    if not lines:
        raise FileReadError(file.path, "has no lines but empty ones.")
    longest = max(end - start for start, end in lines)
    if longest >= LONGEST_LINE - len(BOM):
        raise FileReadError(file.path, f"is no table: its first line is longer than {LONGEST_LINE} bytes.")
    try:
        texts = [head[start:end].decode() for start, end in lines]
    except UnicodeDecodeError as error:
        raise FileReadError(file.path, f"is not in UTF-8: {error}. Save it in that encoding.") from error
    delimiter = _delimiter(file, texts[0])
    records = [_fields(text, delimiter) for text in texts]
    names = tuple(name.strip() for name in records[0]) if _is_header(*records) else None
    begin = lines[0][0] if names is None else lines[0][1]
    empty = names is not None and len(lines) == 1
    return Dialect(delimiter, names, len(records[0]), begin, _block_size(longest), compressed, empty)


def _block_size(line: int) -> int:
    """Room for some thousand lines, as each column of each block costs something, but for 16 at the least."""
    return max(2**20, min(2**12 * line, 2**25), 16 * line)


def arrow_stream(file: FileState, dialect: Dialect) -> Any:
    """The file as pyarrow reads it, from the first row on."""
    pa = arrow()
    stream: Any = pa.OSFile(str(file.path))
    if dialect.compressed:
        stream = pa.CompressedInputStream(stream, "gzip")
    stream.read(dialect.begin)
    return stream


def parse_options(dialect: Dialect) -> Any:
    """How pyarrow finds cells. That quoted ones may hold line ends costs no time that could be measured."""
    return arrow("pyarrow.csv").ParseOptions(
        delimiter=dialect.delimiter,
        newlines_in_values=True,
        ignore_empty_lines=dialect.width > 1,  # where a row is one cell, an empty line is a row without a value
    )


def refuse_ragged(file: FileState, dialect: Dialect) -> None:
    """Find the first line that has too few or too many cells, slowly."""
    with io.TextIOWrapper(_open(file, dialect.compressed), "utf-8-sig", errors="replace", newline="") as lines:
        reader = csv.reader(lines, delimiter=dialect.delimiter)
        try:
            for cells in reader:
                if cells and len(cells) != dialect.width:
                    raise ValueError(
                        f"{file.path}: line {reader.line_num} has {len(cells)} cells; the first has {dialect.width}."
                    )
        except csv.Error as error:
            raise FileReadError(file.path, f"is no table of text: line {reader.line_num}: {error}.") from error


def _open(file: FileState, compressed: bool) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(file.path)) if compressed else open(file.path, "rb")


def _first_lines(head: bytes) -> Iterator[tuple[int, int]]:
    """Where the first two lines that are not empty begin and end, line ends with them. Quoted cells may hold others."""
    first = start = len(BOM) if head.startswith(BOM) else 0
    found = 0
    for mark in MARKS.finditer(head[first:]):
        if mark.group().startswith(b'"'):
            continue
        end = first + mark.end()
        if head[start:end].strip():
            yield start, end
            found += 1
        start = end
        if found == 2:
            return


def _delimiter(file: FileState, line: str) -> str:
    name = file.path.name.lower()
    if name.endswith((".tsv", ".tsv.gz")):
        return "\t"
    is_csv = name.endswith((".csv", ".csv.gz"))
    bare = QUOTED.sub("", line)
    for delimiter in ",\t;" if is_csv else "\t,;":
        if delimiter in bare:
            return delimiter
    if is_csv:
        return ","
    from dncsc.rows.formats import readable  # which lists text among others

    raise FileReadError(file.path, f"is text, but no table with commas or tabs. Readable are {readable()}.")


def _fields(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:  # a cell of more than 128 kB
        return text.split(delimiter)


def _is_header(first: list[str], second: list[str] | None = None) -> bool:
    """Whether a line holds names: text, or text and whole numbers, or 0, 1, 2, ... above values that are not whole."""
    values = [cell for cell in first if _is_value(cell)]
    if not values:
        return True
    if len(values) < len(first):
        return all(map(_is_whole, values)) and not _is_row(first, second)
    counted = [cell.strip() for cell in first] == [str(number) for number in range(len(first))]
    return counted and second is not None and not all(_is_whole(cell.strip().lstrip("+-")) for cell in second)


def _is_row(first: list[str], second: list[str] | None) -> bool:
    """Whether text and whole numbers are a row, as `T,2,8,3` above `I,5,12,3`, and no names, as `city,2019,2020`.

    Names differ from each other, and a name above a number gives them away. Where there is none, numbers have to count
    up, or stand above values none of which is whole, to be taken for names, and text may not stand below itself.
    """
    cells = [cell.strip() for cell in first]
    if len(set(cells)) < len(cells):
        return True
    pairs = [(above, below.strip()) for above, below in zip(cells, second or (), strict=False)]
    texts = [(above, below) for above, below in pairs if not _is_value(above) and above not in (*MISSING, "?")]
    if not pairs or any(_is_value(below) for _, below in texts):
        return False
    numbers = [(int(above), below) for above, below in pairs if _is_value(above)]
    if _counts_up([number for number, _ in numbers]) or not any(_is_whole(below.lstrip("+-")) for _, below in numbers):
        return any(above == below for above, below in texts)
    return True


def _counts_up(numbers: list[int]) -> bool:
    """Whether numbers go up in equal steps, by which years can be told from measurements; two numbers, one by one."""
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    return len(steps) == 1 and min(steps) > 0 and (len(numbers) > 2 or steps == {1})


def _is_whole(cell: str) -> bool:
    return cell.strip().isdecimal()


def _is_value(cell: str) -> bool:
    if cell.strip().lower() in ("true", "false"):
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True
