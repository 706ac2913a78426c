"""Rows of a table as features: what columns hold is looked at, encoded as asked, and remembered for new rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.cli.diagnosis import DiagnosisError, needed
from dncsc.cli.inputs import ColumnSelection, InputTable, feature_columns
from dncsc.engines.watch import Watcher
from dncsc.errors import InputError, NotFiniteError
from dncsc.rows import Rows, open_rows
from dncsc.rows.base import BATCH_ROWS, FileState
from dncsc.rows.columns import MissingValueError, NotNumbersError
from dncsc.rows.format import CellReaders
from dncsc.rows.formats import format_of, read_columns, read_header
from dncsc.tables.encoding import Encoding, NumberColumn
from dncsc.tables.learning import TableOptions, UnusableColumnsError, learned, planned
from dncsc.tables.notes import from_note, from_scale_note
from dncsc.tables.profile import ColumnProfile, profile
from dncsc.tables.rows import CompleteRows, EncodedRows, complete


@dataclass(frozen=True)
class FeatureTable:
    """Rows of features, how they came from columns, and which rows of the input they are; None for all."""

    rows: Rows
    encoding: Encoding | None = None
    kept: np.ndarray | None = None

    @property
    def left_out(self) -> int:
        """Rows of the input that lack a value."""
        return 0 if self.kept is None else len(self.kept) - len(self.rows)

    @property
    def stored(self) -> Rows:
        """The rows as they stand in the files."""
        return self.rows.source if isinstance(self.rows, EncodedRows) else self.rows


def plan_table(read: InputTable, choice: ColumnSelection, options: TableOptions) -> FeatureTable:
    """Features of a table before anything is filled or scaled: as many rows, and as many features."""
    files = [str(file) for file in read.files]
    columns = feature_columns(read, choice)
    if options.wants_numbers:
        rows = open_rows(files, columns)
        if options.scale == "none":
            return FeatureTable(rows)
        names = rows.names or tuple(map(str, columns or range(rows.shape[1])))
        return _encoded(rows, Encoding(tuple(map(NumberColumn, names)), scale=options.scale))
    columns, profiles, n_rows = look(read, choice, options.thousands)
    encoding, called = planned(profiles, options), {str(column): column for column in columns}
    cells = CellReaders(encoding.readers(), n_rows)
    return _encoded(open_rows(files, [called[name] for name in encoding.names], cells), encoding)


def learn_table(plan: FeatureTable, options: TableOptions, seed: int, watch: Watcher) -> FeatureTable:
    """The same, filled and scaled by what the rows have."""
    if plan.encoding is None:
        return plan
    stored = plan.stored
    encoding = learned(plan.encoding, options, stored.batches(), stored.shape, seed, watch)
    return replace(plan, rows=EncodedRows(stored, encoding), encoding=encoding)


def _encoded(stored: Rows, encoding: Encoding) -> FeatureTable:
    """Features of stored rows, without those that lack a value if they are to be left out."""
    if not encoding.drops_rows:
        return FeatureTable(EncodedRows(stored, encoding), encoding)
    kept = complete(stored)
    return FeatureTable(EncodedRows(CompleteRows(stored, kept), encoding), encoding, kept)


def look(
    read: InputTable, choice: ColumnSelection, thousands: str | None
) -> tuple[list[Any], tuple[ColumnProfile, ...], dict[Path, int]]:
    """Columns that would be features, what they hold, and how many rows each file has: in one pass."""
    known = read_header(read.files[0])
    default: Sequence[Any] = known.features if known.has_names else [int(name) for name in known.features]
    columns = list(feature_columns(read, choice, tells=False) or default)
    names, n_rows = list(map(str, columns)), {}

    def blocks() -> Iterator[Any]:
        for path in read.files:
            file = FileState.of(path)
            there = set(read_header(path).names)
            lacking = [name for name in names if name not in there]
            if lacking:
                raise InputError(f"{path} has no column {lacking[0]!r}, which {read.files[0]} has.")
            n_rows[file.path] = 0
            for block in read_columns([path], names, BATCH_ROWS):
                n_rows[file.path] += len(block[0])
                yield block

    is_text = format_of(FileState.of(read.files[0])).is_text
    profiles = profile(blocks(), names, is_text, thousands)
    if not profiles[0].n_rows:
        raise InputError(f"{read.name}: there are columns, but no rows.")
    return columns, profiles, n_rows


@contextmanager
def diagnosing(
    read: InputTable, choice: ColumnSelection, options: TableOptions, *, carries_ids: bool = True
) -> Iterator[None]:
    """Answer columns that cannot be used as they are with what all columns hold, and a command that works."""
    try:
        yield
    except (NotNumbersError, MissingValueError, NotFiniteError, UnusableColumnsError) as error:
        if isinstance(error, NotFiniteError) and not error.counts.get("NaN"):
            raise
        try:
            if isinstance(error, UnusableColumnsError):
                profiles = error.profiles
            else:
                _, profiles, _ = look(read, choice, options.thousands)
        except ImportError:  # arrays are read without pyarrow, but not looked at
            raise error from None
        found = needed(profiles, options, choice, carries_ids)
        if found == {}:  # something else is wrong
            raise
        raise DiagnosisError(read.name, profiles, found) from error


def remembered(fitted: Any, path: str) -> Encoding | None:
    """What a model's file says that columns become, checked; None where nothing is said."""
    notes, n_features = fitted.notes_ or {}, int(fitted.n_features_in_)
    try:
        if notes.get("encoding") is not None:
            return from_note(notes["encoding"], n_features)
        if notes.get("scale") is not None:
            names = getattr(fitted, "feature_names_in_", range(n_features))
            return from_scale_note(notes["scale"], list(map(str, names)))
    except InputError as error:
        raise InputError(f"{path} cannot be used: {error}") from error
    return None


def open_as_remembered(
    read: InputTable, columns: list[Any], names: list[str] | None, encoding: Encoding | None, thousands: str | None
) -> FeatureTable:
    """Features of columns that become what a model remembers, under `names` where these are others."""
    plain = Encoding(tuple(NumberColumn(str(name)) for name in columns))
    needs_cells = thousands is not None or not (encoding or plain).is_plain
    cells = CellReaders((encoding or plain).readers(thousands)) if needs_cells else None
    rows = open_rows([str(file) for file in read.files], columns, cells)
    rows = rows if names is None else rows.renamed(names)
    return FeatureTable(rows) if encoding is None else _encoded(rows, encoding)
