"""Arrow's own files (Feather among them) and streams: record batches one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from dncsc.rows.arrow import Chosen, Tables, arrow, arrow_format, block, choose, decoding
from dncsc.rows.base import FileReadError, FileState, StreamRows
from dncsc.rows.slices import SlicedRows


class ArrowFileRows(SlicedRows):
    """Rows of an Arrow file; only the chosen columns are read."""

    kind = "arrow file"

    def __init__(self, file: FileState, chosen: Chosen) -> None:
        with _reader(file, "file", chosen.names[:1]) as (_, reader):  # the lengths of batches stand in the batches
            lengths = [reader.get_batch(number).num_rows for number in range(reader.num_record_batches)]
        super().__init__(file, lengths, chosen.dtype, chosen.names)
        self._chosen = chosen

    def _decode(self, number: int) -> np.ndarray:
        file, row = self.files[0], int(self._bounds[number])
        with _reader(file, "file", self._chosen.names, row) as (_, reader):
            table = reader.get_batch(number)
            table.validate(full=True)  # Arrow believes what a file says about its buffers
        return block(table, self._chosen, row, str(file.path))


class ArrowStreamRows(StreamRows):
    """Rows of an Arrow stream, which has no table of contents: they are counted when it is opened."""

    kind = "arrow stream"

    def __init__(self, file: FileState, chosen: Chosen) -> None:
        n = sum(table.num_rows for _, table in _stream_tables(file, chosen.names[:1]))
        super().__init__([file], (n, len(chosen.names)), chosen.dtype, chosen.names)
        self._chosen = chosen

    def _slices(self) -> Iterator[np.ndarray]:
        for row, table in _stream_tables(self.files[0], self._chosen.names):
            yield block(table, self._chosen, row, str(self.files[0].path))


@contextmanager
def _reader(file: FileState, kind: str, names: Sequence[str] = (), row: int = 0) -> Iterator[tuple[Any, Any]]:
    """The open file, and a reader of these columns of it, or of all; `kind` is "file" or "stream"."""
    ipc = arrow("pyarrow.ipc")
    open_kind = ipc.open_file if kind == "file" else ipc.open_stream
    with decoding(file, row), arrow().OSFile(str(file.path)) as source:
        reader = open_kind(source)
        if names:
            fields = [reader.schema.get_field_index(name) for name in names]
            source.seek(0)
            reader = open_kind(source, options=ipc.IpcReadOptions(included_fields=fields))
        yield source, reader


def _schema(file: FileState, kind: str) -> Any:
    with _reader(file, kind) as (_, reader):
        return reader.schema


def _file_tables(file: FileState, names: Sequence[str], n_rows: int = 0) -> Tables:
    row = 0
    with _reader(file, "file", names) as (_, reader):
        for number in range(reader.num_record_batches):
            table = reader.get_batch(number)
            yield row, table
            row += table.num_rows


def _stream_tables(file: FileState, names: Sequence[str], n_rows: int = 0) -> Tables:
    row = 0
    with ExitStack() as opened:
        source, reader = opened.enter_context(_reader(file, "stream", names))
        while True:
            with decoding(file, row):
                table = next(reader, None)
                if table is None:
                    _check_end(file, row, source.tell())
                    return
                table.validate(full=True)
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


ARROW_FILE = arrow_format(
    name="arrow file",
    description="an Arrow or Feather file",
    suffixes=(".feather", ".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"ARROW1"),
    open=lambda file, columns: ArrowFileRows(file, choose(_schema(file, "file"), columns, str(file.path))),
    schema=lambda file: _schema(file, "file"),
    tables=_file_tables,
    make_writer=lambda stream, schema: arrow("pyarrow.ipc").new_file(stream, schema),
    written=[".feather", ".arrow"],
)

ARROW_STREAM = arrow_format(
    name="arrow stream",
    description="a stream of Arrow record batches",
    suffixes=(".arrow", ".ipc", ".arrows"),
    matches=lambda head: head.startswith(b"\xff\xff\xff\xff"),
    open=lambda file, columns: ArrowStreamRows(file, choose(_schema(file, "stream"), columns, str(file.path))),
    schema=lambda file: _schema(file, "stream"),
    tables=_stream_tables,
)
