"""Labels of rows to a file or standard output, with layers, and with identifiers: a column of the input carried over.

Problems with it are found before the work. Files of a folder may hold it in different types. Where an output has types,
one that holds all values is chosen first, from headers, and for text from all cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.cli.inputs import InputTable
from dncsc.cli.outputs import Target, table_writer
from dncsc.cli.progress import ProgressDisplay
from dncsc.errors import InputError
from dncsc.rows.formats import column_type, read_column
from dncsc.rows.values import ColumnOverflowError, arrow, as_arrow

LABEL = "label"
BLOCK = 2**17


def check_identifier(target: Target | None, identifier: str | None, layers: Sequence[int] = ()) -> None:
    """Refuse identifiers that would have no place beside the labels and their layers."""
    if identifier is None:
        return
    if target is None:
        raise InputError("--id carries a column over to the labels, but -o does not say where these go.")
    if target.holds == "one array":
        raise InputError(
            f"--id: a {target.suffix} file holds one array and no identifiers. Use .npz, .csv or .parquet."
        )
    if identifier in [LABEL, *map(layer_name, layers)]:
        raise InputError(f"--id: a column of labels is called {identifier!r} too. Rename the column of identifiers.")


@dataclass(frozen=True)
class Identifiers:
    """A column of files, and the Arrow type that its values are given in; None for values as they come."""

    name: str
    files: list[Path]
    type: Any = None

    def blocks(self) -> Iterator[Any]:
        """Values some rows at a time: Arrow arrays of the chosen type; without one, NumPy arrays or texts too."""
        for block in read_column(self.files, self.name, BLOCK):
            yield block if self.type is None else self.cast(block)

    def cast(self, block: Any) -> Any:
        """Values in the chosen type; refused if it does not hold them."""
        pa, values = arrow(), as_arrow(block)
        try:
            return values.cast(self.type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            problem = f"holds values of {values.type} that have no place in a column of {self.type}"
            raise ColumnOverflowError(self.name, f"{problem}, as other files have it", "Write .csv instead") from error


def find_identifiers(read: InputTable, name: str | None, target: Target | None) -> Identifiers | None:
    """The identifiers of rows for an output, checked before any work; None where there are none."""
    if name is None or target is None:
        return None
    types = [column_type(path, name) for path in read.files]
    if target.holds == "cells":
        return Identifiers(name, read.files)
    if target.holds == "arrays" and all(isinstance(each, np.dtype) for each in types):  # needs no pyarrow
        if len({each.kind in "biuf" for each in types}) > 1:
            raise InputError(
                f"--id: {name!r} holds text in some files and numbers in others. Write .csv or .parquet instead."
            )
        return Identifiers(name, read.files)
    arrow_types = [as_arrow(np.empty(0, each)).type if isinstance(each, np.dtype) else each for each in types]
    found = Identifiers(name, read.files, _common(arrow_types))
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
) -> None:
    """Write labels in the order of the rows; beside them, for each layer, the group that their cluster is in."""
    n, done, names = len(labels), 0, [LABEL, *map(layer_name, layers)]
    blocks: Iterable[Any] = (range(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK))
    if identifiers is not None:
        names, blocks = [identifiers.name, *names], identifiers.blocks()
    with ProgressDisplay(quiet or target.path is None) as progress, table_writer(target, names, n) as writer:
        for block in blocks:
            some = labels[done : done + len(block)]
            columns = [some, *(group[some] for group in layers.values())]
            writer.write(columns if identifiers is None else [block, *columns])
            done += len(block)
            progress("write", done, n)
        if done != n:
            raise OSError(f"{read.name} had {n:,} rows when it was read, and {done:,} identifiers now.")
