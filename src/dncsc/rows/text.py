"""CSV and TSV: cells are read as text by pyarrow and turned into numbers here.

The type of a column is what all of its cells need. It is found in a first pass, when the file is opened, which counts
rows too; each later pass turns cells into numbers in the same way.
"""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO, Any

import numpy as np

from dncsc.rows.arrow import arrow, refuse_missing, side_by_side
from dncsc.rows.base import FileReadError, FileState, StreamRows, decoded
from dncsc.rows.columns import ColumnsError, column_names, column_numbers
from dncsc.rows.dialect import MISSING, Dialect, read_dialect, refuse_ragged
from dncsc.rows.format import Format, Header, Output, Writer
from dncsc.rows.values import as_texts

TYPES = ("int64", "float64", "bool")
"""What cells can be, and in which order that is tried."""


class TextRows(StreamRows):
    """Rows of a CSV or TSV file."""

    kind = "text"

    def __init__(self, file: FileState, dialect: Dialect, numbers: Sequence[int]) -> None:
        self._dialect, self._numbers = dialect, tuple(numbers)
        names = None if dialect.names is None else tuple(dialect.names[number] for number in numbers)
        self._labels = self._numbers if names is None else names
        n, self._types = self._survey(file)
        dtype = np.result_type(*map(np.dtype, self._types))
        super().__init__([file], (n, len(numbers)), dtype, names)

    def _survey(self, file: FileState) -> tuple[int, list[str]]:
        """Number of rows, and the type of each chosen column."""
        types = [""] * len(self._numbers)
        end = 0
        for row, table in _cell_tables(file, self._dialect, self._numbers, MISSING):
            for place, column in enumerate(table.columns):
                types[place] = self._widest(file, column, types[place], place, row)
            end = row + table.num_rows
        return end, [kind or "float64" for kind in types]

    def _widest(self, file: FileState, cells: Any, kind: str, place: int, row: int) -> str:
        """The type that cells need in addition to those before, which needed `kind`."""
        refuse_missing(cells, self._labels[place], row, str(file.path))
        possible = {"": TYPES, "int64": TYPES[:2]}.get(kind, (kind,))
        for wider in possible:
            if _converted(cells, wider) is not None:
                return wider
        bad = {
            kind: next(i for i in range(len(cells)) if _converted(cells[i : i + 1], kind) is None) for kind in possible
        }
        at = max(bad.values())
        before = [kind for kind in possible if bad[kind] == at]
        expected = "truth value, as those before are" if before == ["bool"] else "number"
        raise ColumnsError(
            str(file.path),
            f"column {self._labels[place]!r} holds {cells[at].as_py()!r} in row {row + at}, which is no {expected}. "
            "Choose other columns with {columns}.",
        )

    def _slices(self) -> Iterator[np.ndarray]:
        file = self.files[0]
        for row, table in _cell_tables(file, self._dialect, self._numbers, MISSING):
            columns = [_converted(cells, kind) for cells, kind in zip(table.columns, self._types, strict=True)]
            if any(column is None or column.null_count for column in columns):
                raise FileReadError(file.path, f"was modified after it was opened: other cells after row {row}.")
            yield side_by_side([column.to_numpy(zero_copy_only=False) for column in columns], self.dtype)

    def fingerprint(self) -> dict[str, Any]:
        named = self.names is not None or len(self._numbers) == self._dialect.width
        return super().fingerprint() if named else {**super().fingerprint(), "columns": list(self._numbers)}


def open_text(file: FileState, columns: Sequence[Any] | None = None) -> TextRows:
    """Rows of a CSV or TSV file, which may be compressed by gzip."""
    dialect = _dialect(file)
    if dialect.names is None:
        numbers = column_numbers(columns, dialect.width, str(file.path))
        return TextRows(file, dialect, range(dialect.width) if numbers is None else numbers)
    if columns is None and "" in dialect.names:
        raise ColumnsError(
            str(file.path),
            f"column {dialect.names.index('')} has no name. If it numbers rows, as pandas' index does, choose the "
            "others with {columns}, or write the file without it.",
        )
    chosen = column_names(columns, dialect.names, str(file.path))
    return TextRows(file, dialect, [dialect.names.index(name) for name in chosen])


def _dialect(file: FileState) -> Dialect:
    arrow()  # without which no text is read
    with open(file.path, "rb") as stream:
        return read_dialect(file, compressed=GZIP.matches(stream.read(2)))


