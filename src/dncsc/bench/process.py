"""Run a cell in its own process, and end it when it takes more time or memory than it may."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from dncsc.bench.cells import Cell
from dncsc.bench.limits import Limits
from dncsc.memory import format_bytes

LOOK_SECONDS = 0.05
"""Between looks at the memory of a cell."""
FITS = ("warming up", "fitting")
"""Stages that the limit of time is for."""
OTHER_SECONDS = 300
"""That other stages may take at least."""
FAMILY_SECONDS = 0.5
"""Between searches for processes that a cell has started."""
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

Tell = Callable[[str], None]


def run_cell(cell: Cell, limits: Limits, tell: Tell = lambda stage: None) -> dict[str, Any]:
    """Outcome of a cell: what it measured, or a status and a reason.

    Parameters
    ----------
    cell : Cell
    limits : Limits
    tell : callable
        Told of what the cell is doing, several times a second.
    """
    with tempfile.TemporaryFile() as words, _started(cell, words) as child:
        watch = _Watch(child, limits)
        stage, since, unread = "starting", time.monotonic(), b""
        while True:
            some, ended = _read(child)
            unread += some
            *lines, unread = unread.split(b"\n")
            for line in map(json.loads, lines):
                if "outcome" in line:
                    return {**line["outcome"], "family_bytes": watch.peak}
                stage, since = line["stage"], time.monotonic()
            if ended:
                return {"status": "failed", "reason": _last_words(child, stage, words)}
            tell(stage)
            reason = watch.excess(stage, time.monotonic() - since)
            if reason:
                return {**reason, "family_bytes": watch.peak}


@contextmanager
def _started(cell: Cell, words: IO[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a cell; it and all that it started are gone at the end, whatever happens."""
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(cell.threads))}
    child = subprocess.Popen(
        [sys.executable, "-m", "dncsc.bench.cell"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=words,
        env=environment,
        start_new_session=True,
    )
    try:
        assert child.stdin is not None
        with suppress(BrokenPipeError):  # it died at once; its last words say why
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
    """What the cell has said for a moment, and whether it will say no more."""
    assert child.stdout is not None
    if not select.select([child.stdout], [], [], LOOK_SECONDS)[0]:
        return b"", False
    some = os.read(child.stdout.fileno(), 2**16)
    return some, not some


def _last_words(child: subprocess.Popen[bytes], stage: str, words: IO[bytes]) -> str:
    code = child.wait()
    words.seek(0)
    said = words.read().decode(errors="replace").strip().splitlines()
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"the process ended while {stage} with {how}" + (f": {said[-1]}" if said else ".")


class _Watch:
    """Time and memory of a cell, next to what it may take."""

    def __init__(self, child: subprocess.Popen[bytes], limits: Limits) -> None:
        self.peak = 0  # while fitting
        self._pid, self._limits = child.pid, limits
        self._family, self._searched = [child.pid], time.monotonic()

    def excess(self, stage: str, seconds: float) -> dict[str, Any] | None:
        """What it takes too much of, if anything."""
        if time.monotonic() - self._searched > FAMILY_SECONDS:
            self._family, self._searched = _session(self._pid), time.monotonic()
        held = sum(map(_resident, self._family))
        self.peak = max(self.peak, held) if stage == FITS[-1] else self.peak
        if held > self._limits.bytes:
            return {"status": "memory", "reason": f"more than {format_bytes(self._limits.bytes)} while {stage}"}
        most = max(self._limits.seconds, 0 if stage in FITS else OTHER_SECONDS)
        if seconds > most:
            return {"status": "timeout", "reason": f"more than {most:g} s of {stage}"}
        return None


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _session(leader: int) -> list[int]:
    """Processes of a session. Where there is no /proc, memory is not watched."""
    members = [leader]
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            # After the name, which is in parentheses and may hold anything: state, parent, group, session.
            session = int(entry.read_text().rpartition(")")[2].split()[3])
        except (OSError, ValueError, IndexError):
            continue
        if session == leader and int(entry.parent.name) != leader:
            members.append(int(entry.parent.name))
    return members
