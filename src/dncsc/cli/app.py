"""The command `dncsc` and its subcommands, each with a docstring to read and examples to copy, and how it is run."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer

from dncsc.cli.compare import compare
from dncsc.cli.datasets import datasets, demo, make
from dncsc.cli.errors import CLOSED_PIPE, explain, in_options, tell
from dncsc.cli.fit import fit
from dncsc.cli.inspect import estimate, info, methods
from dncsc.cli.options import epilog
from dncsc.cli.predict import predict
from dncsc.cli.reference import reference


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from dncsc import __version__

        print(f"dncsc {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Show the version and exit.", callback=show_version, is_eager=True)
]


def dncsc(version: Version = False) -> None:
    """Spectral clustering at the price of k-means, for files of any size.

    dncsc fit groups the rows of a file; dncsc COMMAND --help describes a command. Where a help text mentions the paper,
    that is Li et al., Divide-and-conquer based large-scale spectral clustering (2022).

    Standard output carries data alone, so pipes work; all else goes to standard error. Exit codes: 0 fine, 1 a fault of
    dncsc itself, 2 bad input or usage, 3 trouble with a file, 4 trouble with a Dask cluster, 130 interrupted.
    """


MAKE = "dncsc datasets make fl-20m --rows 1000000 -o flower.parquet"
EXAMPLES: dict[Callable[..., None], tuple[str, ...]] = {
    dncsc: (
        MAKE,
        "dncsc fit flower.parquet --drop class -k 13 -o l.csv --model m.npz",
        "dncsc predict m.npz flower.parquet -o again.csv",
    ),
    fit: (
        "dncsc fit data.parquet -k 13 -o labels.parquet --model m.npz --report r.html",
        "dncsc fit clients.csv -k 8 --id client --scale standard -o clusters.csv",
        "dncsc fit clients.csv -k 8 --missing median --categorical one-hot --scale standard -o c.csv",
        "cat points.csv | dncsc fit - -k 3 -o - | sort | uniq -c",
        "dncsc fit texts.npy -k 1000 --metric cosine --layers 10,100 -o topics.parquet",
        "dncsc fit huge.parquet -k 50 -o l.parquet --max-memory 2GB --resume work",
    ),
    predict: (
        "dncsc predict model.npz new.csv -o labels.csv",
        "dncsc predict model.npz new.parquet --id customer -o - | head",
        "dncsc predict model.npz new.csv --layers 5,20 -o labels.csv",
    ),
    compare: (
        "dncsc compare data.csv -k 10 --methods dnc-sc,u-spec,k-means",
        "dncsc compare flower.parquet -k 13 --truth class",
    ),
    info: ("dncsc info model.npz", "dncsc info model.npz --json", "dncsc info clients.csv"),
    estimate: ("dncsc estimate data.parquet", "dncsc estimate --rows 1000000000 --features 10 --landmarks 2000"),
    methods: ("dncsc methods",),
    demo: ("dncsc demo", "dncsc demo --rows 100000 -o flower.svg"),
    datasets: ("dncsc datasets", MAKE),
    make: (MAKE, "dncsc datasets make tm-1m --rows 500 --no-class -o - | dncsc fit - -k 2 -o moons.csv"),
}
BENCH = (
    "Run the experiments of the paper: dncsc bench SUITE -o results.jsonl, and then dncsc bench report results.jsonl."
)


def make_app(whole: bool = True) -> typer.Typer:
    """The command with all its subcommands.

    Parameters
    ----------
    whole : bool, default=True
        With those of `bench` too, which are slow to import; else by name only.
    """
    app, sets = _group(dncsc, no_args_is_help=True), _group(datasets, invoke_without_command=True)
    for function in (fit, predict, compare, info, estimate, methods, demo):
        app.command(**_about(function))(function)
    sets.command(**_about(make))(make)
    app.command(hidden=True, help=reference.__doc__)(reference)
    app.add_typer(sets, name="datasets")
    app.add_typer(import_module("dncsc.cli.bench").app if whole else typer.Typer(), name="bench", help=BENCH)
    return app


def _group(function: Callable[..., None], **how: Any) -> typer.Typer:
    app = typer.Typer(name=function.__name__, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.callback(**_about(function), **how)(function)
    return app


def _about(function: Callable[..., None]) -> dict[str, Any]:
    """Help of a command: each paragraph of its docstring on one line, to be wrapped to whatever width there is."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    help_text = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    return {"help": help_text, "epilog": epilog(*EXAMPLES[function])}


def run(arguments: list[str]) -> int:
    """Exit code of `dncsc` with these arguments; an error becomes one line."""
    # Subcommands that are slow to import; completion asks for them through its own variable.
    whole = arguments[:1] in (["bench"], ["reference"]) or "_DNCSC_COMPLETE" in os.environ
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: tell(f"warning: {in_options(message)}")
        try:
            code = make_app(whole)(arguments, prog_name="dncsc", standalone_mode=False)
            sys.stdout.flush()
        except typer.Exit as stopped:
            return stopped.exit_code
        except (BrokenPipeError, SystemExit) as stopped:  # Click makes the first the second
            if isinstance(stopped, SystemExit) and not isinstance(stopped.__context__, BrokenPipeError):
                return int(stopped.code or 0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter complains when it flushes
            return CLOSED_PIPE
        except Exception as error:
            if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
                print(error, file=sys.stderr)
                return 2
            if "--debug" in arguments:
                traceback.print_exception(error)
            code, text = explain(error)
            told = getattr(error, "told", None)  # of a table, whose columns are listed
            tell(text if told is None else told(arguments))
        return code if isinstance(code, int) else 0
