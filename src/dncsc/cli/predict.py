"""`dncsc predict`: label new rows with a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dncsc.cli import options
from dncsc.cli.errors import UsageError
from dncsc.cli.inputs import ColumnSelection, InputTable, check_aside, open_features, places, source
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.labels import check_identifier, write_labels
from dncsc.cli.outputs import check, table_target
from dncsc.cli.progress import ProgressDisplay
from dncsc.cli.summary import Summary, cluster_sizes

if TYPE_CHECKING:
    from dncsc.rows import Rows

ModelFile = Annotated[str, typer.Argument(help="Model that dncsc fit --model has written.", show_default=False)]
Output = Annotated[str, options.Labels]


def predict(
    model: ModelFile,
    data: options.Data,
    output: Output,
    force: options.Force = False,
    json: options.Json = False,
    columns: options.Columns = None,
    drop: options.Drop = None,
    identifier: options.Identifier = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Label the rows of a file with a model.

    Columns are found by the names that the model was fitted with, and scaled as they were then; other columns are left
    alone. Where names are others, --columns or --drop choose the columns in the order of the model. Rows that the model
    was fitted to get the labels they got then.
    """
    from dncsc.cli.identifiers import find_identifiers

    target = table_target(output)
    choice = ColumnSelection(columns, drop, identifier)
    check([target], [Path(model), *places(data)], force)
    check_identifier(target, identifier)
    fitted = load(model)
    if not hasattr(fitted, "predict"):
        raise UsageError(f"{model} is a model of {type(fitted).__name__}, which cannot label new rows.")
    if jobs is not None:
        fitted.set_params(n_jobs=jobs)
    summary = Summary("predict", quiet, json, target.path is None)
    with signals_end_at_once("Nothing was written."), source(data) as read:
        rows = open_as_fitted(fitted, read, choice)
        identifiers = find_identifiers(read, identifier, target)
        labels = predicted(fitted, rows, ProgressDisplay(summary.quiet))
        write_labels(target, labels, read, identifiers, summary.quiet)
    sizes = cluster_sizes(labels, len(fitted.cluster_centers_))
    summary.facts |= {
        "model": model,
        "data": read.name,
        "rows": rows.shape[0],
        "sizes": sizes,
        "seconds": summary.seconds,
        "outputs": [target.name],
    }
    summary.say(f"{rows.shape[0]:,} rows labelled in {summary.seconds:.1f} s. Written: {target.name}")
    summary.close()


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    options.command(
        app,
        "predict",
        "dncsc predict model.npz new.csv -o labels.csv",
        "dncsc predict model.npz new.parquet --id customer -o - | head",
    )(predict)


def load(path: str) -> Any:
    """A model from its file."""
    from dncsc import load_model

    if not Path(path).exists():
        raise FileNotFoundError(2, "", path)
    return load_model(path)


def predicted(fitted: Any, rows: Rows, progress: ProgressDisplay) -> Any:
    """Labels of rows, with the progress shown."""
    from dncsc import watch

    with progress, watch(progress):
        return fitted.predict(rows)


def open_as_fitted(fitted: Any, read: InputTable, choice: ColumnSelection) -> Rows:
    """Rows with the columns that the model knows, scaled as it knows them."""
    from dncsc.cli.scaling import as_remembered
    from dncsc.rows import open_rows

    check_aside(read, choice)
    known = getattr(fitted, "feature_names_in_", None)
    chosen = choice.columns or choice.drop
    names = None if known is None or chosen else _named_alike(list(known), read)
    rows = open_rows([str(file) for file in read.files], names) if names else open_features(read, choice)
    if rows.shape[1] != fitted.n_features_in_:
        raise UsageError(
            f"{read.name} has {rows.shape[1]} columns that would be features; the model knows {fitted.n_features_in_}. "
            "Choose with --columns or --drop."
        )
    if known is not None and chosen and rows.names is not None:
        rows = _called_alike(list(known), rows)
    notes = getattr(fitted, "notes_", None) or {}
    return as_remembered(rows, notes.get("scale"))


def _named_alike(known: list[str], read: InputTable) -> list[str] | None:
    """Names of the model's columns, if the file has names at all; all of them have to be there."""
    from dncsc.rows.formats import read_header

    found = read_header(read.files[0])
    if not found.has_names:
        return None
    missing = [name for name in known if name not in found.names]
    if missing:
        listed = ", ".join(map(repr, missing[:10])) + (" and others" if len(missing) > 10 else "")
        raise UsageError(
            f"{read.name} has no column called {listed}, which the model was fitted with. Rename columns, or choose "
            "them in the order of the model with --columns."
        )
    return known


def _called_alike(known: list[str], rows: Rows) -> Rows:
    """Columns that were chosen in the order of the model, under its names; none of these may stand for another."""
    assert rows.names is not None
    for name, here in zip(known, rows.names, strict=True):
        if here != name and here in known:
            raise UsageError(
                f"column {here!r} would stand for {name!r} of the model, which has a column {here!r} too. Choose "
                f"columns in the order of the model, which is: {', '.join(known[:20])}{' ...' * (len(known) > 20)}."
            )
    return rows if list(rows.names) == known else rows.renamed(known)
