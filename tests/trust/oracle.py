"""What every command owes its user, whatever it is given: one oracle for fuzzing and for chaos.

A command does what it should, or refuses with exit code 2 to 4 and one line that names what is wrong. It never has a
fault of its own, takes neither long nor much memory, and leaves every file as it was but those that it was to write.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from dncsc import memory
from dncsc.cli import main

REFUSED = (2, 3, 4)
MOST_SECONDS = 20.0
"""For rows of a few hundred bytes, on a busy machine."""
MOST_BYTES = 500 * 2**20


@dataclass(frozen=True)
class Answer:
    """What a command said and did."""

    code: int
    out: str
    err: str
    seconds: float = 0.0

    @property
    def is_refusal(self) -> bool:
        return self.code in REFUSED


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file of a folder, hidden ones too, and what it holds; None for a folder."""
    found = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in found}


def judge(
    answer: Answer,
    before: dict[str, bytes | None],
    after: dict[str, bytes | None],
    names: Sequence[str] = (),
    may_write: Sequence[str] = (),
) -> None:
    """Fail where a command did what none may do; a refusal has to name one of `names`, if there are any."""
    said = f"{answer.code}: {answer.err}"
    assert answer.code in (0, *REFUSED), said
    assert "Traceback" not in answer.err, said
    assert "fault of dncsc" not in answer.err, said
    assert answer.seconds < MOST_SECONDS, said
    kept = {name: content for name, content in after.items() if name not in may_write}
    assert kept == {name: content for name, content in before.items() if name not in may_write}, said
    if answer.is_refusal:
        if "Written before: " not in answer.err:
            assert after == before, f"left behind: {after.keys() - before.keys()} after {said}"
        reason = answer.err[f"\n{answer.err}".rindex("\ndncsc: ") + len("dncsc: ") :]
        assert len(reason.split()) > 2, said
        assert not names or any(name in reason for name in names), said


class Oracle:
    """Runs commands in this process, in a folder, and judges each; counts what came of them."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capfd = folder, capfd
        self.counts: Counter[str] = Counter()

    def ask(self, arguments: Sequence[str], names: Sequence[str] = (), may_write: Sequence[str] = ()) -> Answer:
        """What a command answers. Files that it may write are gone before and after."""
        before, peak, start = contents(self.folder), memory.peak(), time.perf_counter()
        self._capfd.readouterr()
        code = main(list(arguments))
        seconds, (out, err) = time.perf_counter() - start, self._capfd.readouterr()
        answer = Answer(code, out, err, seconds)
        try:
            judge(answer, before, contents(self.folder), names, may_write)
            assert memory.peak() - peak < MOST_BYTES
        except AssertionError as error:
            raise AssertionError(f"dncsc {' '.join(arguments)}\n{error}") from error
        self.counts["refused" if answer.is_refusal else "done"] += 1
        return answer

    def tell(self, what: str) -> None:
        """Say how many of each there were; pytest shows it with -rP."""
        told = ", ".join(f"{count:,} {name}" for name, count in sorted(self.counts.items()))
        print(f"{what}: {told}")
