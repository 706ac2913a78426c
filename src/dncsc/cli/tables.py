"""Rows of a table as features: what columns hold is looked at, encoded as asked, and remembered for new rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dncsc.cli.diagnosis import DiagnosisError, needed
from dncsc.cli.errors import tell
from dncsc.cli.inputs import ColumnSelection, InputTable, feature_columns
from dncsc.cli.options import check_enough
from dncsc.engines.watch import Watcher
from dncsc.errors import InputError, NotFiniteError
from dncsc.rows import Rows, open_rows
from dncsc.rows.base import BATCH_ROWS, FileState
from dncsc.rows.columns import MissingValueError, NotNumbersError, column_names
from dncsc.rows.format import CellReaders
from dncsc.rows.formats import format_of, read_columns, read_header
from dncsc.tables.encoding import CellError, Encoding, NumberColumn
from dncsc.tables.learning import TableOptions, UnusableColumnsError, learned, planned
from dncsc.tables.notation import PLAIN, Notation
from dncsc.tables.notes import from_note, from_scale_note
from dncsc.tables.profile import ColumnProfile, profile
from dncsc.tables.rows import CompleteRows, EncodedRows, complete
from dncsc.tables.survey import Survey

QUOTE = '"'
"""Around a mark that a shell would take for something else."""


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
    columns, profiles, n_rows = look(read, choice, options.notation)
    encoding, called = planned(profiles, options), {str(column): column for column in columns}
    cells = CellReaders(encoding.readers(_is_text(read)), n_rows)
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
    read: InputTable, choice: ColumnSelection, notation: Notation = PLAIN
) -> tuple[list[Any], tuple[ColumnProfile, ...], dict[Path, int]]:
    """Columns that would be features, what they hold, and how many rows each file has: in one pass."""
    known = read_header(read.files[0])
    default: Sequence[Any] = known.features if known.has_names else [int(name) for name in known.features]
    columns = list(feature_columns(read, choice, tells=False) or default)
    if known.has_names:
        column_names(columns, known.features, read.name)
    names, n_rows = list(map(str, columns)), dict[Path, int]()
    profiles = profile((block for _, _, block in _blocks(read, names, n_rows)), names, _is_text(read), notation)
    if not profiles[0].n_rows:
        raise InputError(f"{read.name}: there are columns, but no rows.")
    return columns, profiles, n_rows


def _blocks(read: InputTable, names: Sequence[str], n_rows: dict[Path, int]) -> Iterator[tuple[Path, int, Any]]:
    """Columns of all files block by block, with file and first row in it; rows of each file are counted on the way."""
    for path in read.files:
        file = FileState.of(path)
        there = set(read_header(path).names)
        lacking = [name for name in names if name not in there]
        if lacking:
            raise InputError(f"{path} has no column {lacking[0]!r}, which {read.files[0]} has.")
        n_rows[file.path] = 0
        for block in read_columns([path], names, BATCH_ROWS):
            yield path, n_rows[file.path], block
            n_rows[file.path] += len(block[0])


@contextmanager
def diagnosing(
    read: InputTable,
    choice: ColumnSelection,
    options: TableOptions,
    *,
    carries_ids: bool = True,
    more: Mapping[str, str] | None = None,
    n_clusters: int | str = "auto",
) -> Iterator[None]:
    """Answer columns that cannot be used as they are with what all columns hold, and a command that works.

    The command has options that make columns usable, and `more`. With fewer rows than clusters there is none.
    """
    try:
        yield
    except (NotNumbersError, MissingValueError, NotFiniteError, UnusableColumnsError) as error:
        if isinstance(error, NotFiniteError) and not error.counts.get("NaN") and not _holds_cells(read):
            raise
        try:
            if isinstance(error, UnusableColumnsError):
                profiles = error.profiles
            else:
                _, profiles, _ = look(read, choice, options.notation)
        except ImportError:  # arrays are read without pyarrow, but not looked at
            raise error from None
        found = needed(profiles, options, choice, carries_ids)
        if found == {}:  # something else is wrong
            raise
        check_enough(profiles[0].n_rows, n_clusters, read.name)
        raise DiagnosisError(read.name, profiles, None if found is None else {**(more or {}), **found}) from error


def refuse_columns(
    read: InputTable, choice: ColumnSelection, options: TableOptions, more: Mapping[str, str], n_clusters: int | str
) -> None:
    """Look at all columns, and answer those that cannot be used with a command that has `more` options too."""
    if not _holds_cells(read):
        return
    with diagnosing(read, choice, options, more=more, n_clusters=n_clusters):
        _, profiles, _ = look(read, choice, options.notation)
        planned(profiles, options)


def _is_text(read: InputTable) -> bool:
    """Whether columns are cells of a text file."""
    return format_of(FileState.of(read.files[0])).is_text


def _holds_cells(read: InputTable) -> bool:
    """Whether files hold more than numbers."""
    return format_of(FileState.of(read.files[0])).open_cells is not None


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
    read: InputTable, columns: list[Any], names: list[str] | None, encoding: Encoding | None, marks: Mapping[str, str]
) -> FeatureTable:
    """Features of columns that become what a model remembers, under `names` where these are others.

    Of how numbers are written `marks` has what is given instead of what the model remembers.
    """
    plain = Encoding(tuple(NumberColumn(str(name)) for name in columns))
    known = replace(encoding or plain, notation=_notation((encoding or plain).notation, marks))
    cells = None if known.is_plain else _surveyed(read, list(map(str, columns)), known)
    try:
        rows = open_rows([str(file) for file in read.files], columns, cells)
    except NotNumbersError:
        _surveyed(read, list(map(str, columns)), known)  # which says how they could be read
        raise
    rows = rows if names is None else rows.renamed(names)
    return FeatureTable(rows) if encoding is None else _encoded(rows, encoding)


def _notation(known: Notation, marks: Mapping[str, str]) -> Notation:
    """A notation with some marks in place of its own."""
    thousands, decimal = known._replace(**marks)
    if "thousands" not in marks and thousands == decimal:
        thousands = None
    return TableOptions(thousands=thousands, decimal=decimal).notation


def _surveyed(read: InputTable, names: list[str], encoding: Encoding) -> CellReaders:
    """Readers of cells, after a pass over all has named what is new, and refused what cannot be read or is missing."""
    called = [replace(column, name=name) for column, name in zip(encoding.columns, names, strict=True)]
    encoding, n_rows = replace(encoding, columns=tuple(called)), dict[Path, int]()
    survey, readers = Survey(encoding), encoding.readers(_is_text(read))
    for path, row, block in _blocks(read, names, n_rows):
        with _telling_where(path, row):
            survey.add(np.stack([reader(cells) for reader, cells in zip(readers, block, strict=True)], axis=1))
    if encoding.missing == "refuse":
        survey.refuse_gaps()
    for sentence in survey.warnings():
        tell(f"warning: {sentence}")
    return CellReaders(readers, n_rows)


@contextmanager
def _telling_where(path: Path, first: int) -> Iterator[None]:
    """Have an error about a cell say in which row of the file it is, and which options would read it."""
    try:
        yield
    except CellError as error:
        typed = " ".join(
            f"--{name} {mark if mark in ',.' else f'{QUOTE}{mark}{QUOTE}'}" for name, mark in error.marks.items()
        )
        hint = f" Give {typed} if numbers are written so." if typed else ""
        raise InputError(f"{path}: {error.problem(first + error.row)}{hint}") from error
