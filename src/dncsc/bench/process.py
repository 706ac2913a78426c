"""Run a cell in its own process, and end it when it takes more time or memory than it may."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import IO, Any

import psutil

from dncsc.bench.results import Cell
from dncsc.memory import format_bytes, parse_bytes

LOOK_SECONDS, FAMILY_SECONDS = 0.05, 0.5
"""Between looks at the memory of a cell, and between searches for processes that it has started."""
FITS = ("warming up", "fitting")
"""Stages that the limit of time is for."""
OTHER_SECONDS = 300
"""That other stages may take at least."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
CELL_COMMAND = [sys.executable, "-m", "dncsc.bench.cell"]
UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Limits:
    """What a cell may take."""

    seconds: float
    """of the fit, and of the small one before it"""
    bytes: int
    """of all its processes together"""

    @classmethod
    def parse(cls, time: str, memory: str) -> Limits:
        """From texts such as 10m and 8GB."""
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", time.lower())
        if not found or found[2] not in UNITS or not float(found[1]):
            raise ValueError(f"a limit of time is something like 600s, 10m or 1h; got {time!r}.")
        try:
            return cls(float(found[1]) * UNITS[found[2]], parse_bytes(memory))
        except ValueError:
            raise ValueError(f"a limit of memory is something like 800MB or 8GB; got {memory!r}.") from None


def run_cell(cell: Cell, limits: Limits, tell: Callable[[str], None] = lambda stage: None) -> dict[str, Any]:
    """What a cell measured, or a status and a reason; `tell` is told its stage several times a second."""
    with tempfile.TemporaryFile() as errors, _started(cell, errors) as child:
        watch, printed = _LimitWatch(child, limits), child.stdout.fileno()  # type: ignore[union-attr]
        stage, since, unread = "starting", time.monotonic(), b""
        while True:
            tell(stage)
            some = os.read(printed, 2**16) if select.select([printed], [], [], LOOK_SECONDS)[0] else None
            *lines, unread = (unread + (some or b"")).split(b"\n")
            for line in map(json.loads, lines):
                if "outcome" in line:
                    return {**line["outcome"], "family_bytes": watch.peak}
                stage, since = line["stage"], time.monotonic()
                tell(stage)
            if some == b"":
                return {"status": "failed", "reason": _how_it_ended(child, stage, errors)}
            excess = watch.excess(stage, time.monotonic() - since)
            if excess:
                return {**excess, "family_bytes": watch.peak}


@contextmanager
def _started(cell: Cell, errors: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a cell; it and all that it started are gone at the end, whatever happens."""
    child = subprocess.Popen(
        CELL_COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(cell.threads))},
        start_new_session=True,
    )
    try:
        assert child.stdin is not None
        with suppress(BrokenPipeError):  # it ended at once; stderr says why
            child.stdin.write(json.dumps(asdict(cell)).encode() + b"\n")
            child.stdin.flush()
        yield child
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        for pipe in (child.stdin, child.stdout):
            with suppress(BrokenPipeError):
                pipe.close()  # type: ignore[union-attr]


def _how_it_ended(child: subprocess.Popen[bytes], stage: str, errors: IO[bytes]) -> str:
    code = child.wait()
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"the process ended while {stage} with {how}" + (f": {lines[-1]}" if lines else ".")


class _LimitWatch:
    """Time and memory of a cell, next to what it may take."""

    def __init__(self, child: subprocess.Popen[bytes], limits: Limits) -> None:
        self.peak = 0  # while fitting
        self._limits, self._searched = limits, time.monotonic()
        self._family = [psutil.Process(child.pid)]

    def excess(self, stage: str, seconds: float) -> dict[str, Any] | None:
        """What it takes too much of, if anything."""
        if time.monotonic() - self._searched > FAMILY_SECONDS:
            with suppress(psutil.Error):
                self._family[1:] = self._family[0].children(recursive=True)
            self._searched = time.monotonic()
        held = 0
        for process in self._family:
            with suppress(psutil.Error):  # it has ended
                held += process.memory_info().rss
        self.peak = max(self.peak, held) if stage == FITS[-1] else self.peak
        if held > self._limits.bytes:
            return {"status": "memory", "reason": f"more than {format_bytes(self._limits.bytes)} while {stage}"}
        most = max(self._limits.seconds, 0 if stage in FITS else OTHER_SECONDS)
        if seconds > most:
            return {"status": "timeout", "reason": f"more than {most:g} s of {stage}"}
        return None
