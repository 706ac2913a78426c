"""Run a command: its errors become one line and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
import warnings

import typer

from dncsc.cli.app import make_app
from dncsc.cli.errors import CLOSED_PIPE, explain, in_options, tell


def run(arguments: list[str]) -> int:
    """Exit code of `dncsc` with these arguments."""
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
            tell(text)
        return code if isinstance(code, int) else 0
