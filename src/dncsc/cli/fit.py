"""`dncsc fit`: cluster the rows of a file, and leave labels, a model, a report; each whole or not at all."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dncsc import memory
from dncsc.atomic import FileAppearedError
from dncsc.cli import options
from dncsc.cli.errors import tell
from dncsc.cli.inputs import ColumnSelection, places, source
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.layers import check_method, layer_groups, parse_layers
from dncsc.cli.options import OUTPUT, RUNNING, option
from dncsc.cli.outputs import Target, check, check_folder, file_target, free_name, naming, table_target
from dncsc.cli.progress import ProgressDisplay
from dncsc.cli.summary import Summary
from dncsc.errors import InputError

if TYPE_CHECKING:
    from dncsc.cli.tables import FeatureTable
    from dncsc.rows import Rows

LabelsTo = Annotated[str | None, options.Labels]
ModelFile = Annotated[str | None, option(OUTPUT, "Model to predict with later, as .npz.", "--model", metavar="FILE")]
ReportFile = Annotated[str | None, option(OUTPUT, "Page to look at, as .html.", "--report", metavar="FILE")]
Resume = Annotated[
    str | None,
    option(RUNNING, "Keep what is done in this folder: the same command resumes an interrupted fit.", metavar="FOLDER"),
]
Cluster = Annotated[str | None, option(RUNNING, "Run on a Dask cluster, such as tcp://host:8786.", metavar="ADDRESS")]


def fit(
    data: options.Data,
    clusters: options.Clusters,
    output: LabelsTo = None,
    model: ModelFile = None,
    report: ReportFile = None,
    layers: options.Layers = None,
    force: options.Force = False,
    json: options.Json = False,
    columns: options.ColumnNames = None,
    drop: options.Drop = None,
    identifier: options.Identifier = None,
    escape_formulas: options.EscapeFormulas = False,
    scale: options.Scale = "none",
    missing: options.Missing = "refuse",
    categorical: options.Categorical = "refuse",
    dates: options.Dates = "refuse",
    thousands: options.Thousands = None,
    decimal: options.Decimal = None,
    method: options.Method = "dnc-sc",
    max_clusters: options.MaxClusters = None,
    metric: options.Metric = "euclidean",
    landmarks: options.Landmarks = None,
    neighbors: options.Neighbors = None,
    noise: options.Noise = None,
    refine: options.Refine = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    max_memory: options.MaxMemory = None,
    resume: Resume = None,
    cluster: Cluster = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Cluster the rows of a file.

    Labels stand in the order of the rows, in a column called label. With --layers 10,50 columns label_10 and label_50
    follow, whose groups are made of whole clusters, and nested: those of 50 lie within those of 10. Files may be larger
    than memory. Nothing is overwritten unless --force says so, and nothing half written is left behind. The first line
    of CSV holds names, unless it looks like the rows below it; columns are then called 0, 1, 2, ... Where columns are
    text, dates or have gaps, and no option says what to do, the answer lists what all of them hold, and a command.
    """
    from dncsc.cli.hints import tell_hints
    from dncsc.cli.labels import check_identifier, find_identifiers, write_labels
    from dncsc.cli.tables import diagnosing, learn_table, plan_table, refuse_columns
    from dncsc.tables.learning import TableOptions
    from dncsc.tables.notes import as_note

    labels_to = None if output is None else table_target(output, overwrite=force)
    model_to = None if model is None else file_target(model, "--model", [".npz"], force)
    report_to = None if report is None else file_target(report, "--report", [".html", ".htm"], force)
    targets = [target for target in (labels_to, model_to, report_to) if target is not None]
    choice = ColumnSelection(columns, drop, identifier)
    asked = TableOptions(missing, categorical, dates, scale, thousands, decimal)
    k = options.number_of_clusters(clusters)
    if not targets:
        with source(data) as read:
            refuse_columns(read, choice, asked, {"-o": free_name("labels", ".csv")}, k)
        raise InputError("nothing would be kept. Say where results go: -o FILE, --model FILE or --report FILE.")
    wanted = parse_layers(layers, labels_to)
    check(targets, places(data))
    if cluster is not None:
        _check_for_cluster(max_memory, missing)
    advice = "Nothing was written. With --resume FOLDER, a fit goes on later from where it was interrupted."
    if resume is not None:
        check_folder("--resume", Path(resume), places(data))
        advice = f"Nothing was written but {resume}: the same command goes on from there."
    check_identifier(labels_to, identifier, wanted, escape_formulas)
    of_graph = {"max_clusters": max_clusters, "metric": metric, "n_landmarks": landmarks, "n_neighbors": neighbors}
    of_labels = {"noise": noise, "refine": True if refine else None}
    of_run = {"random_state": seed, "n_jobs": jobs, "max_memory": max_memory, "checkpoint": resume}
    estimator = options.make_estimator(method, k, **of_graph, **of_labels, **of_run)
    check_method(wanted, estimator, method)
    if model_to is not None and not hasattr(estimator, "predict"):
        raise InputError(f"--model: the method {method} cannot label new rows, so that a model would be of no use.")
    if report_to is not None:
        import dncsc.report  # noqa: F401  # before any work: it may lack what it needs
    summary = Summary("fit", quiet, json, labels_to is not None and labels_to.path is None)
    carries_ids = labels_to is not None and labels_to.holds != "one array"
    with signals_end_at_once(advice), source(data) as read:
        diagnosed = diagnosing(read, choice, asked, carries_ids=carries_ids, n_clusters=k)
        with ProgressDisplay(summary.quiet) as progress, diagnosed:
            table = plan_table(read, choice, asked)
            options.check_enough(len(table.rows), k, read.name)
            identifiers = find_identifiers(read, identifier, labels_to, escape_formulas)
            tell_hints(table, asked, summary.quiet)
            table = learn_table(table, asked, seed, progress)
            rows = table.rows
            _fit(estimator, rows, read.name, progress, cluster)
        remembered = None if table.encoding is None else as_note(table.encoding)
        peak_memory, notes = memory.peak(), {"encoding": remembered, "data": read.name}

        def deliver(to: Target) -> None:
            groups = layer_groups(wanted, estimator)
            write_labels(to, estimator.labels_, read, identifiers, summary.quiet, groups, table.kept)

        write_all(
            [
                (model_to, lambda to: estimator.save(to.path, notes, to.overwrite)),
                (labels_to, deliver),
                (report_to, lambda to: _report(to, estimator, table, read.name, summary.quiet)),
            ]
        )
    facts = {
        "data": read.name,
        **_table_facts(table),
        "scale": scale,
        **_model_facts(estimator),
        "layers": wanted,
        "peak_memory": peak_memory,
        "seconds": summary.seconds,
        "outputs": [target.name for target in targets],
    }
    summary.tell(format_summary(facts), **facts)


