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
"""Files that this process has not finished: to be removed where it ends without unwinding."""


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file in the folder of `path` that takes its place when all went well, and is gone when not.

    What was there before stays as it is until then; a link stays, and the file that it leads to is replaced. The bytes
    are on the disk before the name changes. Where the system has files without a name, it gets one only then, so that
    nothing is left of it even when the process is killed.
    """
    target = Path(os.path.realpath(path))
    partial = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    unfinished.add(partial)
    try:
        unnamed = _open_unnamed(target.parent, partial)
        with open(partial, "x+b") if unnamed is None else os.fdopen(unnamed, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if unnamed is not None:
                _give_name(unnamed, partial)
        if target.exists():  # who could read and write the old file can do so with the new one
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(partial, target)
        if os.name == "posix":
            _sync(target.parent)  # which makes the rename last
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    finally:
        unfinished.discard(partial)


def _open_unnamed(folder: Path, partial: Path) -> int | None:
    """Open a file without a name; None where the system has none, or would not give it the name `partial`."""
    try:
        tried = os.open(folder, os.O_TMPFILE | os.O_RDWR)
        try:
            _give_name(tried, partial)  # now, not after hours of work; it cannot be taken away again from the same file
            partial.unlink()
        finally:
            os.close(tried)
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except (AttributeError, OSError):  # no O_TMPFILE, or no such files in this folder
        return None  # whatever else is wrong with the folder shows when a named file is opened


def _give_name(descriptor: int, path: Path) -> None:
    # A folder has to be given, or else the link itself would get the name, and not the file that it leads to.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
