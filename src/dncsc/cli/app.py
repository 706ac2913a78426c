"""The command `dncsc` and its subcommands."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated

import typer

from dncsc.cli import compare, datasets, demo, fit, inspect, predict, reference
from dncsc.cli.options import epilog, prose


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from dncsc import __version__

        print(f"dncsc {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
]


EXAMPLES = (
    "dncsc datasets make fl-20m --rows 1000000 -o flower.parquet",
    "dncsc fit flower.parquet --drop class -k 13 -o l.csv --model m.npz",
    "dncsc predict m.npz flower.parquet -o again.csv",
)
BENCH = (
    "Run the experiments of the paper: dncsc bench SUITE -o results.jsonl, and then dncsc bench report results.jsonl."
)


def dncsc(version: Version = False) -> None:
    """Spectral clustering at the price of k-means, for files of any size.

    Standard output carries data alone, so pipes work; all else goes to standard error. Exit codes: 0 fine, 1 a fault of
    dncsc itself, 2 bad input or usage, 3 trouble with a file, 4 trouble with a cluster, 130 interrupted.
    """


def make_app(whole: bool = True) -> typer.Typer:
    """The command with all its subcommands.

    Parameters
    ----------
    whole : bool, default=True
        With those of `bench` too, which are slow to import; else by name only.
    """
    app = typer.Typer(name="dncsc", no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.callback(help=prose(dncsc.__doc__), epilog=epilog(*EXAMPLES))(dncsc)
    for module in (fit, predict, compare, inspect, demo, reference):
        module.add_to(app)
    app.add_typer(datasets.app, name="datasets")
    benchmarks = import_module("dncsc.cli.bench").app if whole else typer.Typer()
    app.add_typer(benchmarks, name="bench", help=BENCH)
    return app