def _cell_tables(
    file: FileState, dialect: Dialect, numbers: Sequence[int], missing: Sequence[str]
) -> Iterator[tuple[int, Any]]:
    """Cells of some columns as text, with the numbers of their first rows; those in `missing` are null."""
    if dialect.empty:
        return
    try:
        yield from decoded(file, _record_batches(file, dialect, [str(number) for number in numbers], missing))
    except FileReadError as error:
        if isinstance(error.__cause__, arrow().ArrowInvalid):
            refuse_ragged(file, dialect)
        raise


def _record_batches(file: FileState, dialect: Dialect, names: Sequence[str], missing: Sequence[str]) -> Iterator[Any]:
    pa, pa_csv = arrow(), arrow("pyarrow.csv")
    with pa.input_stream(str(file.path), "gzip" if dialect.compressed else None) as stream:
        reader = pa_csv.open_csv(
            stream,
            pa_csv.ReadOptions(
                column_names=[str(number) for number in range(dialect.width)],
                skip_rows=dialect.blank,
                skip_rows_after_names=int(dialect.names is not None),
                block_size=dialect.block_size,
            ),
            pa_csv.ParseOptions(
                delimiter=dialect.delimiter,
                newlines_in_values=True,  # in quotes; costs no time that could be measured
                ignore_empty_lines=dialect.width > 1,  # where a row is one cell, an empty line is a row without a value
            ),
            pa_csv.ConvertOptions(
                include_columns=names,
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=bool(missing),
                quoted_strings_can_be_null=bool(missing),
                null_values=missing,
            ),
        )
        yield from (table for table in reader if len(table))


def _converted(cells: Any, kind: str) -> Any:
    """Text as numbers; None if some is none."""
    pa = arrow()
    for prepare in (lambda same: same, arrow("pyarrow.compute").utf8_trim_whitespace):
        with suppress(pa.ArrowInvalid):
            return prepare(cells).cast(kind)
    return None


def _header(file: FileState) -> Header:
    dialect = _dialect(file)
    names = [str(number) for number in range(dialect.width)] if dialect.names is None else list(dialect.names)
    return Header(names, names, dialect.names is not None)


def _read_column(file: FileState, name: str, n_rows: int = 0) -> Iterator[list[str]]:
    """Cells as they stand; an empty one is an empty text."""
    dialect = _dialect(file)
    number = int(name) if dialect.names is None else dialect.names.index(name)
    try:
        for _, table in _cell_tables(file, dialect, [number], []):
            yield table.column(0).to_pylist()
    except FileReadError as error:
        if "UTF8" in str(error.__cause__):
            raise FileReadError(file.path, f": column {name!r} is not in UTF-8. Save it in that encoding.") from error
        raise


def _column_type(file: FileState, name: str) -> Any:
    """Integer if every cell is one as Python would write it, which 007 is not; else text."""
    whole = [all(map(_is_integer, cells)) for cells in _read_column(file, name)]  # to the end, as some may be damaged
    return arrow().int64() if all(whole) else arrow().string()


def _is_integer(cell: str) -> bool:
    return len(cell) < 19 and cell.removeprefix("-").isdecimal() and str(int(cell)) == cell


class TextWriter:
    """Comma- or tab-separated values, with a line of names."""

    def __init__(self, stream: IO[str], names: Sequence[str], delimiter: str) -> None:
        self._stream, self._lines = stream, csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        self._lines.writerow(names)

    def write(self, columns: Sequence[Any]) -> None:
        self._lines.writerows(zip(*(as_texts(column) for column in columns), strict=True))
        self._stream.flush()


@contextmanager
def _write(stream: IO[bytes], output: Output, delimiter: str) -> Iterator[Writer]:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
    try:
        yield TextWriter(text, output.names, delimiter)
    finally:
        text.detach()


def _is_utf8(head: bytes) -> bool:
    """Whether bytes may begin a text in UTF-8."""
    if b"\0" in head:
        return False
    try:
        head[:4000].decode()
    except UnicodeDecodeError as error:
        return error.start > len(head[:4000]) - 4  # a letter cut in two
    return True


TEXT = Format(
    description="text",
    suffixes=(".csv", ".tsv"),
    matches=_is_utf8,
    open=open_text,
    header=_header,
    read_column=_read_column,
    column_type=_column_type,
    writers={".csv": partial(_write, delimiter=","), ".tsv": partial(_write, delimiter="\t")},
)

GZIP = dataclasses.replace(
    TEXT,
    description="compressed by gzip",
    suffixes=(".csv.gz", ".tsv.gz"),
    matches=lambda head: head.startswith(b"\x1f\x8b"),
    writers={},
)
