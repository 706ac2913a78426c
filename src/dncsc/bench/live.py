"""How a suite is going, on stderr: a table that changes on a terminal, a line a cell elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from dncsc.bench.cells import Cell, Plan

STYLES = {"ok": "green", "failed": "red", "timeout": "red", "memory": "red", "skipped": "yellow"}


class LiveProgress:
    """Looks on while a plan is run, and tells."""

    def __init__(self, plan: Plan, console: Console | None = None) -> None:
        self._plan = plan
        self._console = console or Console(stderr=True)
        cells = list(plan.cells())
        self._total, self._done, self._ran = len(cells), 0, 0
        self._statuses: dict[tuple[str, str], dict[str, int]] = {}
        self._wanted: dict[tuple[str, str], int] = {}
        for cell in cells:
            place = self._place(cell)
            self._wanted[place] = self._wanted.get(place, 0) + 1
        self._start = time.monotonic()
        self._now: tuple[Cell, str, float] | None = None
        changing = Live(console=self._console, refresh_per_second=4, get_renderable=self._table)
        self._live = changing if self._console.is_terminal else None

    def __enter__(self) -> LiveProgress:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._now = None
        if self._live:
            self._live.stop()

    def begin(self, cell: Cell, stage: str) -> None:
        """A cell is in some stage."""
        if self._now is None or self._now[:2] != (cell, stage):
            self._now = cell, stage, time.monotonic()

    def finish(self, cell: Cell, record: dict[str, Any], anew: bool) -> None:
        """A cell is over, or was before."""
        self._done += 1
        self._ran += anew
        statuses = self._statuses.setdefault(self._place(cell), {})
        statuses[record["status"]] = statuses.get(record["status"], 0) + 1
        if anew and not self._live:
            line = f"[{self._done:>{len(str(self._total))}}/{self._total}] {cell}: {said(record)}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    @property
    def done(self) -> int:
        """Cells that have a result."""
        return self._done

    @property
    def ran(self) -> int:
        """Cells among them that ran now."""
        return self._ran

    @property
    def statuses(self) -> set[str]:
        """How cells ended."""
        return {status for statuses in self._statuses.values() for status in statuses}

    @staticmethod
    def _place(cell: Cell) -> tuple[str, str]:
        rows = f" {cell.rows:,}" if cell.rows else ""
        return cell.set + rows, cell.method if cell.engine == "threads" else f"{cell.method} on {cell.engine}"

    def _table(self) -> Group:
        table = Table(title=f"{self._plan.suite}: {self._done} of {self._total} cells", title_justify="left")
        lines = list(dict.fromkeys(place[0] for place in self._wanted))
        methods = list(dict.fromkeys(place[1] for place in self._wanted))
        for name in ["", *lines] if len(lines) < len(methods) else ["", *methods]:
            table.add_column(name, justify="right" if name else "left")
        across = lines if len(lines) < len(methods) else methods
        for name in methods if across is lines else lines:
            places = [(each, name) if across is lines else (name, each) for each in across]
            table.add_row(name, *map(self._summary, places))
        return Group(table, self._current())

    def _summary(self, place: tuple[str, str]) -> Text:
        statuses = self._statuses.get(place, {})
        text = Text()
        for status, count in statuses.items():
            text.append(f"{count} {status} ", STYLES[status])
        left = self._wanted.get(place, 0) - sum(statuses.values())
        return text.append(f"{left} left", "dim") if left else text

    def _current(self) -> Text:
        elapsed = time.monotonic() - self._start
        text = Text(f"{elapsed:.0f} s")
        if self._ran:
            text.append(f", about {elapsed / self._ran * (self._total - self._done):.0f} s to go", "dim")
        if self._now:
            cell, stage, since = self._now
            text.append(f"   {cell}: {stage}, {time.monotonic() - since:.0f} s")
        return text


def said(record: dict[str, Any]) -> str:
    """The outcome of a cell in a line."""
    if record["status"] != "ok":
        return f"{record['status']}: {record['reason']}"
    scores = f"ACC {100 * record['acc']:.1f}, NMI {100 * record['nmi']:.1f}"
    return f"{record['seconds']:.3f} s, {scores}, {record['peak_bytes'] / 2**20:,.0f} MB"
