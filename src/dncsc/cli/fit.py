"""`dncsc fit`: cluster the rows of a file."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dncsc import memory
from dncsc.cli import options
from dncsc.cli.errors import UsageError
from dncsc.cli.inputs import ColumnSelection, InputTable, open_features, places, source
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.labels import check_identifier, write_labels
from dncsc.cli.outputs import check, check_folder
from dncsc.cli.parameters import check_enough, make_estimator, number_of_clusters, passes
from dncsc.cli.progress import ProgressDisplay
from dncsc.cli.results import Targets, make_report, report_writer, save_model, write_all
from dncsc.cli.summary import Summary, cluster_sizes

if TYPE_CHECKING:
    from dncsc.rows import Rows

Output = Annotated[str | None, options.Labels]
ModelFile = Annotated[
    str | None, options.option(options.OUTPUT, "Model to predict with later, as .npz.", "--model", metavar="FILE")
]
ReportFile = Annotated[
    str | None, options.option(options.OUTPUT, "Page to look at, as .html.", "--report", metavar="FILE")
]


class Scale(str, Enum):
    """How columns are scaled."""

    none = "none"
    standard = "standard"
    robust = "robust"


ScaleBy = Annotated[
    Scale,
    options.option(
        options.ROWS,
        "Scale columns: standard by mean and standard deviation, robust by median and quartiles of 100,000 rows.",
        metavar="none|standard|robust",
    ),
]
Resume = Annotated[
    str | None,
    options.option(
        options.RUNNING,
        "Keep what is done in this folder; the same command goes on there after an interruption.",
        metavar="FOLDER",
    ),
]
Cluster = Annotated[
    str | None,
    options.option(options.RUNNING, "Run on a Dask cluster, such as tcp://host:8786.", metavar="ADDRESS"),
]


def fit(
    data: options.Data,
    clusters: options.Clusters,
    output: Output = None,
    model: ModelFile = None,
    report: ReportFile = None,
    force: options.Force = False,
    json: options.Json = False,
    columns: options.Columns = None,
    drop: options.Drop = None,
    identifier: options.Identifier = None,
    scale: ScaleBy = Scale.none,
    method: options.Method = "dnc-sc",
    landmarks: options.Landmarks = None,
    neighbors: options.Neighbors = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    max_memory: options.MaxMemory = None,
    resume: Resume = None,
    cluster: Cluster = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Cluster the rows of a file.

    Labels stand in the order of the rows, in a column called label. Files may be larger than memory. Nothing is
    overwritten unless --force says so, and nothing half written is left behind. The first line of CSV holds names,
    unless it looks like the rows below it; columns are then called 0, 1, 2, ...
    """
    from dncsc.cli.identifiers import find_identifiers

    targets = Targets.named(output, model, report)
    choice = ColumnSelection(columns, drop, identifier)
    k = number_of_clusters(clusters)
    check(targets.all(), places(data), force)
    if cluster is not None and max_memory is not None:
        raise UsageError(
            "--max-memory is for this machine. Workers of a --cluster have limits of their own: set these."
        )
    if resume is not None:
        check_folder("--resume", Path(resume), places(data))
    check_identifier(targets.labels, identifier)
    given = {"n_landmarks": landmarks, "n_neighbors": neighbors, "max_memory": max_memory, "checkpoint": resume}
    estimator = make_estimator(method, k, random_state=seed, n_jobs=jobs, **given)
    if targets.model is not None and not hasattr(estimator, "predict"):
        raise UsageError(f"--model: the method {method} cannot label new rows, so that a model would be of no use.")
    if targets.report is not None:
        report_writer()
    summary = Summary("fit", quiet, json, targets.labels_on_stdout)
    with signals_end_at_once(advice(resume)), source(data) as read:
        with ProgressDisplay(summary.quiet) as progress:
            rows = open_features(read, choice)
            check_enough(rows.shape[0], k, read.name)
            identifiers = find_identifiers(read, identifier, targets.labels)
            rows, remembered = fit_rows(estimator, rows, read.name, scale, progress, cluster)
        facts = facts_of(estimator, read, rows, scale)
        notes = {"scale": remembered, "data": read.name}
        write_all(
            [
                (targets.model, lambda to: save_model(to, estimator, notes)),
                (targets.labels, lambda to: write_labels(to, estimator.labels_, read, identifiers, summary.quiet)),
                (targets.report, lambda to: make_report(to, estimator, rows, read.name, summary.quiet)),
            ]
        )
    summary.facts |= {**facts, "seconds": summary.seconds, "outputs": [target.name for target in targets.all()]}
    summary.say(format_summary(summary.facts))
    summary.close()


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    options.command(
        app,
        "fit",
        "dncsc fit data.parquet -k 13 -o labels.parquet --model m.npz --report r.html",
        "dncsc fit clients.csv -k 8 --id client --scale standard -o clusters.csv",
        "cat points.csv | dncsc fit - -k 3 -o - | sort | uniq -c",
        "dncsc fit huge.parquet -k 50 -o l.parquet --max-memory 2GB --resume work",
    )(fit)


def fit_rows(
    estimator: Any, rows: Rows, name: str, how: Scale, progress: ProgressDisplay, cluster: str | None
) -> tuple[Rows, dict[str, Any] | None]:
    """Fit an estimator to rows; those it saw, and how they were scaled."""
    from dncsc import watch
    from dncsc.cli.cluster import fit_on_cluster
    from dncsc.cli.scaling import scaled

    rows, remembered = scaled(rows, how.value, estimator.random_state, progress)
    progress.expect(passes(estimator, rows))
    with watch(progress):
        if cluster is None:
            estimator.fit(rows)
        else:
            fit_on_cluster(estimator, rows, cluster, name)
    return rows, remembered


def advice(resume: str | None) -> str:
    """What to say when the fit is interrupted."""
    if resume is None:
        return "Nothing was written. With --resume FOLDER, a fit goes on later from where it was interrupted."
    return f"Nothing was written but {resume}: the same command goes on from there."


def facts_of(estimator: Any, read: InputTable, rows: Rows, how: Scale) -> dict[str, Any]:
    """What was done, for people and programs."""
    k = len(estimator.cluster_centers_)
    return {
        "data": read.name,
        "rows": rows.shape[0],
        "features": rows.shape[1],
        "columns": None if rows.names is None else list(rows.names),
        "scale": how.value,
        "parameters": estimator.get_params(),
        "n_clusters": k,
        "sizes": cluster_sizes(estimator.labels_, k),
        "timings": dict(estimator.timings_),
        "peak_memory": memory.peak(),
    }


def format_summary(facts: dict[str, Any]) -> str:
    """The summary for people."""
    sizes = sorted(facts["sizes"], reverse=True)
    shown = ", ".join(f"{each:,}" for each in sizes[:10]) + (" ..." if len(sizes) > 10 else "")
    seconds = sum(facts["timings"].values())
    return (
        f"{facts['rows']:,} rows of {facts['features']} features in {facts['n_clusters']} clusters, "
        f"{seconds:.1f} s of {facts['seconds']:.1f} s in the fit, "
        f"{memory.format_bytes(facts['peak_memory'])} of memory at most.\n"
        f"Rows in each, largest first: {shown}\n"
        f"Written: {', '.join(facts['outputs'])}"
    )
