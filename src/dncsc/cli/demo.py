"""`dncsc demo`: two sets that nobody has to download, clustered next to k-means."""

from __future__ import annotations

from typing import Annotated

import typer

from dncsc.cli import options
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.outputs import check, file_target

Rows = Annotated[int, typer.Option(metavar="N", min=1000, help="Size of the flower.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The picture, as .png, .svg or .pdf.")]


def demo(
    rows: Rows = 1_000_000, output: Output = "demo.png", force: options.Force = False, debug: options.Debug = False
) -> None:
    """Cluster a flower and digits, next to k-means: a table, and a picture of the flower.

    Nothing has to be downloaded.
    """
    target = file_target(output, "-o", [".png", ".svg", ".pdf"])
    check([target], [], force)
    from dncsc.demo import run

    assert target.path is not None
    with signals_end_at_once("Nothing was written."):
        run(rows, target.path)


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    options.command(app, "demo", "dncsc demo", "dncsc demo --rows 100000 -o flower.svg")(demo)
