"""CSV and TSV: cells are read as text by pyarrow and turned into numbers here.

The type of a column is what all of its cells need. It is found in a first pass, when the file is opened, which counts
rows too; each later pass turns cells into numbers in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from dncsc.rows.arrow import arrow, decoding, refuse_missing, side_by_side
from dncsc.rows.base import FileReadError, FileState, StreamRows
from dncsc.rows.columns import ColumnsError, column_names, column_numbers
from dncsc.rows.header import MISSING, Dialect, arrow_stream, parse_options, read_dialect, refuse_ragged
from dncsc.rows.sniff import content

TYPES = ("int64", "float64", "bool")
"""What cells can be, and in which order that is tried."""


class TextRows(StreamRows):
    """Rows of a CSV or TSV file."""

    kind = "text"

    def __init__(self, file: FileState, dialect: Dialect, numbers: Sequence[int]) -> None:
        self._dialect, self._numbers = dialect, tuple(numbers)
        names = None if dialect.names is None else tuple(dialect.names[number] for number in numbers)
        self._labels = self._numbers if names is None else names
        n, self._types = self._survey(file)
        dtype = np.result_type(*map(np.dtype, self._types))
        super().__init__([file], (n, len(numbers)), dtype, names)

    def _survey(self, file: FileState) -> tuple[int, list[str]]:
        """Number of rows, and the type of each chosen column."""
        types = [""] * len(self._numbers)
        end = 0
        for row, table in self._tables(file):
            for place, column in enumerate(table.columns):
                types[place] = self._widest(file, column, types[place], place, row)
            end = row + table.num_rows
        return end, [kind or "float64" for kind in types]

    def _widest(self, file: FileState, cells: Any, kind: str, place: int, row: int) -> str:
        """The type that cells need in addition to those before, which needed `kind`."""
        if cells.null_count:
            refuse_missing(cells, self._labels[place], row, str(file.path))
        possible = {"": TYPES, "int64": TYPES[:2]}.get(kind, (kind,))
        for wider in possible:
            if _converted(cells, wider) is not None:
                return wider
        at, before = _first_misfit(cells, possible)
        expected = "truth value, as those before are" if before == ("bool",) else "number"
        raise ColumnsError(
            str(file.path),
            f"column {self._labels[place]!r} holds {cells[at].as_py()!r} in row {row + at}, which is no {expected}. "
            "Choose other columns with {columns}.",
        )

    def _pieces(self) -> Iterator[np.ndarray]:
        file = self.files[0]
        for row, table in self._tables(file):
            columns = [_converted(cells, kind) for cells, kind in zip(table.columns, self._types, strict=True)]
            if any(column is None or column.null_count for column in columns):
                raise FileReadError(f"{file.path} is not what it was when it was opened: other cells after row {row}.")
            yield side_by_side([column.to_numpy(zero_copy_only=False) for column in columns], self.dtype)

    def fingerprint(self) -> dict[str, Any]:
        named = self.names is not None or len(self._numbers) == self._dialect.width
        return super().fingerprint() if named else {**super().fingerprint(), "columns": list(self._numbers)}

    def _tables(self, file: FileState) -> Iterator[tuple[int, Any]]:
        """Record batches of text, with the numbers of their first rows."""
        if self._dialect.empty:
            return
        row, table = 0, None
        with ExitStack() as opened:
            with decoding(file, row), self._no_ragged_lines(file, row):
                source = opened.enter_context(arrow_stream(file, self._dialect))
                reader = self._reader(source)
            while True:
                with decoding(file, row), self._no_ragged_lines(file, row):
                    table = next(reader, None)
                if table is None:
                    return
                if table.num_rows:
                    yield row, table
                row += table.num_rows

    @contextmanager
    def _no_ragged_lines(self, file: FileState, row: int) -> Iterator[None]:
        """Where pyarrow stumbles over a line, say which one it is."""
        try:
            yield
        except arrow().ArrowInvalid:
            file.check(row)
            refuse_ragged(file, self._dialect)
            raise

    def _reader(self, source: Any) -> Any:
        pa_csv, d = arrow("pyarrow.csv"), self._dialect.width
        names = [str(number) for number in range(d)]
        chosen = [str(number) for number in self._numbers]
        text = arrow().string()
        return pa_csv.open_csv(
            source,
            read_options=pa_csv.ReadOptions(column_names=names, block_size=self._dialect.block_size),
            parse_options=parse_options(self._dialect),
            convert_options=pa_csv.ConvertOptions(
                include_columns=chosen,
                column_types=dict.fromkeys(chosen, text),
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
                null_values=MISSING,
            ),
        )


def open_text(file: FileState, columns: Sequence[Any] | None = None) -> TextRows:
    """Rows of a CSV or TSV file, which may be compressed by gzip."""
    arrow()
    dialect = read_dialect(file, content(file) == "gzip")
    if dialect.names is None:
        numbers = column_numbers(columns, dialect.width, str(file.path))
        return TextRows(file, dialect, range(dialect.width) if numbers is None else numbers)
    if columns is None and "" in dialect.names:
        raise ColumnsError(
            str(file.path),
            f"column {dialect.names.index('')} has no name. If it numbers rows, as pandas' index does, "
            "choose the others with {columns}, or write the file without it.",
        )
    chosen = column_names(columns, dialect.names, str(file.path))
    return TextRows(file, dialect, [dialect.names.index(name) for name in chosen])


def _first_misfit(cells: Any, possible: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """The first cell that leaves no type for a column, and the types that were possible before it."""

    def fitting(count: int) -> tuple[str, ...]:
        return tuple(kind for kind in possible if _converted(cells[:count], kind) is not None)

    good, bad = 0, len(cells)  # so many cells from the first on have a type, or have none
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fitting(middle) else (good, middle)
    return good, fitting(good)


def _converted(cells: Any, kind: str) -> Any:
    """Text as numbers; None if some is none."""
    pa = arrow()
    target = {"int64": pa.int64, "float64": pa.float64, "bool": pa.bool_}[kind]()
    try:
        return cells.cast(target)
    except pa.ArrowInvalid:
        pass
    try:
        return arrow("pyarrow.compute").utf8_trim_whitespace(cells).cast(target)
    except pa.ArrowInvalid:
        return None
