"""Identifiers: a column that is carried over to the labels. What is wrong with it is found before the work.

Files of a folder may hold it in different types. Where an output has types, one that holds all values is settled first,
from headers, and for text by a look at all cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dncsc.cli.columns import ARROW, TEXT, column_blocks, dtype_of, schema_of
from dncsc.cli.errors import UsageError
from dncsc.cli.writers import texts
from dncsc.rows.arrow import arrow
from dncsc.rows.base import FileState
from dncsc.rows.sniff import kind_of

if TYPE_CHECKING:
    from dncsc.cli.inputs import Source
    from dncsc.cli.outputs import Target

BLOCK = 2**17
UNTYPED = ("csv", "tsv")


@dataclass(frozen=True)
class Identifiers:
    """A column of files, and the type of Arrow that it is given in; None for values as they come."""

    name: str
    files: list[Path]
    type: Any = None

    def blocks(self) -> Iterator[Any]:
        """Values some rows at a time: arrays of Arrow of the settled type; else those of NumPy too, or texts."""
        for block in column_blocks(self.files, self.name, BLOCK):
            yield block if self.type is None else self.as_settled(block)

    def as_settled(self, block: Any) -> Any:
        """Values in the settled type; refused where they have no place in it."""
        pa = arrow()
        values = _arrow(block)
        try:
            return values.cast(self.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise UsageError(
                f"column {self.name!r} holds values of {values.type} that have no place in a column of {self.type}, "
                "as other files have it. Write .csv instead."
            ) from error


def settled(read: Source, name: str | None, target: Target | None) -> Identifiers | None:
    """The identifiers of rows for an output, looked at before any work; None where there are none."""
    if name is None or target is None:
        return None
    kinds = [kind_of(FileState.of(path)) for path in read.files]
    if target.kind == "npz" and not {*ARROW, *TEXT} & {*kinds}:
        _check_alike(read.files, kinds, name)
        return Identifiers(name, read.files)
    types = [_type(path, kind, name, target) for path, kind in zip(read.files, kinds, strict=True)]
    if target.kind in UNTYPED:
        return Identifiers(name, read.files)
    found = Identifiers(name, read.files, _common(types))
    for each in types:
        found.as_settled(arrow().nulls(0, each))  # lists become no text: better told now
    return found


def _check_alike(files: list[Path], kinds: list[str], name: str) -> None:
    """Refuse arrays of text and of numbers that would have to become one; Arrow is not asked, it need not be there."""
    if len({dtype_of(path, kind, name).kind in "biuf" for path, kind in zip(files, kinds, strict=True)}) > 1:
        raise UsageError(
            f"--id: {name!r} holds text in some files and numbers in others. Write .csv or .parquet instead."
        )


def _type(path: Path, kind: str, name: str, target: Target) -> Any:
    """What a file holds the column in."""
    if kind in TEXT:
        return _type_of_texts(path, name)
    if target.kind in UNTYPED:
        return None
    if kind in ARROW:
        found = schema_of(FileState.of(path), kind).field(name).type
        return found.value_type if arrow("pyarrow.types").is_dictionary(found) else found
    return _arrow(np.empty(0, dtype_of(path, kind, name))).type


def _type_of_texts(path: Path, name: str) -> Any:
    """Integers if all cells are such, unless text says more, as 007 does. Every cell is looked at, as text at least."""
    pa, whole = arrow(), True
    for cells in column_blocks([path], name, BLOCK):
        whole = whole and all(map(_is_whole, cells))
    return pa.int64() if whole else pa.string()


def _is_whole(cell: str) -> bool:
    return len(cell) < 19 and cell.removeprefix("-").isdecimal() and str(int(cell)) == cell


def _common(types: list[Any]) -> Any:
    """The type that values of all types have a place in; text, where Arrow knows none."""
    pa = arrow()
    if all(each == types[0] for each in types):
        return types[0]
    try:
        schemas = [pa.schema([pa.field("id", each)]) for each in types]
        return pa.unify_schemas(schemas, promote_options="permissive").field("id").type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.string()


def _arrow(block: Any) -> Any:
    """Values as an array of Arrow; those of NumPy that have no such type, as text."""
    pa = arrow()
    if isinstance(block, list):
        return pa.array(block, pa.string())
    if not isinstance(block, np.ndarray):
        return block.dictionary_decode() if arrow("pyarrow.types").is_dictionary(block.type) else block
    native = block.astype(block.dtype.newbyteorder("="), copy=False)
    try:
        if native.dtype.kind not in "SU":
            return pa.array(native)
    except pa.ArrowNotImplementedError:
        pass
    return pa.array(texts(native), pa.string())
