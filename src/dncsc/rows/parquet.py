"""Parquet files, one row group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from dncsc.rows.arrow import Chosen, arrow, block, choose, decoding
from dncsc.rows.base import BATCH_ROWS, FileState, Rows
from dncsc.rows.pieces import PieceRows

BUFFER_BYTES = 2**17
"""Read of a column at a time, so that a row group need not be held as a whole."""


class ParquetRows(PieceRows):
    """Rows of a Parquet file; only the chosen columns are read."""

    kind = "parquet"

    def __init__(self, file: FileState, metadata: Any, chosen: Chosen) -> None:
        lengths = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        super().__init__(file, lengths, chosen.dtype, chosen.names)
        self._metadata, self._chosen = metadata, chosen

    def _open(self) -> Any:
        return _parquet_file(self.files[0], self._metadata)

    def _decode(self, number: int) -> np.ndarray:
        file, row = self.files[0], int(self._bounds[number])
        with decoding(file, row), self._open() as opened:
            table = opened.read_row_group(number, columns=list(self.names or ()))
        return block(table, self._chosen, row, str(file.path))

    def _pieces(self) -> Iterator[np.ndarray]:
        file, row = self.files[0], 0
        with ExitStack() as opened:
            with decoding(file, row):
                source = opened.enter_context(self._open())
            tables = source.iter_batches(batch_size=BATCH_ROWS, columns=list(self.names or ()))
            while row < len(self):
                with decoding(file, row):
                    table = next(tables)
                yield block(table, self._chosen, row, str(file.path))
                row += table.num_rows


def open_parquet(file: FileState, columns: Sequence[Any] | None = None) -> Rows:
    """Rows of a Parquet file."""
    with decoding(file, 0), _parquet_file(file) as opened:
        metadata, chosen = opened.metadata, choose(opened.schema_arrow, columns, str(file.path))
    return ParquetRows(file, metadata, chosen)


def _parquet_file(file: FileState, metadata: Any = None) -> Any:
    return arrow("pyarrow.parquet").ParquetFile(
        file.path, metadata=metadata, memory_map=False, buffer_size=BUFFER_BYTES, page_checksum_verification=True
    )
