"""Parquet files by row group, and Arrow's own files (Feather among them) and streams by record batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, BinaryIO

from dncsc.rows.arrow import ArrowRows, arrow, arrow_format
from dncsc.rows.base import FileReadError, FileState, decoding

BUFFER_BYTES = 2**17
"""Read of a Parquet column at a time, so that a row group need not be held as a whole."""


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


@lru_cache(64)
def _metadata(file: FileState) -> Any:
    return arrow("pyarrow.parquet").read_metadata(file.path)


def _parquet_file(file: FileState) -> Any:
    options = {"memory_map": False, "buffer_size": BUFFER_BYTES, "page_checksum_verification": True}
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


def _new_arrow_file(stream: BinaryIO, schema: Any) -> Any:
    return arrow("pyarrow.ipc").new_file(stream, schema)


PARQUET = arrow_format(
    ParquetRows,
    {".parquet": lambda stream, schema: arrow("pyarrow.parquet").ParquetWriter(stream, schema)},
    description="a Parquet file",
    suffixes=(".parquet", ".parq", ".pq"),
    matches=lambda head: head.startswith(b"PAR1"),
)
ARROW_FILE = arrow_format(
    ArrowFileRows,
    {".feather": _new_arrow_file, ".arrow": _new_arrow_file},
    description="an Arrow or Feather file",
    suffixes=(".feather", ".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"ARROW1"),
)
ARROW_STREAM = arrow_format(
    ArrowStreamRows,
    {},
    description="a stream of Arrow record batches",
    suffixes=(".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"\xff\xff\xff\xff"),
)
