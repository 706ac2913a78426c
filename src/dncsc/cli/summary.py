"""What a command tells at the end: text on standard error, or JSON for programs."""

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

    JSON goes to standard output, or where labels go there, to standard error, which then has nothing else.
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
        """A line of text, unless JSON was asked for."""
        if not self.quiet and not self._as_json:
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Print the JSON."""
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


def print_list(listed: Sequence[dict[str, Any]], as_json: bool) -> None:
    """Records with the same keys, as JSON or as a table whose numbers stand to the right."""
    if as_json:
        print_json(listed)
        return
    lines = [[each if isinstance(each, str) else f"{each:,}" for each in record.values()] for record in listed]
    print_table(list(listed[0]), lines, [name for name, each in listed[0].items() if not isinstance(each, str)])


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
