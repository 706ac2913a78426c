"""How far a fit has come: one live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from dncsc import memory

EVERY = 10.0
"""Seconds between plain lines of one pass."""


@dataclass
class Pass:
    """One pass over the rows."""

    phase: str
    n_rows: int
    rows_done: int = 0
    start: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return max(time.perf_counter() - self.start, 1e-9)

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows_done / self.seconds

    @property
    def left(self) -> float | None:
        """Seconds left of this pass, as far as one can tell."""
        return (self.n_rows - self.rows_done) / self.rate if self.rows_done else None


class Progress:
    """Shows passes as they run; an instance is the callback that `dncsc.watch` takes, from whichever thread.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._console = Console(stderr=True, highlight=False)
        self._lock = threading.Lock()
        self._pass: Pass | None = None
        self._n_passes = self._expected = 0
        self._finished: list[float] = []
        self._phase_passes = 0
        self._start = self._told = self._phase_start = time.perf_counter()
        live = not quiet and self._console.is_interactive and self._console.is_terminal
        self._live = None
        if live:
            self._live = Live(console=self._console, get_renderable=self._render, refresh_per_second=8, transient=True)

    def __enter__(self) -> Progress:
        self._start = self._told = time.perf_counter()
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
        elif kind is None:
            self._end_phase()

    def __call__(self, phase: str, rows_done: int, n_rows: int) -> None:
        with self._lock:
            now = self._pass
            if now is None or now.phase != phase or rows_done < now.rows_done or n_rows != now.n_rows:
                self._pass = now = self._begin(phase, n_rows)
            now.rows_done = rows_done
            if time.perf_counter() - self._told > EVERY:
                self._told = time.perf_counter()
                left = self._left(now)
                done = f"{phase}: {rows_done:,} of {n_rows:,} rows, {brief(now.rate)} rows/s"
                self._say(f"{done}{left and ', '}{left}")

    def expect(self, n_passes: int) -> None:
        """Say how many passes are about to come, so that the time left can be told."""
        with self._lock:
            self._end_phase()
            self._expected, self._n_passes, self._finished = n_passes, 0, []

    def _begin(self, phase: str, n_rows: int) -> Pass:
        """A new pass, perhaps of a new phase."""
        if self._pass is not None and self._pass.phase == phase:
            self._finished.append(self._pass.seconds)
        else:
            self._end_phase()
            self._phase_start, self._phase_passes = time.perf_counter(), 0
        self._n_passes += phase != "read"  # nobody counts on it: some files are copied first
        self._phase_passes += 1
        self._told = time.perf_counter()
        return Pass(phase, n_rows)

    def _end_phase(self) -> None:
        now, self._pass = self._pass, None
        if now is None:
            return
        self._finished.append(now.seconds)
        seconds, count = time.perf_counter() - self._phase_start, self._phase_passes
        passes = f"{count} passes over " if count > 1 else ""
        rate = brief(count * now.n_rows / max(seconds, 1e-9))
        self._say(f"{now.phase}: {passes}{now.n_rows:,} rows in {seconds:.1f} s, {rate} rows/s")

    def _left(self, now: Pass) -> str:
        """Time left: of this pass, and for each one expected after it, the mean of those before."""
        to_come = max(self._expected - self._n_passes, 0)
        if now.left is None or (to_come and not self._finished):
            return ""
        mean = sum(self._finished) / max(len(self._finished), 1)
        return f"about {clock(now.left + to_come * mean)} left"

    def _say(self, text: str) -> None:
        """A plain line, where there is no live display."""
        if not self._quiet and self._live is None:
            print(f"{text}, {memory.format_bytes(memory.resident())} of memory", file=sys.stderr, flush=True)

    def _render(self) -> RenderableType:
        with self._lock:
            now, elapsed = self._pass, clock(time.perf_counter() - self._start)
            if now is None:
                return Text(f"starting, {elapsed}", style="dim")
            rows = f"{brief(now.rows_done)} of {brief(now.n_rows)} rows"
            count = f"pass {self._n_passes} of about {self._expected}"
            compiling = "first runs compile" if not now.rows_done and now.seconds > 2 else ""
            below = [
                count if 1 <= self._n_passes <= self._expected else "",
                f"{elapsed} so far",
                self._left(now) or compiling,
                f"{memory.format_bytes(memory.resident())} of memory",
            ]
        above = Table.grid(padding=(0, 2))
        for _ in range(4):
            above.add_column(no_wrap=True)
        bar = ProgressBar(total=max(now.n_rows, 1), completed=now.rows_done, width=24)
        above.add_row(Text(now.phase, style="bold"), bar, Text(rows), Text(f"{brief(now.rate)} rows/s", style="cyan"))
        return Group(above, Text(", ".join(part for part in below if part), style="dim"))


def brief(number: float) -> str:
    """A number to three digits: 1,234,567 becomes 1.23M."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor:
            return f"{number / factor:.3g}{letter}"
    return f"{number:.0f}"


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss, or as m:ss below an hour."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
