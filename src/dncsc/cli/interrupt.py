"""Ctrl-C and its like end the process at once: what is half written goes, and a line says how to go on."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from dncsc import atomic

SIGNALS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal went away"}
SHOW_CURSOR = "\x1b[?25h"

_half_written: list[Path] = []
_advice: list[str] = [""]


@contextmanager
def half_written(path: Path) -> Iterator[Path]:
    """A file or folder that must not outlive the block: it is removed at its end, if still there, and by signals."""
    _half_written.append(path)
    try:
        yield path
    finally:
        _remove(path)
        _half_written.remove(path)


@contextmanager
def signals_end_at_once(advice: str) -> Iterator[None]:
    """Ctrl-C and other signals end the process inside the block; nested ones are those of the innermost.

    An exception would have to wait for the threads of a pass, which may have much work before them. What is half
    written goes, be it by a command or by the library, and nothing else: folders may hold files of others.

    Parameters
    ----------
    advice : str
        What else to say then.
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
    """Ctrl-C raises KeyboardInterrupt inside the block, for those who have other processes to end."""
    before = signal.getsignal(signal.SIGINT)
    if before is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if before is _end:
            signal.signal(signal.SIGINT, before)


def _end(number: int, _: FrameType | None) -> None:
    for path in [*_half_written, *atomic.unfinished]:
        _remove(path)
    terminal = sys.stderr is not None and sys.stderr.isatty()
    start = f"{SHOW_CURSOR}\n" if terminal else ""
    text = f"{start}dncsc: {SIGNALS[signal.Signals(number).name]}. {_advice[-1]}".rstrip()
    try:
        os.write(2, f"{text}\n".encode())
    finally:
        os._exit(128 + number)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
