"""Commands in processes of their own, which can be sent signals, killed, and held to limits."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dncsc.cli import main
from in_child import SERVER
from trust.oracle import Answer

# The process that others are forked from finds modules by this variable alone.
os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
SERVER.set_forkserver_preload(["in_child", "trust.warm"])


def _run(arguments: Sequence[str], folder: Path, said: Path, typed: Path | None, largest: int | None) -> None:
    """In the child: the command, with its standard streams in files."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.chdir(folder)
    tempfile.tempdir = str(said.parent)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(said.with_suffix(f".{name}"), os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
    if typed is not None:
        sys.stdin = typed.open()
    if largest is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    code = main(list(arguments))
    sys.stdout.flush()
    os._exit(code)


@dataclass
class Running:
    """A command that has been started in a folder; what it says stands in another one, as do its temporary files."""

    arguments: Sequence[str]
    folder: Path
    aside: Path
    typed: Path | None = None
    largest: int | None = None
    """bytes that a file may have"""
    process: Any = field(init=False)

    def __post_init__(self) -> None:
        self._said = self.aside / f"said-{time.monotonic_ns()}"
        given = (self.arguments, self.folder, self._said, self.typed, self.largest)
        self.process = SERVER.Process(target=_run, args=given)
        self._start = time.perf_counter()
        self.process.start()
        while self.process.is_alive() and not self._said.with_suffix(".err").exists():
            time.sleep(0.002)  # until it is a command, and no longer a part of the tests

    def send(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.process.is_alive():
            os.kill(self.process.pid, number)

    def answer(self, patience: float = 60) -> Answer:
        """Wait for its end; the code is negative where a signal ended it."""
        self.process.join(patience)
        if self.process.exitcode is None:
            self.process.kill()
            raise AssertionError(f"dncsc {' '.join(self.arguments)} did not end in {patience} s")
        texts = []
        for name in ("out", "err"):
            path = self._said.with_suffix(f".{name}")
            texts.append(path.read_text() if path.exists() else "")
            path.unlink(missing_ok=True)
        return Answer(self.process.exitcode, *texts, time.perf_counter() - self._start)
