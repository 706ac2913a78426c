"""CSV and TSV: cells are read as text by pyarrow and turned into numbers here.

A first pass, when the file is opened, counts rows and finds the type of each column, which is what all its cells need.
"""

from __future__ import annotations

import codecs
import csv
import dataclasses
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import IO, Any

import numpy as np

from dncsc.errors import shown
from dncsc.rows.base import FileReadError, FileState, StreamRows, decoded
from dncsc.rows.columns import ColumnsError, NotNumbersError, column_names, column_numbers
from dncsc.rows.dialect import GZIP_MAGIC, MISSING, Dialect, is_compressed, read_dialect, refuse_other_encoding
from dncsc.rows.format import CellReaders, Format, Header, Output
from dncsc.rows.ragged import refuse_open_quote, refuse_ragged
from dncsc.rows.values import arrow, as_texts, refuse_missing, side_by_side

WIDER = {"": ("int64", "float64", "bool"), "int64": ("int64", "float64"), "float64": ("float64",), "bool": ("bool",)}
"""What a column may be, by what its cells so far are: the first that fits is chosen."""


class TextRows(StreamRows):
    """Rows of a CSV or TSV file, which may be compressed by gzip."""

    def __init__(self, file: FileState, columns: Sequence[Any] | None = None, cells: CellReaders | None = None) -> None:
        self._dialect, self._cells = read_dialect(file), cells
        where, known, names = str(file.path), self._dialect.names, None
        if known is None:
            self._numbers = column_numbers(columns, self._dialect.width, where) or list(range(self._dialect.width))
        elif columns is None and "" in known:
            raise ColumnsError(
                where,
                f"column {known.index('')} has no name. If it numbers rows, as pandas' index does, choose the others "
                "with {columns}, or write the file without it.",
            )
        else:
            names = tuple(column_names(columns, known, where))
            self._numbers = self._dialect.numbers_of(names)
        n, types = 0, ["" if cells is None else "float64"] * len(self._numbers)
        if cells is not None and file.path in cells.n_rows:
            n = cells.n_rows[file.path]
        else:
            for row, table in _cell_tables(file, self._dialect, self._numbers, MISSING):
                if cells is None:
                    types = _widest_of_all(table, types, names or self._numbers, row, where)
                n = row + len(table)
        self._types = [kind or "float64" for kind in types]
        super().__init__([file], (n, len(self._numbers)), np.result_type(*map(np.dtype, set(self._types))), names)

    def _slices(self) -> Iterator[np.ndarray]:
        file = self.files[0]
        missing = MISSING if self._cells is None else [""]  # readers of cells know other words
        for row, table in _cell_tables(file, self._dialect, self._numbers, missing):
            if self._cells is not None:
                read = [read(cells) for read, cells in zip(self._cells.readers, table.columns, strict=True)]
                yield side_by_side(read, self.dtype)
                continue
            together = _is_wide(table) and len(set(self._types)) == 1
            parts, kinds = ([_end_to_end(table)], self._types[:1]) if together else (table.columns, self._types)
            columns = [_converted(cells, kind) for cells, kind in zip(parts, kinds, strict=True)]
            if any(column is None or column.null_count for column in columns):
                raise FileReadError(file.path, f"was modified after it was opened: other cells after row {row}.")
            arrays = [column.to_numpy(zero_copy_only=False) for column in columns]
            yield arrays[0].reshape(-1, len(table)).T if together else side_by_side(arrays, self.dtype)


def _is_wide(table: Any) -> bool:
    """Whether it has more columns than rows, so that each by itself would cost more than its cells."""
    return bool(table.num_columns > len(table))


def _end_to_end(table: Any) -> Any:
    """Cells of all columns, one column after another."""
    return arrow().concat_arrays(table.columns)


def _widest_of_all(table: Any, so_far: list[str], labels: Sequence[Any], row: int, where: str) -> list[str]:
    """The types that the cells of all columns need in addition to those before.

    Those of a wide table are tried together. A column of whole numbers among others then counts as float64, which the
    table has in any case.
    """
    if _is_wide(table) and len(set(so_far)) == 1:
        cells = _end_to_end(table)
        fitting = (kind for kind in WIDER[so_far[0]] if not cells.null_count and _converted(cells, kind) is not None)
        kind = next(fitting, None)
        if kind is not None:
            return [kind] * len(so_far)
    columns = zip(table.columns, so_far, labels, strict=True)
    return [_widest(cells, kind, label, row, where) for cells, kind, label in columns]


