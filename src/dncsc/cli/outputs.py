"""Where results go: checked before any work, and written so that no partial file is ever found."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dncsc.atomic import atomic_write
from dncsc.cli.errors import FileError, UsageError

if TYPE_CHECKING:
    from dncsc.rows.format import Holds, Writer


@dataclass(frozen=True)
class Target:
    """An output as the user named it: by which option, where, and with which suffix. No path is standard output."""

    option: str
    path: Path | None
    suffix: str

    @property
    def name(self) -> str:
        return "standard output" if self.path is None else str(self.path)

    @property
    def holds(self) -> Holds:
        """What a table of this format has room for."""
        from dncsc.rows.formats import output_format

        return output_format(self.suffix).holds


def table_target(text: str, option: str = "-o") -> Target:
    """A table in the format that its suffix says, or CSV on standard output for "-"."""
    from dncsc.rows.formats import writable

    if text == "-":
        return Target(option, None, ".csv")
    return file_target(text, option, writable())


def file_target(text: str, option: str, suffixes: Sequence[str]) -> Target:
    """A file with one of some suffixes."""
    path = Path(text)
    if path.is_dir():
        raise FileError(f"{option}: {text} is a folder. Name a file in it.")
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        listed = ", ".join(suffixes)
        got = f"{path.name!r} has the suffix {path.suffix!r}" if path.suffix else f"{path.name!r} has no suffix"
        known = f"has to end in {listed}" if len(suffixes) == 1 else f"has to end in one of {listed}"
        raise UsageError(f"{option}: the file {known}, which says how to write it; {got}.")
    return Target(option, path, suffix)


def check(targets: Sequence[Target], inputs: Iterable[Path], force: bool) -> None:
    """Refuse, before any work, outputs that would lose something or cannot be written."""
    sources = [Path(os.path.realpath(path)) for path in inputs]
    seen: dict[Path, Target] = {}
    if len([target for target in targets if target.path is None]) > 1:
        raise UsageError("only one output can go to standard output.")
    for target in targets:
        if target.path is None:
            continue
        real = Path(os.path.realpath(target.path))
        for other, taken in seen.items():
            if _same(real, other):
                raise UsageError(f"{target.option} and {taken.option} both name {target.path}. Give each its own file.")
        seen[real] = target
        for source in sources:
            if _same(real, source):
                raise UsageError(f"{target.option}: {target.path} is the input. Write to another file.")
            _check_outside(target.option, target.path, source)
        _check_place(target, real, force)


def check_folder(option: str, folder: Path, inputs: Iterable[Path]) -> None:
    """Refuse, before any work, a folder to work in that is a file, or whose files would stand among the input."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{option}: {folder} is a file. Name a folder, which is made if it is not there.")
    for path in inputs:
        source = Path(os.path.realpath(path))
        if source.is_dir() and _same(Path(os.path.realpath(folder)), source):
            raise UsageError(f"{option}: {folder} is the input. Name another folder.")
        _check_outside(option, folder, source)


def _check_outside(option: str, path: Path, source: Path) -> None:
    if source.is_dir() and source in Path(os.path.realpath(path)).parents:
        raise UsageError(f"{option}: {path} lies in the input folder {source}. Write elsewhere.")


def _same(one: Path, other: Path) -> bool:
    return one == other or (one.exists() and other.exists() and one.samefile(other))


def _check_place(target: Target, real: Path, force: bool) -> None:
    folder = real.parent
    if not folder.is_dir():
        raise FileError(f"{target.option}: there is no folder {folder}. Make it first.")
    if real.exists() and not stat.S_ISREG(real.stat().st_mode):
        raise UsageError(f"{target.option}: {target.path} is not a regular file. Use -o - to write to standard output.")
    if real.exists() and not force:
        raise UsageError(
            f"{target.option}: {target.path} exists already. Choose another name, or overwrite it with --force."
        )
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise FileError(f"{target.option}: cannot write into the folder {folder}: {error.strerror}.") from error


@contextmanager
def table_writer(target: Target, names: Sequence[str], n_rows: int) -> Iterator[Writer]:
    """A writer for a table that takes its place, whole, when the block ends without an error."""
    from dncsc.rows.format import Output
    from dncsc.rows.formats import open_writer

    with ExitStack() as stack:
        if target.path is None:
            stream, folder = sys.stdout.buffer, Path(tempfile.gettempdir())
        else:
            stream, folder = stack.enter_context(atomic_write(target.path)), Path(os.path.realpath(target.path)).parent
        yield stack.enter_context(open_writer(stream, target.suffix, Output(names, n_rows, folder)))
