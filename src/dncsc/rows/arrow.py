"""Files that pyarrow reads: Parquet by row group, and Arrow's own (Feather among them) and streams by record batch."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from typing import Any, BinaryIO

import numpy as np

from dncsc.rows.base import BATCH_ROWS, FileReadError, FileState, SlicedRows, decoded, decoding
from dncsc.rows.columns import NotNumbersError, column_names
from dncsc.rows.format import CellReaders, Format, Header, Output
from dncsc.rows.values import arrow, as_array, numpy_type, side_by_side

BUFFER_BYTES = 2**17
"""Read of a Parquet column at a time, so that a row group need not be held as a whole."""


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

    def __init__(self, file: FileState, columns: Sequence[Any] | None = None, cells: CellReaders | None = None) -> None:
        self._cells = cells
        self._columns, dtype = _choose(self.schema(file), columns, str(file.path), cells is not None)
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
            if self._cells is None:
                columns = [as_array(table.column(name), name, first, str(file.path)) for name in self._columns]
            else:
                pairs = zip(self._cells.readers, self._columns, strict=True)
                columns = [read(table.column(name)) for read, name in pairs]
            yield side_by_side(columns, self.dtype)

    def _part(self, number: int, start: int, stop: int) -> np.ndarray:
        self.check(self._bounds[number] + start)
        last = self._last
        if last.number != number:
            last.number = last.rows = None  # the old one goes before the new one comes
            last.rows = np.concatenate(list(self._slices([number], self._bounds[number])))
            last.number = number
        return last.rows[start:stop]


def _choose(
    schema: Any, columns: Sequence[Any] | None, where: str, any_kind: bool
) -> tuple[tuple[str, ...], np.dtype[Any]]:
    """Names of chosen columns, of all but pandas' index by default, and the type that holds their values."""
    index = set() if columns is not None else _pandas_index(schema)
    names = [name for name in column_names(columns, schema.names, where) if name not in index]
    if not names:
        raise ValueError(f"{where} has no columns.")
    if any_kind:
        return tuple(names), np.dtype(np.float64)
    types = {name: numpy_type(schema.field(name).type) for name in names}
    good = [name for name in names if types[name] is not None]
    bad = [f"{name!r} ({schema.field(name).type})" for name in names if types[name] is None]
    if bad:
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        choice = "choose others with {columns}" if good else "no column does"
        rule = f"columns must hold numbers; {choice}. Not numbers are {', '.join(bad[:5])}{more}."
        raise NotNumbersError(where, rule, good)
    return tuple(names), np.result_type(*{dtype for dtype in types.values() if dtype is not None})


def _pandas_index(schema: Any) -> set[str]:
    """Columns that hold the labels of a data frame's rows, as pandas notes them in the file."""
    noted = (schema.pandas_metadata or {}).get("index_columns", [])
    return {name for name in noted if isinstance(name, str)}


class ParquetRows(ArrowRows):
    """Rows of a Parquet file."""

    @classmethod
    def schema(cls, file: FileState) -> Any:
        with decoding(file), _parquet_file(file) as opened:
            return opened.schema_arrow

    @classmethod
    def tables(cls, file: FileState, names: Sequence[str], n_rows: int, slices: Any = None) -> Iterator[Any]:
        with _parquet_file(file) as opened:
            yield from opened.iter_batches(n_rows, row_groups=slices, columns=list(names))

    @classmethod
    def lengths(cls, file: FileState, names: Sequence[str]) -> list[int]:
        with decoding(file):
            metadata = _metadata(file)
            return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


@lru_cache(16)
def _metadata(file: FileState) -> Any:
    return arrow("pyarrow.parquet").read_metadata(file.path)


def _parquet_file(file: FileState) -> Any:
    options = {"memory_map": False, "buffer_size": BUFFER_BYTES, "page_checksum_verification": True}
    options["pre_buffer"] = False  # else all row groups are read ahead, and the file is in memory in the end
    return arrow("pyarrow.parquet").ParquetFile(file.path, metadata=_metadata(file), **options)


