"""Where results go: checked before any work, and written so that no partial file is ever found."""

from __future__ import annotations

import itertools
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dncsc.atomic import NO_ROOM, atomic_write
from dncsc.errors import InputError

if TYPE_CHECKING:
    from dncsc.rows.format import Holds, Writer


@dataclass(frozen=True)
class Target:
    """An output as the user named it: by which option, where, and with which suffix. No path is standard output."""

    option: str
    path: Path | None
    suffix: str
    overwrite: bool = False
    """whether a file that stands there is replaced, or one that comes there before the work is done"""

    @property
    def name(self) -> str:
        return "standard output" if self.path is None else str(self.path)

    @property
    def holds(self) -> Holds:
        """What a table of this format has room for."""
        from dncsc.rows.formats import output_format

        return output_format(self.suffix).holds


def table_target(text: str, option: str = "-o", overwrite: bool = False) -> Target:
    """A table in the format that its suffix says, or CSV on standard output for "-"."""
    from dncsc.rows.formats import writable

    return Target(option, None, ".csv") if text == "-" else file_target(text, option, writable(), overwrite)


def file_target(text: str, option: str, suffixes: Sequence[str], overwrite: bool = False) -> Target:
    """A file with one of some suffixes."""
    path = Path(text)
    if path.is_dir():
        raise OSError(f"{option}: {text} is a folder. Name a file in it.")
    if path.suffix.lower() not in suffixes:
        known = f"{'one of ' if len(suffixes) > 1 else ''}{', '.join(suffixes)}"
        got = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise InputError(
            f"{option}: the file has to end in {known}, which says how to write it; {path.name!r} has {got}."
        )
    return Target(option, path, path.suffix.lower(), overwrite)


def free_name(stem: str, suffix: str) -> str:
    """A name in this folder that no file has yet: labels.csv, labels-2.csv, ..."""
    names = (f"{stem}{'' if number == 1 else f'-{number}'}{suffix}" for number in itertools.count(1))
    return next(name for name in names if not os.path.lexists(name))


def check(targets: Iterable[Target], inputs: Iterable[Path]) -> None:
    """Refuse, before any work, outputs that would lose something or cannot be written."""
    inputs = list(inputs)
    seen: dict[Path, Target] = {}
    for target in targets:
        if target.path is None:
            continue
        real = Path(os.path.realpath(target.path))
        for other, taken in seen.items():
            if _same(real, other):
                raise InputError(f"{target.option} and {taken.option} both name {target.path}. Give each its own file.")
        seen[real] = target
        _check_apart(target.option, target.path, inputs, "Write to another file.")
        _check_place(target, real)


def check_folder(option: str, folder: Path, inputs: Iterable[Path]) -> None:
    """Refuse, before any work, a folder to work in that is a file, or whose files would stand among the input."""
    if folder.exists() and not folder.is_dir():
        raise OSError(f"{option}: {folder} is a file. Name a folder, which is made if it is not there.")
    _check_apart(option, folder, inputs, "Name another folder.")


def _check_apart(option: str, path: Path, inputs: Iterable[Path], advice: str) -> None:
    real = Path(os.path.realpath(path))
    for each in inputs:
        source = Path(os.path.realpath(each))
        if _same(real, source):
            raise InputError(f"{option}: {path} is the input. {advice}")
        if source.is_dir() and source in real.parents:
            raise InputError(f"{option}: {path} lies in the input folder {source}. Write elsewhere.")


def _same(one: Path, other: Path) -> bool:
    return one == other or (one.exists() and other.exists() and one.samefile(other))


def _check_place(target: Target, real: Path) -> None:
    if not real.parent.is_dir():
        raise OSError(f"{target.option}: there is no folder {real.parent}. Make it first.")
    if real.exists() and not stat.S_ISREG(real.stat().st_mode):
        raise InputError(f"{target.option}: {target.path} is not a regular file. Use -o - to write to standard output.")
    if real.exists() and not target.overwrite:
        raise InputError(
            f"{target.option}: {target.path} exists already. Choose another name, or overwrite it with --force."
        )
    try:
        tempfile.TemporaryFile(dir=real.parent).close()
    except OSError as error:
        raise OSError(f"{target.option}: cannot write into the folder {real.parent}: {error.strerror}.") from error


@contextmanager
def naming(target: Target) -> Iterator[None]:
    """Have an error about room for a file say by which option it was named."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            error.filename = f"{target.option} {target.name}"
        raise


@contextmanager
def table_writer(target: Target, names: Sequence[str], n_rows: int) -> Iterator[Writer]:
    """A writer for a table that takes its place, whole, when the block ends without an error."""
    from dncsc.rows.format import Output
    from dncsc.rows.formats import open_writer

    with ExitStack() as stack:
        stack.enter_context(naming(target))
        if target.path is None:
            stream, folder = sys.stdout.buffer, Path(tempfile.gettempdir())
            stack.callback(stream.flush)
        else:
            stream = stack.enter_context(atomic_write(target.path, target.overwrite))
            folder = Path(os.path.realpath(target.path)).parent
        yield stack.enter_context(open_writer(stream, target.suffix, Output(names, n_rows, folder)))
