"""What a command has to say in the end: to people on standard error, or to programs as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    import numpy as np

WIDE = 400
"""Characters of a line where there is no terminal to say how wide it is."""


class Summary:
    """Collects what was done, and tells it at the end.

    Parameters
    ----------
    command : str
    quiet : bool
        Say nothing to people. So it is, too, where JSON goes to standard error.
    as_json : bool
        Tell programs.
    labels_on_stdout : bool
        Standard output carries labels, and JSON has to go to standard error.
    """

    def __init__(self, command: str, quiet: bool, as_json: bool, labels_on_stdout: bool) -> None:
        from dncsc.version import __version__

        self.quiet = quiet or (as_json and labels_on_stdout)
        self._as_json, self._labels_on_stdout = as_json, labels_on_stdout
        self._start = time.perf_counter()
        self.facts: dict[str, Any] = {"command": command, "version": __version__}

    @property
    def seconds(self) -> float:
        """Since the command began."""
        return time.perf_counter() - self._start

    def say(self, text: str) -> None:
        """A line for people, unless programs listen."""
        if not self.quiet and not self._as_json:
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Tell programs what was done."""
        if self._as_json:
            print_json(self.facts, sys.stderr if self._labels_on_stdout else sys.stdout)


def print_json(facts: Any, stream: Any = None) -> None:
    """Facts as JSON; numbers that JSON does not know become null."""
    print(json.dumps(_plain(facts), indent=2, allow_nan=False), file=stream or sys.stdout, flush=True)


def _plain(value: Any) -> Any:
    """Only what JSON knows."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def print_table(columns: Sequence[str], lines: Iterable[Sequence[str]], right: Iterable[str] = ()) -> None:
    """A table on standard output, whole where there is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDE)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    numeric = set(right)
    for name in columns:
        table.add_column(name, justify="right" if name in numeric else "left", overflow="fold")
    for line in lines:
        table.add_row(*(Text(cell) for cell in line))
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        print(line.rstrip())


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Names and values, a line each, on standard output."""
    listed = list(facts)
    width = max(len(name) for name, _ in listed)
    for name, value in listed:
        print(f"{name:<{width}}  {value}")


def cluster_sizes(labels: np.ndarray, n_clusters: int = 0) -> list[int]:
    """Rows in each cluster, counted block by block: labels may be a file."""
    import numpy as np

    sizes = np.zeros(n_clusters, np.int64)
    for start in range(0, len(labels), 2**20):
        some = np.bincount(labels[start : start + 2**20], minlength=len(sizes))
        some[: len(sizes)] += sizes
        sizes = some
    return [int(each) for each in sizes]
