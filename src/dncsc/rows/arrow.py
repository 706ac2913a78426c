"""What Parquet, Arrow and CSV files have in common: Arrow's columns as blocks of rows, and the other way round."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO

import numpy as np

from dncsc.rows.base import FileReadError, FileState
from dncsc.rows.columns import ColumnsError, column_names
from dncsc.rows.format import Format, Header, Output, Writer

TILE_BYTES = 2**21
"""Of rows that are filled column by column before the next ones: few enough for the cache, but not a few."""


@cache
def arrow(module: str = "pyarrow") -> Any:
    """pyarrow, or a module of it, imported when a file needs it."""
    try:
        importlib.import_module("pyarrow")
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError('files of this kind are read by pyarrow: pip install "dncsc[io]"') from error


@contextmanager
def decoding(file: FileState, row: int) -> Iterator[None]:
    """Arrow's errors about a damaged file become `FileReadError`, which says so if the file has changed."""
    try:
        yield
    except FileReadError:
        raise
    except (arrow().ArrowException, OSError, UnicodeDecodeError) as error:
        file.check(row)
        place = f" at row {row} or after it" if row else ""
        raise FileReadError(file.path, f"is damaged or truncated{place}: {error}") from error
    file.check(row)


@dataclass(frozen=True)
class Chosen:
    """Columns that are used, in the order in which they are given."""

    names: tuple[str, ...]
    dtype: np.dtype[Any]


def choose(schema: Any, columns: Sequence[Any] | None, where: str) -> Chosen:
    """Check the names and types of chosen columns; all but pandas' index by default."""
    index = set() if columns is not None else _pandas_index(schema)
    names = [name for name in column_names(columns, schema.names, where) if name not in index]
    if not names:
        raise ValueError(f"{where} has no columns.")
    types = {name: _numpy_type(schema.field(name).type) for name in names}
    bad = [name for name in names if types[name] is None]
    if bad:
        described = [f"{name!r} ({schema.field(name).type})" for name in bad]
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        good = [name for name in names if types[name] is not None]
        choice = "choose others with {columns}" if good else "no column does"
        rule = f"columns must hold numbers; {choice}. Not numbers are {', '.join(described[:5])}{more}."
        raise ColumnsError(where, rule, good)
    return Chosen(tuple(names), np.result_type(*(dtype for dtype in types.values() if dtype is not None)))


def _pandas_index(schema: Any) -> set[str]:
    """Columns that hold the labels of a data frame's rows, as pandas notes them in the file."""
    noted = (schema.pandas_metadata or {}).get("index_columns", [])
    return {name for name in noted if isinstance(name, str)}


def _numpy_type(kind: Any) -> np.dtype[Any] | None:
    """The dtype of an Arrow type's values as numbers; None if they are none."""
    types = arrow("pyarrow.types")
    if types.is_dictionary(kind):
        return _numpy_type(kind.value_type)
    if types.is_decimal(kind):
        return np.dtype(np.float64)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return np.dtype(kind.to_pandas_dtype())
    return None


def block(table: Any, chosen: Chosen, start: int, where: str) -> np.ndarray:
    """Rows of a record batch or table; `start` is the number of its first row."""
    return side_by_side([_values(table.column(name), name, start, where) for name in chosen.names], chosen.dtype)


def side_by_side(columns: Sequence[np.ndarray], dtype: np.dtype[Any]) -> np.ndarray:
    """Columns as rows."""
    rows = np.empty((len(columns[0]), len(columns)), dtype)
    step = max(1, TILE_BYTES // max(1, rows.itemsize * len(columns)))
    for first in range(0, len(rows), step):
        for number, column in enumerate(columns):
            rows[first : first + step, number] = column[first : first + step]
    return rows


def _values(column: Any, name: str, start: int, where: str) -> np.ndarray:
    """One column as an array; a missing value is refused."""
    pa, types = arrow(), arrow("pyarrow.types")
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # as pyarrow gives none, or several, for some types
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        refuse_missing(column, name, start, where)
    if types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)


def refuse_missing(column: Any, name: str | int, start: int, where: str) -> None:
    """Say where values are missing."""
    missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
    raise ValueError(
        f"{where}: column {name!r} has no value in row {start + missing[0]}; {len(missing)} of the "
        f"{len(column)} values from row {start} on are missing. Fill them, drop these rows, or choose other columns."
    )


class ArrowWriter:
    """Writes tables with a writer of Arrow's, which `make` gives when the first block shows the schema."""

    def __init__(self, make: Callable[[BinaryIO, Any], Any], stream: BinaryIO, names: Sequence[str]) -> None:
        self._make, self._stream, self._names = make, stream, list(names)
        self._writer: Any = None

    def write(self, columns: Sequence[Any]) -> None:
        pa = arrow()
        arrays = [pa.array(column) if isinstance(column, np.ndarray) else column for column in columns]
        table = pa.table(arrays, names=self._names)
        if self._writer is None:
            self._writer = self._make(self._stream, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


Tables = Iterator[tuple[int, Any]]
"""Record batches with the numbers of their first rows."""


def arrow_format(
    schema: Callable[[FileState], Any],
    tables: Callable[[FileState, Sequence[str], int], Tables],
    make_writer: Callable[[BinaryIO, Any], Any] | None = None,
    written: Sequence[str] = (),
    **fields: Any,
) -> Format:
    """A format whose files have an Arrow schema, and of which `tables` gives columns as record batches.

    `make_writer` makes Arrow's writer for a stream and a schema, for files with the suffixes `written`; `fields` are
    the other fields of `Format`.
    """

    def header(file: FileState) -> Header:
        found = schema(file)
        index = _pandas_index(found)
        return Header(list(found.names), [name for name in found.names if name not in index], has_names=True)

    def column_type(file: FileState, name: str) -> Any:
        found = schema(file).field(name).type
        return found.value_type if arrow("pyarrow.types").is_dictionary(found) else found

    def read_column(file: FileState, name: str, n_rows: int) -> Iterator[Any]:
        return (table.column(0) for _, table in tables(file, [name], n_rows))

    def write(stream: BinaryIO, output: Output) -> AbstractContextManager[Writer]:
        assert make_writer is not None
        return closing(ArrowWriter(make_writer, stream, output.names))

    return Format(
        header=header,
        read_column=read_column,
        column_type=column_type,
        writers=dict.fromkeys(written, write),
        holds="typed columns",
        **fields,
    )