def _table_facts(table: FeatureTable) -> dict[str, Any]:
    """Facts about the rows."""
    rows, names = table.rows, table.rows.names
    columns = None if names is None else list(names)
    return {"rows": rows.shape[0], "features": rows.shape[1], "columns": columns, "left_out": table.left_out}


def _model_facts(estimator: Any) -> dict[str, Any]:
    """Facts about the clusters."""
    sizes, diagnosis = estimator.cluster_sizes_.tolist(), getattr(estimator, "diagnosis_", None)
    return {
        "parameters": estimator.get_params(),
        "n_clusters": len(sizes),
        "sizes": sizes,
        "noise": len(estimator.labels_) - sum(sizes),
        "timings": dict(estimator.timings_),
        "diagnosis": "" if diagnosis is None else str(diagnosis),
        "is_clear": None if diagnosis is None else diagnosis.is_clear and not diagnosis.is_doubtful,
        "is_doubtful": None if diagnosis is None else diagnosis.is_doubtful,
        "is_gaussian": None if diagnosis is None else diagnosis.is_gaussian,
    }


def _check_for_cluster(max_memory: str | None, missing: str) -> None:
    """Refuse what is for this machine alone."""
    if max_memory is not None:
        raise InputError(
            "--max-memory is for this machine. Workers of a --cluster have limits of their own: set these."
        )
    if missing == "drop":
        raise InputError(
            "--missing drop leaves out rows while it reads, which workers of a --cluster cannot. Fill them."
        )