class ArrowFileRows(ArrowRows):
    """Rows of an Arrow file."""

    open_with = "open_file"
    """A function of pyarrow.ipc."""

    @classmethod
    @contextmanager
    def reader(cls, file: FileState, names: Sequence[str] = ()) -> Iterator[tuple[Any, Any]]:
        """The open file, and a reader of these columns of it, or of all."""
        ipc = arrow("pyarrow.ipc")
        open_source = getattr(ipc, cls.open_with)
        with arrow().OSFile(str(file.path)) as source:
            reader = open_source(source)
            if names:
                fields = [reader.schema.get_field_index(name) for name in names]
                source.seek(0)
                reader = open_source(source, options=ipc.IpcReadOptions(included_fields=fields))
            yield source, reader

    @classmethod
    def schema(cls, file: FileState) -> Any:
        with decoding(file), cls.reader(file) as (_, reader):
            return reader.schema

    @classmethod
    def tables(cls, file: FileState, names: Sequence[str], n_rows: int, slices: Any = None) -> Iterator[Any]:
        with cls.reader(file, names) as (_, reader):
            for number in range(reader.num_record_batches) if slices is None else slices:
                table = reader.get_batch(number)
                table.validate(full=True)  # Arrow believes what a file says about its buffers
                yield table


class ArrowStreamRows(ArrowFileRows):
    """Rows of an Arrow stream, which has no table of contents: they are counted when it is opened."""

    open_with = "open_stream"
    seekable = False

    @classmethod
    def tables(cls, file: FileState, names: Sequence[str], n_rows: int, slices: Any = None) -> Iterator[Any]:
        row = 0
        with cls.reader(file, names) as (source, reader):
            for table in reader:
                table.validate(full=True)
                yield table
                row += len(table)
            end = source.tell()
        file.check(row)
        with open(file.path, "rb") as stream:
            stream.seek(max(0, end - 8))
            mark = stream.read(8)
        if mark != b"\xff\xff\xff\xff\0\0\0\0":  # a stream that was cut off between two batches lacks nothing else
            problem = f"has no end mark after its {row} rows: it was truncated, or its writer was never closed."
            raise FileReadError(file.path, problem)
        if end != file.size:
            raise FileReadError(file.path, f"goes on after its stream of {row} rows: write one stream into a file.")


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

    def read_columns(file: FileState, names: Sequence[str], n_rows: int) -> Iterator[list[Any]]:
        for _, table in decoded(file, rows.tables(file, names, n_rows)):
            yield [table.column(name) for name in names]

    writers = {suffix: partial(ArrowWriter, make) for suffix, make in written.items()}
    return Format(
        open=rows,
        header=header,
        read_columns=read_columns,
        column_type=column_type,
        open_cells=rows,
        writers=writers,
        holds="typed columns",
        **fields,
    )


def _new_arrow_file(stream: BinaryIO, schema: Any) -> Any:
    return arrow("pyarrow.ipc").new_file(stream, schema)


PARQUET = arrow_format(
    ParquetRows,
    {".parquet": lambda stream, schema: arrow("pyarrow.parquet").ParquetWriter(stream, schema)},
    description="a Parquet file",
    suffixes=(".parquet", ".parq", ".pq"),
    matches=lambda head: head.startswith(b"PAR1"),
    in_python=lambda file, name: f"pandas.read_parquet({name})",
)
ARROW_FILE = arrow_format(
    ArrowFileRows,
    {".feather": _new_arrow_file, ".arrow": _new_arrow_file},
    description="an Arrow or Feather file",
    suffixes=(".feather", ".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"ARROW1"),
    in_python=lambda file, name: f"pandas.read_feather({name})",
)
ARROW_STREAM = arrow_format(
    ArrowStreamRows,
    {},
    description="a stream of Arrow record batches",
    suffixes=(".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"\xff\xff\xff\xff"),
    in_python=lambda file, name: f"pyarrow.ipc.open_stream(pyarrow.OSFile({name})).read_pandas()",
)
