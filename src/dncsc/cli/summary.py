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

from dncsc import memory
from dncsc.errors import visible

if TYPE_CHECKING:
    import numpy as np


class Summary:
    """Times a command and tells what it did.

    JSON goes to standard output, or where labels go there, to standard error, which then has nothing else.
    """

    def __init__(self, command: str, quiet: bool, as_json: bool, labels_on_stdout: bool) -> None:
        self.quiet = quiet or (as_json and labels_on_stdout)
        self._command, self._as_json, self._labels_on_stdout = command, as_json, labels_on_stdout
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Since the command began."""
        return time.perf_counter() - self._start

    def tell(self, text: str, **facts: Any) -> None:
        """Print facts as JSON, or if that was not asked for, the text."""
        from dncsc.version import __version__

        if self._as_json:
            facts = {"command": self._command, "version": __version__, **facts}
            print_json(facts, sys.stderr if self._labels_on_stdout else sys.stdout)
        elif not self.quiet:
            print(visible(text, keep="\n"), file=sys.stderr, flush=True)


def print_json(facts: Any, stream: Any = None) -> None:
    """Facts as JSON; numbers that JSON does not know become null."""
    text = json.dumps(facts, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    known = json.loads(text, parse_constant=lambda _: None)
    print(json.dumps(known, indent=2), file=stream or sys.stdout, flush=True)


def table_lines(
    columns: Sequence[str], lines: Iterable[Sequence[str]], right: Iterable[str] = (), stream: Any = None
) -> list[str]:
    """A table for standard output, or in plain letters for another stream; without a terminal no line is folded."""
    width = None if (stream or sys.stdout).isatty() else 400
    console = Console(file=stream, highlight=False, width=width, color_system="auto" if stream is None else None)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    numeric = set(right)
    for name in columns:
        table.add_column(name, justify="right" if name in numeric else "left", overflow="fold")
    for line in lines:
        table.add_row(*(Text(visible(cell)) for cell in line))
    with console.capture() as printed:
        console.print(table)
    return [text.rstrip() for text in printed.get().splitlines()]


def print_table(columns: Sequence[str], lines: Iterable[Sequence[str]], right: Iterable[str] = ()) -> None:
    """A table on standard output."""
    for text in table_lines(columns, lines, right):
        print(text)


def print_list(listed: Sequence[dict[str, Any]], as_json: bool) -> None:
    """Records with the same keys, as JSON or as a table whose numbers stand to the right."""
    if as_json:
        print_json(listed)
        return
    lines = [[each if isinstance(each, str) else f"{each:,}" for each in record.values()] for record in listed]
    print_table(list(listed[0]), lines, [name for name, each in listed[0].items() if not isinstance(each, str)])


def print_facts(facts: dict[str, str]) -> None:
    """Names and values, a line each, on standard output."""
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {visible(value)}")


def cluster_sizes(labels: np.ndarray, n_clusters: int) -> list[int]:
    """Rows in each cluster, without noise, counted block by block: labels may be a file."""
    import numpy as np

    counts = np.zeros(n_clusters + 1, np.int64)
    for start in range(0, len(labels), 2**20):
        counts += np.bincount(labels[start : start + 2**20] + 1, minlength=n_clusters + 1)
        memory.let_go(labels)
    return counts[1:].tolist()
