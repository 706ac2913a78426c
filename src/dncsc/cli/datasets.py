"""`dncsc datasets` and `dncsc demo`: the paper's data sets, listed, written to files of any size, and clustered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from dncsc.cli import options
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.options import option
from dncsc.cli.outputs import Target, check, file_target, table_target, table_writer
from dncsc.cli.progress import ProgressDisplay
from dncsc.cli.summary import Summary, print_list


def complete_dataset(incomplete: str) -> list[str]:
    """Data sets that begin like this."""
    from dncsc.datasets import names

    return [name for name in names() if name.startswith(incomplete)]


DatasetName = Annotated[
    str,
    typer.Argument(
        help="Name of the set; dncsc datasets lists them.", autocompletion=complete_dataset, show_default=False
    ),
]
TableOutput = Annotated[str, option(None, "Rows, or - for standard output.", "--output", "-o", metavar="FILE")]
RowsToMake = Annotated[int | None, option(None, "Rows to make. Default: as many as in the paper.", metavar="N", min=1)]
DataSeed = Annotated[int, option(None, "Seed of a synthetic set, or of the draw from a real one.", metavar="N", min=0)]
MadeJson = Annotated[
    bool,
    option(
        options.OUTPUT, "Summary for programs, on standard output, or on standard error when rows go there.", "--json"
    ),
]
NoClass = Annotated[bool, option(None, "Leave out the column of true classes.", "--no-class")]
FlowerRows = Annotated[int, option(None, "Rows of the flower, a made-up set.", metavar="N", min=1000)]
PictureOutput = Annotated[str, option(None, "The picture, as .png, .svg or .pdf.", "--output", "-o", metavar="FILE")]


def datasets(ctx: typer.Context, json: options.JsonTable = False) -> None:
    """List the data sets of the paper, or make a file of one.

    Synthetic sets have two features and any number of rows. PenDigits and Letters come with dncsc; other real sets are
    read from the folder that the environment variable DNCSC_DATA names, or downloaded from OpenML.
    """
    if ctx.invoked_subcommand is None:
        print_list(_listed(), json)


def _listed() -> list[dict[str, Any]]:
    from dncsc.datasets.real import REAL
    from dncsc.datasets.synthetic import SYNTHETIC

    synthetic = [(name, "synthetic", each.n, 2, each.n_classes) for name, each in SYNTHETIC.items()]
    real = [(name, "real", each.n, each.n_features, each.n_classes) for name, each in REAL.items()]
    keys = ("name", "kind", "rows", "features", "classes")
    return [dict(zip(keys, values, strict=True)) for values in (*synthetic, *real)]


def make(
    name: DatasetName,
    output: TableOutput,
    rows: RowsToMake = None,
    seed: DataSeed = 0,
    no_class: NoClass = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
    json: MadeJson = False,
    debug: options.Debug = False,
) -> None:
    """Write a data set to a file, block by block: a set may be larger than memory.

    Columns are x0, x1, ... and class. An .npz file has arrays X and y instead; an .npy file has the features alone.
    """
    from dncsc.datasets import blocks

    target = table_target(output, overwrite=force)
    check([target], [])
    summary = Summary("datasets make", quiet, json, target.path is None)
    n = rows or next((each["rows"] for each in _listed() if each["name"] == name), 0)
    made = blocks(name, rows, seed)
    with signals_end_at_once("Nothing was written."):
        n_features = _write(target, made, n, classes=not no_class, quiet=summary.quiet)
    alone = ", without classes, for which .npy has no place" if target.holds == "one array" and not no_class else ""
    summary.tell(
        f"{n:,} rows of {name} in {summary.seconds:.1f} s{alone}. Written: {target.name}",
        dataset=name,
        rows=n,
        features=n_features,
        seconds=summary.seconds,
        outputs=[target.name],
    )


def _write(target: Target, made: Iterator[Any], n: int, *, classes: bool, quiet: bool) -> int:
    """Write blocks; gives the number of features."""
    X, y = next(made)
    arrays = {"one array": ["X"], "arrays": ["X", "y"] if classes else ["X"]}.get(target.holds)
    names = arrays or [*(f"x{i}" for i in range(X.shape[1])), *(["class"] if classes else [])]
    n_features, done = X.shape[1], 0
    with ProgressDisplay(quiet or target.path is None) as progress, table_writer(target, names, n) as writer:
        while X is not None:
            writer.write([X, y][: len(arrays)] if arrays else [*X.T, y][: len(names)])
            done += len(X)
            progress("write", done, n)
            X, y = next(made, (None, None))
    return int(n_features)


def demo(
    rows: FlowerRows = 1_000_000,
    output: PictureOutput = "demo.png",
    force: options.Force = False,
    debug: options.Debug = False,
) -> None:
    """Cluster a flower and digits, next to k-means: a table, and a picture of the flower.

    Nothing has to be downloaded.
    """
    check([file_target(output, "-o", [".png", ".svg", ".pdf"], force)], [])
    from dncsc.demo import run

    with signals_end_at_once("Nothing was written."):
        run(rows, Path(output), overwrite=force)