def _widest(cells: Any, so_far: str, label: str | int, row: int, where: str) -> str:
    """The type that cells need in addition to those before; an error if there is none, or if a value is missing."""
    refuse_missing(cells, label, row, where)
    for kind in WIDER[so_far]:
        if _converted(cells, kind) is not None:
            return kind
    first_misfit = {
        kind: next(row for row in range(len(cells)) if _converted(cells[row : row + 1], kind) is None)
        for kind in WIDER[so_far]
    }
    at = max(first_misfit.values())
    before = [kind for kind, misfit in first_misfit.items() if misfit == at]
    expected = "truth value, as those before are" if before == ["bool"] else "number"
    problem = f"column {label!r} holds {shown(cells[at].as_py())} in row {row + at}, which is no {expected}."
    raise NotNumbersError(where, problem + " Choose other columns with {columns}.")


def _cell_tables(
    file: FileState, dialect: Dialect, numbers: Sequence[int], missing: Sequence[str]
) -> Iterator[tuple[int, Any]]:
    """Cells of some columns as text, with the numbers of their first rows; those in `missing` are null."""
    if dialect.empty:
        return
    table = None
    try:
        for row, table in decoded(file, _record_batches(file, dialect, [str(number) for number in numbers], missing)):
            yield row, table
    except FileReadError as error:
        if "UTF8" in str(error.__cause__):
            refuse_other_encoding(file)
        if isinstance(error.__cause__, arrow().ArrowInvalid):
            refuse_ragged(file, dialect)
        raise
    if table is not None:
        refuse_open_quote(file, dialect, numbers, [cells[-1].as_py() for cells in table.columns])


def _record_batches(file: FileState, dialect: Dialect, names: Sequence[str], missing: Sequence[str]) -> Iterator[Any]:
    pa, pa_csv = arrow(), arrow("pyarrow.csv")
    with pa.input_stream(str(file.path), "gzip" if is_compressed(file) else None) as stream:
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
    dialect = read_dialect(file)
    names = [str(number) for number in range(dialect.width)] if dialect.names is None else list(dialect.names)
    return Header(names, names, dialect.names is not None)


def _read_columns(file: FileState, names: Sequence[str], n_rows: int = 0) -> Iterator[list[Any]]:
    """Cells as they stand; an empty one is an empty text."""
    dialect = read_dialect(file)
    numbers = list(map(int, names)) if dialect.names is None else dialect.numbers_of(names)
    for _, table in _cell_tables(file, dialect, numbers, []):
        yield table.columns


def _column_type(file: FileState, name: str) -> Any:
    """Integer if every cell is one as Python would write it, which 007 is not; else text."""
    blocks = (cells.to_pylist() for (cells,) in _read_columns(file, [name]))
    whole = [all(map(_is_integer, cells)) for cells in blocks]  # to the end, as some may be damaged
    return arrow().int64() if all(whole) else arrow().string()


def _is_integer(cell: str) -> bool:
    return len(cell) < 19 and cell.removeprefix("-").isdecimal() and str(int(cell)) == cell


def _in_python(file: FileState, name: str) -> str:
    """A call of pandas that reads a file as this one is read."""
    dialect = read_dialect(file)
    separator = "" if dialect.delimiter == "," else f", sep={json.dumps(dialect.delimiter)}"
    above = f", skiprows={dialect.blank}" if dialect.blank else ""
    return f"pandas.read_csv({name}{separator}{above}{', header=None' if dialect.names is None else ''})"


class TextWriter(AbstractContextManager["TextWriter"]):
    """Comma- or tab-separated values, with a line of names."""

    def __init__(self, delimiter: str, stream: IO[bytes], output: Output) -> None:
        self._text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
        self._lines = csv.writer(self._text, delimiter=delimiter, lineterminator="\n")
        self._lines.writerow(output.names)

    def write(self, columns: Sequence[Any]) -> None:
        self._lines.writerows(zip(*(as_texts(column) for column in columns), strict=True))
        self._text.flush()

    def __exit__(self, *error: object) -> None:
        self._text.detach()


def _is_utf8(head: bytes) -> bool:
    """Whether bytes may begin a text in UTF-8; the last letter may be cut in two."""
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(head)
        return b"\0" not in head
    return False


TEXT = Format(
    description="text",
    suffixes=(".csv", ".tsv"),
    matches=_is_utf8,
    open=TextRows,
    header=_header,
    read_columns=_read_columns,
    column_type=_column_type,
    open_cells=TextRows,
    is_text=True,
    writers={".csv": partial(TextWriter, ","), ".tsv": partial(TextWriter, "\t")},
    in_python=_in_python,
)

GZIP = dataclasses.replace(
    TEXT,
    description="compressed by gzip",
    suffixes=(".csv.gz", ".tsv.gz"),
    matches=lambda head: head.startswith(GZIP_MAGIC),
    writers={},
)
