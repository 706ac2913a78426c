"""Where results go: checked before any work, written beside and renamed, so that nothing partial is ever found."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dncsc.atomic import put_in_place
from dncsc.cli.errors import FileError, UsageError
from dncsc.cli.interrupt import half_written

TABLES = ("csv", "tsv", "parquet", "feather", "arrow", "npy", "npz")
"""Kinds of files that tables are read from and written to; each is its own suffix."""


@dataclass(frozen=True)
class Target:
    """An output as the user named it: by which option, where, and of which kind. No path is standard output."""

    option: str
    path: Path | None
    kind: str

    @property
    def name(self) -> str:
        return "standard output" if self.path is None else str(self.path)


def table_target(text: str, option: str = "-o") -> Target:
    """A table in the format that its suffix says, or CSV on standard output for "-"."""
    if text == "-":
        return Target(option, None, "csv")
    return file_target(text, option, TABLES)


def file_target(text: str, option: str, kinds: Sequence[str]) -> Target:
    """A file of one of some kinds."""
    path = Path(text)
    if path.is_dir():
        raise FileError(f"{option}: {text} is a folder. Name a file in it.")
    kind = path.suffix.lower().lstrip(".")
    if kind not in kinds:
        listed = ", ".join(f".{each}" for each in kinds)
        got = f"{path.name!r} has the suffix {path.suffix!r}" if path.suffix else f"{path.name!r} has no suffix"
        known = f"has to end in {listed}" if len(kinds) == 1 else f"has to end in one of {listed}"
        raise UsageError(f"{option}: the file {known}, which says how to write it; {got}.")
    return Target(option, path, kind)


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
        beside = _name_beside(real)
        beside.mkdir()
    except OSError as error:
        raise FileError(f"{target.option}: cannot write into the folder {folder}: {error.strerror}.") from error
    beside.rmdir()


@contextmanager
def grown_beside(path: Path) -> Iterator[Path]:
    """Where to write a file that takes its place at the end of the block, if all went well.

    It grows in a hidden folder beside, with whatever its writer puts there too, and the folder always goes.
    """
    real = Path(os.path.realpath(path))
    with half_written(_name_beside(real)) as folder:
        folder.mkdir()
        grown = folder / real.name
        yield grown
        with grown.open("rb+") as file:
            os.fsync(file.fileno())
        put_in_place(grown, real)


def _name_beside(path: Path) -> Path:
    return path.with_name(f".dncsc-{secrets.token_hex(6)}.part")
