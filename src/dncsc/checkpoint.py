"""Results of finished phases on disk, so that interrupted work resumes after the last of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from dncsc import records
from dncsc.atomic import atomic_write
from dncsc.errors import InputError

Outcome = TypeVar("Outcome")
MANIFEST = "manifest.json"
FORMAT = "dncsc checkpoint"


class CheckpointMismatchError(InputError):
    """A checkpoint of other data, parameters or version; `differences` has values then and now, by name."""

    def __init__(self, folder: Path, differences: Mapping[str, tuple[Any, Any]]) -> None:
        listed = [f"{{{name}}} was {then!r} and is now {now!r}" for name, (then, now) in differences.items()]
        super().__init__(
            f"the checkpoint in {folder} was made from something else: {'; '.join(listed)}. "
            "Give the same data and parameters to resume it, or another folder to start anew.",
            tuple(differences),
        )
        self.folder, self.differences = folder, dict(differences)
        self.args = (folder, self.differences)


class Checkpoint:
    """A folder with one file for each finished phase, and a manifest of what they were made from.

    A folder that is missing is made when work begins: not for what is refused before.
    """

    def __init__(self, folder: str | os.PathLike[str], schema: records.Schema) -> None:
        self._folder, self._schema = Path(folder), schema
        self.made_from = self._read_manifest()
        if self.made_from is not None:
            return
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
            manifest = json.loads(path.read_text())
            made_from = dict(manifest["made_from"])
            self._schema.check(manifest, FORMAT)
            if type(made_from["seed"]) is not int:
                raise TypeError("the seed is no integer")
            return made_from
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            reason = str(error) if isinstance(error, records.RecordError) else f"it is malformed: {error!r}."
            advice = "Delete the folder, or name another one, to start anew."
            raise records.RecordError(f"{reason} {advice}", path) from error

    def start(self, made_from: Mapping[str, Any]) -> None:
        """Compare everything that results depend on (data, parameters, version) with the manifest, or write one."""
        now = json.loads(json.dumps(made_from))
        if self.made_from is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            manifest = {"format": FORMAT, "schema": self._schema.version, "made_from": now}
            with atomic_write(self._folder / MANIFEST) as file:
                file.write(json.dumps(manifest, indent=2).encode())
            self.made_from = now
        then = self.made_from
        differ = {name: (then.get(name), now.get(name)) for name in {**then, **now} if then.get(name) != now.get(name)}
        if differ:
            raise CheckpointMismatchError(self._folder, differ)

    def load(self, name: str, into: type[Outcome]) -> Outcome | None:
        """The result of a phase, or None where it is not finished."""
        path = self._folder / f"{name}.npz"
        if not path.exists():
            return None
        try:
            header, arrays = records.read(path)
            self._schema.check(header, FORMAT)
            if header.get("made_from") != self.made_from:
                raise records.RecordError("it was made from other data or parameters than the manifest says.")
            return records.unpack(header["record"], arrays, self._schema, into)
        except records.RecordError as error:
            raise records.RecordError(f"{error.reason} Delete it to have the phase run again.", path) from error

    def save(self, name: str, result: Any) -> None:
        """Keep the result of a phase."""
        header = {"format": FORMAT, "phase": name, "made_from": self.made_from}
        records.write(self._folder / f"{name}.npz", header, result, self._schema)
