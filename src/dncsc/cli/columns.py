"""Columns of files that are not features: identifiers to carry over, and classes to compare with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dncsc.rows.arrow import arrow, decoding
from dncsc.rows.base import FileReadError, FileState
from dncsc.rows.header import arrow_stream, parse_options, read_dialect
from dncsc.rows.npz import arrays_in
from dncsc.rows.open import open_file
from dncsc.rows.sniff import kind_of

ARROW = ("parquet", "arrow file", "arrow stream")
TEXT = ("text", "gzip")


@dataclass(frozen=True)
class Header:
    """Columns of a file: all names, or numbers as text; features by default; arrays that stand beside the table."""

    names: list[str]
    features: list[str]
    has_names: bool
    beside: frozenset[str] = frozenset()


def header(path: Path) -> Header:
    """What columns a file has, whatever they hold."""
    file = FileState.of(path)
    kind = kind_of(file)
    if kind in ARROW:
        schema = schema_of(file, kind)
        index = {name for name in (schema.pandas_metadata or {}).get("index_columns", []) if isinstance(name, str)}
        return Header(list(schema.names), [name for name in schema.names if name not in index], True)
    if kind in TEXT:
        dialect = read_dialect(file, kind == "gzip")
        names = [str(number) for number in range(dialect.width)] if dialect.names is None else list(dialect.names)
        return Header(names, names, dialect.names is not None)
    numbers = [str(number) for number in range(open_file(path).shape[1])]
    return Header(numbers, numbers, False, frozenset(arrays_in(file)) if kind == "zip" else frozenset())


def check_array(path: Path, name: str) -> None:
    """Refuse an array in an .npz file that does not hold one value for each row of the table, as its header tells."""
    _, array = arrays_in(FileState.of(path))[name]
    n_rows = open_file(path).shape[0]
    if array.shape != (n_rows,):
        raise ValueError(
            f"{path}: the array {name!r} has shape {array.shape}; one value for each of the {n_rows:,} rows is needed."
        )
    if array.dtype.hasobject or array.dtype.names is not None:
        raise TypeError(
            f"{path}: the array {name!r} holds Python objects or records, which are not read; save numbers or texts, "
            "as with astype(str)."
        )


def column_blocks(files: Sequence[Path], name: str, n_rows: int) -> Iterator[Any]:
    """Values of one column of files, some rows at a time: arrays of NumPy or Arrow, or lists of texts.

    Parameters
    ----------
    files : sequence of Path
    name : str
        Name of the column, its number, or the name of an array in .npz files.
    n_rows : int
        Rows at a time at most, roughly.
    """
    for path in files:
        file = FileState.of(path)
        kind = kind_of(file)
        if kind in ARROW:
            yield from _of_arrow(file, kind, name, n_rows)
        elif kind in TEXT:
            yield from _of_text(file, kind, name)
        elif kind == "zip" and name in arrays_in(file):
            yield from _of_array(path, name, n_rows)
        else:
            yield from (block[:, 0] for block in open_file(path, [int(name)]).batches(n_rows))


def schema_of(file: FileState, kind: str) -> Any:
    """Names and types of the columns of a file that Arrow reads."""
    with decoding(file, 0):
        if kind == "parquet":
            return arrow("pyarrow.parquet").read_schema(file.path)
        with arrow().OSFile(str(file.path)) as stream:
            return _arrow_reader(stream, kind).schema


def dtype_of(path: Path, kind: str, name: str) -> Any:
    """What values of a column are in a file of NumPy."""
    arrays = arrays_in(FileState.of(path)) if kind == "zip" else {}
    return arrays[name][1].dtype if name in arrays else open_file(path, [int(name)]).dtype


def _arrow_reader(stream: Any, kind: str) -> Any:
    ipc = arrow("pyarrow.ipc")
    return ipc.open_file(stream) if kind == "arrow file" else ipc.open_stream(stream)


def _of_arrow(file: FileState, kind: str, name: str, n_rows: int) -> Iterator[Any]:
    with decoding(file, 0):
        if kind == "parquet":
            with arrow("pyarrow.parquet").ParquetFile(file.path) as opened:
                for batch in opened.iter_batches(batch_size=n_rows, columns=[name]):
                    yield batch.column(0)
            return
        with arrow().OSFile(str(file.path)) as stream:
            reader = _arrow_reader(stream, kind)
            numbered = (
                (reader.get_batch(i) for i in range(reader.num_record_batches)) if kind == "arrow file" else reader
            )
            for batch in numbered:
                yield batch.column(batch.schema.get_field_index(name))


def _of_text(file: FileState, kind: str, name: str) -> Iterator[list[str]]:
    dialect = read_dialect(file, kind == "gzip")
    number = int(name) if dialect.names is None else dialect.names.index(name)
    pa, pa_csv = arrow(), arrow("pyarrow.csv")
    names = [str(each) for each in range(dialect.width)]
    with decoding(file, 0), arrow_stream(file, dialect) as stream:
        reader = pa_csv.open_csv(
            stream,
            read_options=pa_csv.ReadOptions(column_names=names, block_size=dialect.block_size),
            parse_options=parse_options(dialect),
            convert_options=pa_csv.ConvertOptions(
                include_columns=[str(number)], column_types={str(number): pa.string()}, strings_can_be_null=False
            ),
        )
        while (batch := _next(reader, file, name)) is not None:
            yield batch.column(0).to_pylist()


def _next(reader: Any, file: FileState, name: str) -> Any:
    """The next batch of texts; None at the end."""
    try:
        return next(reader, None)
    except arrow().ArrowInvalid as error:
        if "UTF8" in str(error):
            raise FileReadError(f"{file.path}: column {name!r} is not in UTF-8. Save it in that encoding.") from error
        raise


def _of_array(path: Path, name: str, n_rows: int) -> Iterator[Any]:
    import numpy as np

    with np.load(path, allow_pickle=False) as stored:
        values = stored[name]
    for start in range(0, len(values), n_rows):
        yield values[start : start + n_rows]