def _fit(estimator: Any, rows: Rows, name: str, progress: ProgressDisplay, cluster: str | None) -> None:
    from dncsc import watch
    from dncsc.cli.cluster import fit_on_cluster

    progress.expect(options.passes(estimator, rows))
    with watch(progress):
        if cluster is None:
            estimator.fit(rows)
        else:
            fit_on_cluster(estimator, rows, cluster, name)


def _report(target: Target, estimator: Any, table: FeatureTable, data: str, quiet: bool) -> None:
    from dncsc.report import write_report

    rows, n_rows, command = table.rows, table.rows.shape[0], shlex.join(["dncsc", *sys.argv[1:]])
    with ProgressDisplay(quiet) as progress:

        def tell_step(step: str, share: float) -> None:
            progress(f"report: {step}", round(share * n_rows), n_rows)

        about: dict[str, Any] = {"data": data, "command": command, "overwrite": target.overwrite}
        write_report(target.name, estimator, rows, **about, progress=tell_step)


def write_all(steps: Iterable[tuple[Target | None, Callable[[Target], None]]]) -> None:
    """Write one target after another, and when one fails, say which are there.

    A model comes first: with it, a fit that took hours is not lost when something is wrong with the labels' file.
    """
    written: list[str] = []
    appeared: list[FileAppearedError] = []
    for target, write in steps:
        if target is None:
            continue
        done = f"Written before: {', '.join(written)}." if written else "Nothing was written."
        try:
            with signals_end_at_once(done), naming(target):
                write(target)
        except FileAppearedError as error:  # nothing is lost, and other targets are to come
            appeared.append(error)
            written.append(str(error.kept))
            continue
        except Exception:
            if written:
                again = " With the model, dncsc predict gives the labels, without another fit."
                tell(f"{target.name} could not be written. {done}{again if target.option == '-o' else ''}")
            raise
        written.append(target.name)
    for each in appeared[:-1]:
        tell(str(each))
    if appeared:
        raise appeared[-1]


def format_summary(facts: dict[str, Any]) -> str:
    """The summary for people; a fit of less than a second has one line, and another if its cut is not clear.

    A doubtful cut has had a warning.
    """
    counts = {"row": facts["rows"], "feature": facts["features"], "cluster": facts["n_clusters"]}
    rows, features, clusters = [f"{count:,} {name}{'s' * (count != 1)}" for name, count in counts.items()]
    what = f"{rows} of {features} in {clusters}"
    what += f" and {facts['noise']:,} of noise" if facts["noise"] else ""
    written = f"Written: {', '.join(facts['outputs'])}"
    of_fit, seconds = sum(facts["timings"].values()), facts["seconds"]
    time = f"{seconds:.2f} s" if seconds < 1 else f"{of_fit:.1f} s of {seconds:.1f} s in the fit"
    if of_fit < 1:
        doubt = "" if facts["is_clear"] or facts["is_doubtful"] else f"\n{facts['diagnosis']}"
        return f"{what}, {time}. {written}{doubt.rstrip()}"
    sizes = sorted(facts["sizes"], reverse=True)
    shown = ", ".join(f"{each:,}" for each in sizes[:10]) + (" ..." if len(sizes) > 10 else "")
    told = f"{facts['diagnosis']}\n" if facts["diagnosis"] and not facts["is_doubtful"] else ""
    return (
        f"{what}, {time}, {memory.format_bytes(facts['peak_memory'])} of memory at most.\n"
        f"Rows in each, largest first: {shown}\n"
        f"{told}{written}"
    )
