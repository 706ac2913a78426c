"""How a suite is going, on stderr: a table that changes on a terminal, a line a cell elsewhere."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from dncsc.bench.results import Cell, Plan

STYLES = {"ok": "green", "failed": "red", "timeout": "red", "memory": "red", "skipped": "yellow", "left": "dim"}


class LiveProgress:
    """Looks on while a plan is run, and tells."""

    def __init__(self, plan: Plan, console: Console | None = None) -> None:
        self.done, self.ran = 0, 0
        self.statuses: set[str] = set()
        self._suite, self._console = plan.suite, console or Console(stderr=True)
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """of each set, cells by status; those without one are left"""
        for cell in plan.cells():
            self._counts[cell.set]["left"] += 1
        self._total, self._start, self._now = sum(each["left"] for each in self._counts.values()), time.monotonic(), ""
        self._live = Live(console=self._console, refresh_per_second=4, get_renderable=self._table)

    def __enter__(self) -> LiveProgress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._now = ""
        self._live.stop()

    def begin(self, cell: Cell, stage: str) -> None:
        """A cell is in some stage; told several times a second."""
        self._now = f"{cell}: {stage}"

    def finish(self, cell: Cell, record: dict[str, Any], anew: bool) -> None:
        """A cell is over, or was before (not anew)."""
        self.done += 1
        self.ran += anew
        self.statuses.add(record["status"])
        self._counts[cell.set].update({record["status"]: 1, "left": -1})
        if anew and not self._console.is_terminal:
            line = f"[{self.done:>{len(str(self._total))}}/{self._total}] {cell}: {_outcome(record)}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _table(self) -> Group:
        table = Table(title=f"{self._suite}: {self.done} of {self._total} cells", title_justify="left")
        for header in ("set", "cells"):
            table.add_column(header)
        for name, counts in self._counts.items():
            shown = [(f"{counts[status]} {status} ", style) for status, style in STYLES.items() if counts[status]]
            table.add_row(name, Text.assemble(*shown))
        elapsed = time.monotonic() - self._start
        togo = f", about {elapsed / self.ran * (self._total - self.done):.0f} s to go" if self.ran else ""
        return Group(table, Text(f"{elapsed:.0f} s{togo}   {self._now}"))


def _outcome(record: dict[str, Any]) -> str:
    if record["status"] != "ok":
        return f"{record['status']}: {record['reason']}"
    scores = f"ACC {100 * record['acc']:.1f}, NMI {100 * record['nmi']:.1f}"
    return f"{record['seconds']:.3f} s, {scores}, {record['peak_bytes'] / 2**20:,.0f} MB"
