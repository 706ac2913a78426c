"""`dncsc compare`: several methods on the same rows."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING, Annotated, Any

from dncsc.cli import options
from dncsc.cli.errors import explain
from dncsc.cli.inputs import ColumnSelection, InputTable, source
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.options import METHOD, ROWS, complete_method, make_estimator, option
from dncsc.cli.progress import ProgressDisplay
from dncsc.cli.summary import cluster_sizes, print_json, print_table
from dncsc.errors import InputError, NotFiniteError, visible

if TYPE_CHECKING:
    import numpy as np

    from dncsc.cli.tables import FeatureTable
    from dncsc.rows import Rows

DEFAULT = "dnc-sc,u-spec,k-means"
"""Methods that are compared."""

WARM_UP_ROWS = 5_000
"""Rows on which each method is tried first, so that compiling is not timed."""

ClusterCount = Annotated[str, option(METHOD, "Number of clusters.", "--clusters", "-k", metavar="N")]
MethodList = Annotated[
    list[str] | None,
    option(
        METHOD,
        f"Methods to compare; dncsc methods lists them. Default: {DEFAULT}.",
        metavar="A,B,...",
        autocompletion=complete_method,
    ),
]
TruthColumn = Annotated[
    str | None,
    option(ROWS, "True classes, not a feature: adds accuracy (ACC) and NMI with them, in per cent.", metavar="COLUMN"),
]


def compare(
    data: options.Data,
    clusters: ClusterCount,
    methods: MethodList = None,
    truth: TruthColumn = None,
    columns: options.ColumnNames = None,
    drop: options.Drop = None,
    identifier: options.Identifier = None,
    scale: options.Scale = "none",
    missing: options.Missing = "refuse",
    categorical: options.Categorical = "refuse",
    dates: options.Dates = "refuse",
    thousands: options.Thousands = None,
    decimal: options.Decimal = None,
    metric: options.Metric = "euclidean",
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
    from dncsc.cli.hints import tell_hints
    from dncsc.cli.tables import diagnosing, learn_table, plan_table
    from dncsc.tables.learning import TableOptions

    choice = ColumnSelection(columns, drop, identifier, truth)
    asked = TableOptions(missing, categorical, dates, scale, thousands, decimal)
    k = options.number_of_clusters(clusters)
    if k == "auto":
        raise InputError("compare needs one number of clusters for all methods: give -k a number.")
    typed = ",".join(methods or [DEFAULT])
    names = [name.strip() for name in typed.split(",") if name.strip()]
    if len(names) != len(set(names)) or not names:
        raise InputError(f"--methods are different names between commas, as in dnc-sc,k-means; got {typed!r}.")
    given = {"metric": metric, "random_state": seed, "n_jobs": jobs, "max_memory": max_memory}
    wanted = {"n_landmarks": landmarks, "n_neighbors": neighbors}
    estimators = {}
    for name in names:
        known = make_estimator(name, 1).get_params()
        taken = {parameter: value for parameter, value in wanted.items() if parameter in known}
        estimators[name] = make_estimator(name, k, **given, **taken)
    progress = ProgressDisplay(quiet)
    with signals_end_at_once(""), source(data) as read, progress, diagnosing(read, choice, asked, n_clusters=k):
        table = plan_table(read, choice, asked)
        options.check_enough(len(table.rows), k, read.name)
        tell_hints(table, asked, quiet)
        classes = None if truth is None else _classes(read, truth, table)
        rows = learn_table(table, asked, seed, progress).rows
        results = [_run(name, estimator, rows, progress) for name, estimator in estimators.items()]
    done = {facts["method"]: facts.pop("labels") for facts in results if "labels" in facts}
    for facts in results:
        if "refused" not in facts:
            facts |= _scores(done[facts["method"]], classes, done)
    if json:
        print_json({"data": read.name, "rows": rows.shape[0], "features": rows.shape[1], "results": results})
    else:
        _print(results, list(done) if len(done) > 1 else [])
    if not done:
        raise InputError("no method could run.")


def _run(name: str, estimator: Any, rows: Rows, progress: ProgressDisplay) -> dict[str, Any]:
    """Time and labels of a method, or why it refused the rows."""
    from sklearn.base import clone

    from dncsc import watch
    from dncsc.rows.columns import MissingValueError

    try:
        piece = next(iter(rows.batches(max(WARM_UP_ROWS, estimator.n_clusters))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a few of the rows alone
            clone(estimator).fit(piece)
        progress.expect(options.passes(estimator, rows))
        start = time.perf_counter()
        with watch(lambda phase, done, n_rows: progress(f"{name}: {phase}", done, n_rows)):
            estimator.fit(rows)
        seconds = time.perf_counter() - start
        progress.expect(0)
        return {"method": name, "seconds": seconds, "labels": estimator.labels_}
    except (MissingValueError, NotFiniteError):
        raise  # of the rows, not of the method
    except (ValueError, MemoryError) as error:
        return {"method": name, "refused": explain(error)[1]}


def _classes(read: InputTable, truth: str, table: FeatureTable) -> np.ndarray:
    """True classes of the rows that are clustered, as numbers."""
    import numpy as np

    from dncsc.rows.formats import read_columns

    numbers: dict[Any, int] = {}
    blocks = []
    for (block,) in read_columns(read.files, [truth], 2**17):
        values = block if isinstance(block, list) else block.tolist()
        blocks.append(np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int32))
    classes = np.concatenate(blocks)
    n_rows = len(table.rows) + table.left_out
    if len(classes) != n_rows:
        raise InputError(f"--truth: {read.name} has {n_rows:,} rows, but {len(classes):,} values of {truth!r}.")
    return classes if table.kept is None else classes[table.kept]


def _scores(labels: np.ndarray, classes: np.ndarray | None, done: dict[str, np.ndarray]) -> dict[str, Any]:
    """How labels agree with classes, and with those of all methods."""
    from dncsc.metrics import accuracy, nmi

    facts: dict[str, Any] = {"sizes": cluster_sizes(labels, int(labels.max()) + 1)}
    if classes is not None:
        facts |= {"ACC": 100 * accuracy(classes, labels), "NMI": 100 * nmi(classes, labels)}
    return {**facts, "agreement": {method: 100 * nmi(others, labels) for method, others in done.items()}}


def _print(results: list[dict[str, Any]], compared: list[str]) -> None:
    scores = [name for name in ("ACC", "NMI") if any(name in facts for facts in results)]
    titles = ["method", "seconds", *scores, *(f"as {name}" for name in compared)]
    cells = []
    for facts in results:
        if "refused" in facts:
            cells.append([facts["method"], "refused", *[""] * (len(titles) - 2)])
            print(visible(f"{facts['method']}: {facts['refused']}"), file=sys.stderr)
        else:
            numbers = [*(facts[name] for name in scores), *(facts["agreement"][name] for name in compared)]
            cells.append([facts["method"], f"{facts['seconds']:.2f}", *(f"{each:.1f}" for each in numbers)])
    print_table(titles, cells, right=titles[1:])
