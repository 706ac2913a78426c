"""Options that several commands share, and how commands are declared: a docstring to read and examples to copy."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

Function = TypeVar("Function", bound=Callable[..., Any])

ROWS, METHOD, OUTPUT, RUNNING = "Rows", "Method", "Output", "Running"
"""Panels of the help."""


def command(app: typer.Typer, name: str, *examples: str, **options: Any) -> Callable[[Function], Function]:
    """Declare a command: its docstring is the help, and examples follow."""

    def declare(function: Function) -> Function:
        app.command(name, help=prose(function.__doc__), epilog=epilog(*examples), **options)(function)
        return function

    return declare


def prose(text: str | None) -> str:
    """A docstring with each paragraph on one line, to be wrapped to whatever width there is."""
    paragraphs = inspect.cleandoc(text or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def epilog(*examples: str) -> str:
    """Examples, a paragraph each."""
    return "\n\n".join([f"Example{'s' if len(examples) > 1 else ''}:", *examples])


def complete_method(incomplete: str) -> list[str]:
    """Methods that begin like this."""
    from dncsc import methods

    return [name for name in methods() if name.startswith(incomplete)]


def complete_dataset(incomplete: str) -> list[str]:
    """Data sets that begin like this."""
    from dncsc.datasets import names

    return [name for name in names() if name.startswith(incomplete)]


Data = Annotated[
    str,
    typer.Argument(
        help="Rows to read: a .npy, .npz, .csv, .tsv, .parquet, .feather or .arrow file, a folder or quoted pattern of "
        "such files, or - for CSV on standard input.",
        show_default=False,
    ),
]
Clusters = Annotated[
    str,
    typer.Option(
        "--clusters", "-k", metavar="N", help="Number of clusters, or auto to find it.", rich_help_panel=METHOD
    ),
]
Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Clustering method; dncsc methods lists them.",
        autocompletion=complete_method,
        rich_help_panel=METHOD,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Columns to use, by name, or by number from 0 where there are none.",
        rich_help_panel=ROWS,
    ),
]
Drop = Annotated[str | None, typer.Option(metavar="A,B,...", help="Use all columns but these.", rich_help_panel=ROWS)]
Identifier = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Not a feature: carried over to the output, beside the labels.",
        rich_help_panel=ROWS,
    ),
]
Landmarks = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Landmarks: more for finer shapes. Default: that of the method, mostly 1000.",
        rich_help_panel=METHOD,
    ),
]
Neighbors = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Landmarks a row is linked to. Default: that of the method, mostly 5.", rich_help_panel=METHOD
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Seed: one seed, one answer, on any number of threads.", rich_help_panel=METHOD
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Threads. Default: as many as there are cores.", rich_help_panel=RUNNING),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Memory to use at most, such as 2GB; what does not fit waits on disk.",
        rich_help_panel=RUNNING,
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite outputs that exist.", rich_help_panel=OUTPUT)]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.", rich_help_panel=RUNNING)
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Summary for programs, on standard output, or on standard error when labels go there.",
        rich_help_panel=OUTPUT,
    ),
]
JsonTable = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show where in the code an error arose.", rich_help_panel=RUNNING)]
