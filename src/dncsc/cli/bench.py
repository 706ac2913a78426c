"""``dncsc bench``: run a suite of experiments, and make a report of what it gave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from dncsc.bench.live import LiveProgress
from dncsc.bench.process import Limits
from dncsc.bench.results import Results
from dncsc.bench.rivals import what_lacks
from dncsc.bench.run import run_plan
from dncsc.bench.suites import SUITES, Suite, plan
from dncsc.cli.interrupt import ctrl_c_raises
from dncsc.cli.options import epilog

app = typer.Typer(
    no_args_is_help=True,
    epilog=epilog(
        "dncsc bench paper --quick -o results.jsonl",
        "dncsc bench paper --sets usps,letters --methods dnc-sc,my_package:MyClusterer -o results.jsonl",
        "dncsc bench report results.jsonl -o report",
    ),
)
REPEATS_HELP = "Runs of each method on each set, with other seeds. Default: 5, or 2 with --quick."


def _run(suite: Suite) -> Callable[..., None]:
    def run(
        output: Annotated[Path, Option("--output", "-o", help="Results file; a suite goes on where it stopped.")],
        sets: Annotated[list[str] | None, Option(help="Only these sets, with commas between.")] = None,
        methods: Annotated[list[str] | None, Option(help="Only these methods; your own as module:callable.")] = None,
        rows: Annotated[int | None, Option(help="Most rows of a synthetic set, to save time.")] = None,
        repeats: Annotated[int | None, Option(help=REPEATS_HELP)] = None,
        quick: Annotated[bool, Option("--quick", help="A small version that takes a few minutes.")] = False,
        limit: Annotated[str, Option(help="Time that a fit may take; what takes longer is stopped.")] = "600s",
        memory: Annotated[str, Option(help="Memory that a run may take; what takes more is stopped.")] = "8GB",
        jobs: Annotated[int | None, Option(help="Threads of every method; all cores by default.")] = None,
        seed: Annotated[int, Option(min=0, help="Seed of the first repeat.")] = 0,
        retry: Annotated[bool, Option("--retry", help="Run again what failed or exceeded a limit.")] = False,
    ) -> None:
        names = {"sets": _listed(sets), "methods": _listed(methods)}
        try:
            chosen = plan(suite, **names, rows=rows, repeats=repeats, quick=quick, seed=seed, jobs=jobs)
            limits = Limits.parse(limit, memory)
            for lacks in filter(None, map(what_lacks, () if methods else suite.methods)):
                typer.echo(f"Left out: {lacks}.", err=True)
            with Results.open(output) as results, LiveProgress(chosen) as progress, ctrl_c_raises():
                run_plan(chosen, results, limits, progress, retry)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        except KeyboardInterrupt:
            done = f"{progress.done} of {len(list(chosen.cells()))} cells are in {output}"
            typer.echo(f"Stopped; {done}. The same command goes on from there.", err=True)
            raise typer.Exit(130) from None
        if not progress.ran:
            again = "" if progress.statuses == {"ok"} else " --retry runs those again that failed or exceeded a limit."
            typer.echo(f"Nothing to run: all {progress.done} cells are in {output} already.{again}", err=True)
        if "failed" in progress.statuses and "ok" not in progress.statuses:
            typer.echo("No cell gave a result.", err=True)
            raise typer.Exit(1)

    return run


def _listed(texts: list[str] | None) -> list[str]:
    return [name for name in map(str.strip, ",".join(texts or ()).split(",")) if name]


for _suite in SUITES.values():
    _command = f"dncsc bench {_suite.name}"
    _narrow = f"{_command} --sets {','.join(_suite.sets[:2])} --repeats 1 -o results.jsonl"
    _examples = epilog(f"{_command} --quick -o results.jsonl", _narrow)
    app.command(_suite.name, help=_suite.title + ".", epilog=_examples)(_run(_suite))


@app.command(epilog=epilog("dncsc bench report results.jsonl", "dncsc bench report results.jsonl -o pages/report"))
def report(
    results: Annotated[Path, typer.Argument(help="Results file; the suite may still be running.")],
    output: Annotated[Path, Option("--output", "-o", help="Folder for the report.")] = Path("report"),
) -> None:
    """Tables, figures and a page of all that is in a results file so far."""
    from dncsc.bench.report import write_report

    try:
        write_report(Results.read(results), output)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(f"Written: {output / 'index.html'}, {output / 'report.md'}", err=True)
