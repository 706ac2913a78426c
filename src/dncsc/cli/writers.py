"""Tables written block by block, in every format; a block is a list of equally long columns.

A column is a NumPy array, an Arrow array or a list of texts: identifiers keep the type they came with.
"""

from __future__ import annotations

import csv
import io
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from dncsc.cli.outputs import Target, grown_beside


class Writer(Protocol):
    """Takes the blocks of a table."""

    def write(self, columns: Sequence[Any]) -> None:
        """Add rows."""


@contextmanager
def table_writer(target: Target, names: Sequence[str], n_rows: int) -> Iterator[Writer]:
    """A writer for a table that stands in its place, whole, when the block ends well."""
    if target.path is None:
        stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n", write_through=True)
        try:
            yield TextWriter(stream, names, ",")
        finally:
            stream.detach()
        return
    with grown_beside(target.path) as path, ExitStack() as stack:
        yield _open(target.kind, path, names, n_rows, stack)


def _open(kind: str, path: Path, names: Sequence[str], n_rows: int, stack: ExitStack) -> Writer:
    if kind in ("csv", "tsv"):
        stream = stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
        return TextWriter(stream, names, "," if kind == "csv" else "\t")
    if kind == "npy":
        return ArrayWriter(stack.enter_context(path.open("wb")), n_rows)
    if kind == "npz":
        return stack.enter_context(ArchiveWriter(path, names, n_rows))
    return stack.enter_context(ArrowWriter(kind, path, names))


class TextWriter:
    """Comma- or tab-separated values, with a line of names."""

    def __init__(self, stream: IO[str], names: Sequence[str], separator: str) -> None:
        self._lines = csv.writer(stream, delimiter=separator, lineterminator="\n")
        self._lines.writerow(names)

    def write(self, columns: Sequence[Any]) -> None:
        self._lines.writerows(zip(*(_texts(column) for column in columns), strict=True))


def _texts(column: Any) -> Sequence[Any]:
    if isinstance(column, np.ndarray):
        # The shortest digits that give the same float32 are those of the float32, not of the float64 it becomes.
        return (column.astype(str) if column.dtype.kind == "f" else column).tolist()
    texts: list[Any] = column if isinstance(column, list) else column.to_pylist()
    return texts


class ArrowWriter:
    """Parquet, or Arrow's own format, which Feather is too."""

    def __init__(self, kind: str, path: Path, names: Sequence[str]) -> None:
        self._kind, self._path, self._names = kind, path, list(names)
        self._inner: Any = None

    def __enter__(self) -> ArrowWriter:
        return self

    def write(self, columns: Sequence[Any]) -> None:
        import pyarrow

        table = pyarrow.table([_arrow(column) for column in columns], names=self._names)
        if self._inner is None:
            self._inner = self._started(table.schema)
        self._inner.write_table(table.cast(self._schema))

    def _started(self, schema: Any) -> Any:
        import pyarrow
        import pyarrow.parquet

        self._schema = schema
        if self._kind == "parquet":
            return pyarrow.parquet.ParquetWriter(self._path, schema)
        return pyarrow.ipc.new_file(str(self._path), schema)

    def __exit__(self, *error: object) -> None:
        if self._inner is not None:
            self._inner.close()


def _arrow(column: Any) -> Any:
    import pyarrow

    if isinstance(column, list):
        return pyarrow.array(column, pyarrow.string())
    return pyarrow.array(column) if isinstance(column, np.ndarray) else column


class ArrayWriter:
    """One array as .npy."""

    def __init__(self, stream: IO[bytes], n_rows: int) -> None:
        self._stream, self._n_rows, self._started = stream, n_rows, False

    def write(self, columns: Sequence[Any]) -> None:
        (block,) = columns
        if not self._started:
            self._started = True
            header = {
                "descr": np.lib.format.dtype_to_descr(block.dtype),
                "fortran_order": False,
                "shape": (self._n_rows, *block.shape[1:]),
            }
            np.lib.format.write_array_header_2_0(self._stream, header)
        self._stream.write(np.ascontiguousarray(block).data)


class ArchiveWriter:
    """An array for each name, as .npz.

    Members of a zip file cannot grow side by side, so each grows in a file beside it until the end. Texts wait in
    memory: how wide their array is depends on the longest.
    """

    def __init__(self, path: Path, names: Sequence[str], n_rows: int) -> None:
        self._path, self._names, self._n_rows = path, names, n_rows
        self._texts: dict[str, list[str]] = {}
        self._arrays: dict[str, tuple[IO[bytes], ArrayWriter]] = {}

    def __enter__(self) -> ArchiveWriter:
        self._stack = ExitStack()
        return self

    def write(self, columns: Sequence[Any]) -> None:
        for name, column in zip(self._names, columns, strict=True):
            values = np.asarray(
                column if isinstance(column, list | np.ndarray) else column.to_numpy(zero_copy_only=False)
            )
            if values.dtype.kind in "OU":
                self._texts.setdefault(name, []).extend(map(str, values))
                continue
            if name not in self._arrays:
                stream = self._stack.enter_context(self._path.with_name(f"{len(self._arrays)}.npy").open("wb+"))
                self._arrays[name] = stream, ArrayWriter(stream, self._n_rows)
            self._arrays[name][1].write([values])

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        with self._stack:
            if kind is not None:
                return
            with zipfile.ZipFile(self._path, "w") as archive:
                for name in self._names:
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        self._pack(name, member)

    def _pack(self, name: str, member: IO[bytes]) -> None:
        if name in self._texts:
            np.lib.format.write_array(member, np.array(self._texts[name], dtype=str))
        else:
            stream = self._arrays[name][0]
            stream.seek(0)
            shutil.copyfileobj(stream, member, 2**20)
