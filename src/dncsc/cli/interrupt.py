"""Signals such as Ctrl-C end the process at once: half-written files are removed, and a line says how to go on."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from dncsc import atomic

SIGNALS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal went away"}

_advice: list[str] = [""]


@contextmanager
def half_written(path: Path) -> Iterator[Path]:
    """A file that is removed at the end of the block, and by signals."""
    atomic.unfinished.add(path)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)
        atomic.unfinished.remove(path)


@contextmanager
def signals_end_at_once(advice: str) -> Iterator[None]:
    """Signals end the process inside the block, and print the advice of the innermost one.

    An exception would have to wait for the threads of a pass. Only what this process has half written is removed.
    """
    before = {}
    _advice.append(advice)
    for name in SIGNALS if threading.current_thread() is threading.main_thread() else ():  # others cannot ask for it
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _advice.pop()


@contextmanager
def ctrl_c_raises() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt inside the block, where other processes have to be ended first."""
    ours = signal.getsignal(signal.SIGINT) is _end
    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, _end)


def _end(number: int, _: FrameType | None) -> None:
    for path in list(atomic.unfinished):
        path.unlink(missing_ok=True)
    show_cursor = "\x1b[?25h\n" if sys.stderr is not None and sys.stderr.isatty() else ""
    text = f"{show_cursor}dncsc: {SIGNALS[signal.Signals(number).name]}. {_advice[-1]}".rstrip()
    try:
        os.write(2, f"{text}\n".encode())
    finally:
        os._exit(128 + number)
