"""Parquet files, one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from dncsc.rows.arrow import Chosen, Tables, arrow, arrow_format, block, choose, decoding
from dncsc.rows.base import BATCH_ROWS, FileState, Rows
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
            table = opened.read_row_group(number, columns=list(self._chosen.names))
        return block(table, self._chosen, row, str(file.path))

    def _slices(self) -> Iterator[np.ndarray]:
        file = self.files[0]
        for row, table in _tables(file, self._chosen.names, BATCH_ROWS, self._metadata):
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


def _tables(file: FileState, columns: Sequence[str], n_rows: int, metadata: Any = None) -> Tables:
    row = 0
    with ExitStack() as opened:
        with decoding(file, row):
            source = opened.enter_context(_parquet_file(file, metadata))
            tables = source.iter_batches(batch_size=n_rows, columns=list(columns))
        while row < source.metadata.num_rows:
            with decoding(file, row):
                table = next(tables)
            yield row, table
            row += table.num_rows


def _schema(file: FileState) -> Any:
    with decoding(file, 0):
        return arrow("pyarrow.parquet").read_schema(file.path)


PARQUET = arrow_format(
    name="parquet",
    description="a Parquet file",
    suffixes=(".parquet", ".parq", ".pq"),
    matches=lambda head: head.startswith(b"PAR1"),
    open=open_parquet,
    schema=_schema,
    tables=_tables,
    make_writer=lambda stream, schema: arrow("pyarrow.parquet").ParquetWriter(stream, schema),
    written=[".parquet"],
)
