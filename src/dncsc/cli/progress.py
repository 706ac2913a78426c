"""How far a fit has come: one live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Column, Table
from rich.text import Text

from dncsc import memory

PATIENCE = 1.0
"""Seconds before anything is shown: of what takes less, nothing is."""
SHORTEST = 0.05
"""Seconds of a phase that is told: of less it would say 0.0 s."""


@dataclass
class PassProgress:
    """How far one pass over the rows has come."""

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


class ProgressDisplay:
    """Shows passes as they run, if that takes a second; an instance is what `dncsc.watch` calls, from any thread."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._lock = quiet, threading.Lock()
        self._pass: PassProgress | None = None
        self._n_passes = self._expected = self._phase_passes = 0
        self._finished: list[float] = []
        self._start = self._told = self._phase_start = time.perf_counter()
        console, self._live = Console(stderr=True, highlight=False), None
        if not quiet and console.is_interactive and console.is_terminal:
            self._live = Live(console=console, get_renderable=self._render, refresh_per_second=8, transient=True)
        self._held: list[str] | None = []
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True

    def __enter__(self) -> ProgressDisplay:
        self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._live is not None:
            self._live.stop()  # which does nothing if it was not started
        elif kind is None:
            self._end_phase()

    def _show(self) -> None:
        """Begin to show what goes on, and tell what went on before."""
        if self._live is not None:
            self._live.start()
        with self._lock:
            held, self._held = self._held or [], None
            for line in held:
                print(line, file=sys.stderr, flush=True)

    def __call__(self, phase: str, rows_done: int, n_rows: int) -> None:
        with self._lock:
            now = self._pass
            if now is None or now.phase != phase or rows_done < now.rows_done or n_rows != now.n_rows:
                now = self._begin(phase, n_rows)
            now.rows_done = rows_done
            if time.perf_counter() - self._told > 10:  # seconds between plain lines of one pass
                self._told = time.perf_counter()
                self._say(f"{phase}: {rows_done:,} of {n_rows:,} rows, {brief(now.rate)} rows/s", self._left(now))

    def expect(self, n_passes: int) -> None:
        """Say how many passes are about to come, so that the time left can be told."""
        with self._lock:
            self._end_phase()
            self._expected, self._n_passes, self._finished = n_passes, 0, []

    def _begin(self, phase: str, n_rows: int) -> PassProgress:
        """A new pass, perhaps of a new phase."""
        if self._pass is not None and self._pass.phase == phase:
            self._finished.append(self._pass.seconds)
        else:
            self._end_phase()
            self._phase_start, self._phase_passes = time.perf_counter(), 0
        self._n_passes += phase != "read"  # not among those expected: some files are copied first
        self._phase_passes += 1
        self._told = time.perf_counter()
        self._pass = PassProgress(phase, n_rows)
        return self._pass

    def _end_phase(self) -> None:
        now, self._pass = self._pass, None
        if now is not None:
            self._finished.append(now.seconds)
            seconds, count = max(time.perf_counter() - self._phase_start, 1e-9), self._phase_passes
            passes, rate = f"{count} passes over " if count > 1 else "", brief(count * now.n_rows / seconds)
            if seconds >= SHORTEST:
                self._say(f"{now.phase}: {passes}{now.n_rows:,} rows in {seconds:.1f} s, {rate} rows/s")

    def _left(self, now: PassProgress) -> str:
        """Time left: of this pass, and for each one expected after it, the mean of those before."""
        to_come = max(self._expected - self._n_passes, 0)
        if not now.rows_done or (to_come and not self._finished):
            return ""
        mean = sum(self._finished) / max(len(self._finished), 1)
        return f"about {clock((now.n_rows - now.rows_done) / now.rate + to_come * mean)} left"

    def _say(self, *texts: str) -> None:
        """A plain line, where there is no live display."""
        if self._quiet or self._live is not None:
            return
        line = _with_memory(*texts)
        if self._held is None:
            print(line, file=sys.stderr, flush=True)
        else:
            self._held.append(line)

    def _render(self) -> RenderableType:
        with self._lock:
            now, elapsed = self._pass, clock(time.perf_counter() - self._start)
            if now is None:
                return Text(f"starting, {elapsed}", style="dim")
            known = 1 <= self._n_passes <= self._expected
            count = f"pass {self._n_passes} of about {self._expected}" if known else ""
            compiling = "first runs compile" if not now.rows_done and now.seconds > 2 else ""
            below = _with_memory(count, f"{elapsed} so far", self._left(now) or compiling)
        bar = ProgressBar(total=max(now.n_rows, 1), completed=now.rows_done, width=24)
        rows = Text(f"{brief(now.rows_done)} of {brief(now.n_rows)} rows")
        above = Table.grid(*(Column(no_wrap=True) for _ in range(4)), padding=(0, 2))
        above.add_row(Text(now.phase, style="bold"), bar, rows, Text(f"{brief(now.rate)} rows/s", style="cyan"))
        return Group(above, Text(below, style="dim"))


def _with_memory(*texts: str) -> str:
    return ", ".join(text for text in (*texts, f"{memory.format_bytes(memory.resident())} of memory") if text)


def brief(number: float) -> str:
    """A number to three digits: 1,234,567 becomes 1.23M."""
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor:
            return f"{number / factor:.3g}{letter}"
    return f"{number:.0f}"


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    return str(timedelta(seconds=round(seconds)))
