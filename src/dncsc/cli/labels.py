"""Labels of rows to a file or standard output, with the identifiers of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dncsc.cli.errors import FileError, UsageError
from dncsc.cli.outputs import Target, table_writer
from dncsc.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    import numpy as np

    from dncsc.cli.identifiers import Identifiers
    from dncsc.cli.inputs import InputTable

LABEL = "label"
BLOCK = 2**17


def check_identifier(target: Target | None, identifier: str | None) -> None:
    """Refuse identifiers that would have no place."""
    if identifier is None:
        return
    if target is None:
        raise UsageError("--id carries a column over to the labels, but -o does not say where these go.")
    if target.holds == "one array":
        raise UsageError(
            f"--id: a {target.suffix} file holds one array and no identifiers. Use .npz, .csv or .parquet."
        )
    if identifier == LABEL:
        raise UsageError(f"--id: the column of labels is called {LABEL!r} too. Rename the column of identifiers.")


def write_labels(
    target: Target, labels: np.ndarray, read: InputTable, identifiers: Identifiers | None, quiet: bool
) -> None:
    """Write labels in the order of the rows."""
    names = [LABEL] if identifiers is None else [identifiers.name, LABEL]
    with ProgressDisplay(quiet or target.path is None) as progress, table_writer(target, names, len(labels)) as writer:
        done = 0
        for columns in _blocks(labels, read, identifiers):
            writer.write(columns)
            done += len(columns[-1])
            progress("write", done, len(labels))


def _blocks(labels: np.ndarray, read: InputTable, identifiers: Identifiers | None) -> Iterator[list[Any]]:
    if identifiers is None:
        for start in range(0, len(labels), BLOCK):
            yield [labels[start : start + BLOCK]]
        return
    done = 0
    for values in identifiers.blocks():
        yield [values, labels[done : done + len(values)]]
        done += len(values)
    if done != len(labels):
        raise FileError(f"{read.name} had {len(labels):,} rows when it was read, and {done:,} identifiers now.")
