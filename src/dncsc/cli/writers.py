"""Tables written block by block, in every format; a block is a list of equally long columns.

A column is a NumPy array, an Arrow array, or, for text, a list. Those of Arrow have one type in all blocks.
"""

from __future__ import annotations

import csv
import io
import math
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from dncsc.cli.errors import UsageError
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
        self._lines.writerows(zip(*(texts(column) for column in columns), strict=True))


def texts(column: Any) -> list[Any]:
    """Values that become text as they should; None where there is none. Bytes are text already, in UTF-8 as a rule."""
    if isinstance(column, list):
        return column
    if not isinstance(column, np.ndarray):
        values: list[Any] = column.to_pylist()
    elif column.dtype.kind in "biuSU":
        values = column.tolist()
    else:  # the shortest digits of a float32 are not those of the float64 it becomes, and times would become numbers
        values = column.astype(str).tolist()
    return [value.decode(errors="backslashreplace") if isinstance(value, bytes) else value for value in values]


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
        self._inner.write_table(table)

    def _started(self, schema: Any) -> Any:
        import pyarrow
        import pyarrow.parquet

        if self._kind == "parquet":
            return pyarrow.parquet.ParquetWriter(self._path, schema)
        return pyarrow.ipc.new_file(str(self._path), schema)

    def __exit__(self, *error: object) -> None:
        if self._inner is not None:
            self._inner.close()


def _arrow(column: Any) -> Any:
    import pyarrow

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
        self._stream.write(_as_bytes(block))


class ArchiveWriter:
    """An array for each name, as .npz.

    Members of a zip file cannot grow side by side, and what type holds all values is known at the end: until then
    blocks wait in a file beside it, as they came. Texts wait in memory: how wide their array is depends on the longest.
    """

    def __init__(self, path: Path, names: Sequence[str], n_rows: int) -> None:
        self._path, self._names, self._n_rows = path, names, n_rows
        self._texts: dict[str, list[str]] = {}
        self._blocks: dict[str, _Blocks] = {}

    def __enter__(self) -> ArchiveWriter:
        self._stack = ExitStack()
        return self

    def write(self, columns: Sequence[Any]) -> None:
        for name, column in zip(self._names, columns, strict=True):
            values = _numbers(name, column)
            if values is None:
                self._texts.setdefault(name, []).extend("" if value is None else str(value) for value in texts(column))
            else:
                if name not in self._blocks:
                    stream = self._stack.enter_context(self._path.with_name(f"{len(self._blocks)}.raw").open("wb+"))
                    self._blocks[name] = _Blocks(name, stream)
                self._blocks[name].add(values)
            if name in self._texts and name in self._blocks:
                raise _no_place(name, "holds texts and numbers")

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
            return
        writer = ArrayWriter(member, self._n_rows)
        for block in self._blocks[name].of_one_type():
            writer.write([block])


class _Blocks:
    """Blocks of numbers in a file, each in the type that it came with: files of a folder may differ in that."""

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self._name, self._stream = name, stream
        self._forms: list[tuple[np.dtype[Any], tuple[int, ...]]] = []

    def add(self, block: np.ndarray) -> None:
        self._forms.append((block.dtype, block.shape))
        self._stream.write(_as_bytes(block))

    def of_one_type(self) -> Iterator[np.ndarray]:
        """All blocks in the narrowest type that holds them; values that it would change are refused."""
        common = np.result_type(*{dtype for dtype, _ in self._forms})
        self._stream.seek(0)
        for dtype, shape in self._forms:
            block = np.frombuffer(self._stream.read(dtype.itemsize * math.prod(shape)), dtype).reshape(shape)
            wide = block.astype(common)
            with np.errstate(invalid="ignore"):  # 2**63 - 1 becomes 2**63, which is not to be told twice
                is_same = common.kind == dtype.kind or np.array_equal(wide.astype(dtype), block)
            if not is_same:
                raise _no_place(self._name, f"holds values of {dtype} that change in an array of {common}")
            yield wide


def _numbers(name: str, column: Any) -> np.ndarray | None:
    """A column as an array; integers with gaps become floats, if these hold them exactly. None for what is text."""
    if isinstance(column, np.ndarray):
        return column if column.dtype.kind in "biuf" else None
    import pyarrow
    from pyarrow import types

    if not (types.is_integer(column.type) or types.is_floating(column.type) or types.is_boolean(column.type)):
        return None
    if column.null_count and not types.is_floating(column.type):
        try:
            column = column.cast(pyarrow.float64())
        except pyarrow.ArrowInvalid as error:
            raise _no_place(name, "has gaps, and integers that no float is equal to") from error
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _as_bytes(block: np.ndarray) -> Any:
    return np.ascontiguousarray(block).data


def _no_place(name: str, why: str) -> UsageError:
    return UsageError(f"column {name!r} {why}, for which an .npz file has no place. Write .csv or .parquet instead.")
