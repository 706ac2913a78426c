"""What a fit leaves: labels, a model, a report; each whole or not at all."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dncsc.cli.errors import UsageError, tell
from dncsc.cli.interrupt import signals_end_at_once
from dncsc.cli.outputs import Target, file_target, table_target
from dncsc.cli.progress import ProgressDisplay

if TYPE_CHECKING:
    from dncsc.rows import Rows

LABELS_AGAIN = " With the model, dncsc predict gives the labels, without another fit."


@dataclass(frozen=True)
class Targets:
    """What is written."""

    labels: Target | None
    model: Target | None
    report: Target | None

    @classmethod
    def named(cls, output: str | None, model: str | None, report: str | None) -> Targets:
        """Targets as options name them; nothing at all is refused."""
        if output is None and model is None and report is None:
            raise UsageError("nothing would be kept. Say where results go: -o FILE, --model FILE or --report FILE.")
        return cls(
            None if output is None else table_target(output),
            None if model is None else file_target(model, "--model", [".npz"]),
            None if report is None else file_target(report, "--report", [".html", ".htm"]),
        )

    def all(self) -> list[Target]:
        return [target for target in (self.labels, self.model, self.report) if target is not None]

    @property
    def labels_on_stdout(self) -> bool:
        return self.labels is not None and self.labels.path is None


def write_all(steps: Iterable[tuple[Target | None, Callable[[Target], None]]]) -> None:
    """Write one target after another, and when one fails, say which are there.

    A model comes first: with it, a fit that took hours is not lost when something is wrong with the labels' file.
    """
    written: list[str] = []
    for target, write in steps:
        if target is None:
            continue
        done = f"Written before: {', '.join(written)}." if written else "Nothing was written."
        try:
            with signals_end_at_once(done):
                write(target)
        except Exception:
            if written:
                tell(f"{target.name} could not be written. {done}{LABELS_AGAIN if target.option == '-o' else ''}")
            raise
        written.append(target.name)


def save_model(target: Target, estimator: Any, notes: dict[str, Any]) -> None:
    """Write a model."""
    assert target.path is not None
    estimator.save(target.path, notes=notes)


def report_writer() -> Any:
    """What writes reports, found before any work."""
    from dncsc.report import write_report

    return write_report


def make_report(target: Target, estimator: Any, rows: Rows, data: str, quiet: bool) -> None:
    """Write a report."""
    assert target.path is not None
    command, n_rows = shlex.join(["dncsc", *sys.argv[1:]]), rows.shape[0]
    with ProgressDisplay(quiet) as progress:

        def tell_step(step: str, share: float) -> None:
            progress(f"report: {step}", round(share * n_rows), n_rows)

        report_writer()(target.path, estimator, rows, data=data, command=command, progress=tell_step)
