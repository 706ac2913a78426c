"""The command `dncsc`: cluster files, apply models, compare methods, make data.

Heavy modules are imported by the commands that need them, so that `dncsc --help` answers at once. Standard output
carries data alone; messages go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows `dncsc`; from the command line of the process by default.

    Returns
    -------
    int
        0 fine, 1 a fault of dncsc itself, 2 bad input or usage, 3 trouble with a file, 4 trouble with a cluster.
        Signals end the process with 128 and their number: 130 after Ctrl-C.
    """
    try:
        from dncsc.cli.interrupt import signals_end_at_once

        with signals_end_at_once(""):  # from here on: what is imported below takes a while
            from dncsc.cli.app import run

            return run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        print("dncsc: interrupted.", file=sys.stderr)
        return 130
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("typer", "rich"):
            raise
        print('dncsc: the command line needs typer and rich: pip install "dncsc[cli]"', file=sys.stderr)
        return 2
