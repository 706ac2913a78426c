"""`dncsc datasets`: the paper's data sets, listed and written to files of any size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from dncsc.cli import options
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.outputs import Target, check, table_target, table_writer
from dncsc.cli.progress import Progress
from dncsc.cli.summary import Summary, print_json, print_table

Name = Annotated[
    str,
    typer.Argument(
        help="Name of the set; dncsc datasets lists them.", autocompletion=options.complete_dataset, show_default=False
    ),
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Rows, or - for standard output.")]
Rows = Annotated[int | None, typer.Option(metavar="N", min=1, help="Rows to make. Default: as many as in the paper.")]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed of a synthetic set, or of the draw from a real one.")]
NoClass = Annotated[bool, typer.Option("--no-class", help="Leave out the column of true classes.")]


def datasets(ctx: typer.Context, json: options.JsonTable = False) -> None:
    """List the data sets of the paper, or make a file of one.

    Synthetic sets have two features and any number of rows. PenDigits and Letters come with dncsc; other real sets are
    read from the folder that the environment variable DNCSC_DATA names, or downloaded from OpenML.
    """
    if ctx.invoked_subcommand is not None:
        return
    listed = _listed()
    if json:
        print_json(listed)
    else:
        lines = [
            (each["name"], each["kind"], f"{each['rows']:,}", str(each["features"]), str(each["classes"]))
            for each in listed
        ]
        print_table(("name", "kind", "rows", "features", "classes"), lines, right=("rows", "features", "classes"))


def _listed() -> list[dict[str, Any]]:
    from dncsc.datasets.real import REAL
    from dncsc.datasets.synthetic import SYNTHETIC

    synthetic = [(name, "synthetic", each.n, 2, each.n_classes) for name, each in SYNTHETIC.items()]
    real = [(name, "real", each.n, each.n_features, each.n_classes) for name, each in REAL.items()]
    keys = ("name", "kind", "rows", "features", "classes")
    return [dict(zip(keys, values, strict=True)) for values in (*synthetic, *real)]


def make(
    name: Name,
    output: Output,
    rows: Rows = None,
    seed: Seed = 0,
    no_class: NoClass = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Write a data set to a file, block by block: a set may be larger than memory.

    Columns are x0, x1, ... and class. An .npz file has arrays X and y instead; an .npy file has the features alone.
    """
    from dncsc.datasets import blocks

    target = table_target(output)
    check([target], [], force)
    summary = Summary("datasets make", quiet, json, target.path is None)
    n = rows or next((each["rows"] for each in _listed() if each["name"] == name), 0)
    made = blocks(name, rows, seed)
    with signals_end_at_once("Nothing was written."):
        n_features = _write(target, made, n, classes=not no_class, quiet=summary.quiet)
    summary.facts |= {
        "dataset": name,
        "rows": n,
        "features": n_features,
        "seconds": summary.seconds,
        "outputs": [target.name],
    }
    alone = ", without classes, for which .npy has no place" if target.holds == "one array" and not no_class else ""
    summary.say(f"{n:,} rows of {name} in {summary.seconds:.1f} s{alone}. Written: {target.name}")
    summary.close()


def _write(target: Target, made: Iterator[Any], n: int, *, classes: bool, quiet: bool) -> int:
    """Write blocks; gives the number of features."""
    X, y = next(made)
    arrays = {"one array": ["X"], "arrays": ["X", "y"] if classes else ["X"]}.get(target.holds)
    names = arrays or [*(f"x{i}" for i in range(X.shape[1])), *(["class"] if classes else [])]
    n_features, done = X.shape[1], 0
    with Progress(quiet or target.path is None) as progress, table_writer(target, names, n) as writer:
        while X is not None:
            writer.write([X, y][: len(arrays)] if arrays else [*X.T, y][: len(names)])
            done += len(X)
            progress("write", done, n)
            X, y = next(made, (None, None))
    return int(n_features)


app = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
app.callback(
    invoke_without_command=True,
    help=options.prose(datasets.__doc__),
    epilog=options.epilog("dncsc datasets", "dncsc datasets make fl-20m --rows 1000000 -o flower.parquet"),
)(datasets)
options.command(
    app,
    "make",
    "dncsc datasets make fl-20m --rows 1000000 -o flower.parquet",
    "dncsc datasets make tm-1m --rows 500 --no-class -o - | dncsc fit - -k 2 -o moons.csv",
)(make)
