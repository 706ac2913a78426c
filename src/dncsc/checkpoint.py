"""Finished phases on disk, so that interrupted work goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from dncsc import records
from dncsc.atomic import atomic_write

Result = TypeVar("Result")
MANIFEST = "manifest.json"


class CheckpointMismatchError(ValueError):
    """A checkpoint of other data, other parameters or another version."""


class Checkpoint:
    """A folder with one file for each finished phase, and a manifest of what they were made from.

    Parameters
    ----------
    folder : str or Path
        Made where it is missing, when work begins: not for what is refused before.
    kinds : iterable of type
        Classes that records are made of.
    """

    def __init__(self, folder: str | os.PathLike[str], kinds: Iterable[type]) -> None:
        self._folder = Path(folder)
        self._kinds = list(kinds)
        self.made_from = self._read_manifest()
        if self.made_from is None:
            self._check_place()

    def _check_place(self) -> None:
        """Refuse what could not be made into a folder, or written to, before there is work to lose."""
        above = next(path for path in (self._folder, *self._folder.parents) if path.exists())
        if not above.is_dir():
            raise NotADirectoryError(f"checkpoint={str(self._folder)!r}: {above} is not a folder.")
        if not os.access(above, os.W_OK | os.X_OK):
            raise PermissionError(f"checkpoint={str(self._folder)!r}: {above} cannot be written to.")

    def _read_manifest(self) -> dict[str, Any] | None:
        path = self._folder / MANIFEST
        if not path.exists():
            return None
        try:
            made_from = json.loads(path.read_text())
            if not isinstance(made_from, dict) or not isinstance(made_from.get("seed"), int):
                raise ValueError("it says nothing about a run")
        except (ValueError, RecursionError) as error:
            raise records.RecordError(
                f"{path} cannot be used: {error}. Delete the folder, or name another one, to begin anew."
            ) from error
        return made_from

    def start(self, made_from: Mapping[str, Any]) -> None:
        """Compare with what is there, or begin anew.

        Parameters
        ----------
        made_from : mapping
            Everything that results depend on: data, parameters, version.

        Raises
        ------
        CheckpointMismatchError
            Where the folder holds phases of something else; the message names the differences.
        """
        now = json.loads(json.dumps(made_from))
        if self.made_from is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            with atomic_write(self._folder / MANIFEST) as file:
                file.write(json.dumps(now, indent=2).encode())
            self.made_from = now
        elif now != self.made_from:
            then = self.made_from
            names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
            listed = "; ".join(f"{name} was {then.get(name)!r} and is now {now.get(name)!r}" for name in names)
            raise CheckpointMismatchError(
                f"the checkpoint in {self._folder} was made from something else: {listed}. "
                "Give the same data and parameters to go on with it, or another folder to begin anew."
            )

    def load(self, name: str, into: type[Result]) -> Result | None:
        """The result of a phase, or None where it is not finished."""
        path = self._folder / f"{name}.npz"
        if not path.exists():
            return None
        try:
            header, arrays = records.read(path)
            if header.get("made_from") != self.made_from:
                raise records.RecordError("it was made from other data or parameters than the manifest says.")
            found: Result = records.unpack(header["record"], arrays, self._kinds, into)
        except records.RecordError as error:
            raise records.RecordError(
                f"{path} cannot be used: {error} Delete it to have the phase run again."
            ) from error
        return found

    def save(self, name: str, result: Any) -> None:
        """Keep the result of a phase."""
        records.write(self._folder / f"{name}.npz", {"phase": name, "made_from": self.made_from}, result)
