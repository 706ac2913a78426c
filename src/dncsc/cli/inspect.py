"""`dncsc info`, `estimate` and `methods`: what a model or a table holds, what a fit needs, what methods there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dncsc.cli import options
from dncsc.cli.inputs import ColumnSelection, source
from dncsc.cli.summary import print_facts, print_json, print_list
from dncsc.errors import InputError
from dncsc.memory import format_bytes

if TYPE_CHECKING:
    from dncsc.tables.learning import TableOptions

AnyFile = Annotated[
    str, typer.Argument(help="Model that dncsc fit --model has written, or a table.", show_default=False)
]
OptionalData = Annotated[
    str | None,
    typer.Argument(help="File, folder or pattern to look at; or give --rows and --features.", show_default=False),
]
TableRows = Annotated[int | None, options.option(None, "Rows, where there is no file yet.", metavar="N", min=1)]
TableFeatures = Annotated[int | None, options.option(None, "Features, where there is no file yet.", metavar="N", min=1)]


def info(file: AnyFile, json: options.JsonTable = False, debug: options.Debug = False) -> None:
    """Show what a model holds, or what the columns of a table hold.

    Models end in .npz. Of a table it shows each column: what it holds, the share that is missing, values or spread, and
    whether it looks like an id. The table is read once, from beginning to end.
    """
    if Path(file).suffix.lower() != ".npz":
        _tell_columns(file, json)
        return
    from dncsc import load_model
    from dncsc.cli.tables import remembered

    fitted: Any = load_model(file)
    facts = {
        "file": file,
        "bytes": Path(file).stat().st_size,
        "class": type(fitted).__name__,
        "n_clusters": len(fitted.cluster_centers_),
        "n_landmarks": getattr(fitted, "n_landmarks_", None),
        "features": fitted.n_features_in_,
        "columns": getattr(fitted, "feature_names_in_", None),
        "tree": hasattr(fitted, "tree_"),
        "diagnosis": str(getattr(fitted, "diagnosis_", "")),
        "eigenvalues": fitted.eigenvalues_ if fitted.eigenvalues_ is not None else [],
        "parameters": fitted.get_params(),
        "notes": fitted.notes_ or {},
    }
    if json:
        print_json(facts)
        return
    encoding = remembered(fitted, file)
    names, notes, landmarks = facts["columns"], facts["notes"], facts["n_landmarks"]
    print_facts(
        {
            "file": f"{file}, {format_bytes(facts['bytes'])}",
            **({"fitted to": str(notes["data"])} if notes.get("data") else {}),
            "model": facts["class"],
            "clusters": f"{facts['n_clusters']}",
            "tree": f"joins them into 1 to {facts['n_clusters']} groups (predict --layers)"
            if facts["tree"]
            else "none",
            "diagnosis": facts["diagnosis"] or "none",
            "landmarks": "none" if landmarks is None else f"{landmarks:,}",
            "features": f"{facts['features']}" + ("" if names is None else f": {_some(names)}"),
            "metric": fitted.metric,
            "scaled": "none" if encoding is None else encoding.scale,
            "eigenvalues": _some([f"{value:.4g}" for value in facts["eigenvalues"]]),
            "parameters": ", ".join(f"{name}={value!r}" for name, value in facts["parameters"].items()),
        }
    )


def _tell_columns(data: str, as_json: bool) -> None:
    """Print what the columns of a table hold."""
    from dncsc.cli.diagnosis import profile_lines
    from dncsc.cli.tables import look

    with source(data) as read:
        _, profiles, _ = look(read, ColumnSelection())
    if as_json:
        print_json({"data": read.name, "rows": profiles[0].n_rows, "columns": [asdict(each) for each in profiles]})
    else:
        print("\n".join([*profile_lines(profiles), "", f"{profiles[0].n_rows:,} rows, {len(profiles):,} columns"]))


def _some(values: Sequence[str], most: int = 12) -> str:
    return (", ".join(values[:most]) + (" ..." if len(values) > most else "")) or "none"


def estimate(
    data: OptionalData = None,
    rows: TableRows = None,
    features: TableFeatures = None,
    clusters: options.Clusters = "8",
    method: options.Method = "dnc-sc",
    max_clusters: options.MaxClusters = None,
    metric: options.Metric = "euclidean",
    landmarks: options.Landmarks = None,
    neighbors: options.Neighbors = None,
    columns: options.ColumnNames = None,
    drop: options.Drop = None,
    identifier: options.Identifier = None,
    scale: options.Scale = "none",
    missing: options.Missing = "refuse",
    categorical: options.Categorical = "refuse",
    dates: options.Dates = "refuse",
    thousands: options.Thousands = None,
    decimal: options.Decimal = None,
    jobs: options.Jobs = None,
    json: options.JsonTable = False,
    debug: options.Debug = False,
) -> None:
    """Say what a fit with dnc-sc would need: memory, scratch files, passes over the rows, and roughly how long.

    Nothing is fitted. Scratch files hold what does not fit in memory, and are gone when a fit ends. The rows of a CSV
    file have to be counted; of other files only the header is read; with options for gaps, text and dates, all of any
    file. Other methods than dnc-sc are refused.
    """
    import numpy as np

    import dncsc
    from dncsc.engines.frame import working_dtype
    from dncsc.tables.learning import TableOptions

    given = {"max_clusters": max_clusters, "metric": metric, "n_landmarks": landmarks, "n_neighbors": neighbors}
    given["n_jobs"] = jobs
    estimator = options.make_estimator(method, options.number_of_clusters(clusters), **given)
    if method != "dnc-sc":
        raise InputError(
            f"--method: what a fit needs is known of dnc-sc alone, not of {method}. Leave it out, or fit some of "
            "the rows with it: dncsc fit --json tells time and memory."
        )
    choice = ColumnSelection(columns, drop, identifier)
    asked = TableOptions(missing, categorical, dates, scale, thousands, decimal)
    n_rows, n_features, dtype, copied = _shape(data, rows, features, choice, asked)
    options.check_enough(n_rows, estimator.n_clusters, data or "the table")
    needs = dncsc.estimate(n_rows, n_features, dtype=dtype, **estimator.get_params())
    if json:
        print_json({"rows": n_rows, "features": n_features, "dtype": dtype, **asdict(needs), "copied": copied})
        return
    working = working_dtype(np.dtype(dtype)).name
    scratch, seconds = format_bytes(needs.scratch), needs.seconds
    print_facts(
        {
            "rows": f"{n_rows:,} of {n_features} features",
            "data": f"{format_bytes(needs.data)} of {dtype}, worked on as {working}",
            "memory": f"{format_bytes(needs.memory)} beyond the data",
            "or": f"{format_bytes(needs.least_memory)} and {scratch} of scratch files, with --max-memory",
            **({"copy": f"{format_bytes(needs.data)} more of either: the file is read once"} if copied else {}),
            "passes": f"{needs.passes}",
            "time": "about " + (f"{seconds:,.1f} s" if seconds < 100 else f"{seconds / 60:,.0f} min"),
        }
    )


def _shape(
    data: str | None, rows: int | None, features: int | None, choice: ColumnSelection, asked: TableOptions
) -> tuple[int, int, str, bool]:
    """Rows, features and type of a file, or as given; and whether a fit copies them."""
    from dncsc.cli.tables import diagnosing, plan_table

    if data is None:
        if rows is None or features is None:
            raise InputError("name a file, or give both --rows and --features.")
        return rows, features, "float32", False
    if rows is not None or features is not None:
        raise InputError("--rows and --features are for when there is no file: leave them out, or leave out the file.")
    with source(data) as read, diagnosing(read, choice, asked):
        table = plan_table(read, choice, asked).rows
        return *table.shape, table.dtype.name, not table.direct


def methods(json: options.JsonTable = False) -> None:
    """List the methods that --method takes.

    dnc-sc is the default; lsec, which combines many clusterings, is slower and steadier. Most others are there to be
    compared with these.
    """
    from dncsc import clusterer
    from dncsc import methods as names
    from dncsc.estimators.registry import describe

    listed = [(name, type(clusterer(name)).__name__, describe(name)) for name in names()]
    print_list([dict(zip(("name", "class", "about"), each, strict=True)) for each in listed], json)
