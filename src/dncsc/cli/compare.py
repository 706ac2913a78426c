"""`dncsc compare`: several methods on the same rows."""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dncsc.cli import options
from dncsc.cli.errors import UsageError, explain
from dncsc.cli.inputs import ColumnSelection, InputTable, open_features, source
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.parameters import check_enough, make_estimator, number_of_clusters, passes
from dncsc.cli.progress import ProgressDisplay
from dncsc.cli.summary import cluster_sizes, print_json, print_table

if TYPE_CHECKING:
    import numpy as np

    from dncsc.rows import Rows

WARM_UP_ROWS = 5_000
"""Rows on which each method is tried first, so that compiling is not timed."""

ClusterCount = Annotated[
    str, typer.Option("--clusters", "-k", metavar="N", help="Number of clusters.", rich_help_panel=options.METHOD)
]
MethodList = Annotated[
    str,
    typer.Option(
        metavar="A,B,...",
        help="Methods to compare; dncsc methods lists them.",
        autocompletion=options.complete_method,
        rich_help_panel=options.METHOD,
    ),
]
TruthColumn = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="True classes, which are not a feature: adds accuracy (ACC) and NMI with them, in per cent.",
        rich_help_panel=options.ROWS,
    ),
]


@dataclass(frozen=True)
class MethodResult:
    """What a method found; without labels, why it refused the rows."""

    method: str
    seconds: float = 0.0
    labels: np.ndarray | None = None
    refused: str = ""


def compare(
    data: options.Data,
    clusters: ClusterCount,
    methods: MethodList = "dnc-sc,u-spec,k-means",
    truth: TruthColumn = None,
    columns: options.Columns = None,
    drop: options.Drop = None,
    landmarks: options.Landmarks = None,
    neighbors: options.Neighbors = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    max_memory: options.MaxMemory = None,
    json: options.JsonTable = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Run several methods on the same rows: how long each takes, and how far they agree.

    Agreement is normalized mutual information (NMI) in per cent: 100 for the same clusters, about 0 for unrelated
    ones. Each method is tried on a few rows first, so that times are those of later runs.
    """
    k = number_of_clusters(clusters)
    if k == "auto":
        raise UsageError("compare needs one number of clusters for all methods: give -k a number.")
    names = [name.strip() for name in methods.split(",") if name.strip()]
    if len(names) != len(set(names)) or not names:
        raise UsageError(f"--methods are different names between commas, as in dnc-sc,k-means; got {methods!r}.")
    given = {"random_state": seed, "n_jobs": jobs, "max_memory": max_memory}
    wanted = {"n_landmarks": landmarks, "n_neighbors": neighbors}
    estimators = {name: make_estimator(name, k, **given, **_taken(name, wanted)) for name in names}
    with signals_end_at_once(""), source(data) as read, ProgressDisplay(quiet) as progress:
        rows = open_features(read, ColumnSelection(columns, drop, truth=truth))
        check_enough(rows.shape[0], k, read.name)
        classes = None if truth is None else _classes(read, truth, rows.shape[0])
        results = [_run(name, estimator, rows, progress) for name, estimator in estimators.items()]
    _tell(results, classes, read.name, rows, json)


def _taken(method: str, wanted: dict[str, Any]) -> dict[str, Any]:
    """Of some parameters, those that a method has."""
    return {name: value for name, value in wanted.items() if name in make_estimator(method, 1).get_params()}


def _run(name: str, estimator: Any, rows: Rows, progress: ProgressDisplay) -> MethodResult:
    from sklearn.base import clone

    from dncsc import watch

    try:
        piece = next(iter(rows.batches(max(WARM_UP_ROWS, estimator.n_clusters))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a few of the rows alone
            clone(estimator).fit(piece)
        progress.expect(passes(estimator, rows))
        start = time.perf_counter()
        with watch(lambda phase, done, n_rows: progress(f"{name}: {phase}", done, n_rows)):
            estimator.fit(rows)
        result = MethodResult(name, time.perf_counter() - start, estimator.labels_)
        progress.expect(0)
        return result
    except (ValueError, MemoryError) as error:
        return MethodResult(name, refused=explain(error)[1])


def _classes(read: InputTable, truth: str, n_rows: int) -> np.ndarray:
    """True classes as numbers."""
    import numpy as np

    from dncsc.rows.formats import read_column

    numbers: dict[Any, int] = {}
    blocks = []
    for block in read_column(read.files, truth, 2**17):
        values = block if isinstance(block, list) else block.tolist()
        blocks.append(np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int32))
    classes = np.concatenate(blocks)
    if len(classes) != n_rows:
        raise UsageError(f"--truth: {read.name} has {n_rows:,} rows, but {len(classes):,} values of {truth!r}.")
    return classes


def _tell(results: list[MethodResult], classes: np.ndarray | None, name: str, rows: Rows, json: bool) -> None:
    from dncsc.metrics import accuracy, nmi

    done = {result.method: result.labels for result in results if result.labels is not None}
    lines: list[dict[str, Any]] = []
    for result in results:
        if result.labels is None:
            lines.append({"method": result.method, "refused": result.refused})
            continue
        facts = {"method": result.method, "seconds": result.seconds, "sizes": cluster_sizes(result.labels)}
        if classes is not None:
            facts |= {"ACC": 100 * accuracy(classes, result.labels), "NMI": 100 * nmi(classes, result.labels)}
        facts["agreement"] = {method: 100 * nmi(labels, result.labels) for method, labels in done.items()}
        lines.append(facts)
    if json:
        print_json({"data": name, "rows": rows.shape[0], "features": rows.shape[1], "results": lines})
    else:
        _print(lines, list(done) if len(done) > 1 else [])
    if not done:
        raise UsageError("no method could run.")


def _print(lines: list[dict[str, Any]], compared: list[str]) -> None:
    scores = [name for name in ("ACC", "NMI") if any(name in line for line in lines)]
    titles = ["method", "seconds", *scores, *(f"as {name}" for name in compared)]
    cells = []
    for line in lines:
        if "refused" in line:
            cells.append([line["method"], "refused", *[""] * (len(titles) - 2)])
            print(f"{line['method']}: {line['refused']}", file=sys.stderr)
        else:
            numbers = [*(line[name] for name in scores), *(line["agreement"][name] for name in compared)]
            cells.append([line["method"], f"{line['seconds']:.2f}", *(f"{each:.1f}" for each in numbers)])
    print_table(titles, cells, right=titles[1:])


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    options.command(
        app,
        "compare",
        "dncsc compare data.csv -k 10 --methods dnc-sc,u-spec,k-means",
        "dncsc compare flower.parquet -k 13 --truth class",
    )(compare)
