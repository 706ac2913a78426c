"""`dncsc predict`: label new rows with a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dncsc.cli import options
from dncsc.cli.inputs import ColumnSelection, InputTable, check_aside, feature_columns, places, source
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.layers import check_model, layer_groups, parse_layers
from dncsc.cli.outputs import check, table_target
from dncsc.cli.progress import ProgressDisplay
from dncsc.cli.summary import Summary, cluster_sizes
from dncsc.errors import InputError

if TYPE_CHECKING:
    from dncsc.cli.tables import FeatureTable

ModelFile = Annotated[str, typer.Argument(help="Model that dncsc fit --model has written.", show_default=False)]
LabelsTo = Annotated[str, options.Labels]


def predict(
    model: ModelFile,
    data: options.Data,
    output: LabelsTo,
    layers: options.Layers = None,
    force: options.Force = False,
    json: options.Json = False,
    columns: options.ColumnNames = None,
    drop: options.Drop = None,
    identifier: options.Identifier = None,
    escape_formulas: options.EscapeFormulas = False,
    thousands: options.Thousands = None,
    decimal: options.Decimal = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Label the rows of a file with a model.

    Columns are found by the names that the model was fitted with, and filled, encoded and scaled as they were then;
    other columns are left alone. A value that a category did not have then is none of its columns, and rows that
    --missing drop would have left out get no label. Where names are others, --columns or --drop choose the columns in
    the order of the model. Rows that the model was fitted to get the labels they got then.
    """
    from dncsc import load_model, watch
    from dncsc.cli.labels import check_identifier, find_identifiers, write_labels
    from dncsc.records import RecordError

    target = table_target(output, overwrite=force)
    choice, wanted = ColumnSelection(columns, drop, identifier), parse_layers(layers, target)
    marks = {name: mark for name, mark in (("thousands", thousands), ("decimal", decimal)) if mark is not None}
    check([target], [Path(model), *places(data)])
    check_identifier(target, identifier, wanted, escape_formulas)
    try:
        fitted: Any = load_model(model)
    except RecordError as error:
        hint = " The model comes first, then the rows." if Path(data).suffix.lower() == ".npz" else ""
        raise InputError(f"{error}{hint}") from error
    if not hasattr(fitted, "predict"):
        raise InputError(f"{model} is a model of {type(fitted).__name__}, which cannot label new rows.")
    check_model(wanted, fitted, model)
    if jobs is not None:
        fitted.set_params(n_jobs=jobs)
    summary = Summary("predict", quiet, json, target.path is None)
    with signals_end_at_once("Nothing was written."), source(data) as read:
        table = open_as_fitted(fitted, model, read, choice, marks)
        identifiers = find_identifiers(read, identifier, target, escape_formulas)
        with ProgressDisplay(summary.quiet) as progress, watch(progress):
            labels = fitted.predict(table.rows)
        groups = layer_groups(wanted, fitted)
        write_labels(target, labels, read, identifiers, summary.quiet, groups, table.kept)
    left_out = f", {table.left_out:,} without a label as they lack values" if table.left_out else ""
    rows = f"{len(table.rows):,} row{'s' * (len(table.rows) != 1)}"
    summary.tell(
        f"{rows} labelled in {summary.seconds:.1f} s{left_out}. Written: {target.name}",
        model=model,
        data=read.name,
        rows=len(table.rows),
        left_out=table.left_out,
        layers=wanted,
        sizes=cluster_sizes(labels, len(fitted.cluster_centers_)),
        seconds=summary.seconds,
        outputs=[target.name],
    )


def open_as_fitted(
    fitted: Any, model: str, read: InputTable, choice: ColumnSelection, marks: Mapping[str, str]
) -> FeatureTable:
    """Rows with the columns that the model knows, encoded as it knows them; `model` is its file."""
    from dncsc.cli.tables import open_as_remembered, remembered
    from dncsc.rows.formats import read_header

    check_aside(read, choice)
    encoding = remembered(fitted, model)
    known = list(getattr(fitted, "feature_names_in_", ()))
    if known and encoding is not None:
        known = list(encoding.names)
    chosen, header = choice.columns or choice.drop, read_header(read.files[0])
    if known and not chosen and header.has_names:
        _check_present(known, header.names, read.name)
        columns: list[Any] = known
    else:
        columns = feature_columns(read, choice) or header.features
    n_known = fitted.n_features_in_ if encoding is None else len(encoding.columns)
    if len(columns) != n_known:
        called = "" if encoding is None else f", which were called {_some(encoding.names)}"
        raise InputError(
            f"{read.name} has {len(columns)} columns that would be features; the model knows {n_known}{called}. "
            "Choose with --columns or --drop."
        )
    is_named = known and chosen and header.has_names
    if is_named:
        _check_order(known, columns)
    columns = columns if header.has_names else list(map(int, columns))
    return open_as_remembered(read, columns, known if is_named else None, encoding, marks)


def _check_present(known: list[str], names: list[str], where: str) -> None:
    there = set(names)
    missing = [name for name in known if name not in there]
    if missing:
        listed = ", ".join(map(repr, missing[:10])) + (" and others" if len(missing) > 10 else "")
        raise InputError(
            f"{where} has no column called {listed}, which the model was fitted with. Rename columns, or choose "
            "them in the order of the model with --columns."
        )


def _check_order(known: list[str], names: list[str]) -> None:
    """Refuse a column of the model that would stand for another one."""
    of_model = set(known)
    for name, here in zip(known, names, strict=True):
        if here != name and here in of_model:
            raise InputError(
                f"column {here!r} would stand for {name!r} of the model, which has a column {here!r} too. Choose "
                f"columns in the order of the model, which is: {_some(known)}."
            )


def _some(names: Sequence[str], most: int = 20) -> str:
    """The first names of columns."""
    return ", ".join(names[:most]) + " ..." * (len(names) > most)
