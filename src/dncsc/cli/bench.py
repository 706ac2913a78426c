"""``dncsc bench``: run a suite of experiments, and make a report of what it gave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dncsc.bench.live import LiveProgress
from dncsc.bench.process import Limits
from dncsc.bench.results import Results
from dncsc.bench.run import run_plan
from dncsc.bench.suites import SUITES, Suite, SuiteOptions, plan
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

Output = Annotated[Path, typer.Option("--output", "-o", help="Results file; a suite goes on where it stopped.")]
Sets = Annotated[str | None, typer.Option(help="Only these sets, with commas between.")]
Methods = Annotated[str | None, typer.Option(help="Only these methods; your own as module:callable.")]
Rows = Annotated[int | None, typer.Option(help="Synthetic sets of this many rows at most.")]
Repeats = Annotated[int | None, typer.Option(help="How often; each time with another seed; 5 times, or 2 if quick.")]
Quick = Annotated[bool, typer.Option("--quick", help="A small version that takes a few minutes.")]
Limit = Annotated[str, typer.Option(help="Time that a fit may take.")]
Memory = Annotated[str, typer.Option(help="Memory that a run may take.")]
Jobs = Annotated[int | None, typer.Option(help="Threads of every method; all cores by default.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the first repeat.")]
Retry = Annotated[bool, typer.Option("--retry", help="Run again what failed or exceeded a limit.")]


def _run(suite: Suite) -> Callable[..., None]:
    def run(
        output: Output,
        sets: Sets = None,
        methods: Methods = None,
        rows: Rows = None,
        repeats: Repeats = None,
        quick: Quick = False,
        limit: Limit = "600s",
        memory: Memory = "8GB",
        jobs: Jobs = None,
        seed: Seed = 0,
        retry: Retry = False,
    ) -> None:
        try:
            chosen = plan(suite, SuiteOptions(_listed(sets), _listed(methods), rows, repeats, quick, seed, jobs))
            limits = Limits.parse(limit, memory)
            with Results.open(output) as results, LiveProgress(chosen) as progress, ctrl_c_raises():
                run_plan(chosen, results, limits, progress, retry)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
        except KeyboardInterrupt:
            done = f"{progress.done} of {len(list(chosen.cells()))} cells are in {output}"
            _say(f"Stopped; {done}. The same command goes on from there.")
            raise typer.Exit(130) from None
        _conclude(progress, output)

    return run


def _conclude(progress: LiveProgress, output: Path) -> None:
    """Say what cannot be seen from cells that ran."""
    if not progress.ran:
        again = "" if progress.statuses == {"ok"} else " --retry runs those again that failed or exceeded a limit."
        _say(f"Nothing to run: all {progress.done} cells are in {output} already.{again}")
    if "failed" in progress.statuses and "ok" not in progress.statuses:
        _say("No cell gave a result.")
        raise typer.Exit(1)


def _say(text: str) -> None:
    Console(stderr=True).print(text, highlight=False, markup=False, soft_wrap=True)


def _listed(text: str | None) -> list[str] | None:
    return [name for name in (each.strip() for each in text.split(",")) if name] if text else None


def _examples(suite: Suite) -> str:
    command, some = f"dncsc bench {suite.name}", ",".join(suite.sets[:2])
    return epilog(f"{command} --quick -o results.jsonl", f"{command} --sets {some} --repeats 1 -o results.jsonl")


for _suite in SUITES.values():
    app.command(_suite.name, help=_suite.title + ".", epilog=_examples(_suite))(_run(_suite))


@app.command(epilog=epilog("dncsc bench report results.jsonl", "dncsc bench report results.jsonl -o pages/report"))
def report(
    results: Annotated[Path, typer.Argument(help="Results file; the suite may still be running.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the report.")] = Path("report"),
) -> None:
    """Tables, figures and a page of all that is in a results file so far."""
    from dncsc.bench.report import write_report

    try:
        write_report(Results.read(results), output)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(f"Written: {output / 'index.html'}, {output / 'report.md'}", err=True)
