"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

unfinished: set[Path] = set()
"""Files that this process has not finished. Whoever ends it without unwinding has to remove them, and no others."""


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file in the folder of `path` that takes its place when all went well, and is gone when not.

    What was there before stays as it is until then; a link stays, and the file that it leads to is replaced. The bytes
    are on the disk before the name changes. Where the system has files without a name, it gets one only then, so that
    nothing is left of it even when the process is killed.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    unfinished.add(beside)
    try:
        descriptor = _open_unnamed(target.parent, beside)
        is_unnamed = descriptor is not None
        with open(beside, "x+b") if descriptor is None else os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if is_unnamed:
                _give_name(file.fileno(), beside)
        _replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    finally:
        unfinished.discard(beside)


def _replace(written: Path, target: Path) -> None:
    """Have a finished file replace another, and let those read and write it who could do so with the other."""
    if target.exists():
        written.chmod(stat.S_IMODE(target.stat().st_mode))
    os.replace(written, target)
    _sync_folder(target.parent)


def _open_unnamed(folder: Path, beside: Path) -> int | None:
    """Open a file without a name; None where the system has no such files, or would not give them the name `beside`."""
    if not hasattr(os, "O_TMPFILE"):
        return None
    try:
        tried = os.open(folder, os.O_TMPFILE | os.O_RDWR)
        try:
            _give_name(tried, beside)  # now, not after hours of work; it cannot be taken away again from the same file
            beside.unlink()
        finally:
            os.close(tried)
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except OSError:
        return None  # whatever else is wrong with the folder shows when a named file is opened


def _give_name(descriptor: int, path: Path) -> None:
    # A folder has to be given, or else the link itself would get the name, and not the file that it leads to.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def _sync_folder(folder: Path) -> None:
    """Make a rename last."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
