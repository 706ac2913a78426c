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


def option(panel: str, help: str, *names: str, **given: Any) -> Any:
    """An option in a panel of the help; without names, it is called like the function's argument."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **given)


Data = Annotated[
    str,
    typer.Argument(
        help="Rows to read: a .npy, .npz, .csv, .tsv, .parquet, .feather or .arrow file, a folder or quoted pattern of "
        "such files, or - for CSV on standard input.",
        show_default=False,
    ),
]
Columns = Annotated[
    str | None,
    option(ROWS, "Columns to use, by name, or by number from 0 where there are none.", metavar="A,B,..."),
]
Drop = Annotated[str | None, option(ROWS, "Use all columns but these.", metavar="A,B,...")]
Identifier = Annotated[
    str | None,
    option(ROWS, "Not a feature: carried over to the output, beside the labels.", "--id", metavar="COLUMN"),
]
Clusters = Annotated[str, option(METHOD, "Number of clusters, or auto to find it.", "--clusters", "-k", metavar="N")]
Method = Annotated[
    str,
    option(METHOD, "Clustering method; dncsc methods lists them.", metavar="NAME", autocompletion=complete_method),
]
Landmarks = Annotated[
    int | None,
    option(METHOD, "Landmarks: more for finer shapes. Default: that of the method, mostly 1000.", metavar="N"),
]
Neighbors = Annotated[
    int | None,
    option(METHOD, "Landmarks a row is linked to. Default: that of the method, mostly 5.", metavar="N"),
]
Seed = Annotated[int, option(METHOD, "Seed: one seed, one answer, on any number of threads.", metavar="N", min=0)]
Jobs = Annotated[int | None, option(RUNNING, "Threads. Default: as many as there are cores.", metavar="N")]
MaxMemory = Annotated[
    str | None, option(RUNNING, "Memory to use at most, such as 2GB; what does not fit waits on disk.", metavar="SIZE")
]
Quiet = Annotated[bool, option(RUNNING, "Say nothing but warnings and errors.", "--quiet", "-q")]
Debug = Annotated[bool, option(RUNNING, "Show where in the code an error arose.", "--debug")]
Labels = option(OUTPUT, "Labels, or - for standard output.", "--output", "-o", metavar="FILE")
Force = Annotated[bool, option(OUTPUT, "Overwrite outputs that exist.", "--force")]
Json = Annotated[
    bool,
    option(OUTPUT, "Summary for programs, on standard output, or on standard error when labels go there.", "--json"),
]
JsonTable = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
