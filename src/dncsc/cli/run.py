"""Run a command: its errors become one line and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from typing import TextIO

import typer

from dncsc.cli.app import make_app
from dncsc.cli.errors import CLOSED_PIPE, explain, in_options, tell


def run(arguments: list[str]) -> int:
    """Exit code of `dncsc` with these arguments."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            code = make_app(whole=_needs_all(arguments))(arguments, prog_name="dncsc", standalone_mode=False)
            sys.stdout.flush()
        except typer.Exit as stopped:
            return stopped.exit_code
        except (BrokenPipeError, SystemExit) as stopped:  # Click makes the first the second
            if isinstance(stopped, SystemExit) and not isinstance(stopped.__context__, BrokenPipeError):
                return int(stopped.code or 0)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter complains when it flushes
            return CLOSED_PIPE
        except Exception as error:
            return _report(error, debug="--debug" in arguments)
        return code if isinstance(code, int) else 0


def _needs_all(arguments: list[str]) -> bool:
    """Whether subcommands that are slow to import may be asked for; completion does so through its own variable."""
    return arguments[:1] in (["bench"], ["reference"]) or "_DNCSC_COMPLETE" in os.environ


def _report(error: Exception, debug: bool) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
        print(error, file=sys.stderr)
        return 2
    code, text = explain(error)
    if debug:
        traceback.print_exception(error)
    tell(text)
    return code


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    tell(f"warning: {in_options(message)}")
