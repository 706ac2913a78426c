"""How far a fit has come: one live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

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
        self._start = self._told = time.perf_counter()
        live = not quiet and self._console.is_interactive and self._console.is_terminal
        self._live = None
        if live:
            self._live = Live(console=self._console, get_renderable=self._render, refresh_per_second=8, transient=True)

    def __enter__(self) -> Progress:
        self._start = self._told = time.perf_counter()
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()
        elif kind is None:
            self._finish()

    def __call__(self, phase: str, rows_done: int, n_rows: int) -> None:
        with self._lock:
            now = self._pass
            if now is None or now.phase != phase or rows_done < now.rows_done or n_rows != now.n_rows:
                self._finish()
                self._pass = now = Pass(phase, n_rows)
                self._n_passes += 1
                self._told = time.perf_counter()
            now.rows_done = rows_done
            if self._live is None and time.perf_counter() - self._told > EVERY:
                self._told = time.perf_counter()
                self._say(now, whole=False)

    def expect(self, n_passes: int) -> None:
        """Say how many passes are about to come, of which the time left can be told."""
        with self._lock:
            self._finish()
            self._expected, self._n_passes, self._finished = n_passes, 0, []

    def _finish(self) -> None:
        if self._pass is not None:
            self._finished.append(self._pass.seconds)
            if self._live is None:
                self._say(self._pass, whole=True)
        self._pass = None

    def _left(self, now: Pass) -> str:
        """Time left: of this pass, and for each one expected after it, the mean of those before."""
        if now.left is None:
            return ""
        to_come = max(self._expected - self._n_passes, 0)
        if to_come and not self._finished:
            return ""
        mean = sum(self._finished) / max(len(self._finished), 1)
        return f"about {clock(now.left + to_come * mean)} left"

    def _say(self, now: Pass, whole: bool) -> None:
        if self._quiet:
            return
        if whole:
            text = f"{now.n_rows:,} rows in {now.seconds:.1f} s, {brief(now.n_rows / now.seconds)} rows/s"
        else:
            left = self._left(now)
            text = f"{now.rows_done:,} of {now.n_rows:,} rows, {brief(now.rate)} rows/s{left and ', '}{left}"
        print(f"{now.phase}: {text}, {size(memory_now())} of memory", file=sys.stderr, flush=True)

    def _render(self) -> RenderableType:
        with self._lock:
            now = self._pass
            if now is None:
                return Text(f"starting … {clock(time.perf_counter() - self._start)}", style="dim")
            bar = ProgressBar(total=max(now.n_rows, 1), completed=now.rows_done, width=24)
            passes = f"pass {self._n_passes} of {max(self._expected, self._n_passes)}, " if self._expected else ""
            cells: list[RenderableType] = [
                Text(f"{now.phase}", style="bold"),
                bar,
                Text(f"{now.rows_done:,} of {now.n_rows:,} rows"),
                Text(f"{brief(now.rate)} rows/s", style="cyan"),
                Text(self._left(now), style="cyan"),
                Text(f"{passes}{clock(time.perf_counter() - self._start)}, {size(memory_now())}", style="dim"),
            ]
        line = Table.grid(padding=(0, 2))
        for _ in cells:
            line.add_column(no_wrap=True)
        line.add_row(*cells)
        return line


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


def size(n_bytes: float) -> str:
    """Bytes as kB, MB, GB or TB, to three digits."""
    for factor, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.3g} {unit}"
    return f"{n_bytes / 1e3:.0f} kB"


def memory_now() -> int:
    """Bytes of memory that this process holds; its peak where the system does not tell."""
    try:
        import resource

        page = resource.getpagesize()
        return int(Path("/proc/self/statm").read_text().split()[1]) * page
    except (OSError, ImportError):
        return memory_peak()


def memory_peak() -> int:
    """Bytes of memory that this process held at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
