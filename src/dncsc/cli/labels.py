"""Labels of rows to a file or standard output, with layers, and with identifiers: columns of the input carried over.

Problems with it are found before the work. Files of a folder may hold it in different types. Where an output has types,
one that holds all values is chosen first, from headers, and for text from all cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dncsc import memory
from dncsc.cli.inputs import InputTable, identifier_names, split_names
from dncsc.cli.outputs import Target, table_writer
from dncsc.cli.progress import ProgressDisplay
from dncsc.errors import InputError
from dncsc.rows.formats import column_type, read_columns, read_header
from dncsc.rows.values import ColumnOverflowError, arrow, as_arrow, as_texts

LABEL = "label"
BLOCK = 2**17


FORMULA = re.compile(r"\s*[=+\-@]|[\t\r]")
"""How cells begin that spreadsheets take for formulas; numbers may begin so too."""


def check_identifier(
    target: Target | None, identifier: Sequence[str] | None, layers: Sequence[int] = (), escapes: bool = False
) -> None:
    """Refuse identifiers that would have no place beside the labels and their layers."""
    if escapes and (identifier is None or target is None or target.holds != "cells"):
        raise InputError("--escape-formulas is for cells of --id in .csv and .tsv: nothing else holds formulas.")
    if identifier is None:
        return
    if target is None:
        raise InputError("--id carries a column over to the labels, but -o does not say where these go.")
    if target.holds == "one array":
        raise InputError(
            f"--id: a {target.suffix} file holds one array and no identifiers. Use .npz, .csv or .parquet."
        )
    for name in {*identifier, *split_names(*identifier)} & {LABEL, *map(layer_name, layers)}:
        raise InputError(f"--id: a column of labels is called {name!r} too. Rename the column of identifiers.")


@dataclass(frozen=True)
class IdentifierColumn:
    """A column of files, and the Arrow type that its values are given in; None for values as they come."""

    name: str
    type: Any = None

    def cast(self, block: Any) -> Any:
        """Values in the chosen type; refused if it does not hold them."""
        if self.type is None:
            return block
        pa, values = arrow(), as_arrow(block)
        try:
            return values.cast(self.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            problem = f"holds values of {values.type} that have no place in a column of {self.type}"
            raise ColumnOverflowError(self.name, f"{problem}, as other files have it", "Write .csv instead") from error


@dataclass(frozen=True)
class Identifiers:
    """Columns of files that are carried over."""

    columns: list[IdentifierColumn]
    files: list[Path]
    escapes: bool = False
    """whether cells that would be formulas are made texts"""

    @property
    def titles(self) -> list[str]:
        """Names of the columns as they are written."""
        return [_escaped(column.name) if self.escapes else column.name for column in self.columns]

    def blocks(self) -> Iterator[list[Any]]:
        """Values some rows at a time: Arrow arrays of the chosen type; without one, NumPy arrays or texts too."""
        for block in read_columns(self.files, [column.name for column in self.columns], BLOCK):
            values = [column.cast(values) for column, values in zip(self.columns, block, strict=True)]
            yield [[_escaped(cell) for cell in as_texts(each)] for each in values] if self.escapes else values


def _escaped(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    if not isinstance(cell, str) or not FORMULA.match(cell):
        return cell
    with suppress(ValueError):
        float(cell)
        return cell
    return f"'{cell}"


def find_identifiers(
    read: InputTable, typed: Sequence[str] | None, target: Target | None, escapes: bool = False
) -> Identifiers | None:
    """The identifiers of rows for an output, checked before any work; None where there are none."""
    if typed is None or target is None:
        return None
    names = identifier_names(typed, read_header(read.files[0]))
    return Identifiers([_find_identifier(read, name, target) for name in names], read.files, escapes)


def _find_identifier(read: InputTable, name: str, target: Target) -> IdentifierColumn:
    types = [column_type(path, name) for path in read.files]
    if target.holds == "cells":
        return IdentifierColumn(name)
    if target.holds == "arrays" and all(isinstance(each, np.dtype) for each in types):  # needs no pyarrow
        if len({each.kind in "biuf" for each in types}) > 1:
            raise InputError(
                f"--id: {name!r} holds text in some files and numbers in others. Write .csv or .parquet instead."
            )
        return IdentifierColumn(name)
    arrow_types = [as_arrow(np.empty(0, each)).type if isinstance(each, np.dtype) else each for each in types]
    found = IdentifierColumn(name, _common(arrow_types))
    for each in arrow_types:
        found.cast(arrow().nulls(0, each))  # lists, for one, do not become text
    return found


def _common(types: list[Any]) -> Any:
    """The narrowest type that holds values of all types; text, where Arrow knows none."""
    pa = arrow()
    if all(each == types[0] for each in types):
        return types[0]
    try:
        schemas = [pa.schema([pa.field("id", each)]) for each in types]
        return pa.unify_schemas(schemas, promote_options="permissive").field("id").type
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.string()


def layer_name(n_groups: int) -> str:
    """Name of the column of a coarser clustering."""
    return f"{LABEL}_{n_groups}"


def write_labels(
    target: Target,
    labels: np.ndarray,
    read: InputTable,
    identifiers: Identifiers | None,
    quiet: bool,
    layers: Mapping[int, np.ndarray],
    kept: np.ndarray | None = None,
) -> None:
    """Write labels in the order of the rows; beside them, for each layer, the group that their cluster is in.

    Of all rows `kept` says which have a label; the others have none, or -1 where the format has no place for that.
    """
    if kept is not None:
        given, labels = labels, np.full(len(kept), -1, np.int32)
        labels[kept] = given
    n, done, names = len(labels), 0, [LABEL, *map(layer_name, layers)]
    blocks: Iterable[Any] = ([range(start, min(start + BLOCK, n))] for start in range(0, n, BLOCK))
    if identifiers is not None:
        names, blocks = [*identifiers.titles, *names], identifiers.blocks()
    with ProgressDisplay(quiet or target.path is None) as progress, table_writer(target, names, n) as writer:
        for block in blocks:
            some = labels[done : done + len(block[0])]
            columns = [some, *(np.where(some < 0, some, group[some]) for group in layers.values())]
            if kept is not None:
                columns = [_with_gaps(column, target) for column in columns]
            writer.write(columns if identifiers is None else [*block, *columns])
            memory.let_go(labels)
            done += len(block[0])
            progress("write", done, n)
        if done != n:
            raise OSError(f"{read.name} had {n:,} rows when it was read, and {done:,} identifiers now.")


def _with_gaps(labels: np.ndarray, target: Target) -> Any:
    """Labels that are missing where they are -1, if the output has a place for that."""
    if target.holds == "cells":
        return [None if label < 0 else label for label in labels.tolist()]
    return arrow().array(labels, mask=labels < 0) if target.holds == "typed columns" else labels
