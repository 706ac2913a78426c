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

from dncsc.bench.cells import Cell
from dncsc.memory import format_bytes, parse_bytes

LOOK_SECONDS = 0.05
"""Between looks at the memory of a cell."""
FITS = ("warming up", "fitting")
"""Stages that the limit of time is for."""
OTHER_SECONDS = 300
"""That other stages may take at least."""
FAMILY_SECONDS = 0.5
"""Between searches for processes that a cell has started."""
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
        """From texts.

        Examples
        --------
        >>> Limits.parse("10m", "8GB")
        Limits(seconds=600.0, bytes=8000000000)
        """
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", time.lower())
        if not found or found[2] not in UNITS or not float(found[1]):
            raise ValueError(f"a limit of time is something like 600s, 10m or 1h; got {time!r}.")
        try:
            return cls(float(found[1]) * UNITS[found[2]], parse_bytes(memory))
        except ValueError:
            raise ValueError(f"a limit of memory is something like 800MB or 8GB; got {memory!r}.") from None


def run_cell(cell: Cell, limits: Limits, tell: Callable[[str], None] = lambda stage: None) -> dict[str, Any]:
    """Outcome of a cell: what it measured, or a status and a reason.

    Parameters
    ----------
    cell : Cell
    limits : Limits
    tell : callable
        Called with what the cell is doing, several times a second.
    """
    with tempfile.TemporaryFile() as errors, _started(cell, errors) as child:
        watch = _LimitWatch(child, limits)
        stage, since, unread = "starting", time.monotonic(), b""
        while True:
            some, ended = _read(child)
            *lines, unread = (unread + some).split(b"\n")
            for line in map(json.loads, lines):
                if "outcome" in line:
                    return {**line["outcome"], "family_bytes": watch.peak}
                stage, since = line["stage"], time.monotonic()
            if ended:
                return {"status": "failed", "reason": _how_it_ended(child, stage, errors)}
            tell(stage)
            reason = watch.excess(stage, time.monotonic() - since)
            if reason:
                return {**reason, "family_bytes": watch.peak}


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


def _read(child: subprocess.Popen[bytes]) -> tuple[bytes, bool]:
    """What the cell has printed, and whether that was all."""
    assert child.stdout is not None
    if not select.select([child.stdout], [], [], LOOK_SECONDS)[0]:
        return b"", False
    some = os.read(child.stdout.fileno(), 2**16)
    return some, not some


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
        held = sum(map(_resident, self._family))
        self.peak = max(self.peak, held) if stage == FITS[-1] else self.peak
        if held > self._limits.bytes:
            return {"status": "memory", "reason": f"more than {format_bytes(self._limits.bytes)} while {stage}"}
        most = max(self._limits.seconds, 0 if stage in FITS else OTHER_SECONDS)
        if seconds > most:
            return {"status": "timeout", "reason": f"more than {most:g} s of {stage}"}
        return None


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0
