"""Parquet files, one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, BinaryIO

import numpy as np

from dncsc.rows.arrow import Chosen, arrow, arrow_header, arrow_type, arrow_writer, block, choose, decoding
from dncsc.rows.base import BATCH_ROWS, FileState, Rows
from dncsc.rows.format import Format, Output, Writer
from dncsc.rows.slices import SlicedRows

BUFFER_BYTES = 2**17
"""Read of a column at a time, so that a row group need not be held as a whole."""


class ParquetRows(SlicedRows):
    """Rows of a Parquet file; only the chosen columns are read."""

    kind = "parquet"

    def __init__(self, file: FileState, metadata: Any, chosen: Chosen) -> None:
        lengths = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        super().__init__(file, lengths, chosen.dtype, chosen.names)
        self._metadata, self._chosen = metadata, chosen

    def _decode(self, number: int) -> np.ndarray:
        file, row = self.files[0], int(self._bounds[number])
        with decoding(file, row), _parquet_file(file, self._metadata) as opened:
            table = opened.read_row_group(number, columns=list(self.names or ()))
        return block(table, self._chosen, row, str(file.path))

    def _slices(self) -> Iterator[np.ndarray]:
        file = self.files[0]
        for row, table in _tables(file, list(self.names or ()), BATCH_ROWS, self._metadata):
            yield block(table, self._chosen, row, str(file.path))


def open_parquet(file: FileState, columns: Sequence[Any] | None = None) -> Rows:
    """Rows of a Parquet file."""
    with decoding(file, 0), _parquet_file(file) as opened:
        metadata, chosen = opened.metadata, choose(opened.schema_arrow, columns, str(file.path))
    return ParquetRows(file, metadata, chosen)


def _parquet_file(file: FileState, metadata: Any = None) -> Any:
    return arrow("pyarrow.parquet").ParquetFile(
        file.path, metadata=metadata, memory_map=False, buffer_size=BUFFER_BYTES, page_checksum_verification=True
    )


def _tables(file: FileState, columns: list[str], n_rows: int, metadata: Any = None) -> Iterator[tuple[int, Any]]:
    """Record batches with the numbers of their first rows."""
    row = 0
    with ExitStack() as opened:
        with decoding(file, row):
            source = opened.enter_context(_parquet_file(file, metadata))
            tables = source.iter_batches(batch_size=n_rows, columns=columns)
        while row < source.metadata.num_rows:
            with decoding(file, row):
                table = next(tables)
            yield row, table
            row += table.num_rows


def _schema(file: FileState) -> Any:
    with decoding(file, 0):
        return arrow("pyarrow.parquet").read_schema(file.path)


def _read_column(file: FileState, name: str, n_rows: int) -> Iterator[Any]:
    return (table.column(0) for _, table in _tables(file, [name], n_rows))


def _write(stream: BinaryIO, output: Output) -> AbstractContextManager[Writer]:
    return arrow_writer(lambda schema: arrow("pyarrow.parquet").ParquetWriter(stream, schema), output.names)


PARQUET = Format(
    name="parquet",
    description="a Parquet file",
    suffixes=(".parquet", ".parq", ".pq"),
    matches=lambda head: head.startswith(b"PAR1"),
    open=open_parquet,
    header=lambda file: arrow_header(_schema(file)),
    read_column=_read_column,
    column_type=lambda file, name: arrow_type(_schema(file), name),
    writers={".parquet": _write},
    holds="typed columns",
)
