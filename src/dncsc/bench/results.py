"""The results file: a line of JSON for each plan and each finished cell, appended one at a time.

Whatever happens to a suite, all lines but the last are whole, and the last is mended before the next is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from dncsc.bench.cells import Cell, Plan

try:
    import fcntl
except ImportError:  # Windows: two suites that write to one file are not noticed
    fcntl = None  # type: ignore[assignment]

KINDS = ("plan", "run")


class Results:
    """Plans and runs of a file. Of several runs of one cell, the last counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.plans: list[Plan] = []
        self.runs: dict[str, dict[str, Any]] = {}
        self._file: IO[bytes] | None = None

    @classmethod
    def read(cls, path: Path) -> Results:
        """From a file that may still be written to: half a line at its end does not count."""
        results = cls(path)
        lines = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            record = _parsed(line)
            if record is not None:
                results._take(record)
            elif line and (number < len(lines) or not _begun(line)):
                raise ValueError(f"{path}, line {number}: not a line of a benchmark's results. Nothing was changed.")
        return results

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[Results]:
        """To append to, by one suite at a time. The file is made, or its last line mended, where needed."""
        results = cls.read(path) if path.exists() else cls(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    raise ValueError(f"{path}: another suite is writing to this file.") from error
            _mend(path)
            results._file = file
            yield results

    def add_plan(self, plan: Plan) -> None:
        """Say what is to be run, unless the file says so already."""
        if plan not in self.plans:
            self._append(plan.to_json())

    def add_run(self, cell: Cell, record: dict[str, Any]) -> None:
        """Keep the outcome of a cell."""
        self._append({"kind": "run", "key": cell.key, **record})

    def _append(self, record: dict[str, Any]) -> None:
        assert self._file is not None, "read, not opened"
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._take(json.loads(json.dumps(record)))

    def _take(self, record: dict[str, Any]) -> None:
        if record["kind"] == "plan":
            plan = Plan.from_json(record)
            self.plans += [plan] if plan not in self.plans else []
        else:
            self.runs[record["key"]] = record


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and record.get("kind") in KINDS else None


def _begun(line: bytes) -> bool:
    """Whether it could have become a line of ours, had it not been cut off."""
    return any(f'{{"kind": "{kind}", '.encode().startswith(line[: len(kind) + 13]) for kind in KINDS)


def _mend(path: Path) -> None:
    """End the last line if it is whole, and take it away if it is not."""
    content = path.read_bytes()
    _, _, rest = content.rpartition(b"\n")
    if not rest:
        return
    with path.open("r+b") as file:
        if _parsed(rest) is None:
            file.truncate(len(content) - len(rest))
        else:
            file.seek(0, os.SEEK_END)
            file.write(b"\n")
