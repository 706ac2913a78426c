"""How a file of text is to be read: delimiter, names of columns, and how many lines are no rows."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, cast

import numpy as np

from dncsc.rows.base import FileReadError, FileState, decoding

LONGEST_LINE = 2**24
LOOKED_AT = 20
"""Lines by which the character between cells is recognised."""

AMOUNT = r"[+-]?(\d+|[1-9]\d{0,2}([.,'\u2019\s]\d{3})+)([.,]\d+)?"
NUMBER = re.compile(AMOUNT)
"""As people write numbers: with a point or a comma before decimals, and something or nothing between thousands."""

MONEY = re.compile(rf"([A-Z]{{3}}\s?|[^\w,]*){AMOUNT}(\s?[A-Z]{{3}}|[^\w,]*)")
"""The same, perhaps with a currency, or as per cents."""

PLAIN_NUMBER = re.compile(r"\d+(\.\d+)?")
"""As names of columns may be written: years, wavelengths, quantiles."""

SAME_STEP = 1e-9

NOT_FINITE = ("nan", "inf", "infinity")

SAVE_IN_UTF8 = "save it in UTF-8, as iconv -f LATIN1 -t UTF-8 makes of LATIN1."

SEPARATOR = re.compile(rb"(?:\xef\xbb\xbf)?sep=([,;|\t])\r?\n")
"""The line above the names that names the character between cells, for spreadsheets."""

GZIP_MAGIC = b"\x1f\x8b"
WORDS_FOR_MISSING = ["#N/A", "#N/A N/A", "#NA", "N/A", "n/a", "NA", "N.A.", "n.a.", "<NA>", "NULL", "null", "None"]
MARKS_FOR_MISSING = ["-", "--", "\u2013", "\u2014", "?"]
MISSING = ["", *WORDS_FOR_MISSING, *MARKS_FOR_MISSING]
"""Cells without a value. NaN is a value: what it means is decided elsewhere."""


@dataclass(frozen=True)
class Dialect:
    """What has to be known before rows can be read.

    There are `width` columns, with `names` if there is a header, and no rows if `empty`. The first line comes after
    `blank` ones, which are empty or say what stands between cells. `block_size` is in bytes: several lines.
    """

    delimiter: str
    names: tuple[str, ...] | None
    width: int
    blank: int
    block_size: int
    empty: bool

    def numbers_of(self, names: Sequence[str]) -> list[int]:
        """Numbers of columns that have these names; there may be a million of them."""
        known = {name: number for number, name in enumerate(self.names or ())}
        return [known[name] for name in names]


def read_dialect(file: FileState) -> Dialect:
    """Look at the beginning of a file."""
    with decoding(file):
        with open_text(file) as stream:
            head = stream.read(LONGEST_LINE)
        told = SEPARATOR.match(head)
        head = head[told.end() :] if told else head
        delimiter = told[1].decode() if told else _delimiter(file, head)
        try:
            blank, records = _first_records(head, delimiter)
        except csv.Error as error:
            does = "has a cell that does not end in its first lines. A double quote there may lack its pair."
            raise FileReadError(file.path, does) from error
        blank += told is not None
    if not records:
        raise FileReadError(file.path, "has no lines but empty ones.")
    if len(head) == LONGEST_LINE and len(records) < 2:
        raise FileReadError(file.path, f"is no table: its first line is longer than {LONGEST_LINE} bytes.")
    if any("\ufffd" in cell for cells in records for cell in cells):
        refuse_other_encoding(file)
    first, *others = [[cell.strip() for cell in cells] for cells in records]
    names = tuple(first) if _is_header(first, others[0] if others else []) else None
    line = max(len(delimiter.join(cells).encode()) for cells in records)
    # Room for some thousand lines, as each column of each block costs something, but for 16 at the least.
    block_size = max(2**20, min(2**12 * line, 2**25), 16 * line)
    return Dialect(delimiter, names, len(first), blank, block_size, names is not None and not others)


def is_compressed(file: FileState) -> bool:
    """Whether the content is that of a gzip file."""
    with open(file.path, "rb") as stream:
        return stream.read(2) == GZIP_MAGIC


def open_text(file: FileState) -> IO[bytes]:
    """The letters of a file, which may be compressed."""
    return cast("IO[bytes]", gzip.open(file.path)) if is_compressed(file) else open(file.path, "rb")


def refuse_other_encoding(file: FileState) -> None:
    """Find the first line that is not in UTF-8."""
    with open_text(file) as lines:
        number = next((number for number, line in enumerate(lines, 1) if not _is_utf8(line)), None)
    if number is not None:
        problem = f"is text in another encoding than UTF-8, as line {number} shows: {SAVE_IN_UTF8}"
        raise FileReadError(file.path, problem)


def _is_utf8(line: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        line.decode()
        return True
    return False


def _first_records(head: bytes, delimiter: str, count: int = 2, strict: bool = False) -> tuple[int, list[list[str]]]:
    """Cells of the first lines that are not empty, and the number of empty lines before them."""
    lines = io.TextIOWrapper(io.BytesIO(head), "utf-8-sig", "replace", newline="")
    blank, records = 0, []
    for cells in csv.reader(lines, delimiter=delimiter, strict=strict):
        if delimiter.join(cells).strip():
            records.append(cells)
        elif not records:
            blank += 1
        if len(records) == count:
            break
    return blank, records


def _delimiter(file: FileState, head: bytes) -> str:
    """What stands between cells: the first that splits the first lines into equally many, or at least the first line.

    Of commas and semicolons that both do, commas stand before decimals where they are in numbers alone.
    """
    name = file.path.name.lower()
    if name.endswith((".tsv", ".tsv.gz")):
        return "\t"
    is_csv = name.endswith((".csv", ".csv.gz"))
    cut = head.rfind(b"\n") + 1 if len(head) == LONGEST_LINE else 0  # the last line may not be all there
    head, records = head[: cut or None], dict[str, list[list[str]]]()
    for delimiter in ",\t;|" if is_csv else "\t,;|":
        with suppress(csv.Error):  # where the delimiter stands in quotes, another one stands behind them
            if any(len(cells) > 1 for cells in _first_records(head, delimiter, 1, strict=True)[1]):
                records[delimiter] = _first_records(head, delimiter, LOOKED_AT)[1]
    even = [delimiter for delimiter, lines in records.items() if len(set(map(len, lines))) == 1]
    if even[:1] == [","] and ";" in even and _has_decimal_commas(records[";"]):
        return ";"
    if records:
        return next(iter([*even, *records]))
    if is_csv:
        return ","
    from dncsc.rows.formats import readable  # which lists text among others

    raise FileReadError(file.path, f"is text, but no table with commas, semicolons or tabs. Readable are {readable()}.")


def _has_decimal_commas(records: list[list[str]]) -> bool:
    """Whether commas below the first line, of which there are some, stand in numbers alone, as in 1.234,5."""
    commas = [cell.strip() for cells in records[1:] for cell in cells if "," in cell]
    return bool(commas) and all(map(MONEY.fullmatch, commas))


def _is_header(first: list[str], second: list[str]) -> bool:
    """Whether a line holds names: text, or text and numbers, or 0, 1, 2, ... above values that are not whole.

    Text and whole numbers may be a row too, as `T,2,8,3` above `I,5,12,3`. Names, as `city,2019,2020`, differ from
    each other, and a name above a number gives them away. Where there is none, numbers have to count up, or stand above
    values none of which is whole, to be taken for names, and text may not stand below itself. Numbers that are not
    whole, as wavelengths or quantiles, have to count up in any case. `nan` and the like are names where others are.
    """
    pairs = list(zip(first, second, strict=False))
    texts = [(above, below) for above, below in pairs if not _is_value(above) and above not in MISSING]
    has_names = any(_is_value(below) for _, below in texts)
    values = [cell for cell in first if _is_value(cell) and not (has_names and _is_not_finite(cell))]
    if not values:
        return True
    if len(values) == len(first):
        counted = first == [str(number) for number in range(len(first))]
        return counted and bool(second) and not all(map(_is_whole, second))
    if not all(map(PLAIN_NUMBER.fullmatch, values)) or len(set(first)) < len(first):
        return False
    are_whole = all(cell.isdecimal() for cell in values)
    if not pairs or (are_whole and has_names):
        return True
    above_whole = any(_is_whole(below) for above, below in pairs if _is_value(above))
    are_names = _count_up(values) or (are_whole and not above_whole)
    return are_names and all(above != below for above, below in texts)


def _count_up(values: list[str]) -> bool:
    """Whether numbers go up in equal steps, by which years differ from measurements; two of them in a step of one."""
    steps = np.diff([float(value) for value in values])
    if not len(steps) or steps.min() <= 0 or np.ptp(steps) > SAME_STEP:
        return False
    return len(steps) > 1 or abs(steps[0] - 1) <= SAME_STEP


def _is_whole(cell: str) -> bool:
    return cell.lstrip("+-").isdecimal()


def _is_not_finite(cell: str) -> bool:
    return cell.lstrip("+-").lower() in NOT_FINITE


def _is_value(cell: str) -> bool:
    with suppress(ValueError):
        float(cell)
        return True
    return cell.lower() in ("true", "false") or NUMBER.fullmatch(cell) is not None
