"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

unfinished: set[Path] = set()
"""Files that this process has not finished: to be removed where it ends without unwinding."""


NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""A full disk, a file larger than files may be, more than a user may have."""


class FileAppearedError(FileExistsError):
    """Something came into being where a new file was to stand: the `path`, and where the file was `kept` instead."""

    def __init__(self, path: str | os.PathLike[str], kept: Path) -> None:
        super().__init__(f"{path} exists already, and stays as it is. What should have stood there is in {kept}.")
        self.path, self.kept = path, kept


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], overwrite: bool = True) -> Iterator[BinaryIO]:
    """A new file in the folder of `path` that takes its place when all went well, and is gone when not.

    What was there before stays as it is until then; a link stays, and the file that it leads to is replaced. Without
    `overwrite` nothing is ever replaced: where something is by then, the file stands beside it, and
    `FileAppearedError` says where. The bytes are on the disk before the name changes. Where the system has files
    without a name, it gets one only then, so that nothing is left of it even when the process is killed. Else, and
    where that happens just as a file is replaced, the next one that writes it removes what is left.
    """
    target = Path(os.path.realpath(path))
    remove_abandoned(target.parent, rf"\.{re.escape(target.name)}\.[0-9a-f]{{12}}\.part")
    part, placed = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part"), target
    held: int | None = None
    unfinished.add(part)
    try:
        unnamed = _open_unnamed(target.parent, part)
        with open_held(part) if unnamed is None else os.fdopen(unnamed, "w+b") as file:
            _hold(file.fileno())
            held = None if fcntl is None else os.dup(file.fileno())  # until it has its name
            yield file
            file.flush()
            os.fsync(file.fileno())
            if unnamed is not None and overwrite:
                _give_name(unnamed, part)
            elif unnamed is not None:
                placed = _take_free_name(target, partial(_give_name, unnamed))
        if overwrite:
            _replace(target, part)
        elif unnamed is None:
            placed = _take_free_name(target, partial(_move, part))
        if os.name == "posix":
            _sync(target.parent)  # which makes the new name last
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:
            error.filename = os.fspath(path)  # which the system does not tell
        raise
    finally:
        unfinished.discard(part)
        if held is not None:
            os.close(held)
    if placed != target:
        raise FileAppearedError(path, placed)


def _open_unnamed(folder: Path, part: Path) -> int | None:
    """Open a file without a name; None where the system has none, or would not give it the name `part`."""
    try:
        tried = os.open(folder, os.O_TMPFILE | os.O_RDWR)
        try:
            _give_name(tried, part)  # now, not after hours of work; it cannot be taken away again from the same file
            part.unlink(missing_ok=True)
        finally:
            os.close(tried)
        return os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
    except (AttributeError, OSError):  # no O_TMPFILE, or no such files in this folder
        return None  # whatever else is wrong with the folder shows when a named file is opened


def open_held(path: Path, mode: int = 0o666) -> BinaryIO:
    """Open a new file that has a name from the beginning, and that nobody takes for abandoned."""
    while True:
        file = open(path, "x+b", opener=partial(os.open, mode=mode))  # noqa: SIM115
        _hold(file.fileno())
        if path.exists():  # else somebody removed it before it was held
            return file
        file.close()


def _hold(descriptor: int) -> None:
    """Show others that a file is in use, until every descriptor of it is closed, as when the process ends."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def remove_abandoned(folder: Path, pattern: str) -> None:
    """Remove files whose whole name fits a pattern, and that no process holds any more."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        found = [folder / entry.name for entry in entries if re.fullmatch(pattern, entry.name)]
        for path in found:
            with contextlib.suppress(OSError), open(path, "r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while it is held
                path.unlink()


def _give_name(descriptor: int, path: Path) -> None:
    # A folder has to be given, or else the link itself would get the name, and not the file that it leads to.
    os.link(f"/proc/self/fd/{descriptor}", path, src_dir_fd=descriptor, follow_symlinks=True)


def _replace(target: Path, part: Path) -> None:
    if target.exists():  # who could read and write the old file can do so with the new one
        part.chmod(stat.S_IMODE(target.stat().st_mode))
    os.replace(part, target)


def _take_free_name(target: Path, take: Callable[[Path], None]) -> Path:
    """Take the name of the target, or, where something has it, the next one that is free: x.csv, x-2.csv, ..."""
    for number in itertools.count(1):
        place = target if number == 1 else target.with_name(f"{target.stem}-{number}{target.suffix}")
        with contextlib.suppress(FileExistsError):
            take(place)
            return place
    raise AssertionError("there is always a free name")


def _move(part: Path, place: Path) -> None:
    """Give a file another name, unless something has it."""
    try:
        os.link(part, place)
        part.unlink()
    except FileExistsError:
        raise
    except (AttributeError, OSError, NotImplementedError):  # a folder without links: the name is taken first
        os.close(os.open(place, os.O_CREAT | os.O_EXCL))
        os.replace(part, place)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
