"""Rows of files that pyarrow decodes: columns become blocks of rows, and the other way round."""

from __future__ import annotations

import importlib
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any, BinaryIO

import numpy as np

from dncsc.rows.base import BATCH_ROWS, FileState, SlicedRows, decoded
from dncsc.rows.columns import ColumnsError, column_names
from dncsc.rows.format import Format, Header, Output

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


class LastSlice(threading.local):
    """The slice that was decoded last, one for each thread. A copy, or a pickle, begins without one."""

    number: int | None = None
    rows: Any = None

    def __reduce__(self) -> tuple[type[LastSlice], tuple[()]]:
        return LastSlice, ()


class ArrowRows(SlicedRows):
    """Rows of a file with an Arrow schema, in slices such as row groups; only the chosen columns are read.

    Slices are decoded as a whole. A reader that resumes where it stopped decodes each of them once.
    """

    def __init__(self, file: FileState, columns: Sequence[Any] | None = None) -> None:
        self._columns, dtype = _choose(self.schema(file), columns, str(file.path))
        self._last = LastSlice()
        super().__init__([file], self.lengths(file, self._columns), len(self._columns), dtype, self._columns)

    @classmethod
    @abstractmethod
    def schema(cls, file: FileState) -> Any:
        """The Arrow schema of a file."""

    @classmethod
    @abstractmethod
    def tables(cls, file: FileState, names: Sequence[str], n_rows: int, slices: Any = None) -> Iterator[Any]:
        """Record batches of some columns, of roughly so many rows; those of all slices, or of some by number."""

    @classmethod
    def lengths(cls, file: FileState, names: Sequence[str]) -> list[int]:
        """Rows of all slices."""
        return [len(table) for _, table in decoded(file, cls.tables(file, names[:1], BATCH_ROWS))]

    def _slices(self, numbers: Sequence[int] | None = None, row: int = 0) -> Iterator[np.ndarray]:
        file = self.files[0]
        for first, table in decoded(file, self.tables(file, self._columns, BATCH_ROWS, numbers), row):
            columns = [_values(table.column(name), name, first, str(file.path)) for name in self._columns]
            yield side_by_side(columns, self.dtype)

    def _part(self, number: int, start: int, stop: int) -> np.ndarray:
        self.check(self._bounds[number] + start)
        last = self._last
        if last.number != number:
            last.number = last.rows = None  # the old one goes before the new one comes
            last.rows = np.concatenate(list(self._slices([number], self._bounds[number])))
            last.number = number
        return last.rows[start:stop]


def _choose(schema: Any, columns: Sequence[Any] | None, where: str) -> tuple[tuple[str, ...], np.dtype[Any]]:
    """Names of chosen columns, of all but pandas' index by default, and the type that holds their values."""
    index = set() if columns is not None else _pandas_index(schema)
    names = [name for name in column_names(columns, schema.names, where) if name not in index]
    if not names:
        raise ValueError(f"{where} has no columns.")
    types = {name: _numpy_type(schema.field(name).type) for name in names}
    good = [name for name in names if types[name] is not None]
    bad = [f"{name!r} ({schema.field(name).type})" for name in names if types[name] is None]
    if bad:
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        choice = "choose others with {columns}" if good else "no column does"
        rule = f"columns must hold numbers; {choice}. Not numbers are {', '.join(bad[:5])}{more}."
        raise ColumnsError(where, rule, good)
    return tuple(names), np.result_type(*(dtype for dtype in types.values() if dtype is not None))


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
    types = arrow("pyarrow.types")
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    refuse_missing(column, name, start, where)
    if types.is_decimal(column.type):
        column = column.cast(arrow().float64())
    return column.to_numpy(zero_copy_only=False)


def refuse_missing(column: Any, name: str | int, start: int, where: str) -> None:
    """Say where values are missing, if some are; `start` is the number of the first row."""
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        raise ValueError(
            f"{where}: column {name!r} has no value in row {start + missing[0]}; {len(missing)} of the {len(column)} "
            f"values from row {start} on are missing. Fill them, drop these rows, or choose other columns."
        )


class ArrowWriter(AbstractContextManager["ArrowWriter"]):
    """Writes tables with a writer of Arrow's, which `make` gives when the first block shows the schema."""

    def __init__(self, make: Callable[[BinaryIO, Any], Any], stream: BinaryIO, output: Output) -> None:
        self._make, self._stream, self._names = make, stream, list(output.names)
        self._writer: Any = None

    def write(self, columns: Sequence[Any]) -> None:
        pa = arrow()
        arrays = [pa.array(column) if isinstance(column, np.ndarray) else column for column in columns]
        table = pa.table(arrays, names=self._names)
        if self._writer is None:
            self._writer = self._make(self._stream, table.schema)
        self._writer.write_table(table)

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            self._writer.close()


def arrow_format(rows: type[ArrowRows], written: Mapping[str, Callable[[BinaryIO, Any], Any]], **fields: Any) -> Format:
    """The format of files that `rows` reads.

    `written` has suffixes of files that can be written, and what makes Arrow's writer for a stream and a schema;
    `fields` are the other fields of `Format`.
    """

    def header(file: FileState) -> Header:
        schema = rows.schema(file)
        index = _pandas_index(schema)
        return Header(list(schema.names), [name for name in schema.names if name not in index], has_names=True)

    def column_type(file: FileState, name: str) -> Any:
        found = rows.schema(file).field(name).type
        return found.value_type if arrow("pyarrow.types").is_dictionary(found) else found

    def read_column(file: FileState, name: str, n_rows: int) -> Iterator[Any]:
        return (table.column(0) for _, table in decoded(file, rows.tables(file, [name], n_rows)))

    writers = {suffix: partial(ArrowWriter, make) for suffix, make in written.items()}
    return Format(
        open=rows,
        header=header,
        read_column=read_column,
        column_type=column_type,
        writers=writers,
        holds="typed columns",
        **fields,
    )
