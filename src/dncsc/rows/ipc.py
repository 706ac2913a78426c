"""Arrow's own files (Feather among them) and streams: record batches one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, BinaryIO

import numpy as np

from dncsc.rows.arrow import Chosen, arrow, arrow_header, arrow_type, arrow_writer, block, choose, decoding
from dncsc.rows.base import FileReadError, FileState, StreamRows
from dncsc.rows.format import Format, Output, Writer
from dncsc.rows.slices import SlicedRows


class ArrowFileRows(SlicedRows):
    """Rows of an Arrow file; only the chosen columns are read."""

    kind = "arrow file"

    def __init__(self, file: FileState, lengths: Sequence[int], fields: Sequence[int], chosen: Chosen) -> None:
        super().__init__(file, lengths, chosen.dtype, chosen.names)
        self._fields, self._chosen = fields, chosen

    def _decode(self, number: int) -> np.ndarray:
        file, row = self.files[0], int(self._bounds[number])
        with decoding(file, row), arrow().OSFile(str(file.path)) as source:
            table = _file_reader(source, self._fields).get_batch(number)
            table.validate(full=True)  # Arrow believes what a file says about its buffers
        return block(table, self._chosen, row, str(file.path))


class ArrowStreamRows(StreamRows):
    """Rows of an Arrow stream, which has no table of contents: they are counted when it is opened."""

    kind = "arrow stream"

    def __init__(self, file: FileState, n: int, fields: Sequence[int], chosen: Chosen) -> None:
        super().__init__([file], (n, len(chosen.names)), chosen.dtype, chosen.names)
        self._fields, self._chosen = fields, chosen

    def _slices(self) -> Iterator[np.ndarray]:
        for row, table in _stream_tables(self.files[0], self._fields):
            yield block(table, self._chosen, row, str(self.files[0].path))


def open_arrow_file(file: FileState, columns: Sequence[Any] | None = None) -> ArrowFileRows:
    """Rows of an Arrow or Feather file."""
    schema = _file_schema(file)
    chosen = choose(schema, columns, str(file.path))
    fields = [schema.get_field_index(name) for name in chosen.names]
    with decoding(file, 0), arrow().OSFile(str(file.path)) as source:
        reader = _file_reader(source, fields[:1])  # the lengths of batches stand in the batches
        lengths = [reader.get_batch(number).num_rows for number in range(reader.num_record_batches)]
    return ArrowFileRows(file, lengths, fields, chosen)


def open_arrow_stream(file: FileState, columns: Sequence[Any] | None = None) -> ArrowStreamRows:
    """Rows of an Arrow stream."""
    schema = _stream_schema(file)
    chosen = choose(schema, columns, str(file.path))
    fields = [schema.get_field_index(name) for name in chosen.names]
    n = sum(table.num_rows for _, table in _stream_tables(file, fields[:1]))
    return ArrowStreamRows(file, n, fields, chosen)


def _file_reader(source: Any, fields: Sequence[int] = ()) -> Any:
    ipc = arrow("pyarrow.ipc")
    return ipc.open_file(source, options=ipc.IpcReadOptions(included_fields=list(fields)))


def _stream_tables(file: FileState, fields: Sequence[int]) -> Iterator[tuple[int, Any]]:
    """Record batches with the numbers of their first rows."""
    ipc, row = arrow("pyarrow.ipc"), 0
    with ExitStack() as opened:
        with decoding(file, row):
            source = opened.enter_context(arrow().OSFile(str(file.path)))
            reader = ipc.open_stream(source, options=ipc.IpcReadOptions(included_fields=list(fields)))
        while True:
            with decoding(file, row):
                table = next(reader, None)
                if table is not None:
                    table.validate(full=True)
                else:
                    _check_end(file, row, source.tell())
                    return
            yield row, table
            row += table.num_rows


def _check_end(file: FileState, row: int, at: int) -> None:
    """Refuse a stream without its end mark: one that was cut off between two batches lacks nothing else."""
    file.check(row)
    with open(file.path, "rb") as stream:
        stream.seek(max(0, at - 8))
        end = stream.read(8)
    if end != b"\xff\xff\xff\xff\0\0\0\0":
        raise FileReadError(
            file.path, f"has no end mark after its {row} rows: it was truncated, or its writer was never closed."
        )
    if at != file.size:
        raise FileReadError(file.path, f"goes on after its stream of {row} rows: write one stream into a file.")


def _file_schema(file: FileState) -> Any:
    with decoding(file, 0), arrow().OSFile(str(file.path)) as source:
        return _file_reader(source).schema


def _stream_schema(file: FileState) -> Any:
    with decoding(file, 0), arrow().OSFile(str(file.path)) as source:
        return arrow("pyarrow.ipc").open_stream(source).schema


def _read_file_column(file: FileState, name: str, n_rows: int) -> Iterator[Any]:
    fields = [_file_schema(file).get_field_index(name)]
    with decoding(file, 0), arrow().OSFile(str(file.path)) as source:
        reader = _file_reader(source, fields)
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number).column(0)


def _read_stream_column(file: FileState, name: str, n_rows: int) -> Iterator[Any]:
    fields = [_stream_schema(file).get_field_index(name)]
    return (table.column(0) for _, table in _stream_tables(file, fields))


def _write(stream: BinaryIO, output: Output) -> AbstractContextManager[Writer]:
    return arrow_writer(lambda schema: arrow("pyarrow.ipc").new_file(stream, schema), output.names)


ARROW_FILE = Format(
    name="arrow file",
    description="an Arrow or Feather file",
    suffixes=(".feather", ".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"ARROW1"),
    open=open_arrow_file,
    header=lambda file: arrow_header(_file_schema(file)),
    read_column=_read_file_column,
    column_type=lambda file, name: arrow_type(_file_schema(file), name),
    writers={".feather": _write, ".arrow": _write},
    holds="typed columns",
)

ARROW_STREAM = Format(
    name="arrow stream",
    description="a stream of Arrow record batches",
    suffixes=(".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"\xff\xff\xff\xff"),
    open=open_arrow_stream,
    header=lambda file: arrow_header(_stream_schema(file)),
    read_column=_read_stream_column,
    column_type=lambda file, name: arrow_type(_stream_schema(file), name),
)
